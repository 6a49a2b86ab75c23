"""One case: every contestant's answer is checked, then all are timed, interleaved."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from timeit import Timer
from typing import Any

import numpy as np

from benchmarks.call import Array, Buffers, Call, Idiom, NotSupportedError
from benchmarks.cases import Case
from benchmarks.peers import OURS, Peer
from benchmarks.peers.numpy_idioms import expected
from benchmarks.stream_copy import StreamCopy

_SAMPLE_NS = 300_000  # quicker code is repeated within a sample
_MEMCPY_FROM_BYTES = 1 << 16  # below, calling it would be what is timed
_SPIN_SECONDS = 0.02  # for some 14 ms the last contestant's idle threads spin on (libgomp's)
_WAKE_SECONDS = 0.01  # in some ms the system moves a woken thread to a processor that is idle
_HOPELESS = 1.25  # an idiom this much slower than its peer's best of that kind is not timed on


@dataclass(frozen=True)
class Effort:
    seconds: float  # of timing, a case
    threads: int = 1
    every_mode: bool = False  # wrap and fill/drop too
    rounds: tuple[int, int] = (5, 101)  # at least and at most


@dataclass
class Timed:
    idiom: Idiom
    timer: Timer
    once_ns: float
    samples_ns: list[float]


def run_case(
    case: Case, peers: Mapping[str, Peer], copier: StreamCopy | None, effort: Effort
) -> dict[str, Any]:
    """A record of the case as the JSON file holds it."""
    call = case.call()
    buffers = Buffers.of(call)
    idioms, not_run = all_idioms(call, buffers, peers, effort)
    want = expected(call)
    timed = []
    for idiom in idioms:
        wrong = difference(idiom, call, buffers, want)
        if wrong:
            not_run.append({"peer": idiom.peer, "code": idiom.code, "reason": wrong})
        else:
            timed.append(timed_once(idiom))
    timed = fastest_of_each_kind(timed)
    if copier is not None and call.moved_bytes >= _MEMCPY_FROM_BYTES:
        timed.append(timed_once(copier.idiom(call.moved_bytes)))
    interleave(timed, effort)
    return {
        "case": case.name,
        "group": case.group,
        "plain": case.plain,
        "moved_bytes": call.moved_bytes,
        "elements": call.elements,
        "times": [_record(one) for one in timed],
        "not_run": not_run,
    }


def all_idioms(
    call: Call, buffers: Buffers, peers: Mapping[str, Peer], effort: Effort
) -> tuple[list[Idiom], list[dict[str, str]]]:
    found: list[Idiom] = []
    not_run = []
    for name, peer in peers.items():
        try:
            idioms = peer.idioms(call, buffers)
        except NotSupportedError as error:
            not_run.append({"peer": name, "code": "", "reason": str(error)})
            continue
        if name == OURS and not effort.every_mode:
            idioms = [idiom for idiom in idioms if idiom.mode not in ("wrap", "fill", "drop")]
        found += idioms
    return found, not_run


def difference(idiom: Idiom, call: Call, buffers: Buffers, want: Array) -> str:
    """'' when the idiom gives the right answer, else what is wrong with it."""
    if call.in_place:
        np.copyto(buffers.input, call.input)
    else:
        buffers.out.reshape(-1).view(np.uint8)[...] = 0xA5
    try:
        if idiom.result:
            exec(idiom.code, idiom.names)
            got = np.asarray(idiom.names[idiom.result])
        else:
            got = np.asarray(eval(idiom.code, idiom.names))
    except Exception as error:  # whatever a library raises is for the report
        if idiom.peer == OURS:
            raise
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if got.shape != want.shape or got.dtype != want.dtype:
        wrong = f"gave {got.dtype}{list(got.shape)}, not {want.dtype}{list(want.shape)}"
    elif got.tobytes() == want.tobytes():
        return ""
    elif call.reduction != "none" and idiom.peer != OURS and np.allclose(got, want, rtol=1e-3):
        return ""  # peers add up in an order of their own
    else:
        wrong = f"gave a wrong answer in {np.count_nonzero(got != want)} of {want.size} places"
    if idiom.peer == OURS:
        raise AssertionError(f"{idiom.code} {wrong}")
    return wrong


def timed_once(idiom: Idiom, clock: Callable[[], int] = time.perf_counter_ns) -> Timed:
    timer = Timer(idiom.code, globals=idiom.names, timer=clock)
    once = min(timer.timeit(1) for _ in range(3))
    if once < _SAMPLE_NS:
        number = max(1, round(_SAMPLE_NS / 4 / once))
        once = timer.timeit(number) / number
    return Timed(idiom, timer, max(once, 1.0), [])


def fastest_of_each_kind(timed: list[Timed]) -> list[Timed]:
    best: dict[tuple[str, bool, bool, str], float] = {}
    for one in timed:
        kind = one.idiom.kind
        best[kind] = min(best.get(kind, one.once_ns), one.once_ns)
    return [one for one in timed if one.once_ns <= _HOPELESS * best[one.idiom.kind]]


def interleave(timed: list[Timed], effort: Effort) -> None:
    numbers = [max(1, round(_SAMPLE_NS / one.once_ns)) for one in timed]
    settle_seconds = _SPIN_SECONDS + _WAKE_SECONDS if effort.threads > 1 else 0.0
    round_seconds = sum(
        settle_seconds + (number + 1) * one.once_ns / 1e9
        for one, number in zip(timed, numbers, strict=True)
    )
    least, most = effort.rounds
    # Each round in an order of its own: who follows a contestant whose result lay in the same
    # memory finds it in a cache.
    turns = list(zip(timed, numbers, strict=True))
    orders = random.Random(len(timed))
    for _ in range(min(most, max(least, int(effort.seconds / max(round_seconds, 1e-6))))):
        orders.shuffle(turns)
        for one, number in turns:
            before = 1  # brings its own data into the caches, as its last call did
            if effort.threads > 1:
                time.sleep(_SPIN_SECONDS)
                before = max(before, round(_WAKE_SECONDS * 1e9 / one.once_ns))
            with one.idiom.during():
                one.timer.timeit(before)
                one.samples_ns.append(one.timer.timeit(number) / number)


def _record(one: Timed) -> dict[str, Any]:
    return {
        "peer": one.idiom.peer,
        "code": one.idiom.code,
        "into_out": one.idiom.into_out,
        "raises": one.idiom.raises,
        "mode": one.idiom.mode,
        "median_ns": median(one.samples_ns),
        "fastest_ns": min(one.samples_ns),
        "samples": len(one.samples_ns),
    }
