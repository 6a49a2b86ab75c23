"""Where the microseconds of a small call on a GPU go.

python -m benchmarks.gpu.timeline [--device d3d12] [--calls 1,10,100] [--repeats 200] [--json FILE]

Each row is a chain of calls and one synchronize: microseconds a call of the chain whose time is the
median of all. The parts come one after another and make up the whole; `GPU` is at work meanwhile.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import dmlindex
from benchmarks.arguments import count
from dmlindex import Device, _core

ELEMENTS = 16
WARM_CHAINS = 20
# python: the interpreter, and reading the arguments. binding: results, memory, the GIL. choose:
# kernels and their constants. record: vkd3d's or D3D12's commands. wait: until the GPU is done.
# rest: what synchronize does beside.
PARTS = ("python", "binding", "plan", "choose", "record", "submit", "wait", "rest")

Call = Callable[[], object]


@dataclass(frozen=True)
class Row:
    """Microseconds a call."""

    name: str
    calls: int
    parts: dict[str, float]
    whole: float
    gpu: float


def small_calls(device: Device) -> dict[str, Call]:
    """The kinds of calls that the goals are about."""
    x = device.tensor(np.arange(ELEMENTS, dtype=np.float32))
    i = device.tensor(np.arange(ELEMENTS, dtype=np.int32)[::-1].copy())
    pairs = device.tensor(np.arange(ELEMENTS, dtype=np.int32)[::-1, np.newaxis].copy())
    gathered, table, sums = dmlindex.gather(x, i), dmlindex.gather(x, i), dmlindex.gather(x, i)
    scatter = partial(dmlindex.scatter_nd, table, pairs, x, out=table, mode="drop")
    add = partial(dmlindex.scatter_nd, sums, pairs, x, out=sums, mode="drop", reduction="add")
    return {
        "gather, clamp, out": partial(dmlindex.gather, x, i, mode="clamp", out=gathered),
        "gather, clamp": partial(dmlindex.gather, x, i, mode="clamp"),
        "gather, raise, out": partial(dmlindex.gather, x, i, out=gathered),
        "gather, raise": partial(dmlindex.gather, x, i),
        "scatter, drop, out": scatter,
        "sum, drop, out": add,
    }


def timeline(device: Device, name: str, call: Call, calls: int, repeats: int) -> Row:
    for _ in range(WARM_CHAINS):
        _chain(device, call, calls)
    _core.d3d12_measure_laps(True)
    try:
        chains = [_chain(device, call, calls) for _ in range(repeats)]
    finally:
        _core.d3d12_measure_laps(False)
    middle = sorted(chains, key=lambda parts: sum(parts.values()))[repeats // 2]
    parts = {part: ns / calls / 1e3 for part, ns in middle.items()}
    gpu = median(_on_gpu(device, call, calls) for _ in range(max(repeats // 10, 1)))
    return Row(name, calls, parts, sum(parts.values()), gpu / calls / 1e3)


def _chain(device: Device, call: Call, calls: int) -> dict[str, float]:
    """Nanoseconds of each part."""
    _core.d3d12_measure_laps(True)
    start = time.perf_counter_ns()
    for _ in range(calls):
        call()
    called = time.perf_counter_ns()
    before = _core.d3d12_measure_laps(True)
    waiting = time.perf_counter_ns()
    device.synchronize()
    end = time.perf_counter_ns()
    after = _core.d3d12_measure_laps(False)
    return {
        "python": called - start - before["call"],
        "binding": before["call"] - before["plan"] - before["run"],
        "plan": before["plan"],
        "choose": before["run"] - before["record"],
        "record": before["record"] - before["submit"],
        "submit": before["submit"] + after["submit"],
        "wait": after["wait"],
        "rest": end - waiting - after["wait"] - after["submit"],
    }


def _on_gpu(device: Device, call: Call, calls: int) -> float:
    """Nanoseconds from the first kernel's start to the last one's end."""
    _core.d3d12_mark_time(device.name)
    for _ in range(calls):
        call()
    _core.d3d12_mark_time(device.name)
    start, end = _core.d3d12_take_times(device.name)
    return end - start


def rows(device: Device, counts: list[int], repeats: int) -> Iterator[Row]:
    for name, call in small_calls(device).items():
        for calls in counts:
            yield timeline(device, name, call, calls, repeats)


def table(found: list[Row]) -> str:
    lines = [
        f"| call | calls | {' | '.join(PARTS)} | all | GPU |",
        f"| --- {'| ---: ' * (len(PARTS) + 3)}|",
    ]
    for row in found:
        times = [*(row.parts[part] for part in PARTS), row.whole, row.gpu]
        lines.append(f"| {row.name} | {row.calls} | {' | '.join(f'{one:.2f}' for one in times)} |")
    return "\n".join(lines)


def _counts(text: str) -> list[int]:
    return [count(one) for one in text.split(",")]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="d3d12", help="default: d3d12")
    add = parser.add_argument
    add("--calls", type=_counts, default=[1, 10, 100], help="lengths of chains; default: 1,10,100")
    add("--repeats", type=count, default=200, help="default: 200")
    parser.add_argument("--json", type=Path, metavar="FILE", help="the rows, for machines")
    options = parser.parse_args(arguments)
    try:
        device = Device(options.device)
    except (ValueError, dmlindex.DeviceError) as error:
        parser.error(str(error))
    if device.name == "cpu":
        parser.error("--device is cpu, expected a D3D12 device, as `dmlindex devices` lists them")
    found = list(rows(device, options.calls, options.repeats))
    print(table(found))
    if options.json:
        report: dict[str, Any] = {
            "binding": _core.d3d12_binding(device.name),
            "rows": [asdict(row) for row in found],
        }
        options.json.write_text(json.dumps(report, indent=1), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
