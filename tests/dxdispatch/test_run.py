"""Running a model: operators, bindings, what is printed and written, and what is refused."""

from __future__ import annotations

import io
import json
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import reference
from dmlindex.directml import dxdispatch
from dmlindex.directml.dxdispatch import DxDispatchError
from dmlindex.directml.dxdispatch.operators import IndexingOperator
from dmlindex.directml.dxdispatch.writer import Case, ModelWriter
from tests.descriptors.desc_strategies import Problem, problems
from tests.dxdispatch.models import GATHER, changed, executed, no_files, output, parsed, refused

DESC = "dispatchables/g/desc"
BINDINGS = "commands/0/bindings"
SQUARE = {"DataType": "INT32", "Sizes": [2, 2]}


def test_a_model_prints_and_writes() -> None:
    outcome = executed(GATHER)
    assert outcome.printed == ["Resource 'out': 2, 0, 5, 5"]
    assert [str(path) for path in outcome.files] == ["out.npy"]
    assert output(GATHER) == [2, 0, 5, 5]


def test_an_index_out_of_range_does_what_directml_does() -> None:
    model = changed("resources/i/initialValues", [3, -4, 9, 2**32 + 1])
    assert output(model) == [
        3,
        6,
        6,
        5,
    ]  # the padding; else the last element


@given(problems())
def test_every_operator_gives_what_the_reference_gives(problem: Problem) -> None:
    """By way of JSON and files: the same desc, and the same bytes, padding included."""
    writer = ModelWriter()
    writer.add(Case("case", problem.desc, problem.buffers))
    model = dxdispatch.parse_model(writer.text(), lambda _, path: writer.files[PurePosixPath(path)])
    operator = model.dispatchables["case"].operator
    assert isinstance(operator, IndexingOperator)
    assert operator.desc == problem.desc
    outcome = dxdispatch.execute(model)
    (content,) = outcome.files.values()
    written = np.load(io.BytesIO(content)).reshape(-1)
    out = np.full(written.size, np.frombuffer(b"\xa5" * 8, written.dtype)[0], written.dtype)
    expected = reference.run(problem.desc, *problem.buffers, out=out)
    assert written.tobytes() == expected.tobytes()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("dispatchables/g/type", "DML_OPERATOR_GATHER_ELEMENTS"),
        ("dispatchables/g/Desc", GATHER["dispatchables"]["g"]["desc"]),
        ("dispatchables/g/dmlCompileType", "DmlCompileGraph"),
        ("dispatchables/g/executionFlags", ["DISABLE_META_COMMANDS", "NONE"]),
        ("dispatchables/g/unknown", {"key": []}),
        ("$schema", "./_schema.json"),
        (
            f"{DESC}/OutputTensor",
            {"Type": "BUFFER", "Desc": {"DataType": "INT32", "Sizes": [2, 2]}},
        ),
        (f"{DESC}/OutputTensor/Sizes", [2, 2]),
        (f"{DESC}/OutputTensor/Strides", []),
        (f"{DESC}/OutputTensor/DimensionCount", 2),
        (f"{DESC}/OutputTensor/TotalTensorSizeInBytes", 0),
        (f"{DESC}/OutputTensor/Flags", "DML_TENSOR_FLAG_NONE"),
        (f"{DESC}/OutputTensor/DataType", "DML_TENSOR_DATA_TYPE_INT32"),
        (f"{DESC}/IndicesTensor", {"DataType": "INT64", "Sizes": [2, 2, 9], "DimensionCount": 2}),
        (f"{BINDINGS}/InputTensor", {"name": "x"}),
        (f"{BINDINGS}/InputTensor", ["x"]),
        (f"{BINDINGS}/InputTensor", {"name": "x", "elementCount": 1}),
        (f"{BINDINGS}/Other", "x"),
        ("commands/0/type", "DISPATCH"),
        ("commands/2/type", "WRITEFILE"),
    ],
)
def test_ways_to_write_the_same(path: str, value: Any) -> None:
    assert output(changed(path, value)) == [2, 0, 5, 5]


def test_the_fields_may_stand_beside_the_type() -> None:
    desc = GATHER["dispatchables"]["g"]["desc"]
    assert output(changed("dispatchables/g", {"type": "GATHER_ELEMENTS", **desc})) == [2, 0, 5, 5]


def test_of_two_resources_of_a_name_the_last_counts() -> None:
    again = json.dumps({"initialValuesDataType": "INT32", "initialValues": [9, 8, 7, 6, 5, 4, 3]})
    text = json.dumps(GATHER).replace('"out": {', f'"x": {again}, "out": {{')
    model = dxdispatch.parse_model(text, no_files)
    assert dxdispatch.execute(model).printed == ["Resource 'out': 7, 9, 4, 4"]


