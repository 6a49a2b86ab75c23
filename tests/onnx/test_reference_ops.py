"""new_ops and Backend: where they run, and where they differ from ONNX's own evaluator."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import onnx
import onnx.parser
import pytest
from hypothesis import given
from onnx.reference import ReferenceEvaluator

import dmlindex
from dmlindex import reference, testing
from dmlindex.onnx import Backend, new_ops

Array = npt.NDArray[Any]


def node(op_type: str, **attributes: Any) -> onnx.NodeProto:
    inputs = ["data", "indices", "updates"][: 2 + op_type.startswith("Scatter")]
    return onnx.helper.make_node(op_type, inputs, ["output"], **attributes)


def onnx_says(proto: onnx.NodeProto, *inputs: Array) -> Array:
    outputs: Any = ReferenceEvaluator(proto).run(None, dict(zip(proto.input, inputs, strict=True)))
    return np.asarray(outputs[0])


def ours(proto: onnx.NodeProto, *inputs: Array) -> Array:
    evaluator = ReferenceEvaluator(proto, new_ops=new_ops())
    outputs: Any = evaluator.run(None, dict(zip(proto.input, inputs, strict=True)))
    result: Array = outputs[0]
    return result


@pytest.mark.parametrize("reduction", ["min", "max"])
def test_nan_stays_in_min_and_max(reduction: str) -> None:
    """ONNX's ScatterElements uses Python's min, which loses a NaN update; its ScatterND not."""
    data, nan = np.array([1, 2], np.float32), np.array([np.nan], np.float32)
    elements, nd = (node(op, reduction=reduction) for op in ("ScatterElements", "ScatterND"))
    assert onnx_says(elements, data, np.array([0]), nan).tolist() == [1, 2]
    for found in (
        ours(elements, data, np.array([0]), nan),
        ours(nd, data, np.array([[0]]), nan),
        onnx_says(nd, data, np.array([[0]]), nan),
    ):
        np.testing.assert_array_equal(found, np.array([np.nan, 2], np.float32))


def test_an_index_out_of_range_is_an_error() -> None:
    """ONNX's GatherElements takes it modulo the axis."""
    proto, data = node("GatherElements", axis=0), np.arange(3)
    assert onnx_says(proto, data, np.array([4])).tolist() == [1]
    with pytest.raises(IndexError, match=r"indices\[0\] = 4 is out of range"):
        ours(proto, data, np.array([4]))


def test_indices_may_be_smaller_off_the_axis() -> None:
    """As ONNX Runtime's CPU provider has it; ONNX's evaluator refuses."""
    proto, data, indices = node("GatherElements", axis=0), np.arange(6).reshape(3, 2), [[2]]
    with pytest.raises(ValueError, match="all dimensions"):
        onnx_says(proto, data, np.array(indices))
    assert ours(proto, data, np.array(indices)).tolist() == [[4]]


def test_scatter_exists_here() -> None:
    model = onnx.parser.parse_model("""
        <ir_version: 6, opset_import: ["" : 10]>
        old (float[3] x, int64[1] i, float[1] u) => (float[3] y) { y = Scatter(x, i, u) }""")
    with pytest.raises(Exception, match="Scatter"):
        ReferenceEvaluator(model)
    inputs = [np.zeros(3, np.float32), np.array([1]), np.ones(1, np.float32)]
    assert Backend.run_model(model, inputs)[0].tolist() == [0, 1, 0]


