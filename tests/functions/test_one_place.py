"""Gathers on an axis of one place: once indices are checked, one slice is repeated.

tests/functions/test_isa.py runs this with every instruction set.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex

SHAPES = [(1,), (9, 1), (9, 1, 3), (1, 37), (4, 1, 2, 33)]


def table_of(shape: tuple[int, ...], dtype: str) -> npt.NDArray[Any]:
    rng = np.random.default_rng(shape)
    made = rng.integers(0, 250, (*shape, np.dtype(dtype).itemsize), np.uint8)
    return made.view(dtype).reshape(shape)


@pytest.mark.parametrize("dtype", ["u1", "u2", "V3", "f4", "f8", "V12", "c16", "V40", "V64", "V80"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("count", [1, 70, 259, 1000, 4096])
def test_rows_of_one_element(dtype: str, shape: tuple[int, ...], count: int) -> None:
    """Packed, and with something between the elements of the table or of the result."""
    axis = shape.index(1)
    table = table_of(shape, dtype)
    indices = np.random.default_rng(count).integers(-1, 1, count)
    expected = np.repeat(table, count, axis)
    assert dmlindex.gather(table, indices, axis).tobytes() == expected.tobytes()
    assert dmlindex.gather(table.copy("F"), indices, axis).tobytes() == expected.tobytes()
    far = 5 * indices
    modes: list[Any] = ["clamp", "wrap"]
    for mode in modes:
        assert dmlindex.gather(table, far, axis, mode=mode).tobytes() == expected.tobytes()
    wide = np.zeros((*expected.shape[:-1], 2 * expected.shape[-1]), dtype)
    dmlindex.gather(table, indices, axis, out=wide[..., 1::2])
    assert wide[..., 1::2].tobytes() == expected.tobytes()
    assert not wide[..., ::2].tobytes().strip(b"\0")
    backwards = np.zeros_like(expected)[..., ::-1]
    dmlindex.gather(table, indices, axis, mode="clamp", out=backwards)
    assert backwards.tobytes() == expected.tobytes()
    longer = np.zeros((*expected.shape[:-1], expected.shape[-1] + 1), dtype)
    dmlindex.gather(table, indices, axis, mode="clamp", out=longer[..., :-1])
    assert longer[..., :-1].tobytes() == expected.tobytes()
    assert not longer[..., -1].tobytes().strip(b"\0")


@pytest.mark.parametrize("dtype", ["u1", "V3", "f4", "f8", "V12"])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap"])
def test_elements_and_tuples(dtype: str, shape: tuple[int, ...], mode: Any) -> None:
    axis = shape.index(1)
    table = table_of(shape, dtype)
    rng = np.random.default_rng(shape)
    indices = rng.integers(-1, 1, [3000 if n == 1 else n for n in shape])
    expected = np.repeat(table, 3000, axis)
    found = dmlindex.gather_elements(table, indices, axis, mode=mode)
    assert found.tobytes() == expected.tobytes()
    rows = np.moveaxis(table, axis, 0)[np.newaxis]
    tuples = rng.integers(-1, 1, (3000, 2))
    found = dmlindex.gather_nd(rows, tuples, mode=mode)
    assert found.tobytes() == np.repeat(rows[0], 3000, 0).tobytes()


@pytest.mark.parametrize("dtype", ["u1", "V3", "f8", "V40"])
def test_with_threads(threads: Any, dtype: str) -> None:
    """Rows and a row, of which each thread fills a part."""
    threads(3)
    for shape in ((700, 1), (1, 1), (1, 70), (30, 1, 5)):
        table = table_of(shape, dtype)
        axis = shape.index(1)
        count = 3_000_000 // table.nbytes + 11
        indices = np.random.default_rng(count).integers(-1, 1, count)
        expected = np.repeat(table, count, axis).tobytes()
        assert dmlindex.gather(table, indices, axis).tobytes() == expected
        assert dmlindex.gather(table, indices, axis, mode="wrap").tobytes() == expected


@pytest.mark.parametrize("bad", [1, -2, 2**40])
@pytest.mark.parametrize("at", [0, 1234, 2999])
@pytest.mark.parametrize("dtype", ["u1", "f8", "V12"])
def test_an_index_out_of_range(dtype: str, at: int, bad: int) -> None:
    table = table_of((50, 1), dtype)
    indices = np.zeros(3000, np.int64)
    indices[at] = bad
    out = np.ones((50, 3000), "u1").repeat(np.dtype(dtype).itemsize, 1).view(dtype)
    before = out.tobytes()
    with pytest.raises(IndexError, match=rf"indices\[{at}\] = {bad} "):
        dmlindex.gather(table, indices, 1, out=out)
    with pytest.raises(IndexError, match=rf"indices\[{at}\] = {bad} "):
        dmlindex.gather(table, indices, 1)
    assert out.tobytes() == before
    filled = np.repeat(table, 3000, 1)
    filled[:, at] = np.zeros(1, dtype)
    assert dmlindex.gather(table, indices, 1, mode="fill").tobytes() == filled.tobytes()
