"""Measure the package as users get it: how large a wheel is, and how long the import takes.

python -m benchmarks.package [--rounds N] [WHEEL …]

Each import is a fresh interpreter's; its own start does not count. NumPy and dmlindex, which
imports NumPy, take turns.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import zipfile
from pathlib import Path
from statistics import median

MOST_MEGABYTES = 3.0
MOST_TIMES_NUMPY = 1.25
_SHOWN = 3  # of a wheel's files, the largest
_CODE = """
from time import perf_counter
start = perf_counter()
import {module}
print(perf_counter() - start)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("wheels", nargs="*", type=Path, metavar="WHEEL")
    parser.add_argument("--rounds", type=int, default=31, metavar="N")
    options = parser.parse_args()
    for wheel in options.wheels:
        print(size(wheel))
    print(import_times(options.rounds))


def size(wheel: Path) -> str:
    """A line: the wheel's size in MB (10^6 bytes), its target, and what takes most of it."""
    with zipfile.ZipFile(wheel) as archive:
        files = sorted(archive.infolist(), key=lambda file: file.compress_size, reverse=True)
    largest = ", ".join(
        f"{file.filename} {file.compress_size / 1e6:.2f}" for file in files[:_SHOWN]
    )
    megabytes = wheel.stat().st_size / 1e6
    return f"{wheel.name}: {megabytes:.2f} MB (at most {MOST_MEGABYTES}); {largest}"


def import_times(rounds: int) -> str:
    """A line: the median times of both imports in ms, their ratio, and its target."""
    seconds: dict[str, list[float]] = {"numpy": [], "dmlindex": []}
    for module in seconds:
        _import_seconds(module)  # from now on its files are in memory
    for _ in range(rounds):
        for module, times in seconds.items():
            times.append(_import_seconds(module))
    numpy, ours = (median(times) * 1e3 for times in seconds.values())
    return (
        f"import numpy {numpy:.1f} ms, import dmlindex {ours:.1f} ms: {ours / numpy:.2f} x"
        f" (at most {MOST_TIMES_NUMPY}; medians of {rounds})"
    )


def _import_seconds(module: str) -> float:
    command = [sys.executable, "-c", _CODE.format(module=module)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


if __name__ == "__main__":
    main()
