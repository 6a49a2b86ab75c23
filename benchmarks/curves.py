"""How the cost of a call grows: with table, output, slice, axis, index dtype and threads.

python -m benchmarks.curves [--points 32] [--largest MIB] [--clock cpu] [--output FOLDER]

Writes curves.json and curves.png, and lists the steps; panels that --only leaves out are taken from
curves.json. Calls have out= and mode="clamp", so that moving is what costs, and one thread but in
the panel of them. A point is the shortest of seven samples, which other work on the machine
lengthens least. A step is a threshold of ours, or a cache's end.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from timeit import Timer
from typing import Any

import numpy as np

import dmlindex
from benchmarks.sweep.worker import CLOCKS

_ROUNDS = 7
_SAMPLE_NS = 200_000
_MILLION = 1 << 20
_STEP = 1.15  # between two points

Curves = dict[str, dict[str, list[tuple[float, float]]]]  # panel, curve: x and ns


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.curves", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--points", type=int, default=32, help="of a curve; default: 32")
    add("--largest", type=int, default=1024, help="table and output, in MiB; default: 1024")
    add("--clock", choices=CLOCKS, default="wall")
    add("--only", default="", help="the panels whose name has this")
    add("--output", default="build/bench", metavar="FOLDER")
    options = parser.parse_args()
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "curves.json"
    curves: Curves = json.loads(path.read_text("utf-8")) if path.exists() else {}
    most_threads = dmlindex.get_num_threads()
    for panel, make in _PANELS.items():
        dmlindex.set_num_threads(most_threads if panel == "threads" else 1)
        if options.only in panel:
            curves[panel] = measured(make(options), CLOCKS[options.clock])
            path.write_text(json.dumps(curves, indent=1), "utf-8")
    plot(curves, folder / "curves.png")
    for line in steps_in(curves):
        print(line)
    print(f"Written to {folder}: curves.json, curves.png")


# A point: its curve, x, the call, and how many elements or slices the cost is divided by.
Point = tuple[str, float, Callable[[], Any], int]


def measured(points: Iterator[Point], clock: Callable[[], int]) -> dict[str, Any]:
    curves: dict[str, list[tuple[float, float]]] = {}
    for curve, x, call, count in points:
        timer = Timer(call, timer=clock)
        once = max(1, min(timer.timeit(1) for _ in range(2)))
        number = max(1, round(_SAMPLE_NS / once))
        cost = min(timer.timeit(number) / number for _ in range(_ROUNDS))
        curves.setdefault(curve, []).append((x, cost / count))
    return curves


def steps(least: float, most: float, points: int) -> list[int]:
    """Whole numbers, as far from each other in ratio."""
    return sorted({round(x) for x in np.geomspace(least, most, points)})


def taken(rows: int, row_bytes: int, count: int, dtype: str = "int64") -> Callable[[], Any]:
    """A gather of count random rows of so many bytes."""
    rng = np.random.default_rng(0)
    width = next(size for size in (4, 2, 1) if row_bytes % size == 0)
    shape = (rows,) if row_bytes == width else (rows, row_bytes // width)
    table = np.ones(shape, f"u{width}")
    indices = rng.integers(0, rows, count).astype(dtype)
    out = np.empty((count, *table.shape[1:]), table.dtype)
    return lambda: dmlindex.gather(table, indices, mode="clamp", out=out)


def table_size(options: argparse.Namespace) -> Iterator[Point]:
    for size in steps(1 << 10, options.largest << 20, options.points):
        yield "elements of 4 bytes", size, taken(size // 4, 4, _MILLION), _MILLION
        yield "rows of 64 bytes", size, taken(size // 64, 64, _MILLION // 16), _MILLION // 16


def output_size(options: argparse.Namespace) -> Iterator[Point]:
    for size in steps(64, options.largest << 19, options.points):
        yield "elements of 4 bytes", size, taken(_MILLION, 4, size // 4), size // 4
        if size >= 64:
            yield "rows of 64 bytes", size, taken(_MILLION // 16, 64, size // 64), size // 64


def slice_width(options: argparse.Namespace) -> Iterator[Point]:
    for width in [*range(1, 81), *steps(81, 8192, options.points)]:
        count = max(256, (256 << 10) // width)  # from cache to cache
        yield "from cache", width, taken(count, width, count), count


def axis_length(options: argparse.Namespace) -> Iterator[Point]:
    rng = np.random.default_rng(0)
    for size in steps(1, 4096, options.points):
        rows = max(1, (1 << 17) // size)
        shape = (rows, size)
        indices = rng.integers(0, size, shape)
        table, out = np.ones(shape, "f4"), np.empty(shape, "f4")

        def gather(x: Any = table, i: Any = indices, o: Any = out) -> Any:
            return dmlindex.gather_elements(x, i, axis=1, mode="clamp", out=o)

        def scatter(x: Any = table, i: Any = indices, o: Any = out) -> Any:
            return dmlindex.scatter_elements(x, i, x, axis=1, mode="clamp", out=o)

        yield "gather_elements", size, gather, rows * size
        yield "scatter_elements", size, scatter, rows * size


def index_dtype(options: argparse.Namespace) -> Iterator[Point]:
    del options
    for bits in (8, 16, 32, 64):
        for dtype in (f"int{bits}", f"uint{bits}"):
            yield dtype[: -len(str(bits))], bits, taken(128, 4, _MILLION, dtype), _MILLION


def threads(options: argparse.Namespace) -> Iterator[Point]:
    del options
    for count in range(1, dmlindex.get_num_threads() + 1):
        dmlindex.set_num_threads(count)
        rows = _MILLION // 16
        yield "elements of 4 bytes", count, taken(_MILLION, 4, _MILLION), _MILLION
        yield "rows of 64 bytes", count, taken(rows, 64, rows), rows


def steps_in(curves: Curves) -> Iterator[str]:
    """Where cost jumps from one point to the next, and slices that a wider one beats.

    With the output it may fall, as a call's own cost is spread.
    """
    for panel in ("bytes of the table", "bytes of the output", "length of the axis"):
        for curve, points in curves.get(panel, {}).items():
            for (x, cost), (next_x, next_cost) in pairwise(points):
                least = 0 if panel == "bytes of the output" else 1 / _STEP
                if not least <= next_cost / cost <= _STEP:
                    span = f"{x:.0f} to {next_x:.0f}: {cost:.2f} to {next_cost:.2f} ns"
                    yield f"{panel}, {curve}, {span} ({next_cost / cost:.2f})"
    for curve, points in curves.get("bytes of a slice", {}).items():
        for (x, cost), (next_x, next_cost) in pairwise(points):
            if cost > _STEP * next_cost:
                ratio = cost / next_cost
                yield f"a slice of {x:.0f} bytes, {curve}: {ratio:.2f} times one of {next_x:.0f}"


_PANELS: dict[str, Callable[[argparse.Namespace], Iterator[Point]]] = {
    "bytes of the table": table_size,
    "bytes of the output": output_size,
    "bytes of a slice": slice_width,
    "length of the axis": axis_length,
    "bits of an index": index_dtype,
    "threads": threads,
}


def plot(curves: Curves, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 3, figsize=(15, 8), layout="constrained")
    for axes, panel in zip(grid.flat, [each for each in _PANELS if each in curves], strict=False):
        for curve, points in curves[panel].items():
            axes.plot(*zip(*points, strict=True), marker=".", label=curve)
        axes.set(xscale="linear" if panel == "threads" else "log", yscale="log")
        axes.set(xlabel=panel, ylabel="ns an element or slice")
        axes.grid(visible=True, which="both", alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=90)
    plt.close(figure)


if __name__ == "__main__":
    main()
