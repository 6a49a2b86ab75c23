"""Inputs of any layout: columns first, backwards, every other element, one value over and over.

Where a gather reads them often it copies them first; where it reads few places, it goes along the
axis whose elements lie next to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

_DTYPES = ["u1", "V3", "f2", "f4", "f8", "c16"]
Make = Callable[[Any], Any]


def _every_other(array: Any) -> Any:
    wide = np.zeros((*array.shape, 2), array.dtype)
    wide[..., 1] = array
    return wide[..., 1]


def _turned(array: Any) -> Any:
    """The middle axis outermost in memory."""
    return np.moveaxis(np.moveaxis(array, 1, 0).copy(), 0, 1)


_LAYOUTS: dict[str, Make] = {
    "columns first": np.asfortranarray,
    "backwards": lambda array: array[::-1, ::-1, ::-1].copy()[::-1, ::-1, ::-1],
    "last axis backwards": lambda array: array[..., ::-1].copy()[..., ::-1],
    "every other": _every_other,
    "turned": _turned,
    "one row": lambda array: np.broadcast_to(array[:, :1], array.shape),
    "one column": lambda array: np.broadcast_to(array[..., :1], array.shape),
    "rows with a gap": lambda array: np.pad(array, [(0, 0), (0, 0), (1, 1)])[..., 1:-1],
}


def _table(shape: tuple[int, ...], dtype: str, make: Make) -> Any:
    size = np.dtype(dtype).itemsize
    made = np.random.default_rng(shape).integers(0, 250, (*shape, size), np.uint8)
    return make(made.view(dtype)[..., 0])


def _same(found: Any, wanted: Any) -> None:
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("shape", [(5, 7, 9), (3, 40, 33), (1, 90, 2), (40, 1, 3)])
@pytest.mark.parametrize("threads", [1, 2])
def test_read_often(dtype: str, layout: str, shape: tuple[int, ...], threads: int) -> None:
    """From half of the table's places on, up to forty times all of them, of any operator."""
    x = _table(shape, dtype, _LAYOUTS[layout])
    rng = np.random.default_rng(threads)
    before = dmlindex.get_num_threads()
    dmlindex.set_num_threads(threads)
    try:
        for times in (0.5, 1, 3, 40):
            for axis in range(3):
                size = shape[axis]
                indices = rng.integers(-size, size, max(1, round(times * size)))
                _same(dmlindex.gather(x, indices, axis), np.take(x, indices, axis))
                others = [n if d != axis else indices.size for d, n in enumerate(shape)]
                along = rng.integers(-size, size, others).astype("i4")
                _same(dmlindex.gather_elements(x, along, axis), np.take_along_axis(x, along, axis))
            for depth in (1, 2, 3):
                count = max(1, round(times * np.prod(shape[:depth])))
                tuples = [rng.integers(-n, n, count) for n in shape[:depth]]
                _same(dmlindex.gather_nd(x, np.stack(tuples, -1)), x[tuple(tuples)])
    finally:
        dmlindex.set_num_threads(before)


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap", "fill"])
def test_modes(layout: str, mode: Literal["raise", "clamp", "wrap", "fill"]) -> None:
    """Out of range and not; a refused call leaves out as it was."""
    x = _table((6, 11, 13), "f4", _LAYOUTS[layout])
    rng = np.random.default_rng(0)
    tuples = rng.integers(-6, 6, (300, 2))
    out = np.zeros((300, 13), "f4")
    wanted = reference.gather_nd(x, tuples)
    _same(dmlindex.gather_nd(x, tuples, mode=mode, out=out), wanted)
    tuples[[17, 250]] = [[-7, 3], [2, 11]]
    if mode != "raise":
        wanted = reference.gather_nd(x, tuples, mode=mode)
        _same(dmlindex.gather_nd(x, tuples, mode=mode, out=out), wanted)
        return
    with pytest.raises(IndexError, match=r"indices\[17, 0\] = -7 "):
        dmlindex.gather_nd(x, tuples, out=out)
    tuples[[17, 250]] = 0
    out[...] = 5
    tuples[299, 1] = 11
    with pytest.raises(IndexError, match=r"indices\[299, 1\] = 11 "):
        dmlindex.gather_nd(x, tuples, out=out)
    assert (out == 5).all()


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
def test_few_places_of_a_large_table(layout: str, dtype: str) -> None:
    """Along the axis that is next to each other in memory, each in turn; out of any layout."""
    x = _table((70, 33, 48), dtype, _LAYOUTS[layout])
    for axis in range(3):
        for count in (1, 3, 15, 16, 40):
            indices = np.arange(count) * 5 % x.shape[axis]
            wanted = np.take(x, indices, axis)
            _same(dmlindex.gather(x, indices, axis), wanted)
            out = _every_other(np.asfortranarray(np.zeros(wanted.shape, dtype)))
            dmlindex.gather(x, indices, axis, out=out)
            assert out.tobytes() == wanted.tobytes()
            y = np.array(x)
            y[(slice(None),) * axis + (indices,)] = wanted[::-1]
            wide = np.broadcast_to(
                np.arange(count).reshape([-1 if d == axis else 1 for d in range(3)])
                * 5
                % x.shape[axis],
                wanted.shape,
            )
            if count <= x.shape[axis] and np.unique(indices).size == count:
                _same(dmlindex.scatter_elements(x, wide, wanted[::-1], axis), y)


