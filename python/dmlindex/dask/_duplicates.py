"""find_duplicates over chunks: targets meet by their value, and go home by their position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask.array
import numpy as np
from dask._task_spec import Task, TaskRef

from dmlindex.dask import _parts
from dmlindex.dask._exchange import Graph, plan, refs
from dmlindex.dask._layout import Layout, collected
from dmlindex.dask._names import Names
from dmlindex.dask._parts import Array, Parts
from dmlindex.dask._route import Router, narrow


def routed_duplicates(layout: Layout, names: Names) -> dask.array.Array:
    """The positions, in as many blocks as indices has; how long each is shows when computed."""
    layout = layout.lazy()
    graph: Graph = {}
    batches = list(layout.batches())
    exchange = plan(
        layout.sources,
        layout.sources,
        slices=1,
        replies=False,
        source_bytes=layout.source_bytes,
    )
    blocks = layout.sources * len(batches)
    shape = layout.indices.shape[: len(layout.index_dims)]
    found = []
    for batch in batches:
        routes: list[Any] = []
        for source in batch.sources:
            key = (names.route, *source)
            block = TaskRef(batch.index_key(source))
            span = batch.index_starts(source), shape
            graph[key] = Task(key, _targets, block, batch.router, span, layout.sources)
            routes.append(key)
        nodes = exchange.forward(graph, names.route, batch.tag, routes, _parts.of_destinations)
        for destination in range(layout.sources):
            key = (names.local, *batch.tag, destination)
            pieces = refs(nodes[destination])
            graph[key] = Task(key, _overwritten, pieces, int(np.prod(shape)), blocks)
            found.append(key)
    home = plan(blocks, blocks, slices=1, replies=False, source_bytes=layout.source_bytes)
    arrived = home.forward(graph, names.merge, (), found, _parts.of_destinations)
    for number in range(blocks):
        key = (names.merge, number)
        graph[key] = Task(key, _ascending, refs(arrived[number]))
    chunks: Any = ((np.nan,) * blocks,)
    return collected(graph, names.merge, chunks, np.dtype(np.int64), [layout.indices])


def _targets(block: Array, router: Router, span: Any, groups: int) -> Parts:
    """The target and the position of each update, in order of the groups that targets go to."""
    starts, whole = span
    _, offsets, order = router.route(block, starts)
    places = np.arange(offsets.size) if order is None else order
    positions = _parts.positions(places, block.shape[: len(whole)], starts, whole)
    return _by_group(offsets, positions, -(-router.largest_chunk // groups), groups)


def _overwritten(parts: Sequence[Parts], positions: int, groups: int) -> Parts:
    """Of all updates of some targets, the positions of those that are not the last of theirs."""
    targets, places = _parts.join_sources(parts).arrays
    order = np.lexsort((places, targets))
    again = np.flatnonzero(targets[order[1:]] == targets[order[:-1]])
    overwritten = places[order[again]]
    return _by_group(overwritten, overwritten, -(-positions // groups), groups)


def _by_group(values: Array, positions: Array, size: int, groups: int) -> Parts:
    """Values and positions in order of their groups: the first size values are one, and so on."""
    owner = narrow(values // max(size, 1), groups)
    order = np.argsort(owner, kind="stable")
    counts = narrow(np.bincount(owner, minlength=groups), values.size + 1)
    return Parts(counts[np.newaxis], (values[order], positions[order]))


def _ascending(parts: Sequence[Parts]) -> Array:
    return np.sort(_parts.join_sources(parts).arrays[1]).astype(np.int64, copy=False)
