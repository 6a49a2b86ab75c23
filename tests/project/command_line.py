"""The command line, called in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from dmlindex.cli import main

Array = npt.NDArray[Any]
TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)


def save(**arrays: npt.ArrayLike) -> None:
    for name, array in arrays.items():
        np.save(f"{name}.npy", np.asarray(array))


def run(line: str) -> int:
    """The exit code of a command line; argparse raises it as SystemExit."""
    try:
        return main(line.split())
    except SystemExit as stop:
        return int(stop.code or 0)


def refused(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that says why a command line was refused; checks that nothing else happened."""
    before = sorted(Path.cwd().iterdir())
    code = run(line)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.out == ""
    assert captured.err.startswith("dmlindex")
    assert captured.err.count("\n") == 1
    assert sorted(Path.cwd().iterdir()) == before
    return captured.err
