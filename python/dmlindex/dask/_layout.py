"""How the blocks of a call lie to each other: which dims indices name, which go along, which pass.

Every operator is a gather or scatter along some neighbouring dims of input, taken as one:

    input    pass…, [batch and indexed dims], pass…
    indices  batch dims and places, in any order, then the tuple if there is one
    result   pass…, the dims of indices but the tuple, pass…       (of a gather)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from typing import Any

import dask.array
import numpy as np
from dask.highlevelgraph import HighLevelGraph

from dmlindex.dask._names import chunked
from dmlindex.dask._route import Dim, Router

da: Any = dask.array  # which is only partly typed
core: Any = dask.array.core
Shape = tuple[int, ...]
Chunks = tuple[Shape, ...]

MIN_BLOCK_BYTES = 1 << 20  # NumPy's indices are not cut into blocks whose results are smaller


@dataclass(frozen=True)
class Layout:
    """A call's arrays, with chunks that go together along the batch dims."""

    operator: str
    mode: str
    input: Any  # a Dask array
    indices: Any  # a Dask array, or NumPy's
    index_chunks: Chunks
    first: int  # input's dims from here on are batch dims and indexed ones
    count: int  # so many of them
    batch: dict[int, int]  # the dims of input that go along with one of indices, and which one
    tuples: bool

    @property
    def known(self) -> bool:
        return isinstance(self.indices, np.ndarray)

    @cached_property
    def routed(self) -> range:
        return range(self.first, self.first + self.count)

    @cached_property
    def indexed(self) -> list[int]:
        return [d for d in self.routed if d not in self.batch]

    @cached_property
    def passing(self) -> list[int]:
        return [d for d in range(self.input.ndim) if d not in self.routed]

    @cached_property
    def index_dims(self) -> range:
        """The dims of indices but the tuple."""
        return range(self.indices.ndim - self.tuples)

    @cached_property
    def places(self) -> list[int]:
        """Those of them that go along with none of input's."""
        return [e for e in self.index_dims if e not in self.batch.values()]

    @property
    def destinations(self) -> int:
        return math.prod(self.input.numblocks[d] for d in self.indexed)

    @property
    def sources(self) -> int:
        return math.prod(len(self.index_chunks[e]) for e in self.places)

    @property
    def slices(self) -> int:
        return math.prod(self.input.numblocks[d] for d in self.passing)

    @property
    def result_chunks(self) -> Chunks:
        chunks = self.input.chunks
        placed = tuple(self.index_chunks[e] for e in self.index_dims)
        return (*chunks[: self.first], *placed, *chunks[self.first + self.count :])

    def lazy(self) -> Layout:
        """The same with a Dask array of indices."""
        if not self.known:
            return self
        values = vars(self) | {"indices": chunked(self.indices, self.index_chunks)}
        return Layout(**{name: values[name] for name in self.__dataclass_fields__})

    def batches(self) -> Iterator[Batch]:
        counts = [range(self.input.numblocks[d]) for d in self.batch]
        return (
            Batch(self, dict(zip(self.batch, block, strict=True))) for block in product(*counts)
        )


@dataclass(frozen=True)
class Batch:
    """The blocks at one place along the batch dims: indices may reach any of these of input."""

    layout: Layout
    block: dict[int, int]  # along which dim of input, the how-manieth

    @property
    def tag(self) -> Shape:
        return tuple(self.block.values())

    @cached_property
    def router(self) -> Router:
        a = self.layout
        dims = tuple(
            Dim(size=a.input.chunks[d][self.block[d]], beside=a.batch[d])
            if d in self.batch
            else Dim(chunks=a.input.chunks[d])
            for d in a.routed
        )
        return Router(a.operator, a.mode, a.first, dims, a.tuples)

    @property
    def batch(self) -> dict[int, int]:
        return self.layout.batch

    @cached_property
    def sources(self) -> list[Shape]:
        """The blocks of indices, in C order, by their numbers along the dims but the tuple."""
        a = self.layout
        beside = {a.batch[d]: number for d, number in self.block.items()}
        counts = [
            [beside[e]] if e in beside else range(len(a.index_chunks[e])) for e in a.index_dims
        ]
        return list(product(*counts))

    def index_key(self, source: Shape) -> Any:
        return (self.layout.indices.name, *source, *(0,) * self.layout.tuples)

    def index_starts(self, source: Shape) -> Shape:
        """Where a block of indices begins in the whole."""
        chunks = self.layout.index_chunks
        starts = [sum(chunks[e][:number]) for e, number in enumerate(source)]
        return (*starts, *(0,) * self.layout.tuples)

    def index_shape(self, source: Shape) -> Shape:
        """Of a block, but for the tuple."""
        return tuple(self.layout.index_chunks[e][number] for e, number in enumerate(source))

    def index_block(self, source: Shape) -> Any:
        """A block of NumPy's indices."""
        starts, shape = self.index_starts(source), self.index_shape(source)
        return self.layout.indices[
            tuple(slice(s, s + n) for s, n in zip(starts, shape, strict=False))
        ]

    @cached_property
    def slices(self) -> list[Shape]:
        """The blocks along the dims that pass, by their numbers there."""
        numblocks = self.layout.input.numblocks
        return list(product(*(range(numblocks[d]) for d in self.layout.passing)))

    def chunk(self, destination: int, passing: Shape) -> tuple[Any, ...]:
        """Which of input's chunks it is."""
        a = self.layout
        numbers = np.unravel_index(destination, [a.input.numblocks[d] for d in a.indexed])
        at = self.block | dict(zip(a.indexed, map(int, numbers), strict=True))
        at |= dict(zip(a.passing, passing, strict=True))
        return tuple(at[d] for d in range(a.input.ndim))

    def result(self, source: Shape, passing: Shape) -> tuple[Any, ...]:
        """Which block of a gather's result, or a scatter's updates, it is."""
        first = self.layout.first
        return (*passing[:first], *source, *passing[first:])

    def result_block(self, array: Any, source: Shape, passing: Shape) -> Any:
        """That block of a NumPy array."""
        at = zip(self.layout.result_chunks, self.result(source, passing), strict=True)
        starts = [(sum(sizes[:number]), sizes[number]) for sizes, number in at]
        return array[tuple(slice(start, start + size) for start, size in starts)]


