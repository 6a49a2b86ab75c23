"""Data whose rows lie in memory column by column, which are copied in squares of registers.

A scatter copies its input, and a gather a table that it reads often.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlindex

Make = Callable[[Any], Any]

DTYPES = ["u1", "f2", "f4", "f8", "V3", "c16"]
# Around the sides of squares, and the columns that are copied at a time.
SIDES = (1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33)
SHAPES = [
    *((rows, columns) for rows in SIDES for columns in SIDES),
    (3, 1024),
    (17, 1025),
    (9, 2060),
    (1030, 5),
]


def _turned(order: tuple[int, ...]) -> Make:
    return lambda array: array.transpose(order).copy().transpose(np.argsort(order))


LAYOUTS: dict[str, Make] = {
    "columns first": np.asfortranarray,
    "rows backwards": lambda array: np.asfortranarray(array[::-1])[::-1],
    "columns backwards": lambda array: np.asfortranarray(array[..., ::-1])[..., ::-1],
    "with a gap": lambda array: np.asfortranarray(np.pad(array, [(1, 2), (0, 0)]))[1:-2],
}


def matrix(shape: tuple[int, ...], dtype: str) -> Any:
    rng = np.random.default_rng(shape)
    return rng.integers(0, 256, (*shape, np.dtype(dtype).itemsize), np.uint8).view(dtype)[..., 0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_scatters_copy(layout: str, dtype: str) -> None:
    for shape in SHAPES:
        plain = matrix(shape, dtype)
        table = LAYOUTS[layout](plain)
        rows = np.arange(shape[0] - 1, shape[0])[:, np.newaxis]
        updates = matrix((1, shape[1]), dtype)
        expected = plain.copy()
        expected[-1] = updates
        found = dmlindex.scatter_nd(table, rows, updates)
        assert found.tobytes() == expected.tobytes(), shape
        assert table.tobytes() == plain.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", [(2, 1, 0), (0, 2, 1), (1, 2, 0), (2, 0, 1), (1, 0, 2)])
def test_scatters_copy_three_dims(order: tuple[int, ...], dtype: str) -> None:
    plain = matrix((11, 19, 37), dtype)
    updates = matrix((1, 19, 37), dtype)
    expected = plain.copy()
    expected[3] = updates
    found = dmlindex.scatter_nd(_turned(order)(plain), [[3]], updates)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("reads", [0.2, 0.4, 0.8, 1.5, 3.0])
def test_gathers_of_rows(layout: str, dtype: str, reads: float) -> None:
    """Before and behind the numbers of reads from which on a table is copied."""
    for shape in ((64, 40), (300, 9), (17, 200)):
        plain = matrix(shape, dtype)
        rows = np.random.default_rng(shape).integers(0, shape[0], int(reads * shape[0]))
        found = dmlindex.gather(LAYOUTS[layout](plain), rows, 0)
        assert found.tobytes() == plain[rows].tobytes()
        rows[-1] = shape[0]
        filled = dmlindex.gather(LAYOUTS[layout](plain), rows, 0, mode="fill")
        assert filled[:-1].tobytes() == plain[rows[:-1]].tobytes()
        assert not filled[-1].tobytes().strip(b"\0")


def test_with_threads(threads: Any) -> None:
    threads(3)
    plain = matrix((900, 1100), "f4")
    table = np.asfortranarray(plain)
    expected = plain.copy()
    expected[5] = 1
    found = dmlindex.scatter_nd(table, [[5]], np.ones((1, 1100), "f4"))
    assert found.tobytes() == expected.tobytes()
    rows = np.random.default_rng(0).integers(0, 900, 2000)
    assert dmlindex.gather(table, rows, 0).tobytes() == plain[rows].tobytes()
