"""Gathers whose result repeats itself, as of indices that are broadcast: once, and then copied."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

DTYPES = ["u1", "V3", "f4", "f8", "V12", "V40"]


def table_of(shape: tuple[int, ...], dtype: str) -> Any:
    rng = np.random.default_rng(shape)
    return rng.integers(0, 250, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap", "fill"])
def test_one_index(mode: Any, order: Any, axis: int, dtype: str) -> None:
    table = table_of((7, 5, 11), dtype).copy(order)
    for index in (3, -1) if mode == "raise" else (3, -1, 40):
        for shape in ((300,), (40, 9), (2, 1)):
            indices = np.broadcast_to(np.int64(index), shape)
            found = dmlindex.gather(table, indices, axis, mode=mode)
            expected = reference.gather(table, indices, axis, mode=mode)
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_dims_of_which_some_repeat(dtype: str) -> None:
    """Indices that change along one of their axes, and tables that stay along one of theirs."""
    table = np.broadcast_to(table_of((6, 1, 9), dtype), (6, 13, 9))
    rng = np.random.default_rng(6)
    for axis in range(3):
        changing = rng.integers(0, table.shape[axis], (4, 1, 5))
        indices = np.broadcast_to(changing, (4, 30, 5))
        expected = reference.gather(table, indices, axis)
        assert dmlindex.gather(table, indices, axis).tobytes() == expected.tobytes()
        turned = np.broadcast_to(changing.transpose(1, 0, 2), (30, 4, 5))
        expected = reference.gather(table, turned, axis)
        assert dmlindex.gather(table, turned, axis).tobytes() == expected.tobytes()
    rows = np.broadcast_to(rng.integers(0, 9, (6, 1, 20)), (6, 13, 20))
    expected = reference.gather_elements(table, rows, 2)
    assert dmlindex.gather_elements(table, rows, 2).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_out_with_gaps(dtype: str) -> None:
    table = table_of((8, 12), dtype).copy("F")
    indices = np.broadcast_to(np.int64(5), 200)
    expected = table[indices]
    wide = np.zeros((400, 13), dtype)
    dmlindex.gather(table, indices, 0, out=wide[1::2, :-1])
    assert wide[1::2, :-1].tobytes() == expected.tobytes()
    assert not wide[::2].tobytes().strip(b"\0")
    assert not wide[:, -1].tobytes().strip(b"\0")
    backwards = np.zeros((200, 12), dtype)[::-1, ::-1]
    dmlindex.gather(table, indices, 0, out=backwards)
    assert backwards.tobytes() == expected.tobytes()


@pytest.mark.parametrize("bad", [8, -9, 2**40])
def test_an_index_out_of_range(bad: int) -> None:
    table = table_of((8, 12), "u1").copy("F")
    indices = np.broadcast_to(np.array([[3], [bad]]), (2, 300))
    out = np.ones((2, 300, 12), "u1")
    with pytest.raises(IndexError, match=rf"indices\[1, 0\] = {bad} "):
        dmlindex.gather(table, indices, 0, out=out)
    assert out.tobytes() == np.ones_like(out).tobytes()


def test_with_threads(threads: Any) -> None:
    threads(3)
    table = table_of((40, 3, 50), "f4").copy("F")
    indices = np.broadcast_to(np.int64(2), 400)
    expected = table[:, indices]
    assert dmlindex.gather(table, indices, 1).tobytes() == expected.tobytes()
