"""The graph of a gather whose indices reach several chunks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import dask.array
import numpy as np
from dask._task_spec import Task, TaskRef

from dmlindex.dask import _parts
from dmlindex.dask._chunks import rechunked
from dmlindex.dask._coarse import coarse
from dmlindex.dask._exchange import Graph, refs
from dmlindex.dask._layout import Batch, Layout, collected, in_threads
from dmlindex.dask._names import Names

Source = tuple[int, ...]  # a block of indices, by its numbers along the dims
Asked = tuple[Source, Any]  # and offsets that it asks a chunk for


def routed_gather(layout: Layout, names: Names, fill_value: Any, device: Any) -> dask.array.Array:
    """The result as a Dask array; NumPy's indices are routed here and now, others by tasks."""
    chunks = layout.result_chunks
    graph = _known(layout, names, fill_value, device) if layout.known else None
    if graph is None:
        layout = coarse(layout.lazy(), replies=True)
        graph = _lazy(layout, names, fill_value, device)
    arrays = [layout.input] if layout.known else [layout.input, layout.indices]
    result = collected(graph, names.merge, layout.result_chunks, layout.input.dtype, arrays)
    cut: dask.array.Array = rechunked(result, chunks)
    return cut


def _lazy(layout: Layout, names: Names, fill_value: Any, device: Any) -> Graph:
    graph: Graph = {}
    exchange = layout.exchange(replies=True)
    first = layout.first
    for batch in layout.batches():
        routes: list[Any] = []
        for source in batch.sources:
            key = (names.route, *source)
            block = TaskRef(batch.index_key(source))
            graph[key] = Task(key, batch.router.route, block, batch.index_starts(source))
            routes.append(key)
        nodes = exchange.forward(graph, names.route, batch.tag, routes, _parts.send_offsets)
        for passing in batch.slices:
            replies = []
            for destination, asked in enumerate(nodes):
                key = (names.local, *batch.tag, *passing, destination)
                chunk = TaskRef((layout.input.name, *batch.chunk(destination, passing)))
                pick = _parts.pick
                graph[key] = Task(key, pick, chunk, refs(asked), first, layout.count, device)
                replies.append(key)
            tag = (*batch.tag, *passing)
            answers = exchange.backward(graph, names.merge, tag, replies)
            for source, route, answer in zip(batch.sources, routes, answers, strict=True):
                key = (names.merge, *batch.result(source, passing))
                shape = batch.index_shape(source)
                merge = _parts.merge_routed
                graph[key] = Task(
                    key, merge, TaskRef(route), refs(answer), shape, first, fill_value
                )
    return graph


def _known(layout: Layout, names: Names, fill_value: Any, device: Any) -> Graph | None:
    """Tasks for the chunks that are touched; None if routing by tasks takes fewer."""
    graph: Graph = {}
    exchange = layout.exchange(replies=True)
    batches = list(layout.batches())
    limit = exchange.tasks(layout.slices, True) * len(batches)
    for batch in batches:
        known = _Known(batch)
        for passing in batch.slices:
            known.add_tasks(graph, passing, names, fill_value, device)
            if len(graph) > limit:
                return None
    return graph


class _Known:
    """The routes of one batch of blocks."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self.orders: dict[Source, Any] = {}
        self.errors: dict[Source, IndexError] = {}
        asked: dict[int, list[Asked]] = {}
        for source, routed in zip(
            batch.sources, in_threads(batch.route, batch.sources), strict=True
        ):
            if isinstance(routed, IndexError):
                self.errors[source] = routed
                continue
            counts, offsets, self.orders[source] = routed
            ends = np.cumsum(counts, dtype=np.int64)
            for destination in np.flatnonzero(counts).tolist() or [0]:
                rows = slice(ends[destination] - counts[destination], ends[destination])
                asked.setdefault(destination, []).append((source, offsets[rows]))
        # No task answers much more than a block of the result has, wherever indices cluster.
        most = 2 * max(
            (math.prod(batch.index_shape(source)) for source in batch.sources), default=0
        )
        self.asked = {d: list(_grouped(asked[d], most)) for d in sorted(asked)}

    def add_tasks(
        self, graph: Graph, passing: Source, names: Names, fill_value: Any, device: Any
    ) -> None:
        batch, layout = self.batch, self.batch.layout
        came: dict[Source, list[Any]] = {source: [] for source in self.orders}
        for destination, groups in self.asked.items():
            at = batch.chunk(destination, passing)
            chunk = TaskRef((layout.input.name, *at))
            for number, group in enumerate(groups):
                counts = np.array([[offsets.size] for _, offsets in group])
                parts = [_parts.Parts(counts, (np.concatenate([o for _, o in group]),))]
                key: Any = (names.local, *batch.tag, *at, number)
                pick = _parts.pick
                graph[key] = Task(key, pick, chunk, parts, layout.first, layout.count, device)
                for member, (source, _) in enumerate(group):
                    own: Any = key
                    if len(group) > 1:
                        own = (names.merge, "reply", *key[1:], member)
                        cut = _parts.of_sources
                        graph[own] = Task(own, cut, TaskRef(key), member, member + 1)
                    came[source].append(own)
        for source in batch.sources:
            key = (names.merge, *batch.result(source, passing))
            if source in self.errors:
                graph[key] = Task(key, _parts.fail, self.errors[source])
                continue
            shape, order = batch.index_shape(source), self.orders[source]
            merge, rows = _parts.merge, refs(came[source])
            graph[key] = Task(key, merge, order, rows, shape, layout.first, fill_value)


def _grouped(asked: list[Asked], most: int) -> Iterator[list[Asked]]:
    """Neighbours together, of at most so many rows if they are more than one."""
    group: list[Asked] = []
    rows = 0
    for one in asked:
        if group and rows + one[1].size > most:
            yield group
            group, rows = [], 0
        group.append(one)
        rows += one[1].size
    yield group
