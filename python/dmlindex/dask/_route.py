"""Which chunk of input an index means, and where in it: the partition that routing starts with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dmlindex.reference import checks as check

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


@dataclass(frozen=True)
class Dim:
    """A dim of input that an index names (chunks: the sizes of its chunks) or a batch dim (its size
    in the chunks at hand, and the dim of indices that goes along with it)."""

    chunks: Shape = ()
    size: int = 0
    beside: int = -1

    @property
    def indexed(self) -> bool:
        return self.beside < 0


@dataclass(frozen=True)
class Router:
    """Routes the indices of one batch of blocks: dims are input's from first on, batch dims and
    indexed ones. With tuples, the last dim of indices holds a coordinate for each indexed dim."""

    operator: str
    mode: str
    first: int
    dims: tuple[Dim, ...]
    tuples: bool

    @classmethod
    def of_chunk(
        cls, operator: str, mode: str, first: int, sizes: Shape, batch: Shape, tuples: bool
    ) -> Router:
        """For indices that reach one chunk, which has these sizes from its dim first on."""
        dims = [
            Dim(size=size, beside=0) if first + d in batch else Dim(chunks=(size,))
            for d, size in enumerate(sizes)
        ]
        return cls(operator, mode, first, tuple(dims), tuples)

    @property
    def limits(self) -> list[int]:
        return [sum(dim.chunks) for dim in self.dims if dim.indexed]

    @property
    def axes(self) -> list[int]:
        return [self.first + d for d, dim in enumerate(self.dims) if dim.indexed]

    @property
    def destinations(self) -> int:
        return math.prod(len(dim.chunks) for dim in self.dims if dim.indexed)

    def route(self, block: Array, starts: Shape) -> Routed:
        """A block of indices, which begins at starts in the whole array."""
        places, kept = resolve(self, block, starts)
        shape = block.shape[: block.ndim - self.tuples]
        largest = max(*self.limits, self.destinations, self.largest_chunk)
        dtype = np.int32 if largest <= np.iinfo(np.int32).max else np.int64
        owner: Any = None
        offset: Any = None
        remaining = iter(places)
        for dim in self.dims:
            if dim.indexed:
                place = next(remaining).astype(dtype, copy=False)
                if len(dim.chunks) > 1:
                    chunk, place = _located(place, dim.chunks)
                    owner = chunk if owner is None else owner * len(dim.chunks) + chunk
                    sizes: Any = None if offset is None else np.array(dim.chunks, dtype)[chunk]
                else:
                    sizes = dim.chunks[0]
            else:
                line = [1] * len(shape)
                line[dim.beside] = shape[dim.beside]
                place = np.arange(shape[dim.beside], dtype=dtype).reshape(line)
                sizes = dim.size
            offset = place if offset is None else offset * sizes + place
        offset = np.broadcast_to(offset, shape).ravel()
        owner = np.zeros(shape, dtype) if owner is None else np.broadcast_to(owner, shape)
        owner = narrow(owner.ravel(), self.destinations)
        order = None
        if kept is not None:
            order = np.flatnonzero(kept)
            owner, offset = owner[order], offset[order]
        counts = np.bincount(owner, minlength=self.destinations)
        if np.any(owner[1:] < owner[:-1]):
            # NumPy sorts numbers of 16 bits or less by radix.
            by_owner = np.argsort(owner, kind="stable")
            offset = offset.take(by_owner)
            order = by_owner if order is None else order[by_owner]
        if order is not None:
            order = narrow(order, kept.size if kept is not None else order.size)
        return Routed(narrow(counts, offset.size + 1), narrow(offset, self.largest_chunk), order)

    @property
    def largest_chunk(self) -> int:
        """The most elements that a chunk has in these dims."""
        return math.prod(max(dim.chunks) if dim.indexed else dim.size for dim in self.dims)


class Routed(NamedTuple):
    """The indices of a block, in order of the chunks that they go to."""

    counts: Array  # how many go to each chunk
    offsets: Array  # where in the chunk, its routed dims taken as one
    order: Array | None  # which indices of the block they are; None: all, in order


def narrow(array: Array, limit: int) -> Array:
    """The array in the narrowest dtype for numbers from 0 to limit - 1: it is sent elsewhere."""
    return array.astype(np.min_scalar_type(max(limit - 1, 0)), copy=False)


def _located(places: Array, chunks: Shape) -> tuple[Array, Array]:
    """The chunk of each place, and the place in it."""
    size = chunks[0]
    if size > 0 and len(set(chunks[:-1])) == 1 and chunks[-1] <= size:
        chunk = places // size  # NumPy's divmod takes ten times as long
        return chunk, places - chunk * places.dtype.type(size)
    ends = np.cumsum(chunks)
    chunk = np.searchsorted(ends, places, side="right").astype(places.dtype, copy=False)
    return chunk, places - (ends - chunks).astype(places.dtype)[chunk]


def resolve(router: Router, block: Array, starts: Shape) -> tuple[list[Array], Array | None]:
    """The place in its axis that each coordinate means, and which tuples are not skipped (None if
    none is); the places of those that are skipped mean nothing."""
    columns = [block[..., c] for c in range(block.shape[-1])] if router.tuples else [block]
    places: list[Array] = []
    outside: list[Array | None] = []
    for column, limit in zip(columns, router.limits, strict=True):
        place, bad = _resolved(column, limit, router.mode)
        places.append(place)
        outside.append(bad)
    if all(bad is None for bad in outside):
        return places, None
    if router.mode not in ("fill", "drop"):
        none = np.zeros(columns[0].shape, bool)
        raise _error(router, block, starts, [none if bad is None else bad for bad in outside])
    skipped = np.logical_or.reduce([bad for bad in outside if bad is not None])
    return [np.where(skipped, 0, place) for place in places], ~skipped.ravel()


def _resolved(index: Array, limit: int, mode: str) -> tuple[Array, Array | None]:
    """The places, and which of them mean nothing (None if none does)."""
    low, high = (int(index.min()), int(index.max())) if index.size else (0, -1)
    if low >= 0 and high < limit:
        return index, None
    if limit > 0 and mode in ("clamp", "wrap"):
        if index.dtype.kind == "u":
            top = index.dtype.type(min(limit - 1, np.iinfo(index.dtype).max))
            return (np.minimum(index, top) if mode == "clamp" else _modulo(index, limit)), None
        index = index.astype(np.int64)
        if mode == "wrap":
            return index % limit, None
        index = np.clip(index, -limit, limit - 1)
        low, high = max(low, -limit), min(high, limit - 1)
    bad: Array | None = None
    if high >= limit or low < -limit:
        bad = index >= limit
        if low < 0:
            bad |= index < -limit
    place = index.astype(np.int64)
    if low < 0:
        place += limit * (place < 0)
    return place, bad


def _modulo(index: Array, limit: int) -> Array:
    return index.astype(np.uint64) % np.uint64(limit)


def _error(router: Router, block: Array, starts: Shape, outside: Sequence[Array]) -> IndexError:
    """What is wrong with the first index, in C order, that is out of range."""
    bad = np.stack(outside, axis=-1) if router.tuples else outside[0]
    where = np.unravel_index(int(np.argmax(bad)), bad.shape)
    coordinate = int(where[-1]) if router.tuples else 0
    return check.index_error(
        router.operator,
        tuple(int(p) + start for p, start in zip(where, starts, strict=True)),
        int(block[where]),
        router.axes[coordinate],
        router.limits[coordinate],
        block.dtype,
    )
