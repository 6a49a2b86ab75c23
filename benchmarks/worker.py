"""One process for one thread count: runs the cases it is told, and says in JSON lines what happens.

Before any library is loaded the process keeps to as many processors as it may use threads: that is
what XLA and TBB look at, and the only way to hold JAX to a number of threads.
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from benchmarks.cases import Case, all_cases, growth_cases
from benchmarks.measure import Effort, run_case
from benchmarks.peers import MODULES, OURS, Peer, load
from benchmarks.stream_copy import NAME as MEMCPY
from benchmarks.stream_copy import StreamCopy


def chosen_cases(only: str, growth: bool) -> list[Case]:
    """The cases whose name or group matches the regular expression."""
    pattern = re.compile(only, re.IGNORECASE)
    cases = all_cases() + (growth_cases() if growth else [])
    return [case for case in cases if pattern.search(f"{case.group}: {case.name}")]


def load_peers(names: list[str], threads: int) -> tuple[dict[str, Peer], dict[str, str]]:
    """Those that are installed, and why the others are missing."""
    peers: dict[str, Peer] = {}
    missing: dict[str, str] = {}
    for name in names:
        try:
            peers[name] = load(name, threads)
        except ImportError as error:
            missing[name] = str(error)
    return peers, missing


def main(options: dict[str, Any]) -> None:
    threads = options["threads"]
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, usable[-threads:])
    peers, missing = load_peers([name for name in MODULES if name in options["peers"]], threads)
    copier = None
    try:
        copier = StreamCopy()
    except OSError as error:
        missing[MEMCPY] = str(error)
    if OURS in peers and not getattr(peers[OURS], "has_buffer_cache", False):
        missing["buffer cache"] = "this build of dmlindex has no set_buffer_cache"
    _say(missing=missing, versions={name: peer.version for name, peer in peers.items()})
    for case in chosen_cases(options["only"], options["growth"]):
        _say(starts=case.name)
        every_mode = case.group in ("targets", "variants")
        effort = Effort(options["seconds"], threads, every_mode)
        _say(record=run_case(case, peers, copier, effort) | {"threads": threads})


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
