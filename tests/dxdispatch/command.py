"""Command lines of `dmlindex dxdispatch`, and what they leave behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dmlindex.cli import main


def run(line: str) -> int:
    try:
        return main(["dxdispatch", *line.split()])
    except SystemExit as stop:
        return int(stop.code or 0)


def write(name: str, model: dict[str, Any]) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(json.dumps(model), encoding="utf-8")


def everything() -> list[tuple[str, float]]:
    return sorted((str(path), path.lstat().st_mtime_ns) for path in Path().rglob("*"))


def refused(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that says why; checks that no file was made or changed."""
    before = everything()
    code = run(line)
    captured = capsys.readouterr()
    assert code == 2
    assert captured.err.startswith("dmlindex")
    assert captured.err.count("\n") == 1
    assert everything() == before
    return captured.err
