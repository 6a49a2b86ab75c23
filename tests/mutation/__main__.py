"""Breaks the sources on purpose, a mutant at a time, and lists the mutants that no test sees.

A survivor needs a test, or a reason in equivalent.toml why nothing could tell it from the original.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutation.build import build_mutants
from tests.mutation.shaders import Worker
from tests.mutation.sources import ROOT, Mutant

KNOWN = ROOT / "tests/mutation/equivalent.toml"
# The tests of each kind of file, those that find most soonest first.
FUNCTIONS = ["examples", "indices", "reductions", "out", "fill_value", "empty_axis", "few_slices"]
ON_BOTH = [f"functions/test_{name}.py" for name in [*FUNCTIONS, "parity", "extreme", "errors"]]
ON_CPU = [f"descriptors/test_{name}.py" for name in ["compiled_operator", "numerics"]]
ON_CPU += [f"functions/test_{name}.py" for name in ["large", "columns", "copied_rows"]]
ON_CPU += [*ON_BOTH, *(f"functions/test_{name}.py" for name in ["find_duplicates", "threads"])]
ON_D3D12 = [f"d3d12/test_device_{name}.py" for name in ["operators", "bounds", "kernels"]] + ON_BOTH


@dataclass
class Tests:
    """Runs tests up to the first that fails."""

    folder: Path
    limits: dict[tuple[str, ...], float] = field(default_factory=dict)  # in seconds
    workers: threading.local = field(default_factory=threading.local)

    def of(self, file: str) -> Iterator[tuple[str, ...]]:
        unit = (str(self.folder / "build/dmlindex_tests"), "--gtest_fail_fast")
        kernels = "Kernels*:Resolve*"
        pytest = (sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
        if "/shaders/" in file:
            yield *pytest, *(f"tests/{name}" for name in ON_D3D12)
        elif "neon" in file:
            arm = str(self.folder / "aarch64/dmlindex_tests")
            yield "qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", arm, f"--gtest_filter={kernels}"
        elif "/kernels/" in file:
            yield *unit, f"--gtest_filter={kernels}"
            yield *unit, f"--gtest_filter=-Device*:Loader*:{kernels}"
            yield *pytest, *(f"tests/{name}" for name in [*ON_CPU, "functions/test_isa.py"])
        else:
            yield *unit, "--gtest_filter=-Device*:Loader*"
            yield *pytest, *(f"tests/{name}" for name in ON_CPU)

    def environment(self, number: int, file: str) -> dict[str, str]:
        return os.environ | {
            "DMLINDEX_MUTANT": str(number),
            "DMLINDEX_TEST_DEVICES": "d3d12" if "/shaders/" in file else "cpu",
            "DMLINDEX_HYPOTHESIS_PROFILE": "ci",
            "PYTHONPATH": str(self.folder / "source/python"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def fails(self, number: int, file: str, command: tuple[str, ...]) -> bool:
        begin = time.monotonic()
        with (self.folder / f"{number}.log").open("w") as log:
            run = subprocess.Popen(
                ["sh", "-c", 'ulimit -c 0; exec "$@"', "sh", *command],
                cwd=ROOT,
                env=self.environment(number, file),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
            try:
                status = run.wait(self.limits.get(command))
            except subprocess.TimeoutExpired:  # it runs in circles
                status = -signal.SIGKILL
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
        if number == 0:
            self.limits[command] = 60 + 5 * (time.monotonic() - begin)
        return status != 0

    def a_case_fails(self, number: int, file: str, binding: str) -> bool:
        """Whether the cases of the kernels that a shader is part of see the mutant."""
        mine: dict[str, Worker] = self.workers.__dict__
        if binding not in mine:
            environment = self.environment(0, file) | {"DMLINDEX_D3D12_BINDING": binding}
            mine[binding] = Worker(environment, 600)
        return mine[binding].sees(number, file)

    def killer(self, number: int, file: str) -> str | None:
        """What sees the mutant; of the original, what fails."""
        for binding in ["table", "root"] if "/shaders/" in file else []:
            if self.a_case_fails(number, file, binding):
                return f"a kernel's case, {binding}"
        for command in self.of(file):
            if self.fails(number, file, command):
                return " ".join(word for word in command if "tests" in word)[-50:]
        return None

    def check_the_original(self, mutants: list[Mutant]) -> None:
        """All tests pass without a mutant; how long they take limits those with one."""
        files = {tuple(self.of(mutant.file)): mutant.file for mutant in mutants}
        for file in files.values():
            if killer := self.killer(0, file):
                log = (self.folder / "0.log").read_text()[-4000:]
                raise SystemExit(f"without any mutant fails: {killer}\n{log}")


def report(survivors: list[Mutant], killed: int) -> int:
    entries = tomllib.loads(KNOWN.read_text()).get("equivalent", [])
    reasons = {entry["mutant"] for entry in entries}
    new = [mutant for mutant in survivors if mutant.key not in reasons]
    for mutant in new:
        print(f"SURVIVED {mutant.number} line {mutant.line + 1} of {mutant.key}")
    known = len(survivors) - len(new)
    print(f"{killed} killed, {len(survivors)} survived: {known} for a reason in {KNOWN.name}")
    return 1 if new else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="script/mutate", description=__doc__)
    parser.add_argument("--per-file", type=int, default=5, help="mutants of a file")
    parser.add_argument("--only", nargs="+", default=[""], help="files or numbers with such a part")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="mutants at a time")
    given = parser.parse_args()
    folder = ROOT / "build/mutants"
    mutants = build_mutants(folder, given.per_file, given.only)
    tests = Tests(folder)
    tests.check_the_original(mutants)
    print(f"{len(mutants)} mutants", flush=True)
    survivors = []
    with ThreadPoolExecutor(given.jobs) as pool:
        running = {pool.submit(tests.killer, each.number, each.file): each for each in mutants}
        for done in as_completed(running):
            mutant = running[done]
            print(f"{mutant.number} {mutant.key}: {done.result() or 'survived'}", flush=True)
            if done.result() is None:
                survivors.append(mutant)
    return report(survivors, len(mutants) - len(survivors))


if __name__ == "__main__":
    sys.exit(main())
