"""The lowerings of ONNX Runtime, Chromium and DirectMLX as programs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import FeatureLevel
from dmlindex.directml.legal import Impossible, Operator, Program, View, legalize

RECORDED = Path(__file__).parents[2] / "data/ort_dml_lowering.jsonl.gz"
FUNCTIONS = {
    "Gather": "gather",
    "GatherElements": "gather_elements",
    "GatherND": "gather_nd",
    "ScatterElements": "scatter_elements",
    "ScatterND": "scatter_nd",
}
NAMES = {"bool": "?"}


def bare(desc: Any) -> Any:
    """A recorded desc's fields, without what DirectML said to it."""
    return {name: value for name, value in desc.items() if name != "verdict"}


def shown(program: Program) -> Any:
    step = program.operators[0]
    data = json.loads(program.to_json())["steps"]
    (desc,) = [entry["desc"] for entry in data if "desc" in entry]
    if step.is_helper:
        return {
            "operator": desc["operator"],
            "input": desc["InputTensor"],
            "output": desc["OutputTensor"],
        }
    return desc


def test_onnxruntime_as_recorded() -> None:
    """Each recorded node that is one call of a function: the same descriptor, or a reason."""
    compared = refused = 0
    with gzip.open(RECORDED, "rt") as file:
        records = [json.loads(line) for line in file]
    for record in records:
        special = ("device_doubles", "dynamic_shapes", "graph_optimization")
        dtypes = [tensor["dtype"] for tensor in record["inputs"]]
        if record["op"] not in FUNCTIONS or any(name in record for name in special):
            continue
        attributes = {k: v for k, v in record["attributes"].items() if v is not None}
        shapes = [(tuple(t["shape"]), NAMES.get(t["dtype"], t["dtype"])) for t in record["inputs"]]
        if not set(dtypes) <= set(np.sctypeDict) | {"bool"}:
            continue
        try:
            program = legalize(
                FUNCTIONS[record["op"]],
                shapes,
                style="onnxruntime",
                opset=record["opset"],
                **attributes,
            )
        except (ValueError, TypeError):
            continue  # the function itself has no such call
        on_directml = record["placed"] == "DML" and record.get("descs")
        if isinstance(program, Impossible):
            assert [name for name, _ in program.reasons] == ["style"]
            assert not on_directml, record
            refused += 1
        elif program.operators:
            assert on_directml, record
            assert shown(program) == bare(record["descs"][0])
            compared += 1
    assert compared > 700
    assert refused > 300


CALLS = [
    ("gather", [((5, 7), "float32"), ((), "int64")], {"axis": 1}),
    ("gather", [((5, 7), "float32"), ((2, 3), "int32")], {}),
    ("gather_elements", [((5, 7), "float32"), ((2, 7), "int64")], {}),
    ("gather_nd", [((5, 7), "float32"), ((4, 2), "int64")], {}),
    ("scatter_elements", [((5, 7), "float32"), ((2, 7), "uint32"), ((2, 7), "float32")], {}),
    ("scatter_nd", [((5, 7), "float32"), ((2, 1), "int64"), ((2, 7), "float32")], {}),
]


@pytest.mark.parametrize("style", ["webnn", "directmlx"])
@pytest.mark.parametrize(("function", "shapes", "options"), CALLS)
def test_one_operator_that_computes_the_call(
    style: Any, function: str, shapes: Any, options: Any
) -> None:
    program = legalize(function, shapes, style=style, **options)
    assert isinstance(program, Program)
    (step,) = (step for step in program.steps if isinstance(step, Operator))
    assert not step.is_helper
    rng = np.random.default_rng(0)
    x, i, *u = [rng.permutation(int(np.prod(s))).reshape(s).astype(t) for s, t in shapes]
    i = i % 5
    if function == "scatter_elements":
        i[1] = (i[0] + 1) % 5  # no two meet
    expected = getattr(dmlindex, function)(x, i, *u, **options)
    assert program.run(x, i, *u).tobytes() == expected.tobytes()


def only_desc(program: Any) -> Any:
    (step,) = program.operators
    return step.desc


def test_what_is_chromiums() -> None:
    """Strides are always given; a scalar has one dim, and its result a 1 in the axis's place."""
    shapes = [((5, 7), "float32"), ((), "int64")]
    program = legalize("gather", shapes, axis=1, style="webnn")
    assert isinstance(program, Program)
    desc = only_desc(program)
    assert (desc.indices_tensor.sizes, desc.index_dimensions) == ((1, 1), 1)
    assert (desc.output_tensor.sizes, desc.output_tensor.strides) == ((5, 1), (1, 1))
    assert any(isinstance(step, View) for step in program.steps)
    desc = only_desc(legalize("gather_nd", [((3,), "int8"), ((4, 2, 1), "int32")], style="webnn"))
    assert desc.operator == "GATHER_ND"
    assert (desc.input_tensor.sizes, desc.input_tensor.strides) == ((1, 1, 3), (0, 0, 1))


def test_what_is_directmlxs() -> None:
    """GatherND is GATHER_ND1 without a batch, too."""
    desc = only_desc(legalize("gather_nd", [((3, 4), "f4"), ((2, 1), "i8")], style="directmlx"))
    assert (desc.operator, desc.batch_dimension_count) == ("GATHER_ND1", 0)


@pytest.mark.parametrize(
    ("style", "level", "shapes", "options", "says"),
    [
        ("webnn", "FL_3_1", [((3,), "f4"), ((2,), "i4")], {}, "needs FL_4_0"),
        ("webnn", "FL_4_0", [((3,), "i8"), ((2,), "i4")], {}, "has no int64"),
        ("webnn", "FL_6_4", [((3,), "f8"), ((2,), "i4")], {}, "has no float64"),
        ("webnn", "FL_6_4", [((3,), "f4"), ((2,), "i4")], {"mode": "clamp"}, "no mode 'clamp'"),
        ("webnn", "FL_6_4", [((1,) * 9, "f4"), ((2,), "i4")], {}, "ranks up to 8"),
        ("directmlx", "FL_6_4", [((1,) * 9, "f4"), ((2,), "i4")], {}, "asserts refuse it"),
        ("onnxruntime", "FL_6_4", [((3,), "f8"), ((2,), "i4")], {}, "runs it on the CPU"),
        ("onnxruntime", "FL_6_4", [((1,) * 9, "f4"), ((2,), "i4")], {}, "refuses the node"),
    ],
)
def test_refusals(style: Any, level: str, shapes: Any, options: Any, says: str) -> None:
    refused = legalize("gather", shapes, style=style, feature_level=FeatureLevel[level], **options)
    assert isinstance(refused, Impossible)
    assert [name for name, _ in refused.reasons] == ["style"]
    assert says in str(refused)


def test_an_unknown_style() -> None:
    style: Any = "coreml"
    with pytest.raises(ValueError, match="style is 'coreml', expected None or one of webnn"):
        legalize("gather", [((3,), "f4"), ((2,), "i4")], style=style)
