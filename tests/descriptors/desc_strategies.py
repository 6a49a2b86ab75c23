"""Hypothesis strategies for valid descriptors with buffers, and the same call for the reference."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume
from hypothesis import strategies as st

from dmlindex import DataType, TensorDesc, reference
from tests.descriptors.descs import (
    gather,
    gather_elements,
    gather_nd,
    gather_nd1,
    scatter_elements,
    scatter_nd,
)

Array = npt.NDArray[Any]
Sizes = tuple[int, ...]

DATA_TYPES = [
    *(DataType.FLOAT32, DataType.FLOAT16, DataType.FLOAT64, DataType.INT32, DataType.INT16),
    *(DataType.INT8, DataType.INT64, DataType.UINT32, DataType.UINT16, DataType.UINT8),
    DataType.UINT64,
]
INDEX_TYPES = [DataType.UINT32, DataType.INT32, DataType.UINT64, DataType.INT64]


@dataclass(frozen=True)
class Problem:
    """A valid desc, a buffer for each input, and the reference on arrays of natural shapes.

    `natural` takes views of all inputs with the desc's sizes and returns the output's values in
    their natural shape; the desc's output has 1s in front, or fewer of them.
    """

    desc: Any
    buffers: tuple[Array, ...]
    natural: Callable[..., Array]

    def views(self) -> tuple[Array, ...]:
        """The inputs as arrays."""
        tensors = [self.desc.input_tensor, self.desc.indices_tensor]
        if hasattr(self.desc, "updates_tensor"):
            tensors.append(self.desc.updates_tensor)
        return tuple(t.view(buffer) for t, buffer in zip(tensors, self.buffers, strict=True))

    def expected(self, mode: str) -> Array:
        """What the output must be, with the desc's sizes."""
        sizes: Sizes = self.desc.output_tensor.sizes
        output: Array = self.natural(*self.views(), mode=mode).reshape(sizes)
        return output


def _sizes(draw: st.DrawFn, min_dims: int, max_dims: int, most: int = 3) -> Sizes:
    return tuple(draw(st.lists(st.integers(1, most), min_size=min_dims, max_size=max_dims)))


def _tail(array: Array, rank: int) -> Array:
    """The view without dims in front of the last rank; those have size 1."""
    tail: Array = array[(0,) * (array.ndim - rank)]
    return tail


def _ones(count: int, sizes: Sizes) -> Sizes:
    return (1,) * (count - len(sizes)) + sizes


@st.composite
def problems(draw: st.DrawFn, operator: str | None = None) -> Problem:
    """Valid descs of every operator, ranks 1 to 8, packed and strided, with buffers."""
    makers = {
        "GATHER": _gather,
        "GATHER_ELEMENTS": _gather_elements,
        "GATHER_ND": _gather_nd,
        "GATHER_ND1": _gather_nd1,
        "SCATTER_ELEMENTS": _scatter_elements,
        "SCATTER_ND": _scatter_nd,
    }
    name = operator or draw(st.sampled_from(sorted(makers)))
    desc, natural, limit = makers[name](draw)
    data_type = draw(st.sampled_from(DATA_TYPES))
    index_type = draw(st.sampled_from(INDEX_TYPES))
    for field in ("input_tensor", "indices_tensor", "updates_tensor", "output_tensor"):
        if hasattr(desc, field):
            tensor = replace(
                getattr(desc, field),
                data_type=index_type if field == "indices_tensor" else data_type,
            )
            unshared = field == "output_tensor"
            stored = unshared or (name == "SCATTER_ND" and field == "indices_tensor")
            tensor = _laid_out(draw, tensor, shares=not unshared, broadcasts=not stored)
            desc = replace(desc, **{field: tensor})
    assert desc.violations() == []

    buffers = [
        _values(draw, desc.input_tensor),
        _index_values(draw, desc.indices_tensor, limit),
    ]
    if hasattr(desc, "updates_tensor"):
        buffers.append(_values(draw, desc.updates_tensor))
    return Problem(desc, tuple(buffers), natural)


Made = tuple[Any, Callable[..., Array], int]


def _gather(draw: st.DrawFn) -> Made:
    x, i = _sizes(draw, 1, 4), _sizes(draw, 0, 3)
    axis = draw(st.integers(0, len(x) - 1))
    y = x[:axis] + i + x[axis + 1 :]
    n = draw(st.integers(max(len(x), len(i), len(y)), 8))
    desc = gather(_ones(n, x), _ones(n, i), _ones(n, y), axis + n - len(x), len(i))

    def natural(input: Array, indices: Array, *, mode: str) -> Array:
        return reference.gather(_tail(input, len(x)), _tail(indices, len(i)), axis, mode=mode)

    return desc, natural, x[axis]


def _gather_elements(draw: st.DrawFn) -> Made:
    x = _sizes(draw, 1, 8, 2)
    axis = draw(st.integers(0, len(x) - 1))
    i = (*x[:axis], draw(st.integers(1, 4)), *x[axis + 1 :])

    def natural(input: Array, indices: Array, *, mode: str) -> Array:
        return reference.gather_elements(input, indices, axis, mode=mode)

    return gather_elements(x, i, i, axis), natural, x[axis]


def _tuples(draw: st.DrawFn, batch: int) -> tuple[Sizes, Sizes, Sizes]:
    """Sizes of input, indices and what they index."""
    x = _sizes(draw, 1 + batch, 4)
    k = draw(st.integers(1, len(x) - batch))
    i = (*x[:batch], *_sizes(draw, 0, 3 - batch), k)
    return x, i, i[:-1] + x[batch + k :]


