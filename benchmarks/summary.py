"""What the documentation plots: each library's shortest time of one run or several, out given.

python -m benchmarks.summary bench.json [more.json …] > docs/speed.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.figures import best, in_mode
from benchmarks.peers import MODULES, OURS


def summary(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Machine and versions of the first run; the nanoseconds of all by workload and library.

    dmlindex's are those of mode="clamp", as in the column "x best peer" of the tables.
    """
    shortest: dict[tuple[str, int], dict[str, int]] = {}
    for record in (record for run in runs for record in run["records"]):
        times = shortest.setdefault((record["case"], record["threads"]), {})
        for peer in MODULES:
            way = best(record["times"], peer, True, in_mode("clamp") if peer == OURS else bool)
            if way:
                times[peer] = min(round(way["fastest_ns"]), times.get(peer, sys.maxsize))
    first = runs[0]
    return {
        "date": first["date"][:10],
        "machine": first["machine"],
        "versions": first["versions"],
        "workloads": [
            {"case": case, "threads": threads, "ns": times}
            for (case, threads), times in shortest.items()
        ],
    }


if __name__ == "__main__":
    found = summary([json.loads(Path(name).read_text("utf-8")) for name in sys.argv[1:]])
    # A workload a line, so that another run is a small difference.
    lines = ",\n".join(f"  {json.dumps(workload)}" for workload in found.pop("workloads"))
    head = ",\n".join(f" {json.dumps(name)}: {json.dumps(found[name])}" for name in found)
    print(f'{{\n{head},\n "workloads": [\n{lines}\n ]\n}}')
