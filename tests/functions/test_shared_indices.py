"""A gather along the last axis, whose rows share their indices."""

from __future__ import annotations

import numpy as np
import pytest

import dmlindex


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8"])
@pytest.mark.parametrize("limit", [1, 16, 33, 64, 65, 200, 256, 257, 512, 1030, 2048])
@pytest.mark.parametrize("count", [17, 64, 71, 300])
def test_rows_that_share_their_indices(dtype: str, limit: int, count: int) -> None:
    """Of tables that registers hold, and of others; indices are checked before rows are written."""
    rng = np.random.default_rng([limit, count])
    table = rng.integers(0, 250, (5, 3, limit)).astype(dtype)
    indices = rng.integers(-limit, limit, count)
    expected = np.take(table, indices, 2).tobytes()
    assert dmlindex.gather(table, indices, 2).tobytes() == expected
    assert dmlindex.gather(table, indices.astype("i2"), 2, mode="clamp").tobytes() == expected
    far = indices + limit * rng.integers(-3, 3, count)
    assert dmlindex.gather(table, far, 2, mode="wrap").tobytes() == expected
    indices[-2] = limit
    clamped = np.take(table, np.where(indices < 0, indices + limit, indices), 2, mode="clip")
    clamped[..., -2] = table[..., -1]
    assert dmlindex.gather(table, indices, 2, mode="clamp").tobytes() == clamped.tobytes()
    with pytest.raises(IndexError, match=rf"indices\[{count - 2}\] = {limit} "):
        dmlindex.gather(table, indices, 2)


@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "V3", "V12", "V40", "V80"])
@pytest.mark.parametrize("outer", [(7,), (8,), (40,), (3, 30), (1100,)])
@pytest.mark.parametrize("count", [1, 3, 9])
def test_few_indices_on_a_later_axis(dtype: str, outer: tuple[int, ...], count: int) -> None:
    """Row by row, column by column or many rows at a time, packed and not."""
    rng = np.random.default_rng([len(outer), count])
    shape = (*outer, 11)
    made = rng.integers(0, 250, (*shape, np.dtype(dtype).itemsize), np.uint8)
    table = made.view(dtype).reshape(shape)
    indices = rng.integers(-11, 11, count)
    axis = len(outer)
    expected = np.take(table, indices, axis)
    assert dmlindex.gather(table, indices, axis).tobytes() == expected.tobytes()
    assert dmlindex.gather(table.copy("F"), indices, axis).tobytes() == expected.tobytes()
    wide = np.zeros((*outer, 2 * count), dtype)
    dmlindex.gather(table, indices, axis, out=wide[..., 1::2])
    assert wide[..., 1::2].tobytes() == expected.tobytes()
    assert not wide[..., ::2].tobytes().strip(b"\0")


@pytest.mark.parametrize("dtype", ["u1", "V3", "f4", "V12", "c16"])
@pytest.mark.parametrize("limit", [1, 2, 5, 16, 40])
@pytest.mark.parametrize("count", [1, 2, 5, 24, 70])
def test_many_rows_of_few_places(dtype: str, limit: int, count: int) -> None:
    """Packed rows, which byte shuffles move some at a time, and others; whole tables and views."""
    rng = np.random.default_rng([limit, count])
    shape = (2, 4500, limit + 1)
    made = rng.integers(0, 250, (*shape, np.dtype(dtype).itemsize), np.uint8)
    table = made.view(dtype).reshape(shape)
    indices = rng.integers(-limit, limit, count)
    views = [
        table[:, :, :limit],
        np.ascontiguousarray(table[:, :, 1:]),
        table[:, ::-2, 1:],
        np.broadcast_to(table[:, :1, 1:], (2, 4500, limit)),
    ]
    for view in views:
        expected = np.take(view, indices, 2)
        found = dmlindex.gather(view, indices, 2)
        assert found.tobytes() == expected.tobytes()
        wide = np.zeros((*expected.shape[:2], count + 1), dtype)  # something behind each row
        dmlindex.gather(view, indices, 2, mode="clamp", out=wide[..., :count])
        assert wide[..., :count].tobytes() == expected.tobytes()
        assert not wide[..., count].tobytes().strip(b"\0")
    if count <= 5:  # rows as far apart as if they were packed, but are not
        columns = np.zeros((count, *expected.shape[:2], count), dtype)
        out = np.moveaxis(columns[..., 0], 0, -1)
        dmlindex.gather(view, indices, 2, out=out)
        assert out.tobytes() == expected.tobytes()
        assert not columns[..., 1:].tobytes().strip(b"\0")
    indices[-1] = limit
    filled = np.take(view, np.where(indices == limit, 0, indices), 2)
    filled[..., indices == limit] = np.zeros(1, dtype)
    assert dmlindex.gather(view, indices, 2, mode="fill").tobytes() == filled.tobytes()


