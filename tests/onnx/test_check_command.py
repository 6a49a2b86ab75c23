"""`dmlindex check`: its options and exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.helper
import onnx.parser
import pytest

from tests.onnx import one_node
from tests.onnx.command import ACCEPTED, REFUSED, complaint, run, write


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_model_that_is_refused_gives_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(write(REFUSED)) == 1
    out = capsys.readouterr().out
    assert out.startswith("m.onnx, as onnxruntime-1.24 runs it on DirectML\n1 node: 1 refused\n")
    assert "[indices-sizes]" in out
    assert run("m.onnx", "--json") == 1
    data = json.loads(capsys.readouterr().out)
    assert data["profile"] == "onnxruntime-1.24"
    assert [finding["verdict"] for finding in data["findings"]] == ["refused"]


def test_open_dims_are_given(capsys: pytest.CaptureFixture[str]) -> None:
    write(ACCEPTED)
    assert run("m.onnx") == 0
    out = capsys.readouterr().out
    assert "1 node: 1 unknown" in out
    assert "note: inputs with open dims: indices[n]" in out
    assert run("m.onnx", "--input", "indices=7", "--profile", "onnxruntime-1.24") == 0
    assert "GATHER {3, 4} {1, 7} -> {7, 4}" in capsys.readouterr().out


def test_options_reach_the_session(capsys: pytest.CaptureFixture[str]) -> None:
    dtypes = ["float64", "int64"]
    write(one_node.model("Gather", {}, [(3, 4), (2,)], dtypes, 13, constants=(0, 1)))

    def finding(*options: str) -> Any:
        assert run("m.onnx", "--json", *options) == 0
        return json.loads(capsys.readouterr().out)["findings"][0]

    assert "beforehand" in finding()["why"]
    assert "float64" in finding("--no-constant-folding")["why"]
    doubles = ("--no-constant-folding", "--device-doubles")
    assert len(finding(*doubles)["lowering"]["descs"]) == 2
    assert len(finding(*doubles, "--no-fusion")["lowering"]["descs"]) == 1
    write(REFUSED)
    assert run("m.onnx", "--dynamic-shapes") == 1
    assert "error at run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.onnx"], "none.onnx: no such file"),
        (["."], ".: a folder, expected a file"),
        (["/dev/zero"], "/dev/zero: a device, expected a file"),
        (["huge.onnx"], "huge.onnx: 2 GiB or more"),
        (["loop.onnx"], "loop.onnx: "),
        (["m.onnx", "--input", "x"], "'x' is no shape, expected NAME=1x3x224x224"),
        (["m.onnx", "--input", "indices=-3"], "'indices=-3' is no shape"),
        (["m.onnx", "--input", "indices=9999999999999999999"], "is no shape"),
        (["m.onnx", "--input", "=3"], "no input ''"),
        (["m.onnx", "--input", "what=3"], "no input 'what', expected one of data, indices"),
        (["m.onnx", "--input", "indices="], "'indices' has 1 dims, and 0 are given"),
        (["m.onnx", "--input", "indices=3", "--input", "indices=4"], "names an input twice"),
        (["m.onnx", "--profile", "other"], "invalid choice: 'other'"),
        (["\n.onnx"], r"\n.onnx: no such file"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(ACCEPTED)
    with Path("huge.onnx").open("wb") as file:
        file.truncate(2**31)  # a hole
    Path("loop.onnx").symlink_to("loop.onnx")
    assert message in complaint(capsys, *arguments)


@pytest.mark.parametrize("location", ["weights", "../../weights", "/weights", ""])
def test_external_data_that_is_not_there(location: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is not needed, but ONNX Runtime will miss it."""
    model = one_node.model("Gather", {}, [(500, 40), (2,)], ["float32", "int64"], 13, (0, 1))
    for tensor in model.graph.initializer:
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value=location)
    assert run(write(model), "--no-constant-folding") == 0
    out = capsys.readouterr().out
    assert f"note: external data {location!r} cannot be read: ONNX Runtime needs it" in out
    assert "GATHER {500, 40} {1, 2} -> {2, 40}" in out


def test_small_external_data_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    model = one_node.model("Gather", {}, [(3, 4), (2,)], ["float32", "int64"], 13, (1,))
    (tensor,) = model.graph.initializer
    Path("weights").write_bytes(np.array([0, 5]).tobytes())
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="weights")
    assert run(write(model)) == 0
    out = capsys.readouterr().out
    assert "indices[1] = 5 is out of range" in out
    assert "note" not in out


def test_without_onnx_it_says_what_to_install() -> None:
    write(ACCEPTED)
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "from dmlindex.cli import main; sys.exit(main(['check', 'm.onnx']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert result.stderr == "dmlindex: error: check needs ONNX: pip install 'dmlindex[onnx]'\n"