def test_a_backend_runs_them_in_functions_and_subgraphs() -> None:
    """Seen by a NaN, which only ours keep."""
    model = onnx.parser.parse_model("""
        <ir_version: 8, opset_import: ["" : 18, "own" : 1]>
        both (bool c, float[2] x, int64[1] i, float[1] u) => (float[2] y, float[2] z) {
            y = own.lowest(x, i, u)
            z = If (c) <
                then_branch = t () => (float[2] a) {
                    a = ScatterElements <reduction: string = "min"> (x, i, u) },
                else_branch = e () => (float[2] b) { b = Identity(x) }>
        }
        <domain: "own", opset_import: ["" : 18]>
        lowest (x, i, u) => (y) { y = ScatterElements <reduction: string = "min"> (x, i, u) }
        """)
    nan = np.array([np.nan], np.float32)
    inputs = [np.array(True), np.ones(2, np.float32), np.array([1]), nan]
    y, z = Backend.run_model(model, inputs)
    np.testing.assert_array_equal(y, [1, np.nan])
    np.testing.assert_array_equal(z, [1, np.nan])


def test_strings_move_too() -> None:
    words = np.array([["a", "b"], ["c", "d"]], object)
    assert ours(node("Gather", axis=1), words, np.array([1])).tolist() == [["b"], ["d"]]
    assert ours(node("Gather"), np.array(["a", "b"], object), np.array(1)).tolist() == "b"
    indices, new = np.array([[0, 1]]), np.array([["x", "y"]], object)
    proto = node("ScatterElements", axis=0)
    assert ours(proto, words, indices, new).tolist() == [["x", "b"], ["c", "y"]]
    with pytest.raises(TypeError) as raised:
        ours(node("ScatterElements", reduction="add"), words, indices, new)
    assert "strings have no reduction 'add'" in str(raised.value.__cause__ or raised.value)


def test_bfloat16_keeps_its_type() -> None:
    data = np.array([1, 2, 3], ml_dtypes.bfloat16)
    found = ours(node("Gather"), data, np.array([2, 0]))
    assert found.dtype == data.dtype
    assert found.tolist() == [3, 1]


ONNX_NAMES = {
    "gather": "Gather",
    "gather_elements": "GatherElements",
    "gather_nd": "GatherND",
    "scatter_elements": "ScatterElements",
    "scatter_nd": "ScatterND",
}


@given(call=testing.calls(modes=["raise"], with_out=False, with_lists=False))
def test_a_call_through_onnx_is_the_references(call: testing.Call) -> None:
    """Any dtype, layout, shape, axis and reduction; the same error for an index out of range."""

    def through_onnx(*arguments: Any, **options: Any) -> Any:
        count = 3 if call.operator.startswith("scatter") else 2
        attributes = {
            name: value
            for name, value in options.items()
            if name in ("axis", "batch_dims", "reduction")
        }
        for position in arguments[count:]:
            attributes["batch_dims" if call.operator == "gather_nd" else "axis"] = position
        return ours(node(ONNX_NAMES[call.operator], **attributes), *arguments[:count])

    testing.check_same(through_onnx, getattr(reference, call.operator), call)


def test_devices_of_the_backend() -> None:
    assert Backend.supports_device("CPU")
    assert Backend.supports_device("cpu")
    assert not Backend.supports_device("CUDA")
    assert Backend.supports_device("d3d12") == dmlindex.devices()[-1].available
    x, i = np.arange(3), np.array([2])
    with pytest.raises(Exception, match='device is "gpu"'):
        Backend.run_node(node("Gather"), [x, i], device="gpu")


def test_a_wrong_model_is_refused_by_the_checker() -> None:
    with pytest.raises(onnx.checker.ValidationError):
        Backend.prepare(onnx.ModelProto())


def test_without_onnx_it_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['onnx'] = None\n"
        "import dmlindex.onnx, inspect\n"
        "inspect.getmembers(dmlindex.onnx)  # as help() does\n"
        "lowering = dmlindex.onnx.lower_node('Gather', {}, [(3,), (2,)], ['f4', 'i8'], opset=13)\n"
        "print(lowering.placed)\n"
        "try: dmlindex.onnx.Backend\n"
        "except AttributeError as error: print(error)\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert found == ["DML", "dmlindex.onnx.Backend needs ONNX: pip install dmlindex[onnx]"]


def test_importing_dmlindex_imports_no_onnx() -> None:
    code = "import sys, dmlindex, dmlindex.onnx; print('onnx' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