@pytest.mark.parametrize("dtype", ["u1", "V3", "f2", "f4", "f8", "V12", "c16"])
@pytest.mark.parametrize("rows", [1, 2, 7, 21, 22, 43, 64, 65, 130, 600])
@pytest.mark.parametrize("outer", [1, 3])
def test_rows_of_few_places(dtype: str, rows: int, outer: int) -> None:
    """Few enough to be resolved at once, enough to be shuffled, in groups of few and of many."""
    rng = np.random.default_rng([rows, outer])
    for limit in (1, 2, 7, 33):
        made = rng.integers(0, 250, (outer, rows, limit, np.dtype(dtype).itemsize), np.uint8)
        table = made.view(dtype)[..., 0]
        for count in (1, 3, 8, 21, 103):
            indices = rng.integers(-limit, limit, count)
            for view in (table, table[:, ::-1], table[:, :, ::-1], table.copy("F")):
                expected = np.take(view, indices, 2)
                assert dmlindex.gather(view, indices, 2).tobytes() == expected.tobytes()
                out = np.zeros((count, outer, rows), dtype).transpose(1, 2, 0)
                dmlindex.gather(view, indices, 2, out=out)
                assert out.tobytes() == expected.tobytes()
            indices[0] = limit
            expected[..., 0] = np.zeros(1, dtype)
            found = dmlindex.gather(view, indices, 2, mode="fill")
            assert found.tobytes() == expected.tobytes()
            with pytest.raises(IndexError):
                dmlindex.gather(view, indices, 2)


@pytest.mark.parametrize("dtype", ["u1", "f4"])
@pytest.mark.parametrize("row_bytes", [900, 2100, 16380, 16388, 70000])
@pytest.mark.parametrize("repeats", [1, 8])
def test_rows_that_are_asked_for_ahead(dtype: str, row_bytes: int, repeats: int) -> None:
    """Rows of more than the caches hold go piece by piece, the last of which may be odd."""
    table_bytes = 32 << 20
    size = np.dtype(dtype).itemsize
    limit = row_bytes // size
    rng = np.random.default_rng([row_bytes, repeats])
    table = rng.integers(0, 250, (table_bytes // row_bytes, limit)).astype(dtype)
    count = row_bytes // 16 + 7  # four for each of the row's cache lines
    shared = np.repeat(rng.integers(-limit, limit, count), repeats)[:count]
    assert (dmlindex.gather(table, shared, 1, mode="clamp") == np.take(table, shared, 1)).all()
    indices = np.broadcast_to(shared, (len(table), count)).copy()
    indices[::3] = indices[::3, ::-1]
    expected = np.take_along_axis(table, indices, 1)
    assert (dmlindex.gather_elements(table, indices, 1) == expected).all()
    updates = expected[::-1].copy()
    result = dmlindex.scatter_elements(table, indices, updates, axis=1)
    np.put_along_axis(table, indices, updates, 1)
    assert (result == table).all()
