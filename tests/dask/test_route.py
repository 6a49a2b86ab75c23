"""The partition that routing starts with, and what becomes of NumPy arrays given to a call."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
import pytest

import dmlindex
import dmlindex.dask
from dmlindex.dask import _parts
from dmlindex.dask._route import Dim, Router

da: Any = dask.array  # which is only partly typed

CHUNKS = [(3, 3, 3), (4, 4, 1), (1, 7, 2), (0, 5, 0, 5), (60_000, 60_000, 7)]


def meant(index: int, limit: int, mode: str) -> int | None:
    """The place that an index means; None if it is skipped."""
    if mode == "clamp":
        index = min(max(index, -limit), limit - 1)
    elif mode == "wrap":
        index %= limit
    if not -limit <= index < limit:
        return None
    return index % limit


@pytest.mark.parametrize("mode", ["clamp", "wrap", "fill"])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"])
@pytest.mark.parametrize("chunks", CHUNKS, ids=str)
def test_every_index_goes_to_its_chunk(chunks: tuple[int, ...], dtype: str, mode: str) -> None:
    limit, info = sum(chunks), np.iinfo(dtype)
    wanted = [0, 1, limit - 1, limit, 2, -1, -limit, -limit - 1, 3, 0, int(info.max), int(info.min)]
    inside = [[i for i in wanted if info.min <= i <= info.max], list(range(min(limit, 100)))]
    for indices in inside:  # some out of range, and none
        block = np.array(indices, dtype)
        router = Router("gather", mode, 0, (Dim(chunks=chunks),), False)
        counts, offsets, order = router.route(block, (0,))
        order = np.arange(block.size) if order is None else order
        starts = np.cumsum([0, *chunks])
        owners = np.repeat(np.arange(len(chunks)), counts)
        places = dict(zip(order.tolist(), (starts[owners] + offsets).tolist(), strict=True))
        expected = {n: meant(i, limit, mode) for n, i in enumerate(indices)}
        assert places == {n: place for n, place in expected.items() if place is not None}
        assert np.all(offsets < np.array(chunks)[owners])
        for owner in range(len(chunks)):  # in the order that they had
            assert np.all(np.diff(order[owners == owner].astype(np.int64)) > 0)


@pytest.mark.parametrize("order", [[0, 3, 9], [9, 3, 0]])
@pytest.mark.parametrize("chunks", [4, 10])
def test_arrays_may_change_after_the_call(order: list[int], chunks: int) -> None:
    """The result is that of the values which the call was given."""
    x, indices, updates = np.arange(10.0), np.array(order)[:, np.newaxis], np.ones(3)
    expected = dmlindex.scatter_nd(x, indices, updates, reduction="add")
    table = da.arange(10.0, chunks=chunks)
    lazy: Any = dmlindex.dask.scatter_nd(table, indices, updates, reduction="add")
    picked: Any = dmlindex.dask.gather_nd(table, indices)
    gathered = x[indices[:, 0]]
    indices[:] = 5
    updates[:] = 7
    np.testing.assert_array_equal(lazy.compute(), expected)
    np.testing.assert_array_equal(picked.compute(), gathered)


def test_large_arrays_are_not_hashed() -> None:
    """Equal calls have the same name, but where a NumPy array is more than a megabyte."""
    x = da.zeros(100, chunks=50)
    for size, same in ((1 << 10, True), (1 << 18, False)):
        indices = np.zeros(size, np.int64)
        names = {dmlindex.dask.gather(x, indices).name for _ in range(2)}
        assert len(names) == (1 if same else 2)
        kept = da.from_array(indices)
        assert len({dmlindex.dask.gather(x, kept).name for _ in range(2)}) == 1


def test_one_update_without_dims() -> None:
    """An empty string of two characters stays one: a NumPy scalar would have become shorter."""
    x = da.from_array(np.array(["ab", "cd"]), chunks=1)
    result: Any = dmlindex.dask.scatter_nd(x, np.array([1]), np.array("", "<U2"))
    np.testing.assert_array_equal(result.compute(), ["ab", ""])


@pytest.mark.parametrize("reduction", ["add", "min"])
def test_unordered_updates_of_a_block_are_combined_before_they_are_sent(reduction: str) -> None:
    router = Router("scatter_nd", "raise", 0, (Dim(chunks=(3, 3)),), True)
    block = np.array([[5], [0], [5], [0], [2], [5]])
    routed = router.route(block, (0, 0))
    updates = np.arange(1.0, 7.0)
    parts = _parts.send_updates(routed, updates, 1, None, reduction, True)
    assert parts.counts.tolist() == [[2, 1]]
    offsets, rows = parts.arrays
    assert offsets.tolist() == [0, 2, 2]
    assert rows.tolist() == ([6.0, 5.0, 10.0] if reduction == "add" else [2.0, 5.0, 1.0])
