"""The graph of a scatter whose indices reach several chunks."""

from __future__ import annotations

import itertools
import math
from typing import Any

import dask.array
import numpy as np
from dask._task_spec import Alias, Task, TaskRef

from dmlindex.dask import _parts
from dmlindex.dask._chunks import rechunked
from dmlindex.dask._coarse import coarse
from dmlindex.dask._exchange import Graph, refs
from dmlindex.dask._layout import Batch, Layout, collected, in_threads
from dmlindex.dask._names import Names, chunked
from dmlindex.dask._route import Routed

Options = dict[str, Any]
Source = tuple[int, ...]  # a block of indices, by its numbers along the dims

PIECES_A_TASK = 64  # making so many of NumPy's updates takes as long as Dask takes to run a task


def routed_scatter(
    layout: Layout, updates: Any, names: Names, options: Options
) -> dask.array.Array:
    """The result as a Dask array; chunks that nothing reaches are input's own."""
    graph = None
    if layout.known:
        graph = _Scatter(layout, updates, names, options).known()
    if graph is None:
        layout = coarse(layout.lazy(), replies=False)
        part = chunked if isinstance(updates, np.ndarray) else rechunked
        updates = part(updates, layout.result_chunks)
        graph = _Scatter(layout, updates, names, options).lazy()
    arrays = [layout.input, updates, layout.indices]
    arrays = [array for array in arrays if not isinstance(array, np.ndarray)]
    return collected(graph, names.merge, layout.input.chunks, layout.input.dtype, arrays)


