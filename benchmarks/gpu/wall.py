"""What the clock on the wall says: calls, chains of calls, transfers, and arrays in and out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from statistics import median
from typing import Any

import numpy as np

_ELEMENTS = 16
_CHAINS = ((1, 50.0), (10, 8.0), (100, 8.0))  # calls, and µs a call at most
_GIB = 1 << 30
_WARM_SECONDS = 0.2  # for clocks and pages
_TRANSFER_GOAL = 40.0  # GB/s


Record = dict[str, Any]


def wall_records(dmlindex: Any, device: Any, quick: bool) -> Iterator[Record]:
    """Records of name, unit, dmlindex's figure and its goal; kind is the key of torch_figures.

    To be run before another library opens the card: with two of them in a process, the card changes
    over from one to the other at each call, which takes longer than a small operator.
    """
    yield from _calls(dmlindex, device)
    yield from _transfers(dmlindex, device, _transfer_bytes(quick))
    yield from _arrays(dmlindex, device, quick)


def torch_figures(torch: Any, quick: bool) -> dict[str, float]:
    """What torch takes for the same kinds of things."""
    table = torch.arange(_ELEMENTS, dtype=torch.float32, device="cuda")
    order = torch.arange(_ELEMENTS, dtype=torch.int32, device="cuda").flip(0)
    select = partial(torch.index_select, table, 0, order)
    wait = torch.cuda.synchronize
    found = {
        f"calls {count}": _microseconds(partial(_chain, select, wait, count)) / count
        for count, _ in _CHAINS
    }
    size = _transfer_bytes(quick)
    pinned = torch.zeros(size // 4, dtype=torch.int32).pin_memory()
    there = pinned.cuda()

    def copy(to: Any, source: Any) -> None:
        to.copy_(source)
        wait()

    for kind, to, source in (("upload", there, pinned), ("readback", pinned, there)):
        found[kind] = size / _microseconds(partial(copy, to, source), 9) / 1e3
    return found


def _transfer_bytes(quick: bool) -> int:
    return _GIB >> (6 if quick else 0)


def _record(name: str, unit: str, ours: float, goal: float | None = None, kind: str = "") -> Record:
    return {"name": name, "unit": unit, "ours": ours, "goal": goal, "kind": kind}


def _microseconds(function: Callable[[], object], repeats: int = 100) -> float:
    started = time.perf_counter()
    while time.perf_counter() - started < _WARM_SECONDS:
        function()
    samples = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        samples.append(time.perf_counter() - start)
    return median(samples) * 1e6


def _chain(call: Callable[[], object], wait: Callable[[], object], count: int) -> None:
    for _ in range(count):
        call()
    wait()


def _calls(dmlindex: Any, device: Any) -> Iterator[Record]:
    table = np.arange(_ELEMENTS, dtype=np.float32)
    order = np.arange(_ELEMENTS, dtype=np.int32)[::-1].copy()
    x, i = device.tensor(table), device.tensor(order)
    out = dmlindex.gather(x, i)
    ways = {
        "mode='clamp', out given": partial(dmlindex.gather, x, i, mode="clamp", out=out),
        "mode='clamp'": partial(dmlindex.gather, x, i, mode="clamp"),
        "mode='raise'": partial(dmlindex.gather, x, i),
        "mode='raise', out given": partial(dmlindex.gather, x, i, out=out),
    }
    for way, call in ways.items():
        for count, goal in _CHAINS:
            ours = _microseconds(partial(_chain, call, device.synchronize, count)) / count
            what = "one tiny gather" if count == 1 else f"each of {count} tiny gathers"
            name = f"{what}, then synchronize: {way}"
            yield _record(name, "µs", ours, goal, f"calls {count}")


def _transfers(dmlindex: Any, device: Any, size: int) -> Iterator[Record]:
    array = np.random.default_rng(1).integers(0, 1 << 31, size // 4, np.int32)
    tensor = device.tensor(array)

    def speed(function: Callable[[], object]) -> float:
        return size / _microseconds(function, 9) / 1e3

    def upload() -> None:
        device.tensor(array).release()
        device.synchronize()

    label = f"of {size >> 20} MiB"
    goal = _TRANSFER_GOAL
    yield _record(f"upload {label} (torch: pinned)", "GB/s", speed(upload), goal, "upload")
    dmlindex.set_buffer_cache(2 * size)
    name = f"numpy() {label} with the buffer cache on (torch: pinned)"
    yield _record(name, "GB/s", speed(tensor.numpy), goal, "readback")
    dmlindex.set_buffer_cache(0)
    yield _record(f"numpy() {label} into fresh memory", "GB/s", speed(tensor.numpy))


def _arrays(dmlindex: Any, device: Any, quick: bool) -> Iterator[Record]:
    """Whole calls with arrays in and out, beside the CPU path."""
    rng = np.random.default_rng(1)
    for power in range(10, 20 if quick else 27, 3):
        table = rng.normal(size=1 << power).astype(np.float32)
        indices = rng.integers(0, 1 << power, 1 << power, np.int32)
        call = partial(dmlindex.gather, table, indices, out=np.zeros_like(table))
        repeats = 9 if power > 20 else 50
        on_cpu = _microseconds(partial(call, device="cpu"), repeats)
        on_gpu = _microseconds(partial(call, device=device), repeats)
        name = f"arrays in and out, 2^{power} float32 of as many (cpu: {on_cpu:.0f} µs)"
        yield _record(name, "µs", on_gpu)
