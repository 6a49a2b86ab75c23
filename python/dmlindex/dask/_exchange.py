"""Rows from any of n blocks to any of m, without a task for each pair of them where these are many.

A hop brings the rows of groups of sources together and parts them by groups of destinations; in
every hop the groups of sources grow and those of destinations shrink:

    sources 0 1 2 3 4 5 6 7 8 | hop: a node for each group of 3 sources and group of 3 destinations
                              | hop: a node for each group of 3 (or all) sources and destination

One hop is a task for each pair; s hops are about s * n ** (1 + 1/s) tasks, but move each row s
times. So there are as few hops as TASK_BOUND allows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Public in Dask's documentation of its graphs, though not by the name of its module.
from dask._task_spec import List, Task, TaskRef

from dmlindex.dask import _parts

Key = tuple[Any, ...]
Graph = dict[Any, Any]

TASK_BOUND = 8  # tasks <= this * (source blocks + destination blocks) * log2 of the larger


@dataclass(frozen=True)
class Level:
    """How many sources and destinations a node has. Each divides the neighbouring level's."""

    sources: int
    destinations: int


@dataclass(frozen=True)
class Exchange:
    """The hops between blocks: levels from single sources on to single destinations.

    With replies, what comes back goes the same way; the last level then keeps groups of sources, so
    that no task has to hold all that one destination has to say.
    """

    sources: int
    destinations: int
    replies: bool
    levels: tuple[Level, ...]

    def count(self, level: Level) -> tuple[int, int]:
        """How many groups of sources and of destinations there are."""
        return -(-self.sources // level.sources), -(-self.destinations // level.destinations)

    def tasks(self, slices: int) -> int:
        """At most so many: routes, hops, one local task for each last node, merges."""
        total = self.sources * (1 + slices)
        for near, far in zip(self.levels, self.levels[1:], strict=False):
            (g, _), (g2, h2) = self.count(near), self.count(far)
            joins = g2 * h2 if far.sources > near.sources else 0
            ways = 1 + slices if self.replies else slices
            total += ways * (g * h2 + joins)
        return total + slices * (self.count(self.levels[-1])[0] * self.destinations)

    def forward(self, graph: Graph, name: str, tag: Key, keys: Sequence[Any], send: Any) -> Any:
        """Tasks that bring the rows of all sources on.

        keys: of the sources' tasks; send(value, low, high) makes the Parts for some destinations of
        one's value. Returns for each node of the last level, (group of sources, destination), the
        keys of the Parts that make it up.
        """
        first = self.levels[0]
        nodes = {(i, 0): [key] for i, key in enumerate(keys)}
        for step, (near, far) in enumerate(zip(self.levels, self.levels[1:], strict=False)):
            joined = {
                at: _one(graph, (name, *tag, "join", step, *at), _parts.join_sources, pieces)
                for at, pieces in nodes.items()
            }
            groups, columns = self.count(far)
            cut = send if near is first else _parts.of_destinations
            nodes = {}
            for g2, h2 in _pairs(groups, columns):
                h = h2 * far.destinations // near.destinations
                low = h2 * far.destinations - h * near.destinations
                high = min(low + far.destinations, self.destinations - h * near.destinations)
                nodes[g2, h2] = []
                for g in self._members(near, far, g2):
                    key = (name, *tag, "send", step, g, h2)
                    graph[key] = Task(key, cut, TaskRef(joined[g, h]), low, high)
                    nodes[g2, h2].append(key)
        return nodes

    def backward(
        self, graph: Graph, name: str, tag: Key, keys: Mapping[tuple[int, int], Any]
    ) -> list[list[Any]]:
        """Tasks that bring the replies of all last nodes back: for each source the keys of Parts,
        which in this order have what came for it."""
        nodes: dict[tuple[int, int], list[Any]] = {at: [key] for at, key in keys.items()}
        pairs = list(zip(self.levels, self.levels[1:], strict=False))
        for step, (near, far) in reversed(list(enumerate(pairs))):
            whole = {
                at: _one(graph, (name, *tag, "join", step, *at), _parts.join_destinations, pieces)
                for at, pieces in nodes.items()
            }
            groups, columns = self.count(near)
            nodes = {at: [] for at in _pairs(groups, columns)}
            for g2, h2 in _pairs(*self.count(far)):
                h = h2 * far.destinations // near.destinations
                members = self._members(near, far, g2)
                for g in members:
                    if near.sources == far.sources:
                        nodes[g, h].append(whole[g2, h2])
                        continue
                    key = (name, *tag, "reply", step, g, h2)
                    low = (g - members[0]) * near.sources
                    high = min(low + near.sources, self.sources - members[0] * near.sources)
                    graph[key] = Task(key, _parts.of_sources, TaskRef(whole[g2, h2]), low, high)
                    nodes[g, h].append(key)
        return [nodes[i, 0] for i in range(self.sources)]

    def _members(self, near: Level, far: Level, group: int) -> range:
        """The groups of sources of the nearer level that make up one of the farther level."""
        ratio = far.sources // near.sources
        return range(group * ratio, min((group + 1) * ratio, self.count(near)[0]))


def plan(sources: int, destinations: int, *, slices: int, replies: bool) -> Exchange:
    """The exchange with the fewest hops that keeps to TASK_BOUND.

    slices: how many blocks input has along the dims that indices don't name. With replies, each
    answers on its own; else each is sent rows of its own.
    """
    larger = max(sources, destinations * slices, 2)
    bound = TASK_BOUND * (sources * (1 if replies else slices) + destinations * slices)
    choices = [
        Exchange(sources, destinations, replies, _levels(sources, destinations, hops, replies))
        for hops in range(1, max(2, math.ceil(math.log2(larger)) + 1))
    ]
    for exchange in choices:
        if exchange.tasks(slices) <= bound * math.log2(larger):
            return exchange
    return min(choices, key=lambda exchange: exchange.tasks(slices))


def _levels(sources: int, destinations: int, hops: int, replies: bool) -> tuple[Level, ...]:
    a, b = _root(sources, hops), _root(destinations, hops)
    levels = [Level(a**hop, b ** (hops - hop)) for hop in range(hops + 1)]
    if replies:
        levels[-1] = Level(levels[-2].sources, 1)
    return tuple(levels)


def _root(n: int, k: int) -> int:
    """The least integer whose k-th power is n or more."""
    root = max(1, round(math.pow(n, 1 / k)) - 1)
    while root**k < n:
        root += 1
    return root


def _pairs(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    return ((r, c) for r in range(rows) for c in range(columns))


def _one(graph: Graph, key: Key, join: Any, keys: Sequence[Any]) -> Any:
    """The key of all Parts as one."""
    if len(keys) == 1:
        return keys[0]
    graph[key] = Task(key, join, refs(keys))
    return key


def refs(keys: Sequence[Any]) -> Any:
    """What a task takes for a list of other tasks' results."""
    return List(*map(TaskRef, keys))
