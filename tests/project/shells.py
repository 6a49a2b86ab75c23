"""Lines for bash in which dml is the command line."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np


def shell(
    line: str, given: bytes = b"", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """A line for bash in which dml is the command line."""
    return subprocess.run(
        ["bash", "-c", f'dml() {{ "{sys.executable}" -m dmlindex "$@"; }}; {line}'],
        input=given,
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, **(environment or {})},
    )


def listed() -> list[str]:
    return sorted(path.name for path in Path.cwd().iterdir())


def refused(line: str, **environment: str) -> str:
    """The one line of a refusal; checks that nothing else happened."""
    before = listed()
    process = shell(line, environment=environment)
    told = process.stderr.decode()
    assert process.returncode == 2, told
    assert told.startswith("dmlindex")
    assert told.count("\n") == 1, told
    assert len(told) < 600
    assert process.stdout == b""
    assert listed() == before
    return told


def npy(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()
