"""The graph of a scatter whose indices reach several chunks."""

from __future__ import annotations

import itertools
import math
from typing import Any

import dask.array
import numpy as np
from dask._task_spec import Alias, Task, TaskRef

from dmlindex.dask import _parts
from dmlindex.dask._exchange import Graph, plan, refs
from dmlindex.dask._layout import Batch, Layout, collected
from dmlindex.dask._names import Names
from dmlindex.dask._route import Routed

Options = dict[str, Any]


def routed_scatter(
    layout: Layout, updates: Any, names: Names, options: Options, ordered: bool
) -> dask.array.Array:
    """The result as a Dask array; chunks that nothing reaches are input's own."""
    scatter = _Scatter(layout, updates, names, options, ordered)
    graph = scatter.known() if layout.known else None
    if graph is None:
        scatter.layout = layout = layout.lazy()
        graph = scatter.lazy()
    arrays = [layout.input, updates] if layout.known else [layout.input, updates, layout.indices]
    return collected(graph, names.merge, layout.input.chunks, layout.input.dtype, arrays)


class _Scatter:
    def __init__(
        self, layout: Layout, updates: Any, names: Names, options: Options, ordered: bool
    ) -> None:
        self.layout = layout
        self.updates = updates
        self.names = names
        self.options = options
        self.reduction = options["reduction"]
        self.combine = not ordered and self.reduction != "none"
        interleaved = _interleaved([layout.index_chunks[e] for e in layout.places])
        self.positions = interleaved and not self.combine and not options["unique_indices"]
        self.exchange = plan(
            layout.sources, layout.destinations, slices=layout.slices, replies=False
        )

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
        """Tasks for the chunks that are touched; None if routing by tasks takes fewer."""
        graph: Graph = {}
        layout, names = self.layout, self.names
        batches = list(layout.batches())
        limit = self.exchange.tasks(layout.slices, False) * len(batches)
        for batch in batches:
            came: dict[Any, list[Any]] = {}
            try:
                for source in batch.sources if self._reached(batch) else []:
                    self._known_block(graph, batch, source, came)
                    if len(graph) > limit:
                        return None
            except IndexError as error:
                for destination, passing in self._places(batch):
                    key = (names.merge, *batch.chunk(destination, passing))
                    graph[key] = Task(key, _parts.fail, error)
                continue
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

    def _known_block(
        self, graph: Graph, batch: Batch, source: tuple[int, ...], came: dict[Any, list[Any]]
    ) -> None:
        routed = batch.router.route(batch.index_block(source), batch.index_starts(source))
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

    def _send(
        self, graph: Graph, batch: Batch, source: tuple[int, ...], passing: tuple[int, ...]
    ) -> Any:
        key = (self.names.route, "updates", *source, *passing)
        routed = TaskRef((self.names.route, *source))
        graph[key] = self._sent(key, batch, source, passing, routed)
        return key

    def _sent(
        self, key: Any, batch: Batch, source: tuple[int, ...], passing: tuple[int, ...], routed: Any
    ) -> Task:
        block = TaskRef((self.updates.name, *batch.result(source, passing)))
        positions = self._positions(batch, source) if self.positions else None
        send = _parts.send_updates
        rank = len(self.layout.index_dims)
        return Task(key, send, routed, block, rank, positions, self.reduction, self.combine)

    def _positions(self, batch: Batch, source: tuple[int, ...]) -> Any:
        """Where a block of indices lies in the whole: its shape, its start, the whole's shape."""
        shape = self.layout.indices.shape
        rank = len(self.layout.index_dims)
        return batch.index_shape(source), batch.index_starts(source)[:rank], shape[:rank]

    def _put(
        self, graph: Graph, batch: Batch, passing: tuple[int, ...], destination: int, keys: Any
    ) -> None:
        at = batch.chunk(destination, passing)
        key = (self.names.merge, *at)
        chunk = (self.layout.input.name, *at)
        if not keys:
            graph[key] = Alias(key, chunk)
            return
        put, count = _parts.put, self.layout.count
        graph[key] = Task(key, put, TaskRef(chunk), refs(keys), count, self.options)


def _interleaved(chunks: list[tuple[int, ...]]) -> bool:
    """Whether the elements of blocks in order are not in C order."""
    cut = [e for e, sizes in enumerate(chunks) if len(sizes) > 1]
    return bool(cut) and math.prod(sum(sizes) for sizes in chunks[: cut[-1]]) > 1