def cropped(chunks: Shape, size: int) -> Shape:
    """The chunks of the first size elements."""
    ends = [min(end, size) for end in accumulate(chunks)]
    sizes = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    while len(sizes) > 1 and sizes[-1] == 0:
        sizes.pop()
    return tuple(sizes)


def gather_layout(operator: str, mode: str, input: Any, indices: Any, **where: Any) -> Layout:
    """Of a gather: along a batch dim input and indices are cut wherever one of them is."""
    batch: dict[int, int] = where["batch"]
    window = tuple(
        slice(0, indices.shape[batch[d]]) if d in batch else slice(None) for d in range(input.ndim)
    )
    if any(indices.shape[e] != input.shape[d] for d, e in batch.items()):
        input = input[window]  # of gather_elements: nothing past indices is read
    known = isinstance(indices, np.ndarray)
    common = {
        d: input.chunks[d] if known else core.common_blockdim([input.chunks[d], indices.chunks[e]])
        for d, e in batch.items()
    }
    input = _rechunked(input, common)
    beside = {batch[d]: chunks for d, chunks in common.items()}
    chunks = _index_chunks(input, indices, beside, where)
    return Layout(operator, mode, input, _as_chunked(indices, chunks), chunks, **where)


def scatter_layout(
    operator: str, mode: str, input: Any, indices: Any, updates: Any, **where: Any
) -> tuple[Layout, Any]:
    """Of a scatter, with Dask's updates in the chunks that go with it, and NumPy's as they are:
    input's chunks stay."""
    batch: dict[int, int] = where["batch"]
    known = isinstance(indices, np.ndarray)
    beside = {e: cropped(input.chunks[d], indices.shape[e]) for d, e in batch.items()}
    if known and not isinstance(updates, np.ndarray):
        beside |= {
            e: updates.chunks[e]
            for e in range(indices.ndim - where["tuples"])
            if e not in batch.values()
        }
    chunks = _index_chunks(input, indices, beside, where)
    layout = Layout(operator, mode, input, _as_chunked(indices, chunks), chunks, **where)
    wanted = layout.result_chunks
    if isinstance(updates, np.ndarray):
        return layout, updates
    return layout, _rechunked(updates, dict(enumerate(wanted)))


def _index_chunks(input: Any, indices: Any, beside: dict[int, Shape], where: Any) -> Chunks:
    """Those of indices; NumPy's get some: results of about the size of input's chunks."""
    whole = {indices.ndim - 1: (indices.shape[-1],)} if where["tuples"] else {}
    given = beside | whole
    if not isinstance(indices, np.ndarray):
        return tuple(given.get(e, indices.chunks[e]) for e in range(indices.ndim))
    largest = [max(chunks, default=0) for chunks in input.chunks]
    routed = range(where["first"], where["first"] + where["count"])
    row = input.dtype.itemsize * math.prod(n for d, n in enumerate(largest) if d not in routed)
    row *= math.prod(max(chunks, default=0) for e, chunks in beside.items())
    limit = max(MIN_BLOCK_BYTES, input.dtype.itemsize * math.prod(largest))
    free = [e for e in range(indices.ndim) if e not in given]
    points = max(1, limit // max(row, 1))
    for e in reversed(free):  # whole in the last dims, so that blocks in order are in C order
        size = max(1, min(points, indices.shape[e]))
        given[e] = core.normalize_chunks((size,), (indices.shape[e],))[0]
        points = max(1, points // size)
    return tuple(given[e] for e in range(indices.ndim))


def _as_chunked(indices: Any, chunks: Chunks) -> Any:
    if isinstance(indices, np.ndarray):
        return indices
    return _rechunked(indices, dict(enumerate(chunks)))


def _rechunked(array: Any, chunks: dict[int, Shape]) -> Any:
    changed = {d: sizes for d, sizes in chunks.items() if array.chunks[d] != sizes}
    return array.rechunk(changed) if changed else array


def collected(
    graph: dict[Any, Any], name: str, chunks: Chunks, dtype: Any, dependencies: Sequence[Any]
) -> dask.array.Array:
    """The Dask array whose blocks are tasks of the graph."""
    whole = HighLevelGraph.from_collections(name, graph, dependencies=list(dependencies))
    meta = np.empty((0,) * len(chunks), dtype)
    array: dask.array.Array = da.Array(whole, name, chunks, meta=meta)
    return array
