"""One drawn call: every contestant's answer is checked, then the likely ones are timed.

Interleaved, a fresh result each, with the defaults of everything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

from benchmarks.call import Buffers, Call, Idiom, NotSupportedError
from benchmarks.measure import Effort, Timed, difference, interleave, timed_once
from benchmarks.peers import OURS, Peer
from benchmarks.peers.numpy_idioms import expected
from benchmarks.sweep.draw import Drawn

BOUND = 1.0  # a call below it is measured again
_AGAIN = 3
_HOPELESS = 2.0  # an idiom this much slower than the best peer's is not timed on

Record = dict[str, Any]
Clock = Callable[[], int]


def measure(drawn: Drawn, peers: Mapping[str, Peer], effort: Effort, clock: Clock) -> Record:
    """A record of the call as the JSON file holds it."""
    call = drawn.call
    buffers = Buffers.of(call)
    want = expected(call)
    timed: list[Timed] = []
    not_run = []
    for idiom, reason in _fresh_idioms(call, buffers, peers):
        wrong = reason or difference(idiom, call, buffers, want)
        if wrong:
            not_run.append({"peer": idiom.peer, "code": idiom.code, "reason": wrong})
        else:
            timed.append(timed_once(idiom, clock))
    rivals = [one for one in timed if one.idiom.peer != OURS]
    most = _HOPELESS * min((one.once_ns for one in rivals), default=0.0)
    likely = [one for one in timed if one.idiom.peer == OURS or one.once_ns <= most]
    ratios = [_ratio(likely, effort)]
    if ratios[0] < BOUND:
        ratios += [_ratio(likely, effort) for _ in range(_AGAIN)]
    return {
        "text": str(drawn),
        "operator": call.operator,
        "ratio": median(ratios),
        "ratios": ratios,
        "times": [_time(one) for one in timed],
        "not_run": not_run,
    }


def _fresh_idioms(
    call: Call, buffers: Buffers, peers: Mapping[str, Peer]
) -> list[tuple[Idiom, str]]:
    """The idioms, or why a peer has none."""
    found: list[tuple[Idiom, str]] = []
    for name, peer in peers.items():
        if name == OURS:
            found.append((peer.plain(call, buffers), ""))  # type: ignore[attr-defined]
        elif name == "numpy" or call.input.dtype.names is None:
            try:
                idioms = peer.idioms(call, buffers)
            except NotSupportedError as error:
                found.append((Idiom(name, "", {}, False, True), str(error)))
                continue
            found += [(idiom, "") for idiom in idioms if not idiom.into_out]
    return found


def _ratio(timed: list[Timed], effort: Effort) -> float:
    """The best peer's median ÷ dmlindex's."""
    for one in timed:
        one.samples_ns.clear()
    interleave(timed, effort)
    ours = [median(one.samples_ns) for one in timed if one.idiom.peer == OURS]
    rivals = [median(one.samples_ns) for one in timed if one.idiom.peer != OURS]
    return min(rivals) / min(ours)


def _time(one: Timed) -> Record:
    """Of one that was too slow to be timed on, what the first look gave."""
    samples = one.samples_ns or [one.once_ns]
    code = {"peer": one.idiom.peer, "code": one.idiom.code}
    return code | {"median_ns": median(samples), "samples": len(one.samples_ns)}
