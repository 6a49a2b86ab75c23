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
from dmlindex.dask._names import Names, chunked
from dmlindex.dask._route import Routed

Options = dict[str, Any]


def routed_scatter(
    layout: Layout, updates: Any, names: Names, options: Options, ordered: bool
) -> dask.array.Array:
    """The result as a Dask array; chunks that nothing reaches are input's own."""
    scatter = _Scatter(layout, updates, names, options, ordered)
    graph = scatter.known() if layout.known else None
    if graph is None:
        scatter.layout = layout.lazy()
        if isinstance(updates, np.ndarray):
            scatter.updates = chunked(updates, layout.result_chunks)
        graph = scatter.lazy()
    arrays = [layout.input, scatter.updates, scatter.layout.indices]
    arrays = [array for array in arrays if not isinstance(array, np.ndarray)]
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
        sent = 0
        layout, names = self.layout, self.names
        batches = list(layout.batches())
        limit = self.exchange.tasks(layout.slices, False) * len(batches)
        for batch in batches:
            came: dict[Any, list[Any]] = {}
            try:
                for source in batch.sources if self._reached(batch) else []:
                    sent += self._known_block(graph, batch, source, came)
                    if sent > limit:
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
    ) -> int:
        """What each chunk gets of a block; returns how many pieces these are."""
        routed = batch.router.route(batch.index_block(source), batch.index_starts(source))
        if isinstance(self.updates, np.ndarray):
            return self._pieces(batch, source, routed, came)
        touched = np.flatnonzero(routed.counts).tolist()
        ends = np.cumsum(routed.counts, dtype=np.int64)
        for destination in touched:
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
        return len(touched) * len(batch.slices)

    def _pieces(
        self, batch: Batch, source: tuple[int, ...], routed: Routed, came: dict[Any, list[Any]]
    ) -> int:
        """NumPy's updates are parted here and now, too: tasks of their own would cost more."""
        pieces = 0
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
                pieces += 1
        return pieces

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
        return Task(key, _parts.send_updates, routed, *self._how(batch, source, block))

    def _how(self, batch: Batch, source: tuple[int, ...], block: Any) -> tuple[Any, ...]:
        """What send_updates takes for a block of updates."""
        positions = self._positions(batch, source) if self.positions else None
        return block, len(self.layout.index_dims), positions, self.reduction, self.combine

    def _positions(self, batch: Batch, source: tuple[int, ...]) -> Any:
        """Where a block of indices lies in the whole: its shape, its start, the whole's shape."""
        shape = self.layout.indices.shape
        rank = len(self.layout.index_dims)
        return batch.index_shape(source), batch.index_starts(source)[:rank], shape[:rank]

    def _put(
        self, graph: Graph, batch: Batch, passing: tuple[int, ...], destination: int, parts: Any
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


def _interleaved(chunks: list[tuple[int, ...]]) -> bool:
    """Whether the elements of blocks in order are not in C order."""
    cut = [e for e, sizes in enumerate(chunks) if len(sizes) > 1]
    return bool(cut) and math.prod(sum(sizes) for sizes in chunks[: cut[-1]]) > 1
