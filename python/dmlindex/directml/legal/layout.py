"""Tensors in buffers, and the views of them that cost nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType

Shape = tuple[int, ...]


def packed_strides(sizes: Shape) -> Shape:
    """Those of a packed tensor, in elements."""
    return tuple(prod(sizes[d + 1 :]) for d in range(len(sizes)))


@dataclass(frozen=True)
class Value:
    """A tensor in a buffer: type, sizes and strides in elements, as many dims as it may be.

    `why` says what the last view of it was for. `offset` is where in the buffer it begins, in
    bytes: a multiple of 16, since the binding holds it.
    """

    buffer: str
    data_type: DataType
    sizes: Shape
    strides: Shape
    why: str = ""
    offset: int = 0

    @property
    def elements(self) -> int:
        return prod(self.sizes)

    @property
    def itemsize(self) -> int:
        return self.data_type.dtype.itemsize

    @property
    def is_packed(self) -> bool:
        pairs = zip(self.sizes, self.strides, packed_strides(self.sizes), strict=True)
        return all(size == 1 or stride == packed for size, stride, packed in pairs)

    def view(self, sizes: Shape, strides: Shape, why: str) -> Value:
        return replace(self, sizes=sizes, strides=strides, why=why)

    def reshape(self, sizes: Shape, why: str) -> Value:
        """Other sizes of the same elements in the same order, which lie equally far apart."""
        packed = packed_strides(self.sizes)
        pairs = zip(self.sizes, self.strides, packed, strict=True)
        steps = {stride // step for size, stride, step in pairs if size > 1} or {1}
        step = steps.pop()
        even = self.view(self.sizes, tuple(step * stride for stride in packed), why)
        mine = self.view(self.sizes, self.strides, why)
        if prod(sizes) != self.elements or coalesced([even]) != coalesced([mine]):
            raise AssertionError(f"{self} has no view of sizes {sizes}")
        return self.view(sizes, tuple(step * stride for stride in packed_strides(sizes)), why)

    def broadcast(self, sizes: Shape, why: str) -> Value:
        """Repeated along dims of size 1, which get stride 0."""
        lead = len(sizes) - len(self.sizes)
        strides = (0,) * lead + tuple(
            stride if mine == wanted else 0
            for mine, stride, wanted in zip(self.sizes, self.strides, sizes[lead:], strict=True)
        )
        return self.view(sizes, strides, why)

    def cut(self, sizes: Shape, why: str) -> Value:
        """The first of each dim only."""
        return self.view(sizes, self.strides, why)

    def as_type(self, data_type: DataType, why: str) -> Value:
        """Another type of the same size."""
        if data_type.dtype.itemsize != self.itemsize:
            raise AssertionError(f"{self} as {data_type.name}")
        return replace(self, data_type=data_type, why=why)

    def as_parts(self, data_type: DataType, why: str) -> Value:
        """Each element as several of a smaller type, in one more dim at the end."""
        count = self.itemsize // data_type.dtype.itemsize
        strides = (*(stride * count for stride in self.strides), 1)
        return replace(
            self, data_type=data_type, sizes=(*self.sizes, count), strides=strides, why=why
        )

    def low_parts(self, data_type: DataType, why: str) -> Value:
        """Of each element the low-order part: the first in memory."""
        parts = self.as_parts(data_type, why)
        return parts.view(parts.sizes[:-1], parts.strides[:-1], why)

    def as_whole(self, data_type: DataType, why: str) -> Value:
        """The last dim as one element of a larger type; the value must be packed."""
        count = data_type.dtype.itemsize // self.itemsize
        if not self.is_packed or self.sizes[-1] != count:
            raise AssertionError(f"{self} as {data_type.name}")
        sizes = self.sizes[:-1]
        return replace(
            self, data_type=data_type, sizes=sizes, strides=packed_strides(sizes), why=why
        )

    def at(self, offset: int, why: str) -> Value:
        """The same some bytes further on."""
        return replace(self, offset=self.offset + offset, why=why)

    def tensor(self, dims: int = 0) -> TensorDesc:
        """As a TensorDesc, of at least so many dims: 1s in front."""
        lead = max(dims - len(self.sizes), 0)
        sizes = (1,) * lead + self.sizes
        if self.is_packed:
            return TensorDesc(self.data_type, sizes)
        return TensorDesc(self.data_type, sizes, (0,) * lead + self.strides)


def coalesced(values: list[Value]) -> list[Value]:
    """Values of the same sizes with as few dims as all their strides allow."""
    sizes = values[0].sizes
    merged: list[tuple[int, tuple[int, ...]]] = []  # the size and each value's stride
    for d, size in enumerate(sizes):
        if size == 1:
            continue
        strides = tuple(value.strides[d] for value in values)
        if merged and merged[-1][1] == tuple(stride * size for stride in strides):
            merged[-1] = (merged[-1][0] * size, strides)
        else:
            merged.append((size, strides))
    merged = merged or [(1, (1,) * len(values))]
    return [
        value.view(tuple(size for size, _ in merged), tuple(s[i] for _, s in merged), value.why)
        for i, value in enumerate(values)
    ]