@pytest.mark.parametrize("dtype", ["u1", "f4", "V12"])
def test_one_index_over_and_over(dtype: str) -> None:
    """Indices that do not move along the axis: its element is written all along."""
    x = _table((90, 20, 60), dtype, np.ascontiguousarray)
    for axis in range(3):
        shape = [1 if d == axis else n for d, n in enumerate(x.shape)]
        one = np.random.default_rng(axis).integers(0, x.shape[axis], shape)
        for count in (2, 15, 16, 200):
            wide = np.broadcast_to(one, [count if d == axis else n for d, n in enumerate(x.shape)])
            _same(dmlindex.gather_elements(x, wide, axis), np.take_along_axis(x, wide, axis))


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
@pytest.mark.parametrize("index", ["i4", "u2", "i8"])
def test_indices(layout: str, dtype: str, index: str) -> None:
    """Many of them, which each have a line of memory to themselves or not."""
    make = _LAYOUTS[layout]
    rng = np.random.default_rng(0)
    x = _table((40, 30, 9), dtype, np.ascontiguousarray)
    values = rng.integers(0, 30, (90, 80, 2)).astype(index)
    indices = make(values)
    _same(dmlindex.gather(x, indices, 1), np.take(x, indices, 1))
    along = make(rng.integers(0, 30, (40, 25, 9)).astype(index))
    _same(dmlindex.gather_elements(x, along, 1), np.take_along_axis(x, along, 1))
    updates = _table(along.shape, dtype, make)
    wanted = reference.scatter_elements(x, along, updates, 1)
    _same(dmlindex.scatter_elements(x, along, updates, 1), wanted)
    values[-1, 0, 0] = 30
    with pytest.raises(IndexError, match=r"indices\[89, 0, 0\] = 30 "):
        dmlindex.gather(x, make(values), 1)


@pytest.mark.parametrize("rows", [30, 64, 90, 300])
@pytest.mark.parametrize("width", [1, 2, 3, 32, 33])
@pytest.mark.parametrize("index", ["u1", "i4", "i8"])
def test_short_rows_of_indices_that_lie_columns_first(rows: int, width: int, index: str) -> None:
    """Some of which are copied first, of a gather and of an ordered scatter."""
    rng = np.random.default_rng([rows, width])
    x = rng.integers(0, 99, (70, 2)).astype("f4")
    indices = np.asfortranarray(rng.integers(0, 70, (rows, width)).astype(index))
    _same(dmlindex.gather(x, indices, 0), np.take(x, indices, 0))
    updates = rng.integers(0, 99, (rows, width, 2)).astype("f4")
    wanted = reference.scatter_nd(x, indices[..., np.newaxis], updates)
    _same(dmlindex.scatter_nd(x, indices[..., np.newaxis], updates), wanted)
    indices[-1, 0] = 70
    with pytest.raises(IndexError, match=rf"indices\[{rows - 1}, 0\] = 70 "):
        dmlindex.gather(x, indices, 0)


