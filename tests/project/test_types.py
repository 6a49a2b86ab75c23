"""The type hints: what mypy and pyright take and refuse in tests/project/typing/calls.py."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

CALLS = Path(__file__).parent / "typing" / "calls.py"
MARKED = [
    n for n, line in enumerate(CALLS.read_text("utf-8").splitlines(), 1) if line.endswith("# E")
]


def check(*command: str) -> str:
    """What a checker prints, run on the package as it is installed, without a configuration."""
    return subprocess.run(
        [sys.executable, *command], capture_output=True, text=True, cwd=CALLS.parent, check=False
    ).stdout


def test_mypy() -> None:
    told = check("-m", "mypy", "--strict", "--config-file=", "--no-pretty", CALLS.name)
    lines = [int(n) for n in re.findall(r"^calls\.py:(\d+): error:", told, re.MULTILINE)]
    assert sorted(set(lines)) == MARKED, told


def test_pyright() -> None:
    """The pyright in basedpyright: that one comes from PyPI whole, with its Node.js."""
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not here; .ci/run installs it, with the linters")
    told = check("-m", "basedpyright", "--outputjson", "--level", "error", "--project",
                 str(CALLS.parent), CALLS.name)  # fmt: skip
    found = json.loads(told)["generalDiagnostics"]
    lines = {each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"}
    assert sorted(lines) == MARKED, "\n".join(
        f"{each['range']}: {each['message']}" for each in found
    )
