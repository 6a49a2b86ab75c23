"""An axis before the last of a large table, whose columns are taken strip by strip."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dmlindex


@pytest.mark.parametrize("index_dtype", ["i8", "i4"])
@pytest.mark.parametrize("width", [304, 301])
@pytest.mark.parametrize("count", [1, 2])
def test_columns_of_a_table_past_the_cache(
    threads: Callable[[int], None], count: int, width: int, index_dtype: str
) -> None:
    """Rows far apart, many indices a column: columns are taken some at a time, the last few too;
    rows of whole cache lines are written past the caches."""
    threads(count)
    rng = np.random.default_rng([count, width])
    table = rng.standard_normal((8192, width)).astype("f4")
    indices = rng.integers(-8192, 8192, (2100, width)).astype(index_dtype)
    expected = np.take_along_axis(table, indices.astype("i8"), 0)
    assert np.array_equal(dmlindex.gather_elements(table, indices, 0), expected)

    outside = indices.copy()
    outside[::7, ::5] = 8192
    expected[::7, ::5] = 3
    out = np.empty((*outside.shape, 2), "f4")[..., 0]  # items that do not lie packed
    for given in (None, out):
        filled = dmlindex.gather_elements(table, outside, 0, mode="fill", fill_value=3, out=given)
        assert np.array_equal(filled, expected)

    updates = rng.standard_normal(indices.shape).astype("f4")
    places = (indices.astype("i8"), np.arange(width))
    for reduction in ("none", "add"):
        given = np.empty_like(table) if reduction == "none" else None
        result = dmlindex.scatter_elements(
            table, indices, updates, 0, reduction=reduction, out=given
        )
        wanted = table.copy()
        if reduction == "none":
            wanted[places] = updates
        else:
            np.add.at(wanted, places, updates)
        assert np.array_equal(result, wanted)


@pytest.mark.parametrize("width", [4160, 4101])
@pytest.mark.parametrize("count", [1, 2])
def test_scattered_columns(threads: Callable[[int], None], count: int, width: int) -> None:
    """A table of 16 times a cache of 2 MB, with a quarter as many updates: columns are packed,
    written to and unpacked, what is out of range beside them."""
    threads(count)
    rng = np.random.default_rng([count, width])
    table = rng.integers(0, 100, (8192, width), np.uint8)
    indices = rng.integers(-8192, 8192, (2100, width), np.int32)
    updates = rng.integers(0, 100, indices.shape, np.uint8)
    columns = np.broadcast_to(np.arange(width), indices.shape)
    some = (indices[:, 70:], updates[:, 70:])  # which leave columns of the table as they are
    wanted = table.copy()
    wanted[some[0], columns[:, :-70]] = some[1]
    for out in (None, np.empty_like(table), table.copy()):
        given = table if out is None or out.tobytes() != table.tobytes() else out
        found = dmlindex.scatter_elements(given, *some, 0, out=out)
        assert np.array_equal(found, wanted)
    late = indices.copy()
    late[-1, -1] = 8192
    out = table.copy()
    for given in (table, out):
        with pytest.raises(IndexError, match=rf"indices\[2099, {width - 1}\] = 8192"):
            dmlindex.scatter_elements(given, late, updates, 0, out=out)
        assert np.array_equal(out, table)
    for mode in ("raise", "drop"):
        there = indices < 8192
        places, items = (indices[there], columns[there]), updates[there]
        wanted = table.copy()
        wanted[places] = items
        found = dmlindex.scatter_elements(table, indices, updates, 0, mode=mode)
        assert np.array_equal(found, wanted)
        wanted = table.copy()
        np.add.at(wanted, places, items)
        summed = dmlindex.scatter_elements(table, indices, updates, 0, mode=mode, reduction="add")
        assert np.array_equal(summed, wanted)
        indices[::7, ::5] = 8192


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "c16"])
@pytest.mark.parametrize("count", [1, 2])
def test_columns_of_tables_in_a_row(threads: Callable[[int], None], count: int, dtype: str) -> None:
    """Each position before the axis has a table of its own, none of them larger than a cache, all
    together far larger; every index is checked before the first byte is written."""
    threads(count)
    rng = np.random.default_rng(count)
    width = 2049 // np.dtype(dtype).itemsize
    tables = 20_000_000 // (700 * 2049)
    table = rng.integers(0, 100, (tables, 700, width)).astype(dtype)
    indices = rng.integers(-700, 700, (tables, 400, width))
    expected = np.take_along_axis(table, indices, 1)
    out = np.empty_like(expected)
    for mode in ("raise", "clamp", "fill"):
        out[...] = 0
        dmlindex.gather_elements(table, indices, 1, mode=mode, out=out)
        assert out.tobytes() == expected.tobytes()

    updates = rng.integers(0, 100, indices.shape).astype(dtype)
    updates[:, 200:] = updates[:, :200]  # the last of two is either
    indices[:, 200:] = indices[:, :200]
    written = table.copy()
    np.put_along_axis(written, indices, updates, 1)
    target = table.copy()
    indices[-1, -1, -1] = 700
    before = out.tobytes(), target.tobytes()
    with pytest.raises(IndexError, match=r"indices\[.*, 399, .*\] = 700"):
        dmlindex.gather_elements(table, indices, 1, out=out)
    with pytest.raises(IndexError, match=r"indices\[.*, 399, .*\] = 700"):
        dmlindex.scatter_elements(target, indices, updates, 1, out=target)
    assert (out.tobytes(), target.tobytes()) == before
    dmlindex.scatter_elements(target, indices, updates, 1, mode="drop", out=target)
    assert target[:, :, :-1].tobytes() == written[:, :, :-1].tobytes()


@pytest.mark.parametrize("dtype", ["V3", "S5", "V6", "V12"])
@pytest.mark.parametrize("count", [1, 2])
def test_columns_of_records(threads: Callable[[int], None], count: int, dtype: str) -> None:
    """No elements as kernels have them, wherever the output lies in its cache line."""
    threads(count)
    rng = np.random.default_rng([count, ord(dtype[1])])
    size = np.dtype(dtype).itemsize
    width = 4200 // size
    table = rng.integers(1, 99, (8192, width * size), np.uint8).view(dtype)
    indices = rng.integers(-8192, 8192, (2100 * size, width), np.int32)
    expected = np.take_along_axis(table, indices, 0)
    memory = np.empty(expected.nbytes + 64, np.uint8)
    for at in (0, 16, 18, 48):
        out = memory[at:][: expected.nbytes].view(dtype).reshape(expected.shape)
        dmlindex.gather_elements(table, indices, 0, out=out)
        assert out.tobytes() == expected.tobytes()
    updates = np.roll(expected, 7, 0)
    written = table.copy()
    np.put_along_axis(written, indices, updates, 0)
    found = dmlindex.scatter_elements(table, indices, updates, 0)
    assert found.tobytes() == written.tobytes()
    dmlindex.scatter_elements(table, indices, updates, 0, mode="drop", out=table)
    assert table.tobytes() == written.tobytes()


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
@pytest.mark.parametrize("count", [1, 2])
def test_few_columns_of_a_far_table(threads: Callable[[int], None], count: int, dtype: str) -> None:
    """Of many rows, each of which has the same few: column by column, and by rows."""
    threads(count)
    rng = np.random.default_rng(count)
    table = rng.integers(0, 100, (60_000, 96)).astype(dtype)
    for columns in ([5], [3, -1], [95, 0, 40], [1, 1, 1, 1], range(0, 96, 9)):
        expected = np.take(table, columns, 1)
        out = np.zeros((60_000, 2 * len(columns)), dtype)[:, ::2]
        for given in (None, out):
            found = dmlindex.gather(table, columns, 1, out=given)
            assert np.array_equal(found, expected)
        backwards = dmlindex.gather(table[::-1], columns, 1, mode="clamp")
        assert np.array_equal(backwards, expected[::-1])
