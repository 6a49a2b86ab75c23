"""The command `dmlindex check`, run in the tests' own process."""

from __future__ import annotations

from pathlib import Path

import onnx
import pytest

from dmlindex.cli import main
from tests.onnx import one_node

REFUSED = one_node.model(
    "GatherElements", {}, [(3, 4), (2, 3)], ["float32", "int64"], 13
).SerializeToString()
ACCEPTED = one_node.model(
    "Gather", {}, [(3, 4), ("n",)], ["float32", "int64"], 13
).SerializeToString()


def run(*arguments: str) -> int:
    try:
        return main(["check", *arguments])
    except SystemExit as stop:
        return int(stop.code or 0)


def complaint(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line on stderr of a call that is wrong."""
    assert run(*arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dmlindex")
    return captured.err


def write(model: bytes | onnx.ModelProto, name: str = "m.onnx") -> str:
    Path(name).write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    return name
