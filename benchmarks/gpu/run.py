"""What `script/bench --device d3d12` runs, in this process."""

from __future__ import annotations

import argparse
import datetime
import importlib
import json
import re
import sys
from pathlib import Path
from typing import Any

from tqdm.auto import tqdm

from benchmarks.gpu import peers, sweep
from benchmarks.gpu.cases import gpu_cases
from benchmarks.gpu.measure import run_case
from benchmarks.gpu.report import Run, markdown, plot
from benchmarks.gpu.wall import Record, torch_figures, wall_records
from benchmarks.peers import OURS

_SAMPLES = 50
_QUICK_SAMPLES = 5


def main(options: argparse.Namespace, machine: dict[str, Any]) -> None:
    if options.sweep:
        infos = importlib.import_module("dmlindex").devices()
        adapters = {info.name: info.description for info in infos}
        sweep.main(options, machine, adapters.get(options.device) or adapters["d3d12:0"])
        return
    pattern = re.compile(options.only, re.IGNORECASE)
    cases = [c for c in gpu_cases(options.quick) if pattern.search(f"{c.group}: {c.name}")]
    if options.list:
        print("\n".join(f"{case.group}: {case.name}" for case in cases))
        return
    ours = peers.Dmlindex(options.device)
    wall: list[Record] = []
    if pattern.search("wall"):
        wall = list(wall_records(ours.dmlindex, ours.device, options.quick))
    loaded: dict[str, peers.GpuPeer] = {OURS: ours}
    missing = {}
    for name in peers.NAMES:
        try:
            loaded[name] = peers.load(name)
        except Exception as error:  # a library without its driver raises whatever it likes
            missing[name] = f"{type(error).__name__}: {error}"
    theirs = {}
    if wall and "torch" in loaded:
        theirs = torch_figures(importlib.import_module("torch"), options.quick)
    adapters = {info.name: info.description for info in ours.dmlindex.devices()}
    run: Run = {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "machine": machine,
        "device": adapters.get(options.device) or adapters["d3d12:0"],
        "samples": _QUICK_SAMPLES if options.quick else _SAMPLES,
        "versions": {name: peer.version for name, peer in loaded.items()},
        "missing": missing,
        "records": [],
        "wall": [one | {"torch": theirs.get(one["kind"])} for one in wall],
    }
    for case in tqdm(cases, unit="case"):
        run["records"].append(run_case(case, loaded, run["samples"]))
    _write(run, Path(options.output))
    for name, reason in missing.items():
        print(f"missing: {name}: {reason}", file=sys.stderr)


def _write(run: Run, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = markdown(run)
    folder.joinpath("gpu.json").write_text(json.dumps(run, indent=1), "utf-8")
    folder.joinpath("gpu.md").write_text(text, "utf-8")
    plot(run, folder / "gpu.png")
    print(text.split("## How each does it")[0])
    print(f"Written to {folder}: gpu.json, gpu.md, gpu.png")
