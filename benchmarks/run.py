"""Time dmlindex beside NumPy, PyTorch, ONNX Runtime and JAX.

python -m benchmarks.run [--quick] [--only REGEX] [--threads 1,2] [--growth] …
python -m benchmarks.run --sweep N --seed S [--threads 1] [--json FILE]
python -m benchmarks.run --compare OLD.json NEW.json
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dmlindex
from benchmarks.arguments import count
from benchmarks.peers import MODULES, OURS
from benchmarks.report import Run, compare, markdown
from benchmarks.sweep.report import compare_sweeps
from benchmarks.sweep.run import main as sweep
from benchmarks.sweep.worker import CLOCKS
from benchmarks.worker import chosen_cases

_SECONDS = 2.0
_QUICK_SECONDS = 0.2


def main() -> None:
    options = _parse()
    if options.compare:
        old, new = (json.loads(Path(name).read_text("utf-8")) for name in options.compare)
        if ("seed" in old) != ("seed" in new):
            sys.exit("benchmark: --compare takes two runs or two sweeps, not one of each")
        print(compare_sweeps(old, new) if "seed" in new else compare(old, new))
        return
    if options.device != "cpu":
        from benchmarks.gpu.run import main as run_on_gpu

        run_on_gpu(options, _machine())
        return
    if options.sweep:
        sweep(options, _machine())
        return
    cases = chosen_cases(options.only, options.growth)
    if options.list:
        print("\n".join(f"{case.group}: {case.name}" for case in cases))
        return
    if not cases:
        sys.exit(f"benchmark: no workload matches {options.only!r}; --list shows them")
    run = measure(options, len(cases))
    _write(run, options)
    for name, reason in run["missing"].items():
        print(f"missing: {name}: {reason}", file=sys.stderr)
    if OURS in run["missing"]:
        sys.exit(1)


def measure(options: argparse.Namespace, cases: int) -> Run:
    from tqdm.auto import tqdm

    run: Run = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": _machine(),
        "seconds": options.seconds or (_QUICK_SECONDS if options.quick else _SECONDS),
        "versions": {},
        "missing": {},
        "records": [],
    }
    with tqdm(total=cases * len(options.threads), unit="case") as bar:
        for threads in options.threads:
            what = {
                "threads": threads,
                "seconds": run["seconds"],
                "peers": options.peers,
                "only": options.only,
                "growth": options.growth,
            }
            for said in _worker(what):
                if "starts" in said:
                    bar.set_description(f"{threads} threads, {said['starts']}")
                elif "record" in said:
                    run["records"].append(said["record"])
                    bar.update()
                else:
                    run["missing"] |= said["missing"]
                    run["versions"] |= said["versions"]
    return run


def _worker(what: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a process of its own says, as it says it."""
    command = [sys.executable, "-m", "benchmarks.worker", json.dumps(what)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)
    if process.returncode:
        sys.exit(f"benchmark: the process with {what['threads']} threads failed, see above")


def _write(run: Run, options: argparse.Namespace) -> None:
    from benchmarks.plots import plot_growth, plot_ratios

    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    text = markdown(run, options.worst_first)
    folder.joinpath("bench.json").write_text(json.dumps(run, indent=1), "utf-8")
    folder.joinpath("bench.md").write_text(text, "utf-8")
    plot_ratios(run, folder / "ratios.png")
    written = ["bench.json", "bench.md", "ratios.png"]
    if plot_growth(run, folder / "growth.png"):
        written.append("growth.png")
    print(text.split("## How each does it")[0])
    print(f"Written to {folder}: {', '.join(written)}")


def _machine() -> dict[str, Any]:
    processor = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [line for line in information.read_text().splitlines() if "model name" in line]
        processor = names[0].split(":")[1].strip() if names else processor
    return {
        "processor": processor,
        "processors": os.cpu_count(),
        "memory_gib": round(dmlindex.devices()[0].memory_bytes / 2**30),
        "system": platform.platform(terse=True),
    }


def _threads(text: str) -> list[int]:
    try:
        counts = [int(one) for one in text.split(",")]
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no list such as 1,2") from None
    usable = os.cpu_count() or 1
    if any(not 1 <= count <= usable for count in counts):
        raise argparse.ArgumentTypeError(f"{text!r}: this machine has 1 to {usable} threads")
    return counts


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/bench", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--device", default="cpu", help="cpu, or a D3D12 device as dmlindex.devices() lists them")
    add("--quick", action="store_true", help=f"{_QUICK_SECONDS} s a case, not {_SECONDS}")
    add("--seconds", type=float, help="of timing a case")
    add("--only", default="", metavar="REGEX", help="the workloads whose 'group: name' it finds")
    add("--threads", type=_threads, default=_threads("1" if os.cpu_count() in (None, 1) else "1,2"))
    add("--peers", nargs="+", choices=MODULES, default=list(MODULES), help="default: all")
    add("--growth", action="store_true", help="cost against table and output size too, to 1 GB")
    add("--worst-first", action="store_true", help="what falls shortest comes first in the table")
    add("--output", default="build/bench", metavar="FOLDER", help="default: build/bench")
    add("--list", action="store_true", help="only list the workloads")
    add("--compare", nargs=2, metavar=("OLD.json", "NEW.json"), help="two runs, or two sweeps")
    _add_sweep(parser.add_argument_group("random calls").add_argument)
    return parser.parse_args()


def _add_sweep(add: Callable[..., Any]) -> None:
    add("--sweep", type=count, metavar="N", help="time N random calls instead of the workloads")
    add("--seed", type=int, default=0, help="which random calls; default: 0")
    add("--first", type=int, default=0, metavar="K", help="begin at call K of the seed")
    add("--json", default="", metavar="FILE", help="the sweep's file, which it goes on with")
    add("--processes", type=count, default=1, metavar="N", help="share the calls; default: 1")
    add("--clock", choices=CLOCKS, default="wall", help="cpu: the process's, on shared machines")


if __name__ == "__main__":
    main()
