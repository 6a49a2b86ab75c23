"""Strategies for what a call is made of: dtypes, shapes, arrays of any layout, indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from dmlindex.testing import values

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


def dtypes(classes: Sequence[str] = values.DTYPE_CLASSES) -> st.SearchStrategy[np.dtype[Any]]:
    """dtypes of the classes named: "bool", "integer", "float", "complex", "time", "text", "void"
    (records
    too), "ml_dtypes" (nothing where that is not installed), "foreign" (the other byte order)."""
    return st.sampled_from([dtype for name in classes for dtype in values.dtypes_of(name)])


def index_dtypes(*, foreign: bool = True) -> st.SearchStrategy[np.dtype[Any]]:
    """Every integer dtype, those of the other byte order last."""
    return st.sampled_from(values.index_dtypes(foreign))


@st.composite
def shapes(
    draw: st.DrawFn, *, min_dims: int = 1, max_dims: int = 4, max_elements: int = 200
) -> Shape:
    """Shapes of small sizes, sometimes with one long dim or an empty one."""
    sides = draw(st.lists(st.integers(1, 5), min_size=min_dims, max_size=max_dims))
    special = draw(st.sampled_from([None, None, None, None, "long", "empty"]))
    if sides and special is not None:
        d = draw(st.integers(0, len(sides) - 1))
        sides[d] = 0 if special == "empty" else draw(st.integers(16, 140))
    while int(np.prod(sides)) > max_elements:
        sides[sides.index(max(sides))] //= 2
    return tuple(sides)


@st.composite
def arrays(draw: st.DrawFn, dtype: npt.DTypeLike, shape: Shape, *, broadcast: bool = True) -> Array:
    """Arrays of any content and layout: dims in any order, strides negative, padded or (with
    broadcast) 0,
    an unaligned start. The gaps between elements are not zero."""
    array = draw(_laid_out(np.dtype(dtype), shape, broadcast))
    pool = values.pool(array.dtype)
    chosen = np.frombuffer(draw(st.binary(min_size=array.size, max_size=array.size)), np.uint8)
    as_bytes(array)[...] = pool[chosen % len(pool)].reshape(shape)
    return array


def as_bytes(array: Array) -> Array:
    """The same memory, each element as plain bytes: copying those copies every bit."""
    return array.view(np.dtype((np.void, array.dtype.itemsize)))


@st.composite
def _laid_out(draw: st.DrawFn, dtype: np.dtype[Any], shape: Shape, broadcast: bool) -> Array:
    if draw(st.booleans()):
        return np.ndarray(shape, dtype, buffer=gaps(int(np.prod(shape)) * dtype.itemsize))
    strides = [0] * len(shape)
    step = dtype.itemsize
    for d in draw(st.permutations(range(len(shape)))):
        stretch = draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
        if broadcast and draw(st.integers(0, 7)) == 7:
            continue  # a stride of 0
        strides[d] = stretch * step
        step *= abs(stretch) * max(shape[d], 1)
    misaligned = draw(st.sampled_from([0, 0, 0, 1]))
    return strided(shape, dtype, tuple(strides), gaps(2 * step + 1), misaligned)


def gaps(count: int) -> bytearray:
    return bytearray(b"\xa5" * count)


def strided(
    shape: Shape, dtype: np.dtype[Any], strides: Shape, memory: bytearray, start: int
) -> Array:
    """An array in memory whose lowest byte is the start-th."""
    lowest = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if 0 not in shape)
    return np.ndarray(shape, dtype, memory, start - lowest, strides)


@st.composite
def indices(
    draw: st.DrawFn,
    shape: Shape,
    limits: Sequence[int],
    dtype: npt.DTypeLike = np.int64,
    *,
    in_range: bool = True,
) -> Array:
    """Indices of any layout into axes of the sizes limits, which the last dim goes through again
    and again.

    So limits is (n,) for one axis, and one size for each coordinate of an index tuple.
    in_range=False puts some between them that are out of range, the extremes of the dtype among
    them. An axis of size 0 has none in range.
    """
    array = draw(_laid_out(np.dtype(dtype), shape, True))
    if shape and array.strides[-1] == 0:
        limits = [min(limits)]  # the coordinates of a tuple share their memory
    pools = [values.index_pool(array.dtype, limit, in_range) for limit in limits]
    assume(array.size == 0 or all(len(pool) for pool in pools))
    chosen = draw(st.binary(min_size=array.size, max_size=array.size))
    picked = [pools[i % len(pools)][b % len(pools[i % len(pools)])] for i, b in enumerate(chosen)]
    array[...] = np.array(picked, array.dtype).reshape(shape)
    return array


@st.composite
def weak_updates(draw: st.DrawFn, dtype: np.dtype[Any], shape: Shape) -> Any:
    """Python's own numbers that go into a dtype: one for all, or a list of the shape.

    A scalar of the dtype, which is for all too, where there are none or the list would lose its
    shape.
    """
    numbers = values.weak_values(dtype)
    if not numbers:
        return draw(arrays(dtype, ()))
    if 0 in shape or not shape or draw(st.booleans()):
        return draw(st.sampled_from(numbers))
    chosen = draw(st.binary(min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    flat = np.empty(len(chosen), object)
    flat[:] = [numbers[byte % len(numbers)] for byte in chosen]
    return flat.reshape(shape).tolist()


def fill_values(dtype: np.dtype[Any]) -> st.SearchStrategy[Any]:
    """Values that go into the dtype."""
    fitting = values.fill_values(dtype)
    return st.integers(0, len(fitting) - 1).map(fitting.__getitem__)  # not all can be hashed
