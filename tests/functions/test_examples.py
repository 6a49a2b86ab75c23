"""The examples that DirectML's pages print, as NumPy calls (leading dims of size 1 left out).

Where a page slips, the right answer stands here and the comment says what the page has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex


def floats(values: Any) -> npt.NDArray[np.float32]:
    return np.array(values, np.float32)


def uints(values: Any) -> npt.NDArray[np.uint32]:
    return np.array(values, np.uint32)


GATHER: list[tuple[Any, ...]] = [  # input, indices, axis, output
    ([11, 12, 13, 14], [3, 1, 3, 0, 2], 0, [14, 12, 14, 11, 13]),
    ([[1, 2], [3, 4], [5, 6]], [0, 1, 1, 2], 0, [[1, 2], [3, 4], [3, 4], [5, 6]]),
    # The page says IndexDimensions 2 for indices of sizes {1,2}, but its output of sizes {3,2} has
    # one.
    ([[1, 2], [3, 4], [5, 6]], [1, 0], 1, [[2, 1], [4, 3], [6, 5]]),
    ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[0, 2]], 1, [[[1, 3]], [[4, 6]], [[7, 9]]]),
    ([[1, 2], [3, 4], [5, 6]], [[0, 1], [1, 2]], 0, [[[1, 2], [3, 4]], [[3, 4], [5, 6]]]),
]


@pytest.mark.parametrize("case", GATHER)
def test_gather(device: str, case: tuple[Any, ...]) -> None:
    x, indices, axis, expected = case
    answer = dmlindex.gather(floats(x), uints(indices), axis, device=device)
    _same(answer, expected)


def test_gather_elements(device: str) -> None:
    """The page's output has DataType UINT32; it is the input's, FLOAT32."""
    x = floats([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    indices = uints([[1, 2, 0], [2, 0, 0]])
    answer = dmlindex.gather_elements(x, indices, axis=0, device=device)
    _same(answer, [[4, 8, 3], [7, 2, 3]])


GATHER_ND: list[tuple[Any, ...]] = [  # input, indices, batch_dims, output
    ([[0, 1], [2, 3]], [[1], [0]], 0, [[2, 3], [0, 1]]),
    ([[[0, 1], [2, 3]], [[4, 5], [6, 7]]], [[0, 1], [1, 0]], 0, [[2, 3], [4, 5]]),
    (
        [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8, 9], [10, 11]]],
        [[[0, 0], [1, 1]], [[1, 1], [0, 0]], [[0, 1], [1, 0]]],
        1,
        [[0, 3], [7, 4], [9, 10]],
    ),
]


@pytest.mark.parametrize("case", GATHER_ND)
def test_gather_nd(device: str, case: tuple[Any, ...]) -> None:
    x, indices, batch_dims, expected = case
    answer = dmlindex.gather_nd(floats(x), uints(indices), batch_dims, device=device)
    _same(answer, expected)


def test_gather_nd_sizes(device: str) -> None:
    """The page's formula takes the last k sizes of input, its example (rightly) those after k."""
    x = np.zeros((3, 4, 5, 6, 7), np.float32)
    indices = np.zeros((1, 2, 3), np.uint32)
    assert dmlindex.gather_nd(x, indices, device=device).shape == (1, 2, 6, 7)


def test_scatter_elements_in_one_dim(device: str) -> None:
    """Two updates meet at 3: for DirectML either may win; here, as on the page, the last."""
    x, updates = floats([0, 1, 2, 3, 4]), floats([5, 6, 7, 8])
    answer = dmlindex.scatter_elements(x, uints([3, 1, 3, 0]), updates, device=device)
    _same(answer, [8, 6, 2, 7, 4])


def test_scatter_elements_in_two_dims(device: str) -> None:
    """The page gives the input sizes {2,3}; it prints three rows."""
    indices, updates = uints([[1, 0, 2], [0, 2, 1]]), floats([[10, 11, 12], [20, 21, 22]])
    x = np.zeros((3, 3), np.float32)
    answer = dmlindex.scatter_elements(x, indices, updates, axis=0, device=device)
    _same(answer, [[20, 11, 0], [10, 0, 22], [0, 21, 12]])


def test_scatter_nd(device: str) -> None:
    """The page gives indices the DataType FLOAT32, which no index has."""
    x, updates = np.arange(1, 9, dtype=np.float32), floats([9, 10, 11, 12])
    answer = dmlindex.scatter_nd(x, uints([[4], [3], [1], [7]]), updates, device=device)
    _same(answer, [1, 11, 3, 10, 9, 6, 7, 12])


def test_scatter_nd_sizes(device: str) -> None:
    """The page's formula for updates slips as gather_nd's does."""
    x = np.zeros((3, 4, 5, 6, 7), np.float32)
    indices, updates = np.zeros((1, 2, 3), np.uint32), np.ones((1, 2, 6, 7), np.float32)
    answer = dmlindex.scatter_nd(x, indices, updates, device=device)
    assert answer.sum() == 6 * 7


def _same(answer: npt.NDArray[Any], expected: Any) -> None:
    assert answer.dtype == np.float32
    np.testing.assert_array_equal(answer, floats(expected))
