"""Times dmlindex.dask beside Dask's own indexing and xarray's, on the same arrays in one run.

usage: python -m benchmarks.dask_arrays [--chunks N ...] [--rows N] [--points N] [--calls WORD ...]
                                        [--seconds N] [--out FILE.md]

Calls take turns and are computed with Dask's threads; every answer is compared with NumPy's first.
A cell has the median time to a NumPy array, graph included, and behind a slash that of processors,
which other work changes less (of a scatter in brackets the same to a result in chunks, which Dask
does not copy); the tasks that the call adds to the graph; the processors' time to make the graph,
for each of them; and the peak of memory allocated while computing, beyond input.

Lazy indices are in as many chunks as input is, 100 at most. A call that takes longer than --seconds
is broken off, and the cell says so.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dask.array
import dask.optimization
import numpy as np

import dmlindex
import dmlindex.dask
from benchmarks.report import table

da: Any = dask.array  # which is only partly typed
optimization: Any = dask.optimization
Lazy = Callable[[], Any]  # makes a Dask array
Took = tuple[float, float]  # seconds, and those of processors

KINDS = ("uniform", "sorted", "clustered")
MOST_LAZY = 100  # chunks of lazy indices
SLOW = 1.0  # seconds: what takes longer is timed once


def indices_of(kind: str, size: int, count: int) -> Any:
    rng = np.random.default_rng(0)
    if kind == "clustered":
        return rng.integers(size // 2, size // 2 + size // 100, count)
    indices = rng.integers(0, size, count)
    return np.sort(indices) if kind == "sorted" else indices


def gathers(x: Any, indices: Any, lazy: Any) -> dict[str, Lazy]:
    """What gathers single points: all give x[indices]. With map_blocks, x has to be one chunk."""
    import xarray

    labelled = xarray.DataArray(x, dims="x")
    points = xarray.DataArray(indices, dims="p")
    tuples, lazy_tuples = indices[:, np.newaxis], lazy[:, np.newaxis]
    return {
        "gather_nd": lambda: dmlindex.dask.gather_nd(x, tuples),
        "gather_nd, lazy indices": lambda: dmlindex.dask.gather_nd(x, lazy_tuples),
        "vindex": lambda: x.vindex[indices],
        "take": lambda: da.take(x, indices),
        "x[i]": lambda: x[indices],
        "x[i], lazy indices": lambda: x[lazy],
        "map_blocks, lazy indices": lambda: da.map_blocks(
            lambda table, block: table[block],
            x.rechunk(-1),
            lazy,
            chunks=lazy.chunks,
            dtype=x.dtype,
        ),
        "xarray": lambda: labelled.isel(x=points).data,
    }


def scatters(x: Any, indices: Any, lazy: Any, updates: Any, lazy_updates: Any) -> dict[str, Lazy]:
    """What adds updates: all give the same but the last, which shows what Dask takes to copy x."""
    tuples, lazy_tuples = indices[:, np.newaxis], lazy[:, np.newaxis]
    add: Any = {"reduction": "add"}

    def put(block: Any, block_info: Any = None) -> Any:
        """What anybody would write without a scatter: each chunk looks for its own updates."""
        ((low, high),) = block_info[0]["array-location"]
        own = (indices >= low) & (indices < high)
        block = block.copy()
        np.add.at(block, indices[own] - low, updates[own])
        return block

    return {
        "scatter_nd": lambda: dmlindex.dask.scatter_nd(x, tuples, updates, **add),
        "scatter_nd, lazy": lambda: dmlindex.dask.scatter_nd(x, lazy_tuples, lazy_updates, **add),
        "map_blocks, np.add.at": lambda: x.map_blocks(put, dtype=x.dtype, meta=x._meta),
        "map_blocks, np.copy": lambda: x.map_blocks(np.copy, dtype=x.dtype, meta=x._meta),
    }


@dataclass
class Cell:
    """A call's figures, and why there are none if it has none. Times are in seconds."""

    times: list[Took] = field(default_factory=list)
    in_chunks: list[Took] = field(default_factory=list)  # without the copy to a NumPy array
    tasks: int = 0
    graph: float = 0.0
    peak: int = 0
    failure: str = ""

    def __str__(self) -> str:
        if self.failure:
            return self.failure
        text = f"{shown(self.times)} ms"
        if self.in_chunks:
            text += f" ({shown(self.in_chunks)})"
        if self.tasks:
            each = f"{self.graph / self.tasks * 1e6:.0f} us"
            text += f", {self.tasks:,} x {each}, {self.peak / 1e6:.0f} MB"
        return text


