"""Gathers of slices of every small number of bytes, which kernels copy in pieces of other sizes.

Memory around the result stays as it is; what lies behind the table is held by tests/cpp/kernels,
between pages that nobody may touch.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex

Array = npt.NDArray[Any]

MARK = 201


def gathered(x: Array, indices: Array, mode: str) -> Any:
    """gather(x, indices, mode=mode) by NumPy; mode is "clamp" or "fill"."""
    places = np.where(indices < 0, indices + len(x), indices)
    if mode == "fill":
        inside = (places >= 0) & (places < len(x))
        x = np.concatenate([x, np.zeros_like(x[:1])])
        return x[np.where(inside, places, -1)]
    return x[np.clip(places, 0, len(x) - 1)]


@pytest.mark.parametrize("width", range(1, 34))
def test_every_width(width: int) -> None:
    random = np.random.default_rng(width)
    for rows in (1, 31, 32, 33, 300):
        x = random.integers(0, 200, (rows, width), np.uint8)
        for count in (1, 15, 16, 17, 31, 32, 33, 47, 48, 49, 1100):
            inside = random.integers(-rows, rows, count)
            memory = np.full(width * (count + 2), MARK, np.uint8)
            out = memory[width:-width].reshape(count, width)
            for index_dtype in (np.int64, np.int32, np.int16):
                out[...] = MARK
                dmlindex.gather(x, inside.astype(index_dtype), out=out)
                np.testing.assert_array_equal(out, x[inside])
            fresh = dmlindex.gather_nd(x, inside[:, None])
            np.testing.assert_array_equal(fresh, x[inside])
            anywhere = random.integers(-2 * rows, 2 * rows, count)
            for mode in ("clamp", "fill"):
                found = dmlindex.gather(x, anywhere, mode=mode, out=out)
                np.testing.assert_array_equal(found, gathered(x, anywhere, mode))
            assert (memory[:width] == MARK).all()
            assert (memory[-width:] == MARK).all()


@pytest.mark.parametrize("width", [511, 512, 4095, 8191, 8192, 8193, 65_537, 2**20, 2**20 + 3])
def test_long_slices(width: int) -> None:
    """Copied by kernels, or by the C library where it is quicker."""
    random = np.random.default_rng(width)
    x = random.integers(0, 200, (5, width), np.uint8)
    indices = np.array([4, 0, 3, -2])
    memory = np.full(6 * width + 2, MARK, np.uint8)
    out = memory[width + 1 : 5 * width + 1].reshape(4, width)
    dmlindex.gather(x, indices, out=out)
    np.testing.assert_array_equal(out, x[indices])
    assert (memory[: width + 1] == MARK).all()
    assert (memory[5 * width + 1 :] == MARK).all()
    updates = random.integers(0, 200, (2, width), np.uint8)
    expected = x.copy()
    expected[[1, 3]] = updates
    scattered = dmlindex.scatter_nd(x, np.array([[1], [3]]), updates)
    np.testing.assert_array_equal(scattered, expected)


@pytest.mark.parametrize("width", [3, 5, 7, 11, 12, 15])
def test_records_along_an_axis(width: int, threads: Any) -> None:
    random = np.random.default_rng(width)
    x = random.integers(0, 256, (7, 500, width), np.uint8).view(f"V{width}")[..., 0]
    indices = random.integers(-500, 500, (7, 9000))
    for count in (1, 2):
        threads(count)
        found = dmlindex.gather_elements(x, indices, 1)
        assert found.tobytes() == np.take_along_axis(x, indices, 1).tobytes()


@pytest.mark.parametrize("width", [1, 4, 12, 16, 24, 40, 100, 1500])
@pytest.mark.parametrize("count", [2, 3, 5, 300, 3000])
def test_slices_in_order_but_for_some_between(width: int, count: int) -> None:
    """A run of slices that follow each other is one copy; the first and the last do not tell."""
    rng = np.random.default_rng([width, count])
    rows = rng.integers(0, 250, (count + 2, 2, width), np.uint8).view(f"V{width}")[..., 0]
    for swapped in {0, (count - 1) // 2, count - 2}:
        indices = np.arange(1, count + 1)
        indices[[swapped, swapped + 1]] = indices[[swapped + 1, swapped]]
        pairs = np.stack([indices, np.full(count, 1)], 1)
        assert dmlindex.gather(rows, indices).tobytes() == rows[indices].tobytes()
        assert dmlindex.gather_nd(rows, pairs).tobytes() == rows[indices, 1].tobytes()
        along = np.broadcast_to(indices[:, None], (count, 2)).copy()
        assert dmlindex.gather_elements(rows, along).tobytes() == rows[indices].tobytes()
        flat = np.ascontiguousarray(rows.T)
        across = np.broadcast_to(indices, (2, count)).copy()
        assert dmlindex.gather_elements(flat, across, 1).tobytes() == flat[:, indices].tobytes()
