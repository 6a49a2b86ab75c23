"""One case on the GPU: answers are checked, then all are timed by the clock of the device."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from benchmarks.call import Array, Call, Idiom, NotSupportedError
from benchmarks.gpu.cases import GpuCase
from benchmarks.gpu.peers import GpuPeer
from benchmarks.peers import OURS
from benchmarks.peers.numpy_idioms import expected

_ROUNDS = 5  # contestants take turns


def run_case(case: GpuCase, peers: Mapping[str, GpuPeer], samples: int) -> dict[str, Any]:
    """A record of the case as the JSON file holds it."""
    call = case.call()
    want = expected(call)
    not_run: list[dict[str, str]] = []
    found: list[tuple[GpuPeer, Idiom, list[float]]] = []
    for name, peer in peers.items():
        try:
            idioms = peer.idioms(call)
        except NotSupportedError as error:
            not_run.append({"peer": name, "code": "", "reason": str(error)})
            continue
        for idiom in idioms:
            wrong = _difference(peer, idiom, call, want)
            if wrong:
                not_run.append({"peer": name, "code": idiom.code, "reason": wrong})
            else:
                found.append((peer, idiom, []))
    for _ in range(_ROUNDS):
        for peer, idiom, times in found:
            peer.times(idiom, 1)  # brings its own data into the caches
            times += peer.times(idiom, max(1, samples // _ROUNDS))
    return {
        "case": case.name,
        "group": case.group,
        "plain": "",
        "threads": 1,
        "moved_bytes": call.moved_bytes,
        "elements": call.elements,
        "goals": {
            "times_best": case.times_best,
            "times_cuda": case.times_cuda,
            "times_deterministic": case.times_deterministic,
        },
        "times": [_record(idiom, times) for _, idiom, times in found],
        "not_run": not_run,
    }


def _difference(peer: GpuPeer, idiom: Idiom, call: Call, want: Array) -> str:
    """'' when the idiom gives the right answer, else what is wrong with it."""
    try:
        if idiom.result:
            exec(idiom.code, idiom.names)
            got = peer.array(idiom.names[idiom.result])
        else:
            got = peer.array(eval(idiom.code, idiom.names))
    except Exception as error:  # whatever a library raises is for the report
        if idiom.peer == OURS:
            raise
        return f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if got.shape == want.shape and got.tobytes() == want.tobytes():
        return ""
    if call.reduction != "none" and idiom.peer != OURS and np.allclose(got, want, rtol=1e-3):
        return ""  # peers add up in an order of their own
    wrong = f"gave a wrong answer in {np.count_nonzero(got != want)} of {want.size} places"
    if idiom.peer == OURS:
        raise AssertionError(f"{idiom.code} {wrong}")
    return wrong


def _record(idiom: Idiom, times: list[float]) -> dict[str, Any]:
    return {
        "peer": idiom.peer,
        "code": idiom.code,
        "into_out": idiom.into_out,
        "raises": idiom.raises,
        "mode": idiom.mode,
        "median_ns": median(times),
        "fastest_ns": min(times),
        "samples": len(times),
    }
