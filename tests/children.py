"""Tests that need a Python process of their own, and libraries that change what its system does."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# How many times as much as in CI what looks for rare faults does.
EFFORT = int(os.environ.get("DMLINDEX_TEST_EFFORT", "1"))


def in_child(code: str, timeout: float = 120, **environment: str) -> str:
    """What a Python of its own prints."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=timeout,
    )
    return result.stdout.strip()


def preloaded(source: Path, folder: Path) -> dict[str, str]:
    """The environment of a child that has the C file's functions in the place of its libraries'."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("takes Linux's linker, and a C compiler")
    library = folder / source.with_suffix(".so").name
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", source, "-o", library, "-ldl"], check=True)
    return {"LD_PRELOAD": str(library)}
