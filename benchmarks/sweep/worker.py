"""One process of a sweep: measures the calls it is told, and says in JSON lines what it found.

Before any library is loaded the process keeps to as many processors as it may use threads.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

from benchmarks.measure import Effort
from benchmarks.peers import MODULES, OURS
from benchmarks.sweep.draw import draw
from benchmarks.sweep.measure import measure
from benchmarks.worker import load_peers

_ROUNDS = (7, 25)
CLOCKS = {"wall": time.perf_counter_ns, "cpu": time.process_time_ns}


def main(options: dict[str, Any]) -> None:
    threads = options["threads"]
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        first = -threads * (options["process"] + 1)
        os.sched_setaffinity(0, usable[first : first + threads or None])
    peers, missing = load_peers([name for name in MODULES if name in options["peers"]], threads)
    _say(missing=missing, versions={name: peer.version for name, peer in peers.items()})
    if OURS in missing:
        sys.exit(f"benchmark: dmlindex can't be imported: {missing[OURS]}")
    effort = Effort(options["seconds"], threads, rounds=_ROUNDS)
    for number in options["numbers"]:
        drawn = draw(options["seed"], number)
        record = {"number": number} | measure(drawn, peers, effort, CLOCKS[options["clock"]])
        _say(record=record)


def _say(**what: Any) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
