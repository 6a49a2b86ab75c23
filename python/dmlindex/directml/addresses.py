"""Where DirectML's arithmetic takes every element: `dmlindex.reference.run`'s rule on whole arrays.

The items are what has one address an element: a gather's output, a scatter's updates. The table is
what they are read from or written to: a gather's input, a scatter's output. See
docs/directml_numerics.md for the rule.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dmlindex.directml.tensor import TensorDesc

Array = npt.NDArray[Any]
Sizes = tuple[int, ...]

_LOW_INT = 2**32 - 1
_LOW = np.uint64(_LOW_INT)
_HALF = np.uint64(32)  # bits


class Dim(NamedTuple):
    """A dim of the items: how it steps in the table, and which dim of the indices it follows."""

    size: int
    table_stride: int
    index_dim: int | None


class Coordinate(NamedTuple):
    """A number of an index tuple: the axis of the table that it counts along."""

    axis: int
    size: int
    table_stride: int


@dataclass(frozen=True)
class Lookup:
    """A valid desc as strides: the items' dims, and what each tuple of indices counts along.

    The shape of the items here is that of the desc's tensor without 1s in front, or with more.
    """

    table: TensorDesc
    dims: list[Dim]
    coordinates: list[Coordinate]
    index_shape: Sizes  # of the dims that count, and the tuple's behind them
    has_tuples: bool = False  # whether the tuple's dim is one of the tensor

    @property
    def shape(self) -> Sizes:
        return tuple(dim.size for dim in self.dims)

    @property
    def last(self) -> int:
        """The address of the table's last element, which its total size may cut off."""
        return -(-self.table.total_bytes // self.table.data_type.dtype.itemsize) - 1

    @property
    def held(self) -> int:
        """How many elements lie wholly inside the total size: only these are read and written."""
        return self.table.total_bytes // self.table.data_type.dtype.itemsize

    def index_tuples(self, indices: Array) -> Array:
        """The indices with the dims that count, and the tuple's: as `index_shape` says."""
        return indices.reshape(self.index_shape)

    def first_item(self, place: Sizes) -> Sizes:
        """The first item that the index at that place, with the tuple's dim or not, is for."""
        return tuple(0 if dim.index_dim is None else place[dim.index_dim] for dim in self.dims)

    def items_of_one_index(self) -> int:
        return math.prod(dim.size for dim in self.dims if dim.index_dim is None)


def lookup(desc: Any) -> Lookup:
    """The valid desc as strides."""
    table: TensorDesc = desc.output_tensor if hasattr(desc, "updates_tensor") else desc.input_tensor
    sizes, strides = table.sizes, table.element_strides
    shape: Sizes = desc.indices_tensor.sizes
    if desc.operator.endswith("ELEMENTS"):
        at = desc.axis
        dims = [Dim(size, 0 if d == at else strides[d], d) for d, size in enumerate(shape)]
        stride = strides[at] if sizes[at] > 1 else 0  # DirectML gives a dim of size 1 no stride
        return Lookup(table, dims, [Coordinate(at, sizes[at], stride)], (*shape, 1))
    rows = [Dim(size, stride, None) for size, stride in zip(sizes, strides, strict=True)]
    if desc.operator == "GATHER":
        at = desc.axis
        counted = shape[len(shape) - desc.index_dimensions :]
        places = [Dim(size, 0, d) for d, size in enumerate(counted)]
        coordinates = [Coordinate(at, sizes[at], strides[at])]
        return Lookup(table, rows[:at] + places + rows[at + 1 :], coordinates, (*counted, 1))
    batch = getattr(desc, "batch_dimension_count", 0)
    first = len(sizes) - desc.input_dimension_count  # of the dims that count
    *counted_places, k = shape[len(shape) - desc.indices_dimension_count :]
    places = [
        Dim(size, strides[first + d] if d < batch else 0, d)
        for d, size in enumerate(counted_places)
    ]
    axes = range(first + batch, first + batch + k)
    coordinates = [Coordinate(axis, sizes[axis], strides[axis]) for axis in axes]
    return Lookup(table, places + rows[axes.stop :], coordinates, (*counted_places, k), True)


class Numbers(NamedTuple):
    """What is left of indices along an axis."""

    values: npt.NDArray[np.uint64]  # below 2^32
    wrapped: npt.NDArray[np.bool_]  # counted from the end of the axis they had more bits, or fewer
    out_of_range: npt.NDArray[np.bool_]


def numbers(indices: Array, size: int) -> Numbers:
    """DirectML's reading of indices along an axis of that size."""
    signed = indices.astype(np.int64)  # UINT64 from 2^63 on counts as negative
    counted = signed + np.where(signed < 0, size, 0)
    outside = (signed >= size) | (counted < 0) | ((signed < 0) & (indices.dtype.kind == "u"))
    return Numbers(counted.astype(np.uint64) & _LOW, (counted < 0) | (counted > _LOW_INT), outside)


class Addresses(NamedTuple):
    """Of each item, in the shape of the lookup's items."""

    values: npt.NDArray[np.uint32]
    wrapped: npt.NDArray[np.bool_]  # whether the sum or an index left the numbers of 32 bits


def addresses(to: Lookup, indices: Array) -> Addresses:
    """The sum of every item in unsigned 32-bit arithmetic, in elements of the table."""
    tuples = to.index_tuples(indices)
    # Each product fits 64 bits; sums of their halves do, too.
    low, high, wrapped = np.zeros((), np.uint64), np.zeros((), np.uint64), np.zeros((), bool)
    for d, dim in enumerate(to.dims):
        steps = np.arange(dim.size, dtype=np.uint64) * np.uint64(dim.table_stride)
        steps = steps.reshape((-1,) + (1,) * (len(to.dims) - d - 1))
        low, high = low + (steps & _LOW), high + (steps >> _HALF)
    slice_dims = [d for d, dim in enumerate(to.dims) if dim.index_dim is None]
    for k, coordinate in enumerate(to.coordinates):
        number = numbers(tuples[..., k], coordinate.size)
        products = np.expand_dims(number.values * np.uint64(coordinate.table_stride), slice_dims)
        low, high = low + (products & _LOW), high + (products >> _HALF)
        wrapped = wrapped | np.expand_dims(number.wrapped, slice_dims)
    wrapped = wrapped | (high + (low >> _HALF) != 0)
    values = (low & _LOW).astype(np.uint32)
    return Addresses(np.broadcast_to(values, to.shape), np.broadcast_to(wrapped, to.shape))
