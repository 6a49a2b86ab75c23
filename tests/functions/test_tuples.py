"""Single elements by tuples of indices, few and many, at either end of what one pass takes."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

LIMITS = {2: (31, 9), 3: (6, 11, 7), 4: (3, 5, 1, 20), 5: (2, 3, 4, 3, 2)}


def table_of(limits: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
    size = int(np.prod(limits))
    made = np.random.default_rng(size).integers(1, 250, (size, np.dtype(dtype).itemsize), np.uint8)
    return made.view(dtype).reshape(limits)


def tuples_of(limits: tuple[int, ...], count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """With negative ones."""
    rng = np.random.default_rng(count)
    return rng.integers(-np.array(limits), limits, (count, len(limits)))


@pytest.mark.parametrize("coordinates", sorted(LIMITS))
@pytest.mark.parametrize("dtype", ["u1", "u2", "V3", "f4", "c8", "c16"])
@pytest.mark.parametrize("count", [95, 96, 511, 513, 1024, 1025, 2055, 5000])
def test_elements(coordinates: int, dtype: str, count: int) -> None:
    limits = LIMITS[coordinates]
    table = table_of(limits, dtype)
    indices = tuples_of(limits, count)
    expected = table[tuple(indices.T)]
    for index_type in ("i1", "i4", "i8"):
        found = dmlindex.gather_nd(table, indices.astype(index_type))
        assert found.tobytes() == expected.tobytes()
    unsigned = (indices % limits).astype("u4")
    assert dmlindex.gather_nd(table, unsigned, mode="clamp").tobytes() == expected.tobytes()
    out = np.zeros_like(expected)
    assert dmlindex.gather_nd(table, indices, out=out) is out
    assert out.tobytes() == expected.tobytes()
    lies_otherwise = dmlindex.gather_nd(table.copy("F"), indices)
    assert lies_otherwise.tobytes() == expected.tobytes()
    apart = dmlindex.gather_nd(np.repeat(table, 2, -1)[..., ::2], indices)
    assert apart.tobytes() == expected.tobytes()

    updates = table_of((count,), dtype)
    scattered = table.copy()
    for at, update in zip(map(tuple, indices), updates, strict=True):
        scattered[at] = update
    assert dmlindex.scatter_nd(table, indices, updates).tobytes() == scattered.tobytes()
    own = table.copy()
    dmlindex.scatter_nd(own, indices, updates, out=own)
    assert own.tobytes() == scattered.tobytes()


@pytest.mark.parametrize("coordinates", [2, 3, 4])
@pytest.mark.parametrize("count", [96, 700, 3000])
@pytest.mark.parametrize("outside", [1, 50])
def test_some_are_out_of_range(coordinates: int, count: int, outside: int) -> None:
    """As the modes say; and nothing is written where they are an error."""
    limits = LIMITS[coordinates]
    table = table_of(limits, "f4")
    indices = tuples_of(limits, count)
    rng = np.random.default_rng(outside)
    rows = rng.choice(count, outside, replace=False)
    indices[rows, rng.integers(0, coordinates, outside)] = rng.choice([-500, 77, 1 << 40], outside)
    updates = table_of((count,), "f4")
    gathers: tuple[Literal["clamp", "wrap", "fill"], ...] = ("clamp", "wrap", "fill")
    for reading in gathers:
        expected = reference.gather_nd(table, indices, mode=reading)
        assert dmlindex.gather_nd(table, indices, mode=reading).tobytes() == expected.tobytes()
        out = np.ones_like(expected)
        dmlindex.gather_nd(table, indices, mode=reading, out=out)
        assert out.tobytes() == expected.tobytes()
    scatters: tuple[Literal["clamp", "wrap", "drop"], ...] = ("clamp", "wrap", "drop")
    for mode in scatters:
        changed = reference.scatter_nd(table, indices, updates, mode=mode)
        assert (
            dmlindex.scatter_nd(table, indices, updates, mode=mode).tobytes() == changed.tobytes()
        )
    own, out = table.copy(), np.ones(count, "f4")
    with pytest.raises(IndexError, match=r"^gather_nd: "):
        dmlindex.gather_nd(table, indices, out=out)
    with pytest.raises(IndexError, match=r"^scatter_nd: "):
        dmlindex.scatter_nd(own, indices, updates, out=own)
    assert own.tobytes() == table.tobytes()
    assert (out == 1).all()


@pytest.mark.parametrize("coordinates", [2, 3, 4])
@pytest.mark.parametrize("dtype", ["u1", "i4", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("count", [130, 1025, 4000])
@pytest.mark.parametrize("repeats", [1, 9])
def test_reductions(coordinates: int, dtype: str, count: int, repeats: int) -> None:
    """In order, of single updates and of several in a row; in place they are all checked first."""
    limits = tuple(2 * limit for limit in LIMITS[coordinates])
    rng = np.random.default_rng([coordinates, count])
    table = rng.integers(1, 90, limits).astype(dtype)
    indices = np.repeat(tuples_of(limits, count), repeats, 0)[:count]
    updates = (rng.integers(1, 400, count) / 7).astype(dtype)
    reductions: tuple[Literal["add", "mul", "min", "max"], ...] = ("add", "mul", "min", "max")
    for reduction in reductions[: 2 if dtype == "c8" else 4]:
        with np.errstate(over="ignore", invalid="ignore"):
            expected = reference.scatter_nd(table, indices, updates, reduction=reduction)
        found = dmlindex.scatter_nd(table, indices, updates, reduction=reduction)
        assert found.tobytes() == expected.tobytes()
        own = table.copy()
        dmlindex.scatter_nd(own, indices.astype("i4"), updates, reduction=reduction, out=own)
        assert own.tobytes() == expected.tobytes()
        indices[-3, -1] = limits[-1]
        with pytest.raises(IndexError, match=rf"indices\[{count - 3}, {coordinates - 1}\] = "):
            dmlindex.scatter_nd(own, indices, updates, reduction=reduction, out=own)
        assert own.tobytes() == expected.tobytes()
        indices[-3, -1] = limits[-1] - 1


@pytest.mark.parametrize("dtype", ["u1", "u2"])
def test_a_table_of_few_bytes_at_the_end_of_its_memory(dtype: str) -> None:
    """Look-ups read whole words, but none behind the table, nor before it."""
    for size in range(2, 12):
        for first in range(4):
            memory = np.arange(first + 2 * size, dtype=dtype)
            table = memory[first:].reshape(2, size)
            indices = tuples_of((2, size), 700)
            expected = table[tuple(indices.T)]
            assert dmlindex.gather_nd(table, indices).tobytes() == expected.tobytes()


def test_a_large_result_with_gaps() -> None:
    """Its rows are written as those of one in one piece; what lies between stays."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 250, (50, 3000), np.uint8)
    indices = rng.integers(0, 50, 7000)
    out = np.full((7000, 3500), 7, np.uint8)
    dmlindex.gather(table, indices, out=out[:, 200:3200])
    assert (out[:, 200:3200] == table[indices]).all()
    assert (out[:, :200] == 7).all()
    assert (out[:, 3200:] == 7).all()