def _gather_nd1(draw: st.DrawFn) -> Made:
    batch = draw(st.integers(0, 2))
    x, i, y = _tuples(draw, batch)
    n = draw(st.integers(max(len(x), len(i), len(y), 1), 8))
    desc = gather_nd1(_ones(n, x), _ones(n, i), _ones(n, y), len(x), len(i), batch)

    def natural(input: Array, indices: Array, *, mode: str) -> Array:
        return reference.gather_nd(_tail(input, len(x)), _tail(indices, len(i)), batch, mode=mode)

    return desc, natural, max(x)


def _gather_nd(draw: st.DrawFn) -> Made:
    x, i, y = _tuples(draw, 0)
    n = draw(st.integers(max(len(x), len(i), len(y), 1), 8))
    desc = gather_nd(_ones(n, x), _ones(n, i), _ones(n, y), len(x), len(i))

    def natural(input: Array, indices: Array, *, mode: str) -> Array:
        return reference.gather_nd(_tail(input, len(x)), _tail(indices, len(i)), mode=mode)

    return desc, natural, max(x)


def _scatter_elements(draw: st.DrawFn) -> Made:
    x = _sizes(draw, 1, 8, 2)
    axis = draw(st.integers(0, len(x) - 1))
    i = (*x[:axis], draw(st.integers(1, x[axis])), *x[axis + 1 :])

    def natural(input: Array, indices: Array, updates: Array, *, mode: str) -> Array:
        return reference.scatter_elements(input, indices, updates, axis, mode=mode)

    return scatter_elements(x, i, i, x, axis), natural, x[axis]


def _scatter_nd(draw: st.DrawFn) -> Made:
    x, i, u = _tuples(draw, 0)
    ranks = [draw(st.integers(max(len(sizes), 1), 8)) for sizes in (x, i, u)]
    xs, is_, us = (_ones(n, sizes) for n, sizes in zip(ranks, (x, i, u), strict=True))
    desc = scatter_nd(xs, is_, us, xs, len(x), len(i))

    def natural(input: Array, indices: Array, updates: Array, *, mode: str) -> Array:
        return reference.scatter_nd(
            *(_tail(input, len(x)), _tail(indices, len(i)), _tail(updates, len(u))), mode=mode
        )

    return desc, natural, max(x)


def _laid_out(draw: st.DrawFn, tensor: TensorDesc, *, shares: bool, broadcasts: bool) -> TensorDesc:
    """The tensor packed, with dims in any order and padded, or with strides that share elements."""
    strides = draw(st.none() | _strides(tensor.sizes, shares=shares, broadcasts=broadcasts))
    tensor = replace(tensor, strides=strides)
    if draw(st.booleans()):
        span = span_elements(tensor) * tensor.data_type.dtype.itemsize
        least = (span + 3) // 4 * 4
        tensor = replace(tensor, total_tensor_size_in_bytes=least + draw(st.integers(0, 17)))
    return replace(tensor, guaranteed_base_offset_alignment=draw(st.sampled_from([0, 0, 16, 4096])))


@st.composite
def _strides(draw: st.DrawFn, sizes: Sizes, *, shares: bool, broadcasts: bool) -> Sizes:
    free = draw(st.booleans())
    if free:
        least = 0 if broadcasts else 1
        strides = tuple(draw(st.integers(least, 7)) for _ in sizes)
        assume(shares or not shares_elements(sizes, strides))
        return strides
    step, steps = 1, [0] * len(sizes)
    for d in draw(st.permutations(range(len(sizes)))):
        step *= draw(st.sampled_from([1, 1, 2, 3])) if len(sizes) < 6 else 1
        steps[d] = step
        step *= sizes[d]
    return tuple(steps)


def shares_elements(sizes: Sizes, strides: Sizes) -> bool:
    """Whether two positions lie on one element: by listing them all."""
    places = np.zeros(sizes, np.int64)
    for d, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        places += (np.arange(size) * stride).reshape((-1,) + (1,) * (len(sizes) - d - 1))
    return len(np.unique(places)) < places.size


def span_elements(tensor: TensorDesc) -> int:
    if tensor.strides is None:
        return int(np.prod(tensor.sizes))
    pairs = zip(tensor.sizes, tensor.strides, strict=True)
    return 1 + sum((size - 1) * stride for size, stride in pairs)


def buffer_shape(draw: Callable[..., Any], tensor: TensorDesc) -> Sizes:
    """Of an array that the tensor takes, sometimes a larger one than it needs."""
    if tensor.strides is None:
        return tensor.sizes
    itemsize = tensor.data_type.dtype.itemsize
    total = tensor.total_tensor_size_in_bytes or (span_elements(tensor) * itemsize + 3) // 4 * 4
    more: int = draw(st.sampled_from([0, 0, 5]))
    return (total // itemsize + more,)


def _values(draw: st.DrawFn, tensor: TensorDesc) -> Array:
    dtype = tensor.data_type.dtype
    shape = buffer_shape(draw, tensor)
    raw = np.random.default_rng(draw(st.integers(0, 2**16))).bytes(
        int(np.prod(shape)) * dtype.itemsize
    )
    return np.frombuffer(bytearray(raw), dtype).reshape(shape)


def _index_values(draw: st.DrawFn, tensor: TensorDesc, limit: int) -> Array:
    """Mostly in range; now and then just out of it, or far."""
    dtype = tensor.data_type.dtype
    shape = buffer_shape(draw, tensor)
    signed = dtype.kind == "i"
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    array = rng.integers(-limit if signed else 0, limit, shape).astype(dtype)
    if draw(st.booleans()):
        odd = [limit, limit + 1, np.iinfo(dtype).max, *([-limit - 1, -(2**31)] if signed else [])]
        array.flat[rng.integers(0, array.size, 1 + array.size // 8)] = np.array(
            rng.choice(np.array(odd, object)), dtype
        )
    return array
