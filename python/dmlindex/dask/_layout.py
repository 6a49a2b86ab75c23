"""How the blocks of a call lie to each other: which dims indices name, which go along, which pass.

Every operator is a gather or scatter along some neighbouring dims of input, taken as one:

    input    pass…, [batch and indexed dims], pass…
    indices  batch dims and places, in any order, then the tuple if there is one
    result   pass…, the dims of indices but the tuple, pass…       (of a gather)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import dask.array
import numpy as np
from dask.highlevelgraph import HighLevelGraph

import dmlindex
from dmlindex.dask._exchange import Exchange, plan
from dmlindex.dask._names import chunked
from dmlindex.dask._route import Dim, Routed, Router

da: Any = dask.array  # which is only partly typed
Shape = tuple[int, ...]
Chunks = tuple[Shape, ...]


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

    @cached_property
    def destinations(self) -> int:
        return math.prod(self.input.numblocks[d] for d in self.indexed)

    @cached_property
    def sources(self) -> int:
        return math.prod(len(self.index_chunks[e]) for e in self.places)

    @cached_property
    def slices(self) -> int:
        return math.prod(self.input.numblocks[d] for d in self.passing)

    @cached_property
    def result_chunks(self) -> Chunks:
        chunks = self.input.chunks
        placed = tuple(self.index_chunks[e] for e in self.index_dims)
        return (*chunks[: self.first], *placed, *chunks[self.first + self.count :])

    @cached_property
    def source_bytes(self) -> int:
        """Of a block of indices and of what goes along with it, in one of the slices."""
        index = math.prod(self.indices.shape[len(self.index_dims) :]) * self.indices.dtype.itemsize
        row = _longest(self.input.chunks[d] for d in self.passing) * self.input.dtype.itemsize
        return int(index + row) * _longest(self.index_chunks[e] for e in self.index_dims)

    def exchange(self, *, replies: bool) -> Exchange:
        """The hops between the blocks of a batch."""
        return plan(
            self.sources,
            self.destinations,
            slices=self.slices,
            replies=replies,
            source_bytes=self.source_bytes,
        )

    def lazy(self) -> Layout:
        """The same with a Dask array of indices."""
        if not self.known:
            return self
        return replace(self, indices=chunked(self.indices, self.index_chunks))

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

    def route(self, source: Shape) -> Routed | IndexError:
        """Where a block of NumPy's indices goes; or what is wrong with it."""
        try:
            return self.router.route(self.index_block(source), self.index_starts(source))
        except IndexError as error:
            return error

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
        numbers = zip(self.layout.result_chunks, self.result(source, passing), strict=True)
        starts = [(sum(sizes[:number]), sizes[number]) for sizes, number in numbers]
        at = (slice(start, start + size) for start, size in starts)
        return array[(*at, ...)]  # with ..., what has no dims stays an array


def in_threads(function: Callable[[Shape], Any], blocks: Sequence[Shape]) -> list[Any]:
    """What it says of each block, by as many threads as operators use: NumPy lets others run."""
    threads = min(len(blocks), dmlindex.get_num_threads())
    if threads < 2:
        return list(map(function, blocks))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, blocks))


def _longest(chunks: Iterable[Shape]) -> int:
    """The elements of the largest block."""
    return math.prod(max(sizes, default=0) for sizes in chunks)


def collected(
    graph: dict[Any, Any], name: str, chunks: Chunks, dtype: Any, dependencies: Sequence[Any]
) -> dask.array.Array:
    """The Dask array whose blocks are tasks of the graph."""
    whole = HighLevelGraph.from_collections(name, graph, dependencies=list(dependencies))
    meta = np.empty((0,) * len(chunks), dtype)
    array: dask.array.Array = da.Array(whole, name, chunks, meta=meta)
    return array
