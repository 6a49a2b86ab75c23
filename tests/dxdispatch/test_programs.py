"""Programs of legalize as models: written, run, compared; and the helper operators' JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest

from dmlindex import DataType, FeatureLevel, GatherOperatorDesc, TensorDesc
from dmlindex.directml.dxdispatch import (
    Case,
    DxDispatchError,
    execute,
    npy,
    pack_of,
    parse_model,
    save,
)
from dmlindex.directml.dxdispatch.drawn import drawn_cases
from dmlindex.directml.dxdispatch.helpers import HelperOperator
from dmlindex.directml.dxdispatch.pack import packs_of
from dmlindex.directml.legal import Binding, HelperDesc, Program, legalize
from tests.dxdispatch.models import no_files
from tests.dxdispatch.test_round_trip import change, compared, run_in

ROWS = np.array([[10, 11, 12], [20, 21, 22]], np.int32)


@pytest.mark.parametrize("level", [FeatureLevel.FL_6_4, FeatureLevel.FL_4_1, FeatureLevel.FL_2_1])
def test_drawn_programs_give_the_functions_answer(level: FeatureLevel, tmp_path: Path) -> None:
    """By way of files, each step written: the same bits as the program run at once."""
    cases = drawn_cases(25, 3, feature_level=level)
    files = packs_of({f"{case.name}.json": [case] for case in cases}, "Drawn")
    for case in cases:
        data, _ = npy.read("", files[PurePosixPath(f"expected/{case.name}.npy")])
        value = case.desc.result
        tensor = value.tensor()
        buffer = np.frombuffer(data[value.offset :], np.uint8)
        whole = buffer.size // value.itemsize * value.itemsize
        strides = [stride * value.itemsize for stride in tensor.element_strides]
        view = np.lib.stride_tricks.as_strided(
            buffer[:whole].view(tensor.data_type.dtype), tensor.sizes, strides
        )
        assert view.tobytes() == case.desc.run(*case.inputs).tobytes(), case.about
    save(tmp_path / "pack", files)
    run_in(tmp_path / "pack")
    assert {comparison.outcome for comparison in compared(tmp_path / "pack")} == {"same"}
    assert len({case.desc.function for case in cases}) >= 4


def test_the_same_seed_draws_the_same_cases() -> None:
    first, again, other = (drawn_cases(6, seed) for seed in (1, 1, 2))
    assert [case.about for case in first] == [case.about for case in again]
    assert [case.about for case in first] != [case.about for case in other]


def test_drawing_leaves_no_files() -> None:
    """In a process of its own: Hypothesis writes to the current folder once a process."""
    code = "from dmlindex.directml.dxdispatch.drawn import drawn_cases; drawn_cases(2, 0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert list(Path().iterdir()) == []


def test_the_first_step_that_differs_is_named(tmp_path: Path) -> None:
    indices = np.array([2, 9])
    program = legalize("gather", [ROWS, indices], axis=1, mode="clamp")
    save(tmp_path / "case", pack_of([Case("gather", program, (ROWS, indices))], "A program"))
    run_in(tmp_path / "case")
    comparisons = compared(tmp_path / "case")
    assert [comparison.output for comparison in comparisons] == [
        "gather_01_element_wise_max.npy",
        "gather_02_element_wise_min.npy",
        "gather.npy",
    ]
    np.testing.assert_array_equal(
        np.load(tmp_path / "case/actual/gather.npy")[:4].view(np.int32), [12, 12, 22, 22]
    )
    change(tmp_path / "case/actual/gather_02_element_wise_min.npy", 1, 9)
    found = compared(tmp_path / "case")
    assert [comparison.outcome for comparison in found] == ["same", "differs", "same"]
    assert "ELEMENT_WISE_MIN: 1 of 2 elements differ, the first is element 1" in found[1].words
    assert "clamp: not above N - 1" in found[1].about


def test_a_tensor_that_begins_within_a_buffer_is_bound_there() -> None:
    line, indices = np.arange(8, dtype=np.int32), np.array([0, 3])
    program = legalize("gather", [line, indices])
    assert isinstance(program, Program)
    (step,) = program.operators
    desc = GatherOperatorDesc.infer(line[4:], indices)
    moved = replace(step, desc=desc, inputs=(Binding("input", 16), *step.inputs[1:]))
    files = pack_of([Case("moved", replace(program, steps=(moved,)), (line, indices))], "Moved")
    data, _ = npy.read("", files[PurePosixPath("expected/moved.npy")])
    assert np.frombuffer(data, np.int32)[:2].tolist() == [4, 7]


def test_no_program_is_refused_with_its_reasons() -> None:
    table = np.zeros(4, np.longdouble)
    program = legalize("scatter_nd", [table, np.array([[1]]), table[:1]], reduction="mul")
    assert not program
    with pytest.raises(DxDispatchError, match="no program for scatter_nd"):
        pack_of([Case("case", program, (table,))], "Impossible")


def test_arrays_that_a_program_is_not_for_are_refused() -> None:
    program = legalize("gather", [ROWS, np.array([2, 9])], axis=1, mode="clamp")
    with pytest.raises(ValueError, match="indices has shape"):
        pack_of([Case("gather", program, (ROWS, np.array([1])))], "Other indices")


X, MASK = TensorDesc(DataType.INT32, (2, 3)), TensorDesc(DataType.UINT8, (2, 3))
ROW, COLUMN = TensorDesc(DataType.INT32, (1, 3)), TensorDesc(DataType.INT32, (2, 1))
TURNED = TensorDesc(DataType.INT32, (2, 3), strides=(1, 2))
SEQUENCE = {"ValueDataType": "INT32", "ValueStart": 5, "ValueDelta": -2}
HELPERS = [
    (HelperDesc("ELEMENT_WISE_IDENTITY", (TURNED,), X), [[0, 2, 4], [1, 3, 5]]),
    (HelperDesc("ELEMENT_WISE_ADD", (X, X), X), [[0, 2, 4], [6, 8, 10]]),
    (HelperDesc("ELEMENT_WISE_SUBTRACT", (X, TURNED), X), [[0, -1, -2], [2, 1, 0]]),
    (HelperDesc("ELEMENT_WISE_IF", (MASK, X, TURNED), X), [[0, 1, 4], [3, 3, 5]]),
    (HelperDesc("CAST", (X,), MASK), [[0, 1, 2], [3, 4, 5]]),
    (HelperDesc("JOIN", (ROW, ROW), X, {"Axis": 0}), [[0, 1, 2], [0, 1, 2]]),
    (
        HelperDesc("SLICE", (X,), COLUMN, {"Offsets": [0, 2], "Sizes": [2, 1], "Strides": [1, 1]}),
        [[2], [5]],
    ),
    (HelperDesc("REDUCE", (X,), COLUMN, {"Function": "SUM", "Axes": [1]}), [[3], [12]]),
    (HelperDesc("FILL_VALUE_SEQUENCE", (), X, SEQUENCE), [[5, 3, 1], [-1, -3, -5]]),
]


def model_of(desc: HelperDesc, **changes: Any) -> dict[str, Any]:
    """A model that runs the helper on 0, 1, 2, …; the mask is 0 where IF takes the other."""
    operator = HelperOperator(desc)
    bindings: dict[str, Any] = {}
    resources: dict[str, Any] = {}
    for point, tensors in operator.inputs().items():
        for i, tensor in enumerate(tensors):
            name = f"{point}{i}"
            values = list(range(6)) if point != "ConditionTensor" else [0, 1, 0, 1, 0, 1]
            data_type = tensor.data_type.name
            resources[name] = {"initialValuesDataType": data_type, "initialValues": values}
            bindings.setdefault(point, []).append(name)
    resources["out"] = {
        "initialValuesDataType": desc.output.data_type.name,
        "initialValues": {"valueCount": 6, "value": 77},
    }
    fields = {**operator.to_json(), **changes}
    given = {name: value for name, value in fields.items() if value is not None}
    return {
        "resources": resources,
        "dispatchables": {"h": {"type": f"DML_OPERATOR_{operator.type}", "desc": given}},
        "commands": [
            {
                "type": "dispatch",
                "dispatchable": "h",
                "bindings": {**bindings, "OutputTensor": "out"},
            },
            {"type": "writeFile", "resource": "out", "targetPath": "out.bin"},
        ],
    }


@pytest.mark.parametrize(("desc", "expected"), HELPERS, ids=lambda v: getattr(v, "operator", ""))
def test_helpers_run_as_their_json_says(desc: HelperDesc, expected: Any) -> None:
    model = parse_model(json.dumps(model_of(desc)), no_files)
    operator = model.dispatchables["h"].operator
    assert isinstance(operator, HelperOperator)
    assert operator.desc == desc
    (content,) = execute(model).files.values()
    found = np.frombuffer(content, desc.output.data_type.dtype)
    flat = np.array(expected).reshape(-1)
    assert found[: flat.size].tolist() == flat.tolist()
    assert set(found[flat.size :].tolist()) <= {77, 0}


JOIN, SLICE, REDUCE, FILL = (HELPERS[i][0] for i in (5, 6, 7, 8))


@pytest.mark.parametrize(
    ("desc", "changes", "reason"),
    [
        (JOIN, {"InputCount": 3}, "InputCount is 3, expected 1 to 2"),
        (JOIN, {"InputCount": 0}, "InputCount is 0"),
        (JOIN, {"InputCount": None}, "has no field InputCount"),
        (JOIN, {"Axis": 2}, "Axis is 2, expected an integer, 0 to 1"),
        (JOIN, {"Axis": 1}, "E_INVALIDARG: JOIN: OutputTensor"),
        (JOIN, {"InputTensors": {}}, "InputTensors is an object, expected an array"),
        (SLICE, {"DimensionCount": 3}, "expected 2 numbers each"),
        (SLICE, {"Offsets": [0]}, "expected 2 numbers each"),
        (SLICE, {"Strides": [1, 2]}, "Strides are not all 1: not run here"),
        (SLICE, {"Offsets": [0, 3]}, "E_INVALIDARG: SLICE: Offsets[1]"),
        (REDUCE, {"Function": "ARGMAX"}, "Function is 'ARGMAX'"),
        (REDUCE, {"Axes": [2]}, "Axes is 2, expected an integer, 0 to 1"),
        (REDUCE, {"Axes": [1, 1], "AxisCount": 2}, "expected different ones"),
        (REDUCE, {"Axes": [], "AxisCount": 0}, "Axes has 0 numbers"),
        (REDUCE, {"AxisCount": 2}, "as AxisCount says"),
        (FILL, {"ValueDataType": "UINT8"}, "ValueDataType is UINT8, expected the output's"),
        (FILL, {"ValueStart": 2**31}, "ValueStart is 2147483648, expected an integer"),
        (FILL, {"ValueStart": {"UInt8": 1}}, "ValueStart has no field Int32"),
        (FILL, {"ValueStart": 1.0}, "ValueStart is 1.0, expected an object"),
        (HELPERS[0][0], {"ScaleBias": {"Scale": 2, "Bias": 0}}, "ScaleBias: not run here"),
        (HELPERS[0][0], {"OutputTensor": {"DataType": "INT32", "Sizes": [6]}}, "1 and 2 dims"),
        (HELPERS[1][0], {"BTensor": None}, "has no field BTensor"),
    ],
)
def test_helpers_that_are_refused(desc: HelperDesc, changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(DxDispatchError) as caught:
        parse_model(json.dumps(model_of(desc, **changes)), no_files)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_scalar_may_be_named_by_its_type() -> None:
    text = json.dumps(model_of(FILL, ValueStart={"Int32": 5}))
    operator = parse_model(text, no_files).dispatchables["h"].operator
    assert isinstance(operator, HelperOperator)
    assert operator.desc == FILL


def test_all_operators_of_the_programs_are_known() -> None:
    counts: Counter[str] = Counter()
    for case in drawn_cases(40, 8, feature_level=FeatureLevel.FL_2_1):
        counts.update(step.desc.operator for step in case.desc.operators)
    assert len(counts) >= 8
