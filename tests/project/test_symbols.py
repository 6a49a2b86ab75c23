"""What is compiled for one instruction set is called by its own kernels only.

An inline function that several object files define is linked once, from any of them. One that was
compiled with -mavx512f and kept for everyone would end the process on a CPU without it.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

BUILD = Path(__file__).parents[2] / "build" / "python"
LIBRARY = BUILD / "libdmlindex_core.a"
ISAS = ("avx2", "avx512", "avx512fp16", "neon")
# What the compiler makes for exceptions: a pointer, no code.
DATA = ("DW.ref.",)


def isa_of(object_file: str) -> str:
    return next((isa for isa in reversed(ISAS) if object_file.startswith(isa)), "any")


def test_no_function_of_an_isa_is_linked_in_elsewhere() -> None:
    if not LIBRARY.exists() or shutil.which("nm") is None:
        pytest.skip("there is no build folder here, or no nm to read it")
    command = ["nm", "--format=posix", "-A", str(LIBRARY)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    defined: dict[str, set[str]] = defaultdict(set)  # the ISAs of each symbol's weak definitions
    named: dict[str, set[str]] = defaultdict(set)  # … and of all files that name it
    files = set()
    for line in lines:
        where, symbol, kind, *_ = line.split()
        file = where[where.index("[") + 1 : where.index("]")]
        files.add(file)
        named[symbol].add(isa_of(file))
        if kind in "WVu" and not symbol.startswith(DATA):
            defined[symbol].add(isa_of(file))
    assert {"backend.cpp.o", "scalar.cpp.o"} <= files
    assert any(isa_of(file) != "any" for file in files)
    # A weak definition in an ISA's file is fine as long as only files of that ISA name it.
    shared = {
        symbol: sorted(named[symbol])
        for symbol, isas in defined.items()
        if isas != {"any"} and len(named[symbol]) > 1
    }
    assert shared == {}