def test_a_binding_begins_at_its_offset() -> None:
    eleven = {"initialValuesDataType": "INT32", "initialValues": list(range(11))}
    model = changed("resources/x", eleven)
    for source in (
        {"name": "x", "elementOffset": 4},
        {"name": "x", "elementOffset": 1, "elementSizeInBytes": 16},
    ):
        model["commands"][0]["bindings"]["InputTensor"] = source
        assert output(model) == [6, 4, 9, 9]
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "x", "elementOffset": 3}
    assert "at byte 12, expected a multiple of 16" in refused(model)
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "x", "elementOffset": 2**60}
    assert "expected a multiple of 16 below its size, 44" in refused(model)


def test_a_binding_keeps_the_alignment_that_the_tensor_promises() -> None:
    model = changed("resources/x/initialValues/valueCount", 20)
    model["dispatchables"]["g"]["desc"]["InputTensor"]["GuaranteedBaseOffsetAlignment"] = 32
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "x", "elementOffset": 8}
    assert output(model) == [10, 8, 13, 13]
    model["commands"][0]["bindings"]["InputTensor"] = {"name": "x", "elementOffset": 4}
    assert "at byte 16, expected a multiple of 32, the tensor's Guaranteed" in refused(model)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (f"{DESC}/InputTensor/Sizes", [1] * 100_000),
        ("commands/2/dimensions", [7] * 100_000),
        ("commands/2/targetPath", "../" * 100_000),
        ("commands/1/resource", "x" * 100_000),
    ],
)
def test_what_is_said_of_very_much_is_short(path: str, value: Any) -> None:
    assert len(refused(changed(path, value))) <= 2000


def test_every_device_does_the_same(device: str) -> None:
    model = parsed(changed("resources/i/initialValues", [3, -4, 9, 2**32 + 1]))
    assert dxdispatch.execute(model, device=device).printed == ["Resource 'out': 3, 6, 6, 5"]


