"""check_model in whole graphs: subgraphs, functions, shapes of shapes, constants."""

from __future__ import annotations

import numpy as np
import onnx
import onnx.helper
import onnx.numpy_helper
from onnx.parser import parse_model

from dmlindex.onnx import check_model, models
from tests.onnx import one_node
from tests.onnx.test_check import F32_I64, one


def test_shapes_are_inferred_in_subgraphs_and_functions() -> None:
    report = check_model(
        parse_model("""
        <ir_version: 8, opset_import: ["" : 17, "own" : 1]>
        all (bool c, float[5, 4] x, int64[3] i) => (y, z) {
            y = own.low (x, i)
            z = If (c) <
                then_branch = t () => (a) { q = Gather <axis = 1> (x, i)  a = Neg (q) },
                else_branch = e () => (b) { b = Identity (x) }>
        }
        <domain: "own", opset_import: ["" : 17]>
        low (x, i) => (y) { w = Neg (x)  y = GatherElements (w, w) }
        """)
    )
    gather_elements, gather = report.findings
    assert gather_elements.op_type == "GatherElements"
    assert gather_elements.inputs == ("float[5, 4]", "float[5, 4]")
    assert gather_elements.verdict == "refused"
    assert "indices is float32, expected int32 or int64" in gather_elements.why
    assert gather.place == "If.then_branch"
    assert gather.inputs == ("float[5, 4]", "int64[3]")
    assert gather.lowering is not None
    assert gather.lowering.descs[0].output_tensor.sizes == (5, 3)  # type: ignore[union-attr]


def test_a_function_of_another_opset_is_looked_at_by_itself() -> None:
    report = check_model(
        parse_model("""
        <ir_version: 8, opset_import: ["" : 18, "own" : 1]>
        all (float[5, 4] x, int64[3] i) => (y) { y = own.low <axis = 1> (x, i) }
        <domain: "own", opset_import: ["" : 17]>
        low <axis> (x, i) => (y) { y = Gather <axis: int = @axis> (x, i) }
        """)
    )
    found = one(report)
    assert (found.place, found.opset, found.verdict) == ("own.low", 17, "unknown")


def test_what_makes_a_shape_runs_on_the_cpu() -> None:
    """And what depends on constants alone is computed beforehand."""
    model = parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        reshape (float[N, 4] x) => (y)
        <int64 zero = {0}, int64[2] table = {5, 6}> {
            s = Shape (x)
            n = Gather (s, zero)
            one = Constant <value_ints = [-1]> ()
            u = Unsqueeze (n, one)
            m = Gather (u, zero)
            t = Gather (table, zero)
            w = Concat <axis = 0> (u, one)
            y = Reshape (x, w)
            r = Gather (y, zero)
        }""")
    verdicts = [(found.verdict, found.why) for found in check_model(model).findings]
    made = ("cpu", "it computes a shape, and ONNX Runtime does that on the CPU")
    folded = "all inputs are constants, so that the session computes it once, beforehand"
    assert verdicts[:3] == [made, made, ("cpu", folded)]
    assert verdicts[3][0] == "unknown"
    unfolded = check_model(model, constant_folding=False).findings[2]
    assert unfolded.verdict == "accepted"
    assert unfolded.lowering is not None
    assert len(unfolded.lowering.descs) == 2


def test_what_is_a_constant() -> None:
    """Computed of constants, or the shape of what has one; nothing random, nothing else."""
    model = parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        constants (float[3, 4] x, float[N] v, int64[2] j) => (y)
        <int64[2] i = {0, 1}> {
            s = Shape (x)
            t = Shape (v)
            r = RandomNormalLike (i)
            n = Neg (i)
            m = Add (i, j)
            a = Gather (x, i)
            b = Gather (x, n)
            c = Gather (s, i)
            d = Gather (r, i)
            e = Gather (x, m)
            f = Gather (x, j)
            g = Gather (t, j)
            h = Gather (s, j)
        }""")
    found = check_model(model).findings
    owned = [len(finding.lowering.descs) if finding.lowering else None for finding in found]
    assert owned == [2, 2, None, 2, 1, 1, 1, 2]
    assert [finding.verdict for finding in found[:3]] == ["accepted", "undefined", "cpu"]


def test_values_of_constants_are_found() -> None:
    model = parse_model("""
        <ir_version: 8, opset_import: ["" : 17]>
        values (float[3, 4] x) => (y) <int64[2] i = {0, 7}> {
            k = Identity (i)
            one = Constant <value_int = 8> ()
            more = Constant <value_ints = [1, 9]> ()
            tensor = Constant <value = int64[1] {6}> ()
            a = Gather (x, k)
            b = Gather (x, one)
            c = Gather (x, more)
            d = Gather (x, tensor)
        }""")
    found = [finding.why.partition(" is ")[0] for finding in check_model(model).findings]
    assert found == ["indices[1] = 7", "indices = 8", "indices[1] = 9", "indices[0] = 6"]


def test_large_values_are_dropped() -> None:
    tensors = [np.zeros(size, np.int8) for size in (10, 2**24 + 1)]
    graph = onnx.helper.make_graph([], "g", [], [])
    graph.initializer.extend(onnx.numpy_helper.from_array(tensor) for tensor in tensors)
    model = onnx.helper.make_model(graph)
    models.drop_weights(model)
    assert [len(tensor.raw_data) for tensor in model.graph.initializer] == [10, 0]


def test_an_initializer_that_is_an_input_too_is_no_constant() -> None:
    """From IR version 4 on; before, all of them had to be inputs."""
    model = one_node.model("Gather", {}, [(3, 4), (2,)], F32_I64, 13, constants=(0, 1))
    assert one(check_model(model)).verdict == "cpu"
    for name, shape in (("data", (3, 4)), ("indices", (2,))):
        dtype = one_node.elem_type("float32" if name == "data" else "int64")
        model.graph.input.append(onnx.helper.make_tensor_value_info(name, dtype, shape))
    assert one(check_model(model)).verdict == "undefined"
    model.ir_version = 3
    assert one(check_model(model)).verdict == "cpu"


def test_the_given_model_stays_as_it_is() -> None:
    model = one_node.model("Gather", {}, [("n", 4), (2,)], F32_I64, 13)
    before = model.SerializeToString()
    check_model(model, inputs={"data": (3, 4)})
    assert model.SerializeToString() == before
