"""`script/bench --device d3d12 --sweep N --seed S`: random calls beside torch and CuPy.

Ours are timed in a process of their own, and then the peers': with two of them in a process the
card changes over from one to the other at each synchronized call. A call's time is the wall clock
of a chain of ten with one synchronize, after a warm-up, divided by ten.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.call import Array
from benchmarks.figures import microseconds
from benchmarks.gpu.sweep_peers import DETERMINISTIC, Ours, Peers
from benchmarks.peers import OURS
from benchmarks.sweep.draw import Drawn, Space, draw
from benchmarks.sweep.report import summary

Record = dict[str, Any]

_CHAIN = 10
_WARM_SECONDS = 0.06  # in which chains must not have become quicker, for the card's clocks
_MOST_WARM_SECONDS = 0.6
_SECONDS = 0.04  # of timing a way
_LONG = 0.05  # seconds: a call that takes longer is timed by itself
_BOUND = 0.9  # a call below it is measured again, and the median counts
_TIMES_AGAIN = 3
_LARGE_NS = 50e3  # of the best peer: from there on it is not what a call costs that counts


def space_of(quick: bool) -> Space:
    sizes = (1 << 6, 1 << 12) if quick else (1 << 14, 1 << 25)
    return Space(
        input=sizes,
        output=sizes,
        records=(),
        reduced_dtypes=("float16", "float32", "float32", "int32", "int64"),
        reductions=("add",),
        kinds=("uniform", "sorted", "skewed", "runs"),
        negative=0.0,
        in_place=1 / 3,
        unordered=1 / 2,
    )


@dataclass(frozen=True)
class Problem:
    """A drawn call and its answer."""

    number: int
    drawn: Drawn
    want: Array


def problem(seed: int, number: int, space: Space) -> Problem:
    drawn = draw(seed, number, space)
    dmlindex = importlib.import_module("dmlindex")
    return Problem(number, drawn, drawn.call.made_by(dmlindex))


def problems(seed: int, numbers: list[int], space: Space) -> Iterator[Problem]:
    """Drawn on all processors, some at a time, so that nothing else runs while one is timed."""
    workers = os.cpu_count() or 1
    for first in range(0, len(numbers), workers):
        with ThreadPoolExecutor(workers) as pool:
            found = list(
                pool.map(lambda n: problem(seed, n, space), numbers[first : first + workers])
            )
        while found:
            yield found.pop(0)


def chain_ns(call: Callable[[], object], wait: Callable[[], object]) -> float:
    """The median time of a call."""
    start = time.perf_counter()
    call()
    wait()
    count = 1 if time.perf_counter() - start > _LONG else _CHAIN

    def chain() -> float:
        began = time.perf_counter()
        for _ in range(count):
            call()
        wait()
        return time.perf_counter() - began

    if count == 1:
        return chain() * 1e9
    one = best = chain()
    began = still = time.perf_counter()
    while (now := time.perf_counter()) < min(still + _WARM_SECONDS, began + _MOST_WARM_SECONDS):
        one = chain()
        if one < 0.97 * best:
            best, still = one, now
    repeats = int(np.clip(_SECONDS / one, 3, 25))
    return median(chain() for _ in range(repeats)) / count * 1e9


def measure(contestant: Ours | Peers, one: Problem) -> Record:
    """Every way that gives the right answer, with its time."""
    contestant.prepare(one.drawn)
    record: Record = {"times": [], "not_run": []}
    torch = contestant.torch if isinstance(contestant, Peers) else None
    for k, (who, code) in enumerate(contestant.ways(one.drawn)):
        if k > 0 and one.drawn.call.in_place:
            contestant.prepare(one.drawn)
        compiled = compile(code, "way", "eval")
        if torch is not None:
            torch.use_deterministic_algorithms(who == DETERMINISTIC)
        try:
            wrong = _difference(contestant, eval(compiled, contestant.names), code, one)
        except Exception as error:  # whatever a library raises is for the report
            if torch is None:
                raise
            wrong = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        if wrong:
            if torch is None:
                raise AssertionError(f"{one.drawn}: {code} gave {wrong}")
            record["not_run"].append({"peer": who, "code": code, "reason": wrong})
            continue
        if isinstance(contestant, Ours):
            record["kernels"] = contestant.kernels()
        ns = chain_ns(partial(eval, compiled, contestant.names), contestant.wait)
        record["times"].append({"peer": who, "code": code, "median_ns": ns})
        if isinstance(contestant, Ours):
            record["gpu_ns"] = median(contestant.gpu_ns(code, 3 if ns < 1e8 else 1))
            contestant.kernels()
    return record


def _difference(contestant: Ours | Peers, result: Any, code: str, one: Problem) -> str:
    """'' where the answer is right."""
    call = one.drawn.call
    if "__setitem__" in code or "cupyx" in code:
        if not call.in_place:
            return ""  # a copy that nobody sees is timed; the same without the copy is checked
        result = contestant.names["px"]
    got = contestant.array(result).reshape(-1)
    want = one.want.reshape(-1)
    if call.reduction == "none" or (isinstance(contestant, Ours) and one.drawn.ordered):
        same = got == want
    else:
        same = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=2e-2, atol=1e-2)
        if want.dtype.kind == "f":  # sums of thousands of float16 stop growing
            same |= np.abs(want) > (512 if want.dtype == np.float16 else 1e5)
    return "" if same.all() else f"a wrong answer in {np.count_nonzero(~same)} places"


def worker(options: dict[str, Any]) -> None:
    """Says a record a line."""
    space = space_of(options["quick"])
    contestant = Ours(options["device"]) if options["who"] == "ours" else Peers()
    if isinstance(contestant, Ours):
        contestant.kernels()
    for one in problems(options["seed"], options["numbers"], space):
        call = one.drawn.call
        kind = call.operator
        if call.reduction != "none":
            kind = "sum in order" if one.drawn.ordered else "sum in any order"
        for turn in range(options["turns"]):
            record = measure(contestant, one)
            record |= {"number": one.number, "text": str(one.drawn), "operator": kind}
            print(json.dumps(record | {"turn": turn}), flush=True)


def main(options: argparse.Namespace, machine: dict[str, Any], device: str) -> None:
    """Measures, and writes sweep-SEED-d3d12.json: what there is before a second look is kept."""
    numbers = list(range(options.first, options.first + options.sweep))
    sweep = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "seed": options.seed,
        "where": device,
        "versions": {},
        "missing": {},
    }
    path = Path(options.json or f"{options.output}/sweep-{options.seed}-d3d12.json")
    path.parent.mkdir(parents=True, exist_ok=True)

    (found,) = measured(options, numbers, turns=1)
    sweep["records"] = list(found.values())
    path.write_text(json.dumps(sweep, indent=1), "utf-8")
    low = [number for number, record in found.items() if record["ratio"] < _BOUND]
    again = measured(options, low, turns=_TIMES_AGAIN) if low else []
    for number in low:
        ratios = [found[number]["ratio"], *(turn[number]["ratio"] for turn in again)]
        found[number] |= {"ratio": median(ratios), "ratios": ratios}
    path.write_text(json.dumps(sweep, indent=1), "utf-8")
    print(summary(sweep))
    print(f"Written to {path}")


def measured(
    options: argparse.Namespace, numbers: list[int], turns: int
) -> list[dict[int, Record]]:
    """The records of so many calls, each turn's by themselves."""
    found: list[dict[int, Record]] = [
        {number: {"times": [], "not_run": []} for number in numbers} for _ in range(turns)
    ]
    for who in ("ours", "peers"):
        what = {"who": who, "quick": options.quick, "device": options.device}
        what |= {"seed": options.seed, "numbers": numbers, "turns": turns}
        command = [sys.executable, "-m", "benchmarks.gpu.sweep", json.dumps(what)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                record = json.loads(line)
                add(found[record.pop("turn")], record)
                best = min((one["median_ns"] for one in record["times"]), default=float("inf"))
                print(f"{who}: {microseconds(best)} {record['text']}", file=sys.stderr)
        if process.returncode:
            sys.exit(f"benchmark: the sweep's process for {who} failed, see above")
    return [{number: with_ratio(record) for number, record in turn.items()} for turn in found]


def add(found: dict[int, Record], record: Record) -> None:
    """One contestant's record to those of the others."""
    together = found[record["number"]]
    times = together["times"] + record["times"]
    together |= record | {"times": times, "not_run": together["not_run"] + record["not_run"]}


def with_ratio(record: Record) -> Record:
    """The best peer's time ÷ ours; an ordered sum's peer is torch's deterministic mode."""
    strict = record["operator"] == "sum in order"
    ours = [one["median_ns"] for one in record["times"] if one["peer"] == OURS]
    theirs = [
        one["median_ns"]
        for one in record["times"]
        if one["peer"] != OURS and (one["peer"] == DETERMINISTIC) == strict
    ]
    best = min(theirs, default=float("inf"))
    return record | {"ratio": best / min(ours), "is_large": best >= _LARGE_NS}


if __name__ == "__main__":
    worker(json.loads(sys.argv[1]))