def test_an_input_that_directml_owns_is_what_it_was_at_first() -> None:
    model = changed(f"{DESC}/InputTensor/Flags", ["OWNED_BY_DML"])
    assert "InputTensor is OWNED_BY_DML" in refused(model)
    model["dispatchables"]["g"]["bindings"] = {"InputTensor": "x"}
    assert "not in the command's" in refused(model)
    del model["commands"][0]["bindings"]["InputTensor"]
    assert output(model) == [2, 0, 5, 5]
    # Another operator writes to x before: what DirectML owns is a copy from before all commands.
    model["commands"].insert(0, {"type": "dispatch", "dispatchable": "s", "bindings": {}})
    model["dispatchables"]["s"] = {
        "type": "SCATTER",
        "InputTensor": {"DataType": "INT32", "Sizes": [7]},
        "IndicesTensor": {"DataType": "INT32", "Sizes": [1]},
        "UpdatesTensor": {"DataType": "INT32", "Sizes": [1]},
        "OutputTensor": {"DataType": "INT32", "Sizes": [7]},
        "Axis": 0,
    }
    points = ("InputTensor", "IndicesTensor", "UpdatesTensor", "OutputTensor")
    model["commands"][0]["bindings"] = dict(zip(points, ("x", "two", "two", "x"), strict=True))
    model["resources"]["two"] = {"initialValuesDataType": "INT32", "initialValues": [2]}
    model["resources"]["x"]["initialValues"]["valueStart"] = 10
    model["commands"].append({"type": "print", "resource": "x"})
    assert output(model) == [12, 10, 15, 15]
    assert executed(model).printed[-1] == "Resource 'x': 10, 11, 2, 13, 14, 15, 16"


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("resources", None, "the model has no field resources"),
        ("dispatchables", [], "dispatchables is an array of 0, expected an object"),
        ("commands", {}, "commands is an object, expected an array"),
        ("commands/0", "dispatch", "commands[0] is 'dispatch', expected an object"),
        ("commands/0/type", "flush", "'flush', expected dispatch, print or writeFile"),
        ("commands/0/dispatchable", "h", "'h', and there is none of that name"),
        ("commands/1/resource", "OUT", "'OUT', and there is no resource of that name"),
        (f"{BINDINGS}/InputTensor", "y", "InputTensor: name is 'y', and there is no resource"),
        (f"{BINDINGS}/InputTensor", 5, "is 5, expected an object"),
        (f"{BINDINGS}/InputTensor", ["x", "x"], "takes 1 resources, found 2"),
        (f"{BINDINGS}/IndicesTensor", "out", "16 bytes are bound, expected at least 32"),
        (f"{BINDINGS}/OutputTensor", None, "OutputTensor: nothing is bound"),
        (BINDINGS, {"inputtensor": "x"}, "nothing is bound; 'inputtensor' is another name"),
        (BINDINGS, None, "has no field bindings"),
        ("dispatchables/g/type", "hlsl", "'hlsl': not run here"),
        ("dispatchables/g/type", "ONNX", "'ONNX': not run here"),
        ("dispatchables/g/type", "DmlSerializedGraph", "not run here"),
        ("dispatchables/g/type", "CONVOLUTION", "'CONVOLUTION', an operator that is not run"),
        ("dispatchables/g/type", "gather", "an operator that is not run"),
        ("dispatchables/g/type", "SCATTER_ELEMENTS", "write SCATTER"),
        ("dispatchables/g/dmlCompileType", "Graph", "expected DmlCompileOp or DmlCompileGraph"),
        ("dispatchables/g/executionFlags", ["FAST"], "executionFlags is 'FAST', expected NONE or"),
        (f"{DESC}/Axis", None, "desc has no field Axis"),
        (f"{DESC}/Axis", 1.0, "Axis is 1.0, expected an integer"),
        (f"{DESC}/Axis", -1, "Axis is -1, expected an integer, 0 to 4294967295"),
        (f"{DESC}/Axis", 2, "E_INVALIDARG: GATHER_ELEMENTS: axis is 2"),
        (f"{DESC}/InputTensor", None, "desc has no field InputTensor"),
        (f"{DESC}/InputTensor/Sizes", [2, 2**33], "Sizes[1] is 8589934592"),
        (f"{DESC}/InputTensor/Sizes", [2, 2**32 - 1], "E_INVALIDARG"),
        (f"{DESC}/InputTensor/Sizes", [2] * 9, "Strides has 2 numbers, expected 9"),
        (f"{DESC}/InputTensor/Strides", [4], "Strides has 1 numbers, expected 2"),
        (f"{DESC}/InputTensor/DimensionCount", 3, "Sizes has 2 numbers, expected 3"),
        (f"{DESC}/InputTensor/Type", "TEXTURE", "Type is 'TEXTURE', expected BUFFER"),
        (f"{DESC}/InputTensor/Flags", "MINE", "Flags is 'MINE', expected NONE or OWNED_BY_DML"),
        (f"{DESC}/InputTensor/DataType", "INT4", "E_INVALIDARG"),
        (f"{DESC}/InputTensor/TotalTensorSizeInBytes", 32, "28 bytes are bound, expected at least"),
        (f"{DESC}/OutputTensor/Flags", "OWNED_BY_DML", "E_INVALIDARG"),
        ("commands/2/targetPath", "../out.npy", "no .."),
        ("commands/2/targetPath", "..\\out.npy", "no .."),
        ("commands/2/targetPath", "/tmp/out.npy", "no absolute path"),
        ("commands/2/targetPath", "C:out.npy", "no drive"),
        ("commands/2/targetPath", "", "expected a file inside of the folder"),
        ("commands/2/targetPath", "out.png", "pictures are not written here"),
        ("commands/2/dimensions", [2, 3], "dimensions [2, 3] need more than the 16 bytes of the"),
        ("commands/2/dimensions", [1] * 40, "or are more than 32"),
        ("commands/1/verbose", 1, "verbose is 1, expected true or false"),
    ],
)
def test_models_that_are_refused(path: str, value: Any, reason: str) -> None:
    assert reason in refused(changed(path, value))


def test_a_size_past_32_bits_is_refused_before_any_memory_is_used() -> None:
    model = changed(f"{DESC}/InputTensor/Strides", [2**30, 1])
    assert "28 bytes are bound, expected at least 4294967308" in refused(model)


@given(st.data())
def test_a_damaged_model_runs_or_is_one_line(data: st.DataObject) -> None:
    text = json.dumps(GATHER)
    for _ in range(data.draw(st.integers(1, 3))):
        begin = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(begin, min(begin + 12, len(text))))
        text = text[:begin] + data.draw(st.text('[]{},:"-0129.eINT', max_size=6)) + text[end:]
    reason = ""
    try:
        dxdispatch.execute(dxdispatch.parse_model(text, no_files))
    except DxDispatchError as error:
        reason = str(error)
    assert "\n" not in reason
    assert len(reason) < 2000


def test_parsing_runs_nothing() -> None:
    model = parsed(changed("resources/i/initialValues", [0] * 5))
    assert model.resources["i"].values == bytes(40)
    assert len(model.commands) == 3