@pytest.mark.parametrize("dtype", ["u1", "f2", "V3", "f4", "f8", "V12", "c16"])
@pytest.mark.parametrize("shape", [(5,), (64,), (700,), (3001,), (9, 40), (7, 5, 333)])
def test_a_source_of_one_element_over_and_over(dtype: str, shape: tuple[int, ...]) -> None:
    """What np.broadcast_to makes: of one element, of one for each row, and of one row."""
    size = np.dtype(dtype).itemsize
    made = np.random.default_rng(shape).integers(0, 250, (*shape, size), np.uint8).view(dtype)
    made = made[..., 0]
    ones = (made[(slice(1),) * len(shape)], made[..., :1], made[:1])
    indices = np.array([[1], [-1], [0]])
    for one in ones:
        x = np.broadcast_to(one, shape)
        updates = made[:3]
        wanted = x.copy()
        wanted[indices[:, 0]] = updates
        _same(dmlindex.scatter_nd(x, indices, updates), wanted)
        out = np.asfortranarray(np.zeros(shape, dtype))
        assert dmlindex.scatter_nd(x, indices, updates, out=out).tobytes() == wanted.tobytes()


@pytest.mark.parametrize("layout", _LAYOUTS)
@pytest.mark.parametrize("mode", ["clamp", "wrap", "fill", "raise"])
def test_indices_out_of_range(layout: str, mode: Literal["clamp", "wrap", "fill", "raise"]) -> None:
    """With a table that is copied, too; a refused call leaves out as it was."""
    x = _table((5, 12, 9), "f4", _LAYOUTS["columns first"])
    values = np.random.default_rng(0).integers(-12, 12, (90, 80))
    values[70, 0] = 12
    indices = _LAYOUTS[layout](values[..., np.newaxis])
    out = np.full((5, 90, 80, 1, 9), 5, "f4", order="F")
    if mode != "raise":
        wanted = reference.gather(x, indices, 1, mode=mode)
        _same(dmlindex.gather(x, indices, 1, mode=mode, out=out), wanted)
        return
    with pytest.raises(IndexError, match=r"indices\[70, 0, 0\] = 12 "):
        dmlindex.gather(x, indices, 1, out=out)
    assert (out == 5).all()


def test_elements_of_no_bytes() -> None:
    """Their indices are checked all the same, however they lie."""
    indices = np.zeros((5000, 8), np.int64)[:, 0]
    x = np.zeros(5000, "V0")
    assert dmlindex.gather(x, indices).shape == (5000,)
    assert dmlindex.gather_elements(x, indices, 0).shape == (5000,)
    assert dmlindex.scatter_elements(x, indices, x, 0).shape == (5000,)
    indices[4999] = 5000
    with pytest.raises(IndexError, match=r"indices\[4999\] = 5000 "):
        dmlindex.gather(x, indices)


@pytest.mark.parametrize("layout", [name for name in _LAYOUTS if not name.startswith("one ")])
@pytest.mark.parametrize("reduction", ["none", "add"])
def test_duplicates_in_an_out_of_any_layout(layout: str, reduction: Literal["none", "add"]) -> None:
    """Updates of one place keep their order, though those of several do not."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((6, 7, 8)).astype("f4")
    for axis in range(3):
        indices = rng.integers(0, 6, (6, 7, 8))
        updates = _LAYOUTS[layout](rng.standard_normal(indices.shape).astype("f4"))
        out = _LAYOUTS[layout](x)
        wanted = reference.scatter_elements(x, indices, updates, axis, reduction=reduction)
        dmlindex.scatter_elements(out, indices, updates, axis, reduction=reduction, out=out)
        _same(out, wanted)
    tuples = rng.integers(0, 3, (20, 3, 2))
    rows = _LAYOUTS[layout](rng.standard_normal((20, 3, 8)).astype("f4"))
    out = _LAYOUTS[layout](x)
    wanted = reference.scatter_nd(x, tuples, rows, reduction=reduction)
    dmlindex.scatter_nd(out, tuples, rows, reduction=reduction, out=out)
    _same(out, wanted)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f8", "c16"])
def test_one_value_all_over(dtype: str) -> None:
    x = np.zeros((50, 3, 700), dtype)
    indices = np.array([[3], [49], [3], [0]])
    for make_out in (lambda: None, lambda: np.zeros_like(x), lambda: np.asfortranarray(x)):
        found = dmlindex.scatter_nd(x, indices, 5, out=make_out())
        assert (found[[0, 3, 49]] == 5).all()
        assert np.count_nonzero(found) == 3 * 3 * 700
        some = np.array([[50], [7]])
        found = dmlindex.scatter_nd(x, some, 5, mode="drop", out=make_out())
        assert (found[7] == 5).all()
        assert np.count_nonzero(found) == 3 * 700
