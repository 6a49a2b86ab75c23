"""Files that hold no model, or one that was made to do harm: no traceback, and an end."""

from __future__ import annotations

import contextlib
import itertools
from pathlib import Path
from typing import Any

import onnx
import onnx.helper
import onnx.parser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dmlindex.onnx import check_model
from tests.onnx import one_node
from tests.onnx.command import ACCEPTED, REFUSED, complaint, run, write


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


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
    return onnx.parser.parse_model(text)


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


def test_deep_subgraphs(capsys: pytest.CaptureFixture[str]) -> None:
    graph = onnx.load_model_from_string(ACCEPTED).graph
    for depth in range(30):
        node = onnx.helper.make_node("If", ["c"], ["o"], name=f"if{depth}", then_branch=graph)
        graph = onnx.helper.make_graph([node], "g", [], [])
    opsets = [onnx.helper.make_opsetid("", 13)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8)
    assert run(write(model)) == 0
    assert "if1.then_branch/if0.then_branch: the node" in capsys.readouterr().out


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
