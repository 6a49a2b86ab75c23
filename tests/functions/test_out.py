"""out: any strides, in place, overlapping any input in any way; refused where it cannot hold a
result.

Random overlaps are in test_parity; here are the cases with names, and sizes at which threads work.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]


def test_out_is_returned(device: str) -> None:
    out = np.zeros((2, 2))[:, ::-1]
    x = np.arange(6.0).reshape(3, 2)
    assert dmlindex.gather(x, [2, 0], out=out, device=device) is out
    np.testing.assert_array_equal(out, [[4, 5], [0, 1]])


def test_a_scatter_in_place(device: str) -> None:
    x = np.arange(6.0)
    view = x[::-2]  # 5, 3, 1
    dmlindex.scatter_elements(view, [0, -1], np.array([50.0, 10.0]), out=view, device=device)
    np.testing.assert_array_equal(x, [0, 10, 2, 3, 4, 50])


def test_a_scatter_in_place_on_another_view_of_the_same_memory(device: str) -> None:
    x = np.arange(5.0)
    dmlindex.scatter_elements(x, [0], np.array([9.0]), out=x[::-1], device=device)
    np.testing.assert_array_equal(x, [4, 3, 2, 1, 9])


def test_out_is_a_shifted_input(device: str) -> None:
    memory = np.arange(10.0)
    dmlindex.gather(memory[:8], np.arange(8), out=memory[2:], device=device)
    np.testing.assert_array_equal(memory, [0, 1, *range(8)])


def test_out_is_the_indices(device: str) -> None:
    indices = np.array([2, 0, 1])
    dmlindex.gather(np.array([10, 20, 30]), indices, out=indices, device=device)
    np.testing.assert_array_equal(indices, [30, 10, 20])


def test_out_is_the_updates(device: str) -> None:
    updates = np.array([7, 8, 9])
    answer = dmlindex.scatter_nd(
        np.zeros(3, int), [[2], [2], [0]], updates, out=updates, device=device
    )
    assert answer is updates
    np.testing.assert_array_equal(updates, [9, 0, 8])


@pytest.mark.parametrize("operator", ["gather", "gather_nd", "scatter_elements", "scatter_nd"])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("strided", [False, True])
def test_an_error_leaves_a_large_out(
    device: str, threads: Callable[[int], None], operator: str, count: int, strided: bool
) -> None:
    """The only bad index is the very last, after a million good ones."""
    threads(count)
    n = 1_000_000
    memory = np.random.default_rng(0).integers(0, 9, 2 * n)
    out = memory[::2] if strided else memory[:n]
    before = memory.tobytes()
    indices = np.arange(n)
    indices[-1] = n
    x, updates = np.ones(n, int), np.full(n, 2)
    if operator.endswith("nd"):
        indices = indices[:, np.newaxis]
    arguments = (x, indices, updates) if operator.startswith("scatter") else (x, indices)
    with pytest.raises(IndexError, match=rf"indices\[{n - 1}"):
        getattr(dmlindex, operator)(*arguments, out=out, device=device)
    assert memory.tobytes() == before


LAYOUTS: dict[str, Callable[[tuple[int, ...]], Array]] = {
    "C": lambda shape: np.zeros(shape, np.int8),
    "F": lambda shape: np.zeros(shape[::-1], np.int8).T,
    "middle axis first": lambda shape: np.zeros((shape[1], *shape[::2]), np.int8).swapaxes(0, 1),
    "every other": lambda shape: np.zeros((*shape[:2], 2 * shape[2]), np.int8)[..., ::2],
    "backwards": lambda shape: np.zeros(shape, np.int8)[:, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("index_dtype", ["int64", "int16"])
def test_a_result_smaller_than_its_indices(
    threads: Callable[[int], None], layout: str, count: int, index_dtype: str
) -> None:
    """It is made beside the out, which holds it when all indices are good, and only then."""
    threads(count)
    rng = np.random.default_rng(0)
    x = rng.integers(0, 99, (30, 40, 50), np.int8)
    indices: Array = rng.integers(-40, 40, (30, 100, 50)).astype(index_dtype)
    out = LAYOUTS[layout](indices.shape)
    assert dmlindex.gather_elements(x, indices, axis=1, out=out) is out
    np.testing.assert_array_equal(out, reference.gather_elements(x, indices, axis=1))
    before = out.copy()
    indices[-1, -1, -1] = 40
    with pytest.raises(IndexError, match=r"indices\[29, 99, 49\]"):
        dmlindex.gather_elements(x[::-1], indices, axis=1, out=out)
    np.testing.assert_array_equal(out, before)


@pytest.mark.parametrize("reduction", ["none", "add", "max"])
@pytest.mark.parametrize("count", [1, 2])
def test_an_error_leaves_an_input_scattered_in_place(
    device: str, threads: Callable[[int], None], reduction: Any, count: int
) -> None:
    threads(count)
    x = np.random.default_rng(1).integers(0, 9, 300_000).astype(np.float32)
    before = x.tobytes()
    indices = np.arange(300_000)[::-1].copy()
    indices[-1] = -300_001
    updates = np.full(300_000, 100, np.float32)
    with pytest.raises(IndexError, match="-300001"):
        dmlindex.scatter_elements(x, indices, updates, out=x, reduction=reduction, device=device)
    assert x.tobytes() == before


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((2, 3), (0, 8)),
        ((2, 3), (8, 8)),
        ((3, 2), (8, 16)),  # elements 2 and 3 are both at 16
        ((2, 3), (4, 8)),
        ((4,), (7,)),
        ((3, 3), (-8, 8)),
    ],
)
def test_an_out_that_meets_itself_is_refused(
    shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    memory = bytearray(200)
    out: Array = np.ndarray(shape, np.float64, memory, 96, strides)
    x = np.ones(shape)
    for module in (dmlindex, reference):
        with pytest.raises(ValueError, match="out"):
            module.gather(x, np.arange(shape[0]), out=out)
    assert memory == bytearray(200)


@pytest.mark.parametrize(
    ("shape", "strides"),
    [
        ((2, 3), (24, 16)),  # 0, 16, 32 and 24, 40, 56: woven, but apart
        ((3, 2), (16, 8)),
        ((1, 3), (0, 8)),  # a stride of 0 on one place
        ((2, 2), (-8, -32)),
        ((2, 2), (9, 31)),
    ],
)
def test_an_odd_out_that_does_not_is_taken(
    shape: tuple[int, ...], strides: tuple[int, ...]
) -> None:
    memory = bytearray(200)
    out: Array = np.ndarray(shape, np.float64, memory, 96, strides)
    x = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    dmlindex.gather(x, np.arange(shape[0]), out=out)
    np.testing.assert_array_equal(out, x)


def test_a_read_only_out_is_refused() -> None:
    x = np.arange(3.0)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        dmlindex.scatter_nd(x, [[0]], np.zeros(1), out=x)


def test_an_empty_out(device: str) -> None:
    out = np.zeros((0, 3))
    assert dmlindex.gather(np.zeros((2, 3)), [], out=out, device=device) is out


def test_out_none_is_no_out(device: str) -> None:
    assert dmlindex.gather(np.arange(3), [1], out=None, device=device).tolist() == [1]