def shown(times: list[Took]) -> str:
    medians = [statistics.median(column) * 1e3 for column in zip(*times, strict=True)]
    return "/".join(f"{ms:,.{1 if ms < 10 else 0}f}" for ms in medians)


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Breaks off what takes longer, by a TimeoutError; tasks on threads end by themselves."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"> {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def measured(
    calls: dict[str, Lazy], alone: Lazy, given: set[Any], seconds: float, chunks_too: bool
) -> dict[str, Cell]:
    """The figures of each call, and of dmlindex's function on NumPy's arrays, alone."""
    expected = alone()
    cells = {name: first(call, expected, given, seconds, name) for name, call in calls.items()}
    cells["NumPy arrays"] = Cell()
    calls = {**calls, "NumPy arrays": alone}
    for turn in range(3):
        for name, call in calls.items():
            cell = cells[name]
            if cell.failure or (turn and max(cell.times)[0] > SLOW):
                continue
            cell.times.append(timed(call, seconds, computed))
            if call is not alone and cell.graph < SLOW:
                cell.graph = min(cell.graph, timed(call, seconds, lambda lazy: None)[1])
            if chunks_too and call is not alone:
                cell.in_chunks.append(timed(call, seconds, lambda lazy: lazy.persist()))
    return cells


def first(call: Lazy, expected: Any, given: set[Any], seconds: float, name: str) -> Cell:
    """A call's tasks and peak, and whether it is right and in time."""
    cell = Cell()
    try:
        with limit(seconds):
            answer = np.asarray(computed(call()))
        with limit(10 * seconds):  # tracing takes its time, and counting
            busy = time.process_time()
            lazy = call()
            cell.graph = time.process_time() - busy
            tracemalloc.start()
            computed(lazy)
            cell.peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            keys = set(da.core.flatten(lazy.__dask_keys__()))
            # The graph's own cull takes minutes for a take of 1,000 chunks.
            cell.tasks = len(set(optimization.cull(dict(lazy.dask), keys)[0]) - given)
    except TimeoutError as error:
        cell.failure = str(error)
        return cell
    finally:
        tracemalloc.stop()
    if name != "map_blocks, np.copy":
        np.testing.assert_array_equal(answer, expected)
    return cell


def computed(lazy: Any) -> Any:
    return da.compute(lazy)[0]


def timed(call: Lazy, seconds: float, finish: Callable[[Any], Any]) -> Took:
    start, busy = time.perf_counter(), time.process_time()
    try:
        with limit(10 * seconds):
            finish(call())
    except TimeoutError:
        pass
    return time.perf_counter() - start, time.process_time() - busy


def compared(kind: str, chunks: int, options: argparse.Namespace) -> dict[str, Cell]:
    """The figures of all calls that are wanted."""
    rows, points = options.rows, options.points
    values = np.random.default_rng(1).standard_normal(rows)
    updates = np.random.default_rng(2).standard_normal(points)
    indices = indices_of(kind, rows, points)
    x = da.from_array(values, chunks=-(-rows // chunks), name=False)
    size = -(-points // min(chunks, MOST_LAZY))
    lazy = da.from_array(indices, chunks=size, name=False)
    lazy_updates = da.from_array(updates, chunks=size, name=False)
    given = {*x.dask, *lazy.dask, *lazy_updates.dask}
    tuples = indices[:, np.newaxis]
    cells: dict[str, Cell] = {}
    for name, calls, alone in (
        ("gather_nd", gathers(x, indices, lazy), lambda: dmlindex.gather_nd(values, tuples)),
        (
            "scatter_nd",
            scatters(x, indices, lazy, updates, lazy_updates),
            lambda: dmlindex.scatter_nd(values, tuples, updates, reduction="add"),
        ),
    ):
        wanted = {
            call: make
            for call, make in calls.items()
            if not options.calls or any(word in call for word in options.calls)
        }
        if wanted:
            chunks_too = name == "scatter_nd"
            found = measured(wanted, alone, given, options.seconds, chunks_too)
            cells |= {f"{name}, {c}" if c == "NumPy arrays" else c: found[c] for c in found}
    return cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--chunks", type=int, nargs="+", default=(1, 10, 100, 1000))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--rows", type=int, default=1 << 22, help="elements of input")
    parser.add_argument("--points", type=int, default=1 << 20, help="indices")
    parser.add_argument("--calls", nargs="*", help="only those whose names have one of the words")
    parser.add_argument("--seconds", type=float, default=10, help="the most that a call may take")
    parser.add_argument("--out", type=Path, default=Path("build/bench/dask.md"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", dask.array.PerformanceWarning)  # take cuts chunks
    pages = []
    for kind in options.kinds:
        columns = {}
        for chunks in options.chunks:
            columns[chunks] = compared(kind, chunks, options)
            for name, cell in columns[chunks].items():
                print(f"{kind}, {chunks} chunks, {name}: {cell}", flush=True)
        names = next(iter(columns.values()))
        lines = [(name, *(str(cells[name]) for cells in columns.values())) for name in names]
        heads = ("call", *(f"{n:,} chunk{'s' * (n > 1)}" for n in columns))
        pages.append(f"## {kind.capitalize()} indices\n\n{table(heads, lines)}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(pages) + "\n")


if __name__ == "__main__":
    main()
