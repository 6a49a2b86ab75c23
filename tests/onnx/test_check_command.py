"""`dmlindex check`: exit codes, and that no file brings it down."""

from __future__ import annotations

import contextlib
import itertools
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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dmlindex.cli import main
from dmlindex.onnx import check_model
from tests.onnx import one_node

REFUSED = one_node.model(
    "GatherElements", {}, [(3, 4), (2, 3)], ["float32", "int64"], 13
).SerializeToString()
ACCEPTED = one_node.model(
    "Gather", {}, [(3, 4), ("n",)], ["float32", "int64"], 13
).SerializeToString()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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


def parse(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(text)


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
    assert message in complaint(capsys, *arguments)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a model",
        b"{}",
        REFUSED[:-9],
        bytes(1000),
        onnx.ModelProto(ir_version=8).SerializeToString(),
        onnx.TensorProto(name="x").SerializeToString(),
        REFUSED.replace(b"indices", b"ind\xff\xfees"),
    ],
)
def test_what_is_no_model(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    assert "m.onnx: not an ONNX model" in complaint(capsys, write(content))


def functions(count: int, calls: int) -> onnx.ModelProto:
    """Each function calls the next, so and so often."""
    text = """<ir_version: 8, opset_import: ["" : 17, "own" : 1]>
    g (float[4] x) => (float[4] y) { y = own.f0 (x) }"""
    for i in range(count):
        names = ["x", *(f"v{j}" for j in range(calls - 1)), "y"]
        called = f"own.f{i + 1}" if i + 1 < count else "Neg"
        body = "\n".join(
            f"{after} = {called} ({before})" for before, after in itertools.pairwise(names)
        )
        text += (
            f'\n<domain: "own", opset_import: ["" : 17, "own" : 1]>\nf{i} (x) => (y) {{ {body} }}'
        )
    return parse(text)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (functions(40, 2), "its functions make more than 1,000,000 nodes"),
        (functions(300, 1), "functions call each other more than 200 deep"),
    ],
)
def test_functions_without_end(
    model: onnx.ModelProto, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in complaint(capsys, write(model))


def test_functions_that_call_themselves(capsys: pytest.CaptureFixture[str]) -> None:
    model = functions(2, 1)
    model.functions[1].node[0].op_type = "f0"
    model.functions[1].node[0].domain = "own"
    assert "the function 'f0' calls itself" in complaint(capsys, write(model))


def test_nodes_in_a_circle(capsys: pytest.CaptureFixture[str]) -> None:
    """No order to infer shapes in: unknown, and no end of it."""
    model = onnx.ModelProto()
    model.CopyFrom(onnx.load_model_from_string(ACCEPTED))
    node = model.graph.node[0]
    node.input[0] = "second"
    model.graph.node.append(onnx.helper.make_node("Gather", ["output", "indices"], ["second"]))
    assert run(write(model)) == 0
    assert "2 nodes: 2 unknown" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ({"axis": float("nan")}, "axis is of type float, expected an integer"),
        ({"axis": "one"}, "axis is of type bytes, expected an integer"),
        ({"axis": [1, 2]}, "axis is of type list, expected an integer"),
        ({"axis": 2**62}, "axis is 4611686018427387904, expected -2 to 1"),
        ({"what": 1}, "no attribute 'what'"),
    ],
)
def test_attributes_that_no_node_has(
    attribute: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = one_node.model("Gather", attribute, [(3, 4), (2,)], ["float32", "int64"], 13)
    assert run(write(model)) == 1
    assert message in capsys.readouterr().out


def test_inputs_that_are_missing_or_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    model = onnx.load_model_from_string(REFUSED)
    del model.graph.node[0].input[1:]
    assert run(write(model)) == 1
    assert "1 inputs, expected 2" in capsys.readouterr().out


def test_sizes_that_nothing_can_hold(capsys: pytest.CaptureFixture[str]) -> None:
    """Also of a constant whose data is not there."""
    huge = one_node.model("Gather", {}, [(2**40, 4), (2**40,)], ["float32", "int64"], 13)
    tensor = onnx.TensorProto(name="indices", data_type=onnx.TensorProto.INT64, dims=[2**40])
    huge.graph.initializer.append(tensor)
    assert run(write(huge)) == 1
    assert "DirectML's fields cannot hold this" in capsys.readouterr().out


def test_names_that_would_write_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    model = onnx.load_model_from_string(ACCEPTED)
    model.graph.node[0].name = "two\nlines\x1b[31m"
    model.graph.input[1].type.tensor_type.shape.dim[0].dim_param = "n\r"
    assert run(write(model)) == 0
    out = capsys.readouterr().out
    assert r"two\nlines\x1b[31m" in out
    assert r"int64[n\r]" in out
    assert "\r" not in out


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


def test_deep_subgraphs(capsys: pytest.CaptureFixture[str]) -> None:
    graph = onnx.load_model_from_string(ACCEPTED).graph
    for depth in range(30):
        node = onnx.helper.make_node("If", ["c"], ["o"], name=f"if{depth}", then_branch=graph)
        graph = onnx.helper.make_graph([node], "g", [], [])
    opsets = [onnx.helper.make_opsetid("", 13)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    assert run(write(model)) == 0
    assert "if1.then_branch/if0.then_branch: the node" in capsys.readouterr().out


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


EDITS = st.lists(
    st.tuples(st.integers(0, len(REFUSED) - 1), st.integers(0, 255)), min_size=1, max_size=4
)


@given(edits=EDITS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_broken_file_is_a_value_error_at_most(edits: list[tuple[int, int]]) -> None:
    content = bytearray(REFUSED)
    for position, value in edits:
        content[position] = value
    Path("broken.onnx").write_bytes(content)
    with contextlib.suppress(ValueError):
        report = check_model("broken.onnx")
        assert all(finding.verdict for finding in report.findings)
