"""Times dmlindex.dask beside Dask's own indexing and xarray's, on the same arrays in one run.

usage: python -m benchmarks.dask_arrays [--quick] [--out FILE.md]

Contestants take turns, each call is computed with Dask's threads, and medians are reported; every
answer is compared with NumPy's first. tasks: those that the call adds to the graph. graph: how long
making it takes, for each of them. peak: of memory allocated while computing, beyond input.

Lazy indices are in as many chunks as x is, 100 at most. With 1,000 chunks, arrays are a quarter as
large and calls are timed once; lazy indices, whose graph is the same whatever they mean, are
uniform ones then. x[lazy] is left out, a task for each pair of chunks; so are take, x[i] and
xarray of uniform indices, which take a minute each.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array
import dask.optimization
import numpy as np

import dmlindex
import dmlindex.dask

da: Any = dask.array  # which is only partly typed
optimization: Any = dask.optimization

ROWS, POINTS = 1 << 22, 1 << 20
CHUNKS = (1, 10, 100, 1000)
MOST_LAZY = 100  # chunks of lazy indices: with 1,000 a call takes half a minute
MANY = 1000  # chunks, with which calls take seconds
SLOW = 2.0  # seconds: what takes longer is timed once


def indices_of(kind: str, size: int, count: int) -> Any:
    rng = np.random.default_rng(0)
    if kind == "clustered":
        return rng.integers(size // 2, size // 2 + size // 100, count)
    indices = rng.integers(0, size, count)
    return np.sort(indices) if kind == "sorted" else indices


def gathers(x: Any, indices: Any, lazy: Any) -> dict[str, Callable[[], Any]]:
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


def scatters(x: Any, indices: Any, lazy: Any, updates: Any, lazy_updates: Any) -> Any:
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
    }


def measured(
    calls: dict[str, Callable[[], Any]], expected: Any, given: set[Any], repeats: int
) -> dict[str, dict[str, float]]:
    """Medians of each call that gives what is expected; slow ones are timed once."""
    results: dict[str, dict[str, float]] = {}
    for name, call in calls.items():
        start = time.perf_counter()
        try:
            lazy = call()
            made = time.perf_counter() - start
            tracemalloc.start()
            answer = np.asarray(da.compute(lazy)[0])
        except (MemoryError, NotImplementedError, IndexError, ValueError) as error:
            print(f"  {name}: {type(error).__name__}: {error}")
            continue
        finally:
            took = time.perf_counter() - start
            peak = tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else 0
            tracemalloc.stop()
        np.testing.assert_array_equal(answer, expected)
        keys = set(da.core.flatten(lazy.__dask_keys__()))
        # The graph's own cull takes minutes for a take of 1,000 chunks.
        tasks = len(set(optimization.cull(dict(lazy.dask), keys)[0]) - given)
        results[name] = {"tasks": tasks, "graph": made / max(tasks, 1), "peak": peak, "time": took}
    times: dict[str, list[float]] = {name: [] for name in results}
    for _ in range(repeats):
        for name in results:
            if results[name]["time"] > SLOW and times[name]:
                continue
            start = time.perf_counter()
            da.compute(calls[name]())
            times[name].append(time.perf_counter() - start)
    for name, samples in times.items():
        results[name]["time"] = statistics.median(samples)
    return results


def compared(kind: str, chunks: int, rows: int, points: int, repeats: int) -> Any:
    """The gathers, then the scatters, each with the call that others are compared to."""
    table = np.random.default_rng(1).standard_normal(rows)
    updates = np.random.default_rng(2).standard_normal(points)
    indices = indices_of(kind, rows, points)
    x = da.from_array(table, chunks=-(-rows // chunks), name=False)
    size = -(-points // min(chunks, MOST_LAZY))
    lazy = da.from_array(indices, chunks=size, name=False)
    lazy_updates = da.from_array(updates, chunks=size, name=False)
    given = {*x.dask, *lazy.dask, *lazy_updates.dask}
    calls = gathers(x, indices, lazy)
    puts = scatters(x, indices, lazy, updates, lazy_updates)
    if chunks >= MANY:
        del calls["x[i], lazy indices"]
        if kind == "uniform":
            for name in ("take", "x[i]", "xarray"):  # a minute each
                del calls[name]
        else:
            calls = {name: call for name, call in calls.items() if "lazy" not in name}
            del puts["scatter_nd, lazy"]
    found = measured(calls, table[indices], given, repeats)
    tuples = indices[:, np.newaxis]
    found["NumPy's gather_nd"] = alone(lambda: dmlindex.gather_nd(table, tuples), repeats)
    written = dmlindex.scatter_nd(table, tuples, updates, reduction="add")
    put = measured(puts, written, given, repeats)
    put["NumPy's scatter_nd"] = alone(
        lambda: dmlindex.scatter_nd(table, tuples, updates, reduction="add"), repeats
    )
    return (found, "gather_nd"), (put, "scatter_nd")


def alone(call: Callable[[], Any], repeats: int) -> dict[str, float]:
    """What dmlindex's NumPy function takes."""
    took = statistics.median(timed(call) for _ in range(repeats))
    return {"tasks": 0, "graph": 0, "peak": 0, "time": took}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--quick", action="store_true", help="an eighth of the points")
    parser.add_argument("--chunks", type=int, nargs="*", default=CHUNKS)
    parser.add_argument("--out", type=Path, default=Path("build/bench/dask.md"))
    options = parser.parse_args()
    warnings.simplefilter("ignore", dask.array.PerformanceWarning)  # take cuts chunks
    lines = [
        "| chunks | indices | call | time, ms | x ours | tasks | graph, us/task | peak, MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for chunks in options.chunks:
        shrink = (8 if options.quick else 1) * (4 if chunks >= MANY else 1)
        for kind in ("uniform", "sorted", "clustered"):
            repeats = 1 if chunks >= MANY else 3
            for group, ours in compared(kind, chunks, ROWS // shrink, POINTS // shrink, repeats):
                for name, result in group.items():
                    lines.append(
                        f"| {chunks} | {kind} | {name} | {result['time'] * 1e3:.1f} | "
                        f"{result['time'] / group[ours]['time']:.2f} | {result['tasks']:.0f} | "
                        f"{result['graph'] * 1e6:.0f} | {result['peak'] / 1e6:.1f} |"
                    )
                    print(lines[-1], flush=True)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text("\n".join(lines) + "\n")


def timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
