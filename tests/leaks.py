"""Whether calls leak: many of each kind, valid ones and errors, until what is held stays the same.

usage: python -m tests.leaks [--calls N] [--device NAME] [--seconds LIMIT] [--few]

Each kind is called for a while first, so that caches fill. Then rounds of calls are measured, by
what the C library has handed out, CPython's blocks, the resident pages and the open files. A kind
leaks where no later round comes down to what an early one held.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dmlindex as dml

Call = Callable[[], object]
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class MallInfo(ctypes.Structure):
    """glibc's struct mallinfo2."""

    _names = ("arena", "ordblks", "smblks", "hblks", "hblkhd")
    _more = ("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
    _fields_ = [(name, ctypes.c_size_t) for name in (*_names, *_more)]


_mallinfo2 = ctypes.CDLL(None).mallinfo2
_mallinfo2.restype = MallInfo


class Held(NamedTuple):
    """What the process holds."""

    malloc_bytes: int
    resident_bytes: int
    python_blocks: int
    files: int


def held() -> Held:
    gc.collect()
    info = _mallinfo2()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Held(
        info.uordblks + info.hblkhd,
        pages * PAGE_BYTES,
        sys.getallocatedblocks(),
        open_files(),
    )


def open_files() -> int:
    """But for NVIDIA's driver's own, of which it opens one more as a device takes memory."""
    count = 0
    for path in Path("/proc/self/fd").iterdir():
        try:
            count += not str(path.readlink()).startswith("/dev/nvidia")
        except FileNotFoundError:  # the folder's, which is closed by now
            count += 1
    return count


def most_growth(calls: int) -> Held:
    """Of so many calls that leak nothing: pages come in steps, and caches of CPython fill late.

    A GPU's driver keeps some bytes now and then. What leaks at each of 4,096 calls is 64 KiB or
    more.
    """
    return Held(max(calls // 2, 3 << 14), max(calls * 8, 8 << 20), max(calls // 50, 400), 0)


def growth(call: Call, calls: int, rounds: int = 8) -> Held:
    """By how much the least of the later rounds of so many calls is above the least of the early.

    A device forgets operators 4,096 at a time: there a round has a multiple of that.
    """
    for _ in range(calls):
        call()
    measured = [held()]
    for _ in range(rounds):
        for _ in range(calls):
            call()
        measured.append(held())
    early, late = measured[: (rounds + 1) // 2], measured[(rounds + 1) // 2 :]
    least = [[min(values) for values in zip(*part, strict=True)] for part in (early, late)]
    return Held(*(after - before for before, after in zip(*least, strict=True)))


def leaks(found: Held, calls: int) -> bool:
    return any(most < more for most, more in zip(most_growth(calls), found, strict=True))


def fails(error: type[Exception], call: Call) -> Call:
    def failing() -> None:
        try:
            call()
        except error:
            return
        raise AssertionError(f"no {error.__name__}")

    return failing


def whole(result: Any) -> Any:
    """The result on the host, so that a device is waited for."""
    return result.numpy() if isinstance(result, dml.DeviceTensor) else result


def do(function: Callable[..., Any], *arguments: Any, **options: Any) -> Call:
    return lambda: whole(function(*arguments, **options))


X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
TUPLES = np.array([[1, 2], [0, -1]])
PLACES = np.array([[[1, 0, -1, 1]]])
ARRAYS: dict[str, tuple[Any, ...]] = {
    "gather": (X, np.array([[1, -1], [0, 1]])),
    "gather_elements": (X, PLACES),
    "gather_nd": (X, TUPLES),
    "scatter_elements": (X, PLACES, np.ones(PLACES.shape, X.dtype)),
    "scatter_nd": (X, TUPLES, np.ones((2, 4), X.dtype)),
}


def function_calls(device: str) -> Iterator[tuple[str, Call]]:
    """Each operator's modes and mistakes, on arrays."""
    for name, arrays in ARRAYS.items():
        function = partial(getattr(dml, name), device=device)
        x, indices, *updates = arrays
        far = (x, indices + 9, *updates)
        out = np.empty(function(*arrays).shape, X.dtype)
        yield name, do(function, *arrays)
        yield f"{name}, out", do(function, *arrays, out=out)
        for mode in ("clamp", "wrap", "drop" if updates else "fill"):
            yield f"{name}, {mode}", do(function, *far, mode=mode)
        if updates:
            yield f"{name}, add", do(function, *arrays, reduction="add")
        yield f"{name}, bad index", fails(IndexError, do(function, *far))
        yield f"{name}, bad out", fails(ValueError, do(function, *arrays, out=X[0, 0].copy()))
        yield f"{name}, bad dtype", fails(TypeError, do(function, x, indices * 0.5, *updates))
        yield f"{name}, bad mode", fails(ValueError, do(function, *arrays, mode="never"))


def compiled_calls(device: str) -> Iterator[tuple[str, Call]]:
    """Compiled descriptors: all six operators, made and called, with mistakes."""
    x, i = X[0], np.array([[1, 0, 1, 1]])
    tuples, updates = np.array([[1], [0]]), np.ones((2, 4), X.dtype)
    batches = np.array([[1], [0], [3]])
    inferred: list[tuple[Any, tuple[Any, ...]]] = [
        (dml.GatherOperatorDesc.infer(x, i, axis=0, index_dimensions=1), (x, i)),
        (dml.GatherElementsOperatorDesc.infer(x, i, axis=0), (x, i)),
        (dml.GatherNDOperatorDesc.infer(x, tuples), (x, tuples)),
        (dml.GatherND1OperatorDesc.infer(x, batches, batch_dimension_count=1), (x, batches)),
        (dml.ScatterElementsOperatorDesc.infer(x, i, updates[:1], axis=0), (x, i, updates[:1])),
        (dml.ScatterNDOperatorDesc.infer(x, tuples, updates), (x, tuples, updates)),
    ]
    on = dml.Device(device)
    for desc, arrays in inferred:
        op, raising = on.compile(desc), on.compile(desc, mode="raise")
        name = desc.operator
        far = (arrays[0], arrays[1] + 9, *arrays[2:])
        yield f"{name}, compile", do(on.compile, desc)
        yield f"{name}, violations", desc.violations
        yield name, do(op, *arrays)
        yield f"{name}, out of range", do(op, *far)
        yield f"{name}, bad index", fails(IndexError, do(raising, *far))
        yield f"{name}, bad shape", fails(ValueError, do(op, X, *arrays[1:]))


def other_calls(device: str) -> Iterator[tuple[str, Call]]:
    yield "find_duplicates", do(dml.find_duplicates, X.shape, TUPLES)
    if device == "cpu":
        return
    on = dml.Device(device)
    tensor = on.tensor(X)
    yield "to the device and back", lambda: on.tensor(X).numpy()
    yield "gather of a tensor", do(dml.gather_nd, tensor, TUPLES)
    yield "gather of a tensor, bad index", fails(IndexError, do(dml.gather_nd, tensor, TUPLES + 9))


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1_000_000, help="in all (default: 1000000)")
    parser.add_argument("--device", default="cpu", help="default: cpu")
    parser.add_argument("--seconds", type=float, default=600, help="the most it may take (600)")
    parser.add_argument("--few", action="store_true", help="three calls of each kind, for valgrind")
    given = parser.parse_args()
    kinds = [
        *function_calls(given.device),
        *compiled_calls(given.device),
        *other_calls(given.device),
    ]
    if given.few:
        for _, call in kinds * 3:
            call()
        return 0
    start = time.monotonic()
    each = max(given.calls // len(kinds), 80)
    calls, rounds = each // 8, 8
    if given.device != "cpu":
        calls, rounds = 4096, max(each // 4096, 2)
        kinds = kinds[:: max(3 * calls * len(kinds) // given.calls, 1)]  # few calls: not all kinds
        for _ in range(100_000):  # until every page of the first chunk of memory was used
            kinds[0][1]()
    made, leaking = 0, 0
    for name, call in kinds:
        found = growth(call, calls, rounds)
        made += calls * rounds
        if leaks(found, calls * rounds):
            leaking += 1
            print(f"LEAK: {name}: after {calls * rounds} calls, {found._asdict()}", flush=True)
        if time.monotonic() - start > given.seconds:
            print(f"TIME'S UP after {made} calls, at {name}; --seconds allows more")
            return 1
    seconds = time.monotonic() - start
    print(f"{given.device}: {made} calls of {len(kinds)} kinds in {seconds:.0f} s, {leaking} leak")
    return 1 if leaking else 0


if __name__ == "__main__":
    sys.exit(main())
