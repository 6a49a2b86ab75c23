"""A sweep from the command line: worker processes, and the JSON file that it goes on with."""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

from benchmarks.sweep.report import Sweep, summary

_SECONDS = 0.3
_QUICK_SECONDS = 0.03
_SAVED_SECONDS = 5.0  # between two states of the file


def main(options: argparse.Namespace, machine: dict[str, Any]) -> None:
    """Measures what the JSON file does not have yet, thread count by thread count."""
    for threads in options.threads:
        path = _path(options, threads)
        sweep = _begun(path, options, threads, machine)
        done = {record["number"] for record in sweep["records"]}
        numbers = range(options.first, options.first + options.sweep)
        left = [number for number in numbers if number not in done]
        _go_on(sweep, path, left, options)
        print(summary(sweep))
        print(f"Written to {path}")


def _go_on(sweep: Sweep, path: Path, numbers: list[int], options: argparse.Namespace) -> None:
    saved = time.monotonic()
    left = len(numbers)
    try:
        for said in _said(numbers, options, sweep["threads"]):
            if "record" not in said:
                sweep |= said
                continue
            sweep["records"].append(said["record"])
            left -= 1
            if time.monotonic() - saved > _SAVED_SECONDS:
                _save(sweep, path)
                saved = time.monotonic()
                print(f"sweep: {left} calls left", file=sys.stderr)
    finally:
        _save(sweep, path)


def _said(
    numbers: list[int], options: argparse.Namespace, threads: int
) -> Iterator[dict[str, Any]]:
    """What the processes say, as they say it. Each takes every n-th call."""
    count = min(options.processes, len(numbers))
    lines: SimpleQueue[str | None] = SimpleQueue()
    workers = []
    for process in range(count):
        what = {
            "process": process,
            "threads": threads,
            "seed": options.seed,
            "numbers": numbers[process::count],
            "peers": options.peers,
            "clock": options.clock,
            "seconds": options.seconds or (_QUICK_SECONDS if options.quick else _SECONDS),
        }
        command = [sys.executable, "-m", "benchmarks.sweep.worker", json.dumps(what)]
        workers.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        Thread(target=_read, args=(workers[-1], lines), daemon=True).start()
    try:
        for _ in range(count):
            for line in iter(lines.get, None):
                yield json.loads(line)
    finally:
        for worker in workers:
            worker.terminate()
    if any(worker.wait() for worker in workers):
        sys.exit("benchmark: a process of the sweep failed, see above")


def _read(worker: subprocess.Popen[str], lines: SimpleQueue[str | None]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        lines.put(line)
    worker.wait()
    lines.put(None)


def _path(options: argparse.Namespace, threads: int) -> Path:
    if not options.json:
        return Path(options.output) / f"sweep-{options.seed}-{threads}.json"
    given = Path(options.json)
    if len(options.threads) == 1:
        return given
    return given.with_name(f"{given.stem}-{threads}{given.suffix}")


def _begun(path: Path, options: argparse.Namespace, threads: int, machine: Any) -> Sweep:
    what = {"seed": options.seed, "threads": threads, "clock": options.clock}
    if path.exists():
        sweep: Sweep = json.loads(path.read_text("utf-8"))
        if {key: sweep.get(key) for key in what} != what:
            sys.exit(f"benchmark: {path} holds another run; name a new file, or remove it")
        return sweep
    date = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    head = {"date": date, "machine": machine, "versions": {}, "missing": {}, "records": []}
    return what | head


def _save(sweep: Sweep, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep["records"].sort(key=lambda record: record["number"])
    new = path.with_suffix(".new")
    new.write_text(json.dumps(sweep, indent=1), "utf-8")
    new.replace(path)
