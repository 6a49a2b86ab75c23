"""Which chunk of input an index means, and where in it: the partition that routing starts with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dmlindex import _reference_checks as check

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
        return int(np.prod([len(dim.chunks) for dim in self.dims if dim.indexed]))

    def route(self, block: Array, starts: Shape) -> Routed:
        """A block of indices, which begins at starts in the whole array."""
        places, kept = resolve(self, block, starts)
        shape = block.shape[: block.ndim - self.tuples]
        owner: Any = np.zeros(shape, np.int64)
        offset: Any = np.zeros(shape, np.int64)
        remaining = iter(places)
        for dim in self.dims:
            if dim.indexed:
                chunk, place, sizes = _located(next(remaining), dim.chunks)
                owner = owner * len(dim.chunks) + chunk
                offset = offset * sizes + place
            else:
                line = [1] * len(shape)
                line[dim.beside] = shape[dim.beside]
                offset = offset * dim.size + np.arange(shape[dim.beside]).reshape(line)
        owner, offset = owner.ravel(), offset.ravel()
        order = None
        if kept is not None:
            order = np.flatnonzero(kept)
            owner, offset = owner[order], offset[order]
        counts = np.bincount(owner, minlength=self.destinations)
        if np.any(owner[1:] < owner[:-1]):
            # NumPy sorts numbers of 16 bits or less by radix.
            by_owner = np.argsort(narrow(owner, self.destinations), kind="stable")
            offset = offset[by_owner]
            order = by_owner if order is None else order[by_owner]
        if order is not None:
            order = narrow(order, kept.size if kept is not None else order.size)
        return Routed(narrow(counts, offset.size + 1), narrow(offset, self.largest_chunk), order)

    @property
    def largest_chunk(self) -> int:
        """The most elements that a chunk has in these dims."""
        return int(np.prod([max(dim.chunks) if dim.indexed else dim.size for dim in self.dims]))


class Routed(NamedTuple):
    """The indices of a block, in order of the chunks that they go to."""

    counts: Array  # how many go to each chunk
    offsets: Array  # where in the chunk, its routed dims taken as one
    order: Array | None  # which indices of the block they are; None: all, in order


def narrow(array: Array, limit: int) -> Array:
    """The array in the narrowest dtype for numbers from 0 to limit - 1: it is sent elsewhere."""
    return array.astype(np.min_scalar_type(max(limit - 1, 0)), copy=False)


def _located(places: Array, chunks: Shape) -> tuple[Array, Array, Any]:
    """The chunk of each place, the place in it, and the sizes of these chunks."""
    if len(chunks) == 1:
        return np.zeros((), np.int64), places, chunks[0]
    size = chunks[0]
    if size > 0 and len(set(chunks[:-1])) == 1 and chunks[-1] <= size:
        chunk, place = np.divmod(places, size)
        sizes = size if chunks[-1] == size else np.array(chunks)[chunk]
        return chunk, place, sizes
    ends = np.cumsum(chunks)
    chunk = np.searchsorted(ends, places, side="right")
    return chunk, places - (ends - chunks)[chunk], np.array(chunks)[chunk]


def resolve(router: Router, block: Array, starts: Shape) -> tuple[list[Array], Array | None]:
    """The place in its axis that each coordinate means, and which tuples are not skipped (None if
    none is); the places of those that are skipped mean nothing."""
    columns = [block[..., c] for c in range(block.shape[-1])] if router.tuples else [block]
    places: list[Array] = []
    outside: list[Array] = []
    for column, limit in zip(columns, router.limits, strict=True):
        place, bad = _resolved(column, limit, router.mode)
        places.append(place)
        outside.append(bad)
    if not any(bad.any() for bad in outside):
        return places, None
    if router.mode not in ("fill", "drop"):
        raise _error(router, block, starts, outside)
    skipped = np.logical_or.reduce(outside)
    return [np.where(skipped, 0, place) for place in places], ~skipped.ravel()


def _resolved(index: Array, limit: int, mode: str) -> tuple[Array, Array]:
    signed = index.dtype.kind == "i"
    if limit > 0 and mode in ("clamp", "wrap"):
        if not signed:
            top = index.dtype.type(min(limit - 1, np.iinfo(index.dtype).max))
            index = np.minimum(index, top) if mode == "clamp" else _modulo(index, limit)
        else:
            index = index.astype(np.int64)
            index = np.clip(index, -limit, limit - 1) if mode == "clamp" else index % limit
    bad = index >= limit
    if not signed:
        return index.astype(np.int64), bad
    bad |= index < -limit
    place = np.array(index, np.int64)
    place[place < 0] += limit
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
