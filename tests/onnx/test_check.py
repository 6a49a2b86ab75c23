"""check_model: a verdict for every gather and scatter of a model."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import onnx.numpy_helper
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex.onnx import Finding, Report, check_model, lower_node
from dmlindex.onnx.report import as_data, in_words
from tests.onnx import one_node, recorded

F32_I64 = ["float32", "int64"]
F32_I64_F32 = ["float32", "int64", "float32"]
VERDICTS = {
    "DML": {"accepted", "undefined", "differs"},
    "CPU": {"cpu"},
    "error": {"refused"},
}


def one(report: Report) -> Finding:
    assert len(report.findings) == 1
    return report.findings[0]


def check(
    op_type: str,
    attributes: dict[str, Any],
    shapes: Any,
    dtypes: list[str],
    opset: int,
    constants: tuple[int, ...] = (),
    **options: Any,
) -> Finding:
    model = one_node.model(op_type, attributes, shapes, dtypes, opset, constants)
    return one(check_model(model, **options))


def test_every_recorded_node_as_a_model() -> None:
    """Placement, descriptors and refusal as recorded; the verdict says so."""
    table: Counter[str] = Counter()
    for case in recorded.cases():
        found = check(
            case["op"],
            case["attributes"],
            [input["shape"] for input in case["inputs"]],
            [input["dtype"] for input in case["inputs"]],
            case["opset"],
            constants=tuple(recorded.constants(case)),
            device_doubles=case.get("device_doubles", False),
            fused=case.get("graph_fusion", True),
            dynamic_shapes=case.get("dynamic_shapes", False),
            constant_folding=case.get("graph_optimization") == "all",
        )
        assert found.lowering == recorded.lower(case)
        expected = VERDICTS[case["placed"]]
        if case["placed"] == "CPU" and "error" in case:  # no kernel there
            expected = {"refused"}
        assert found.verdict in expected, (case, found)
        if case.get("equals_cpu") is False:
            assert found.verdict == "differs"
        table[found.verdict] += 1
    assert table == {
        "undefined": 1418,
        "refused": 310,
        "cpu": 217,
        "accepted": 112,
        "differs": 19,
    }


@pytest.mark.parametrize(
    ("values", "verdict", "why"),
    [
        ([2, -3], "accepted", ""),
        (
            [2, 3],
            "undefined",
            "indices[1] = 3 is out of range for an axis of size 3: DirectML read",
        ),
        ([-4, 0], "undefined", "indices[0] = -4 is out of range"),
    ],
)
def test_constant_indices_are_looked_at(values: list[int], verdict: str, why: str) -> None:
    model = one_node.model("Gather", {}, [(3, 4), (2,)], F32_I64, 13, constants=(1,))
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.array(values), "indices"))
    found = one(check_model(model))
    assert found.verdict == verdict
    assert found.why.startswith(why)


def test_coordinates_behind_batch_dims_are_looked_at() -> None:
    shapes = [(5, 2), (5, 1)]
    model = one_node.model("GatherND", {"batch_dims": 1}, shapes, F32_I64, 13, constants=(1,))
    values = np.array([[0], [1], [-2], [1], [2]])
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(values, "indices"))
    found = one(check_model(model))
    assert found.why.startswith("indices[4, 0] = 2 is out of range for an axis of size 2")


@pytest.mark.parametrize(
    ("op_type", "shapes", "values", "why"),
    [
        ("ScatterElements", [(3,), (3,), (3,)], [0, 2, -1], "1 of indices are duplicates"),
        ("ScatterElements", [(3,), (3,), (3,)], [0, 2, 1], ""),
        ("ScatterElements", [(3,), (3,), (3,)], [0, 2, 7], "DirectML overwrites another"),
        ("ScatterND", [(2, 3), (2, 2), (2,)], [[1, 2], [-1, 2]], "1 of indices are duplicates"),
        ("ScatterND", [(2, 3), (2, 2), (2,)], [[1, 2], [2, 1]], "indices[1, 0] = 2 is out of"),
        ("ScatterND", [(2, 3), (2, 2), (2,)], [[1, 2], [1, 1]], ""),
    ],
)
def test_constant_targets_are_looked_at(
    op_type: str, shapes: Any, values: list[Any], why: str
) -> None:
    model = one_node.model(op_type, {}, shapes, F32_I64_F32, 17, constants=(1,))
    model.graph.initializer[0].CopyFrom(onnx.numpy_helper.from_array(np.array(values), "indices"))
    found = one(check_model(model))
    assert found.verdict == ("undefined" if why else "accepted")
    assert why in found.why


def test_indices_at_run_time_are_checked_by_nobody() -> None:
    assert "at run time" in check("Gather", {}, [(3, 4), (2,)], F32_I64, 13).why
    scatter = check("ScatterND", {}, [(3, 4), (2, 1), (2, 4)], F32_I64_F32, 13)
    assert "of duplicates, any update may win" in scatter.why


def test_what_the_cpu_would_run_is_said() -> None:
    shapes = [(3, 4), (2, 3), (2, 3)]
    scatter = check("ScatterElements", {}, shapes, F32_I64_F32, 17)
    assert scatter.verdict == "refused"
    assert scatter.why.startswith("error at session creation: DirectML refuses")
    assert "from opset 18 on" in scatter.advice
    assert check("ScatterElements", {}, shapes, F32_I64_F32, 18).verdict == "cpu"
    gather = check("GatherElements", {}, shapes[:2], F32_I64, 17)
    assert "does not fall back" in gather.advice
    assert gather.advice.endswith("; dmlindex.directml.legalize offers: GATHER_ELEMENTS")
    assert "legalize offers for targets without duplicates: " in scatter.advice
    assert scatter.advice.endswith(": ELEMENT_WISE_IDENTITY, SCATTER_ELEMENTS")
    larger = check("GatherElements", {}, [(3, 4), (2, 5)], F32_I64, 17)
    assert larger.advice == "the CPU provider refuses it, too"
    ranks = check("GatherElements", {}, [(3, 4), (4,)], F32_I64, 17)
    assert ranks.verdict == "undefined"
    assert "the CPU provider refuses it: indices has 1 dims" in ranks.why


@pytest.mark.parametrize(
    ("arguments", "offer"),
    [
        (("Gather", {"axis": -1}, [(2,) * 6, (2,) * 4], F32_I64, 13), "offers: GATHER"),
        (("GatherElements", {"axis": -1}, [(3, 4), (2, 7)], F32_I64, 13), "offers: GATHER_ELEM"),
        (("GatherND", {}, [(3, 4), (2,)], F32_I64, 13), "offers: GATHER_ND"),
        (
            ("GatherND", {"batch_dims": 1}, [(2,) * 9, (2, 1)], F32_I64, 13),
            "offers: GATHER_ND1",
        ),
        (("GatherND", {"batch_dims": 1}, [(2, 4), (2, 1)], F32_I64, 13), ""),
        (("Gather", {}, [(2**31, 2), (2,)], F32_I64, 13), "legalize offers"),
    ],
)
def test_what_legalize_offers(arguments: Any, offer: str) -> None:
    found = check(*arguments)
    assert offer in found.advice
    assert (found.verdict == "refused") == bool(offer)


def test_open_dims() -> None:
    arguments: tuple[Any, ...] = ("Gather", {}, [("rows", 4), ("n", "m")], F32_I64, 13)
    model = one_node.model(*arguments)
    report = check_model(model)
    assert one(report).verdict == "unknown"
    assert one(report).why == "shapes are dynamic: data[rows, 4], indices[n, m]"
    assert report.notes == ("inputs with open dims: data[rows, 4], indices[n, m]",)
    found = one(check_model(model, inputs={"data": (3, 4), "indices": (2, 5)}))
    assert found.lowering == lower_node("Gather", {}, [(3, 4), (2, 5)], F32_I64, opset=13)


def test_a_named_size_is_the_same_everywhere() -> None:
    model = one_node.model("GatherElements", {}, [("n", 4), ("n", 4)], F32_I64, 13)
    found = one(check_model(model, inputs={"data": (3, 4)}))
    assert found.inputs == ("float[3, 4]", "int64[3, 4]")


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"what": (3,)}, "no input 'what', expected one of data, indices"),
        ({"data": (3, 4, 5)}, "'data' has 2 dims, and 3 are given"),
        ({"data": (3, 5)}, "a dim of input 'data' is 4, and 5 is given"),
        ({"data": (3, 4), "indices": (5, 4)}, "'n' is 3, and 5 is given"),
    ],
)
def test_shapes_that_are_not_the_models(inputs: dict[str, Any], message: str) -> None:
    model = one_node.model("GatherElements", {}, [("n", 4), ("n", 4)], F32_I64, 13)
    with pytest.raises(ValueError, match=message):
        check_model(model, inputs=inputs)


@pytest.mark.parametrize(
    ("arguments", "verdict", "why"),
    [
        (("ScatterND", {}, [("n",), None, None], F32_I64_F32, 18), "cpu", "opset 18"),
        (("Gather", {}, [("n",), ("m",)], ["float64", "int64"], 13), "cpu", "float64"),
        (("Scatter", {}, [("n",), None, None], F32_I64_F32, 11), "refused", "took its place"),
        (("Gather", {}, [("n",) * 7, ("m",) * 3], F32_I64, 13), "refused", "9 dims"),
        (("Gather", {"axis": 3}, [("n", "k"), ("m",)], F32_I64, 13), "refused", "axis is 3"),
        (("GatherND", {}, [("n", "k"), (2,)], F32_I64, 13), "refused", "no dims"),
        (("GatherND", {}, [("n", "k"), ("m",)], F32_I64, 13), "unknown", "dynamic"),
        (("GatherND", {}, [("n",), ("m",)], F32_I64, 13), "unknown", "dynamic"),
        (("GatherND", {}, [("n", "k"), None], F32_I64, 13), "unknown", "dynamic"),
        (("GatherND", {}, [("n", "k"), (1, 2)], F32_I64, 13), "unknown", "dynamic"),
        (
            (
                *("ScatterND", {"reduction": "max"}, [("n",), None, None]),
                *(["float16", "int64", "float16"], 18),
            ),
            *("refused", "no ScatterND of float16"),
        ),
    ],
)
def test_what_is_decided_whatever_the_sizes(arguments: Any, verdict: str, why: str) -> None:
    found = check(*arguments)
    assert found.verdict == verdict
    assert why in found.why


def test_words_and_json() -> None:
    model = one_node.model("ScatterElements", {}, [(3, 4), (2, 3), (2, 3)], F32_I64_F32, 17)
    report = check_model(model)
    assert report.refused
    words = in_words(report).splitlines()
    assert words[0] == "1 node: 1 refused"
    assert words[2].startswith("refused: error at session creation: DirectML refuses")
    assert words[3].strip() == report.findings[0].advice
    assert words[-1].split("  ")[1:4] == [
        "ScatterElements",
        "the node",
        "float[3, 4], int64[2, 3], float[2, 3]",
    ]
    data = json.loads(json.dumps(as_data(report)))
    assert data["refused"] is True
    (finding,) = data["findings"]
    assert finding["verdict"] == "refused"
    desc = dmlindex.desc_from_json(json.dumps(finding["lowering"]["descs"][0]))
    assert report.findings[0].lowering is not None
    assert desc == report.findings[0].lowering.descs[0]
    assert in_words(Report(())) == "0 nodes: nothing that gathers or scatters"


def test_a_copy_has_a_json_form_too() -> None:
    model = one_node.model("ScatterElements", {}, [(3,), (0,), (0,)], F32_I64_F32, 17)
    (finding,) = as_data(check_model(model))["findings"]
    tensor = {"data_type": "FLOAT32", "sizes": [1, 1, 1, 3]}
    copy = {"operator": "ELEMENT_WISE_IDENTITY", "input": tensor, "output": tensor}
    assert finding["lowering"]["descs"] == [copy]


SIZES = st.one_of(st.none(), st.lists(st.one_of(st.integers(0, 4), st.just("n")), max_size=9))


@given(
    op_type=st.sampled_from(sorted(recorded.OP_TYPES)),
    shapes=st.tuples(SIZES, SIZES, SIZES),
    dtype=st.sampled_from(("float32", "float64", "string", "bool")),
    opset=st.integers(1, 25),
    axis=st.integers(-3, 3),
)
def test_any_node_gets_a_verdict(
    op_type: str, shapes: Any, dtype: str, opset: int, axis: int
) -> None:
    """Where all sizes are known it is lower_node's; else nothing that sizes could change."""
    count = 3 if op_type.startswith("Scatter") else 2
    attributes = {} if op_type.endswith("ND") else {"axis": axis}
    dtypes = [dtype, "int64", dtype][:count]
    found = check(op_type, attributes, shapes[:count], dtypes, opset)
    known = [shape is not None and "n" not in shape for shape in shapes[:count]]
    if all(known):
        lowered = lower_node(op_type, attributes, shapes[:count], dtypes, opset=opset)
        assert found.lowering == lowered
        assert (found.verdict == "refused") == bool(lowered.error_at)
        return
    assert found.lowering is None
    if found.verdict == "unknown" or None in shapes[:count]:
        return
    for size in (1, 2, 3):
        filled = [tuple(size if n == "n" else n for n in shape) for shape in shapes[:count]]
        lowered = lower_node(op_type, attributes, filled, dtypes, opset=opset, dynamic_shapes=True)
        assert lowered.error_at if found.verdict == "refused" else lowered.placed != "DML"
