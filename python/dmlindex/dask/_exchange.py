"""Rows from any of n blocks to any of m, without a task for each pair of them where these are many.

A hop brings the rows of groups of sources together and parts them by groups of destinations; in
every hop the groups of sources grow and those of destinations shrink:

    9 sources | hop to a node for each group of 3 sources and group of 3 destinations
              | hop to a node for each of the 9 destinations

One hop is a task for each pair; s hops are about s * n ** (1 + 1/s) tasks, but move each row s
times. So there are as few hops as TASK_BOUND allows.

A destination is one node: else a chunk would have to stay in memory until the last of its nodes has
had its turn, and Dask's order finishes one result before it begins the next.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

# Public in Dask's documentation of its graphs, though not by the name of its module.
from dask._task_spec import List, Task, TaskRef

from dmlindex.dask import _parts

Key = tuple[Any, ...]
Graph = dict[Any, Any]

TASK_BOUND = 4  # tasks <= this * (source blocks + destination blocks) * log2 of the larger, ...
MOST_HOPS = 3  # ... which more hops might still do, but at the cost of bytes
TASK_BYTES = 1 << 18  # moving so many takes as long as Dask takes to run a task


@dataclass(frozen=True)
class Level:
    """How many sources and destinations a node has. Each divides the neighbouring level's."""

    sources: int
    destinations: int


@dataclass(frozen=True)
class Exchange:
    """The hops between blocks: levels from single sources on to single destinations."""

    sources: int
    destinations: int
    levels: tuple[Level, ...]

    @property
    def hops(self) -> int:
        return len(self.levels) - 1

    def count(self, level: Level) -> tuple[int, int]:
        """How many groups of sources and of destinations there are."""
        return -(-self.sources // level.sources), -(-self.destinations // level.destinations)

    def tasks(self, slices: int, replies: bool) -> int:
        """At most so many: routes, hops there (and back, with replies), local ones, and merges."""
        hops = 0
        for near, far in pairwise(self.levels):
            (g, _), (g2, h2) = self.count(near), self.count(far)
            hops += g * h2 + (g2 * h2 if far is not self.levels[-1] else 0)
        ways = 1 + slices if replies else slices
        return self.sources * (1 + slices) + ways * hops + slices * self.destinations

    def forward(
        self, graph: Graph, name: str, tag: Key, keys: Sequence[Any], send: Any
    ) -> list[list[Any]]:
        """Tasks that bring the rows of all sources on.

        keys: of the sources' tasks; send(value, low, high) makes the Parts for some destinations of
        one's value. Returns for each destination the keys of the Parts that came there.
        """
        first = self.levels[0]
        nodes = {(i, 0): [key] for i, key in enumerate(keys)}
        for step, (near, far) in enumerate(pairwise(self.levels)):
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
        return [nodes[0, destination] for destination in range(self.destinations)]

    def backward(self, graph: Graph, name: str, tag: Key, keys: Sequence[Any]) -> list[list[Any]]:
        """Tasks that bring the replies of all destinations back: for each source the keys of the
        Parts that came for it, in the destinations' order."""
        nodes = {(0, destination): [key] for destination, key in enumerate(keys)}
        for step, (near, far) in reversed(list(enumerate(pairwise(self.levels)))):
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
                    if len(members) == self.count(near)[0] == 1:  # there is nobody else
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


def plan(
    sources: int, destinations: int, *, slices: int, replies: bool, source_bytes: int
) -> Exchange:
    """The exchange that costs the least, in tasks and bytes, of those that keep to TASK_BOUND.

    slices: how many blocks input has along the dims that indices don't name. With replies, each
    answers on its own; else each is sent rows of its own. source_bytes: what goes over a hop, of
    a source and a slice.
    """
    larger = max(sources, destinations * slices, 2)
    bound = TASK_BOUND * (sources * (1 if replies else slices) + destinations * slices)
    moved = sources * slices * source_bytes / TASK_BYTES
    choices = []
    for hops in range(1, MOST_HOPS + 1):
        exchange = Exchange(sources, destinations, _levels(sources, destinations, hops))
        tasks = exchange.tasks(slices, replies)
        many = tasks > bound * math.log2(larger)
        choices.append((many, tasks if many else tasks + hops * moved, hops, exchange))
    return min(choices)[-1]


def _levels(sources: int, destinations: int, hops: int) -> tuple[Level, ...]:
    """A node's sources times its destinations are at most about the larger number of blocks: then
    it holds no more rows than a source sends or a destination gets."""
    ratio = _root(max(sources, destinations), hops)
    return tuple(Level(ratio**hop, ratio ** (hops - hop)) for hop in range(hops + 1))


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