class _Scatter:
    def __init__(self, layout: Layout, updates: Any, names: Names, options: Options) -> None:
        self.layout = layout
        self.updates = updates
        self.names = names
        self.options = options
        self.reduction = options["reduction"]
        self.combine = not options["ordered"] and self.reduction != "none"
        interleaved = _interleaved([layout.index_chunks[e] for e in layout.places])
        self.positions = interleaved and not self.combine and not options["unique_indices"]
        self.exchange = layout.exchange(replies=False)

    def lazy(self) -> Graph:
        graph: Graph = {}
        layout, names = self.layout, self.names
        for batch in layout.batches():
            sources = batch.sources if self._reached(batch) else []
            for source in sources:
                key = (names.route, *source)
                block = TaskRef(batch.index_key(source))
                graph[key] = Task(key, batch.router.route, block, batch.index_starts(source))
            for passing in batch.slices:
                sends = [self._send(graph, batch, source, passing) for source in sources]
                nodes: list[list[Any]] = [[]] * layout.destinations
                if sends:
                    tag = (*batch.tag, *passing)
                    nodes = self.exchange.forward(
                        graph, names.route, tag, sends, _parts.of_destinations
                    )
                for destination, keys in enumerate(nodes):
                    self._put(graph, batch, passing, destination, keys)
        return graph

    def known(self) -> Graph | None:
        """Tasks for the chunks that are touched; None if routing by tasks costs less."""
        graph: Graph = {}
        sent = 0
        layout, names = self.layout, self.names
        batches = list(layout.batches())
        limit = layout.exchange(replies=False).tasks(layout.slices, False) * len(batches)
        pieces = isinstance(self.updates, np.ndarray)
        limit *= PIECES_A_TASK if pieces else 1
        for batch in batches:
            sources = batch.sources if self._reached(batch) else []
            routes = in_threads(batch.route, sources)
            errors = [error for error in routes if isinstance(error, IndexError)]
            if errors:
                for destination, passing in self._places(batch):
                    key = (names.merge, *batch.chunk(destination, passing))
                    graph[key] = Task(key, _parts.fail, errors[0])
                continue
            sent += sum(int(np.count_nonzero(r.counts)) for r in routes) * layout.slices
            if sent > limit:
                return None
            came: dict[Any, list[Any]] = {}
            for source, routed in zip(sources, routes, strict=True):
                if pieces:
                    self._pieces(batch, source, routed, came)
                else:
                    self._sends(graph, batch, source, routed, came)
            for destination, passing in self._places(batch):
                keys = came.get((destination, passing), [])
                self._put(graph, batch, passing, destination, keys)
        return graph

    def _places(self, batch: Batch) -> Any:
        return itertools.product(range(self.layout.destinations), batch.slices)

    def _reached(self, batch: Batch) -> bool:
        """Whether indices has blocks there: off the axis they may end before input does."""
        layout = self.layout
        return all(batch.block[d] < len(layout.index_chunks[e]) for d, e in layout.batch.items())

    def _sends(
        self, graph: Graph, batch: Batch, source: Source, routed: Routed, came: dict[Any, list[Any]]
    ) -> None:
        """A task for what each chunk gets of a block of Dask's updates."""
        ends = np.cumsum(routed.counts, dtype=np.int64)
        for destination in np.flatnonzero(routed.counts).tolist():
            count = routed.counts[destination]
            rows = slice(int(ends[destination] - count), int(ends[destination]))
            own = Routed(
                routed.counts[destination : destination + 1],
                routed.offsets[rows],
                np.arange(rows.start, rows.stop) if routed.order is None else routed.order[rows],
            )
            for passing in batch.slices:
                key = (self.names.route, *source, *passing, destination)
                graph[key] = self._sent(key, batch, source, passing, own)
                came.setdefault((destination, passing), []).append(key)

    def _pieces(
        self, batch: Batch, source: Source, routed: Routed, came: dict[Any, list[Any]]
    ) -> None:
        """NumPy's updates are parted here and now, too: tasks of their own would cost more."""
        for passing in batch.slices:
            block = batch.result_block(self.updates, source, passing)
            if routed.order is None:
                block = block.copy()  # else its rows would stay the caller's, who may change them
            parts = _parts.send_updates(routed, *self._how(batch, source, block))
            ends = parts.ends[0].tolist()
            for destination in np.flatnonzero(parts.counts[0]).tolist():
                count = int(parts.counts[0, destination])
                rows = slice(ends[destination] - count, ends[destination])
                piece = _parts.Parts(np.array([[count]]), tuple(a[rows] for a in parts.arrays))
                came.setdefault((destination, passing), []).append(piece)

    def _send(self, graph: Graph, batch: Batch, source: Source, passing: Source) -> Any:
        key = (self.names.route, "updates", *source, *passing)
        routed = TaskRef((self.names.route, *source))
        graph[key] = self._sent(key, batch, source, passing, routed)
        return key

    def _sent(self, key: Any, batch: Batch, source: Source, passing: Source, routed: Any) -> Task:
        block = TaskRef((self.updates.name, *batch.result(source, passing)))
        return Task(key, _parts.send_updates, routed, *self._how(batch, source, block))

    def _how(self, batch: Batch, source: Source, block: Any) -> tuple[Any, ...]:
        """What send_updates takes for a block of updates."""
        positions = self._positions(batch, source) if self.positions else None
        return block, len(self.layout.index_dims), positions, self.reduction, self.combine

    def _positions(self, batch: Batch, source: Source) -> Any:
        """Where a block of indices lies in the whole: its shape, its start, the whole's shape."""
        shape = self.layout.indices.shape
        rank = len(self.layout.index_dims)
        return batch.index_shape(source), batch.index_starts(source)[:rank], shape[:rank]

    def _put(
        self, graph: Graph, batch: Batch, passing: Source, destination: int, parts: Any
    ) -> None:
        """parts: the keys of them, or NumPy's updates themselves."""
        at = batch.chunk(destination, passing)
        key = (self.names.merge, *at)
        chunk = (self.layout.input.name, *at)
        if not parts:
            graph[key] = Alias(key, chunk)
            return
        put, count = _parts.put, self.layout.count
        given = parts if isinstance(parts[0], _parts.Parts) else refs(parts)
        graph[key] = Task(key, put, TaskRef(chunk), given, count, self.options)


def _interleaved(chunks: list[Source]) -> bool:
    """Whether the elements of blocks in order are not in C order."""
    cut = [e for e, sizes in enumerate(chunks) if len(sizes) > 1]
    return bool(cut) and math.prod(sum(sizes) for sizes in chunks[: cut[-1]]) > 1
