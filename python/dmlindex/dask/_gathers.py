"""The graph of a gather whose indices reach several chunks."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
from dask._task_spec import Task, TaskRef

from dmlindex.dask import _parts
from dmlindex.dask._exchange import Graph, plan, refs
from dmlindex.dask._layout import Batch, Layout, collected
from dmlindex.dask._names import Names
from dmlindex.dask._route import Routed


def routed_gather(layout: Layout, names: Names, fill_value: Any, device: Any) -> dask.array.Array:
    """The result as a Dask array; NumPy's indices are routed here and now, others by tasks."""
    graph = _known(layout, names, fill_value, device) if layout.known else None
    if graph is None:
        layout = layout.lazy()
        graph = _lazy(layout, names, fill_value, device)
    arrays = [layout.input] if layout.known else [layout.input, layout.indices]
    return collected(graph, names.merge, layout.result_chunks, layout.input.dtype, arrays)


def _lazy(layout: Layout, names: Names, fill_value: Any, device: Any) -> Graph:
    graph: Graph = {}
    exchange = plan(layout.sources, layout.destinations, slices=layout.slices, replies=True)
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
            replies = {}
            for (group, destination), (parts,) in nodes.items():
                key = (names.local, *batch.tag, *passing, group, destination)
                chunk = TaskRef((layout.input.name, *batch.chunk(destination, passing)))
                pick = _parts.pick
                graph[key] = Task(key, pick, chunk, TaskRef(parts), first, layout.count, device)
                replies[group, destination] = key
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
    exchange = plan(layout.sources, layout.destinations, slices=layout.slices, replies=True)
    batches = list(layout.batches())
    limit = exchange.tasks(layout.slices) * len(batches)
    for batch in batches:
        for source in batch.sources:
            try:
                routed = batch.router.route(batch.index_block(source), batch.index_starts(source))
            except IndexError as error:
                for passing in batch.slices:
                    key = (names.merge, *batch.result(source, passing))
                    graph[key] = Task(key, _parts.fail, error)
                continue
            _known_block(graph, batch, source, routed, names, fill_value, device)
            if len(graph) > limit:
                return None
    return graph


def _known_block(
    graph: Graph,
    batch: Batch,
    source: tuple[int, ...],
    routed: Routed,
    names: Names,
    fill_value: Any,
    device: Any,
) -> None:
    layout, first = batch.layout, batch.layout.first
    touched = np.flatnonzero(routed.counts).tolist() or [0]
    ends = np.cumsum(routed.counts, dtype=np.int64)
    for passing in batch.slices:
        locals_ = []
        for destination in touched:
            count = routed.counts[destination]
            offsets = routed.offsets[ends[destination] - count : ends[destination]]
            parts = _parts.Parts(np.array([[count]]), (offsets,))
            at = batch.chunk(destination, passing)
            key = (names.local, *source, *at)
            chunk = TaskRef((layout.input.name, *at))
            graph[key] = Task(key, _parts.pick, chunk, parts, first, layout.count, device)
            locals_.append(key)
        key = (names.merge, *batch.result(source, passing))
        shape = batch.index_shape(source)
        graph[key] = Task(key, _parts.merge, routed.order, refs(locals_), shape, first, fill_value)
