"""lower_node: what ONNX Runtime's DirectML provider was seen to do, all of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import onnx.defs
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dmlindex
from dmlindex.onnx import Lowering, cpu_provider, from_onnx_node, lower_node, schemas
from dmlindex.onnx.nodes import ATTRIBUTES, input_count
from tests.onnx import recorded

DTYPES = ("float32", "float16", "float64", "bool", "int8", "uint64", "string", "bfloat16")


def test_every_recorded_lowering_comes_out_the_same() -> None:
    table: Counter[str] = Counter()
    other = []
    for case in recorded.cases():
        lowering = recorded.lower(case)
        same = lowering.placed == case["placed"] and lowering.descs == recorded.descs(case)
        other += [] if same else [(case, lowering)]
        table[lowering.placed] += 1
    assert other == []
    assert table == {"DML": 1549, "CPU": 227, "error": 300}


def test_errors_come_when_they_were_seen() -> None:
    for case in recorded.cases():
        lowering = recorded.lower(case)
        at = {"": "", "run": "run"}.get(case.get("error", "").partition(":")[0], "session creation")
        assert lowering.error_at == at, (case, lowering)
        assert bool(lowering.reason) or (lowering.placed == "DML" and bool(lowering.descs))


def test_other_results_than_the_cpu_providers_are_told() -> None:
    """Memory left unwritten may hold the right answer by chance, but never where there is one."""
    found: Counter[tuple[str, bool]] = Counter()
    for case in recorded.cases():
        if "equals_cpu" in case and (differs := recorded.lower(case).differs):
            found[differs.rpartition("; ")[2], case["equals_cpu"]] += 1
        elif "equals_cpu" in case:
            assert case["equals_cpu"], case
    assert found == {
        ("the CPU fills it from data", False): 9,
        ("all indices are out of range", False): 2,
        ("all indices are out of range", True): 7,
    }


def test_the_cpu_provider_refuses_what_it_was_seen_to_refuse() -> None:
    """Whoever ran the node, the CPU provider was asked too."""
    table: Counter[str] = Counter()
    for case in recorded.cases():
        if case["tag"] == "range":  # refused for an index, no shape is to blame
            continue
        node = recorded.node(case)
        why = (
            schemas.broken_schema(node)
            or schemas.broken_shapes(node)
            or cpu_provider.missing_kernel(node)
            or cpu_provider.refused_shapes(node)
        )
        assert bool(why) == bool(case.get("cpu_error")), (case, why)
        table["refused" if why else "runs"] += 1
    assert table == {"runs": 2005, "refused": 48}


@pytest.mark.parametrize("op_type", ATTRIBUTES)
def test_the_schemas_are_those_of_onnx(op_type: str) -> None:
    first, last = schemas.opsets(op_type)
    for opset in range(1, schemas.LAST_OPSET + 1):
        if not first <= opset <= last:
            exists = onnx.defs.has(op_type, max_inclusive_version=opset)
            assert not exists or onnx.defs.get_schema(op_type, opset).deprecated
            continue
        schema = onnx.defs.get_schema(op_type, opset)
        assert schema.attributes.keys() <= ATTRIBUTES[op_type].keys()
        for name, default in ATTRIBUTES[op_type].items():
            given = {name: default}
            lowering = lower(op_type, given, opset=opset)
            assert (name in schema.attributes) == ("came with opset" not in lowering.reason)
            if name in schema.attributes:
                assert onnx.helper.get_attribute_value(schema.attributes[name].default_value) in (
                    default,
                    str(default).encode(),
                )
        assert len(schema.inputs) == input_count(op_type)
        data, indices = (types_of(schema, i) for i in range(2))
        assert schemas.data_types(opset) == data
        assert schemas.index_types(op_type) == indices


def types_of(schema: onnx.defs.OpSchema, position: int) -> set[str]:
    names = {name[len("tensor(") : -1] for name in schema.inputs[position].types}
    return {{"float": "float32", "double": "float64"}.get(name, name) for name in names}


def lower(op_type: str, attributes: dict[str, Any] | None = None, **options: Any) -> Lowering:
    """Of a small node; shapes, dtypes, opset and so on where given."""
    scatters = op_type.startswith("Scatter")
    shapes = [(3, 4), (2, 1), (2, 4)] if op_type.endswith("ND") else [(3, 4), (2, 4), (2, 4)]
    values: dict[str, Any] = {
        "shapes": shapes[: 2 + scatters],
        "dtypes": ["float32", "int64", "float32"][: 2 + scatters],
        "opset": 10 if op_type == "Scatter" else 13,
    } | options
    return lower_node(
        op_type, attributes or {}, values.pop("shapes"), values.pop("dtypes"), **values
    )


@pytest.mark.parametrize(
    ("op_type", "attributes", "options", "placed", "reason"),
    [
        ("Gather", {}, {"opset": 26}, "error", "Gather at opset 26, expected opset 1 to 25"),
        ("Scatter", {}, {"opset": 11}, "error", "ScatterElements took its place"),
        ("GatherND", {"batch_dims": 1}, {"opset": 11}, "error", "batch_dims came with opset 12"),
        ("Gather", {}, {"dtypes": ["bfloat16", "int64"], "opset": 12}, "error", "data is bfloat16"),
        ("Gather", {}, {"dtypes": ["bfloat16", "int64"]}, "CPU", "DirectML has no bfloat16"),
        ("Gather", {}, {"dtypes": ["float8_e5m2", "int64"]}, "error", "data is float8"),
        ("Gather", {}, {"dtypes": ["float32", "uint32"]}, "error", "expected int32 or int64"),
        ("Gather", {}, {"dtypes": ["float64", "int64"]}, "CPU", "float64 needs a device"),
        ("Gather", {}, {"dtypes": [str, "int64"]}, "CPU", "DirectML has no string"),
        ("Gather", {}, {"dtypes": ["complex64", "int64"]}, "CPU", "no complex64; ONNX Runtime has"),
        (
            *("ScatterND", {}, {"dtypes": ["float32", "int64", "float16"]}),
            *("error", "updates is float16, expected data's type, float32"),
        ),
        ("ScatterND", {"reduction": b"add"}, {"opset": 16}, "CPU", "no reduction"),
        ("ScatterND", {}, {"opset": 18}, "CPU", "no ScatterND from opset 18 on"),
        ("ScatterND", {}, {"opset": 18, "shapes": [(3,), (2, 1), (3,)]}, "error", r"expected \(2,"),
        ("ScatterElements", {"axis": 2}, {"opset": 18}, "error", "the CPU provider refuses: axis"),
        (
            *(
                "GatherND",
                {"batch_dims": -1},
                {"dtypes": [str, "int64"], "shapes": [(3, 4), (3, 1)]},
            ),
            *("error", "refuses: batch"),
        ),
        (
            *("ScatterElements", {}, {"opset": 18, "shapes": [(3, 4), (4,), (4,)]}),
            *("error", "indices has 1 dims, expected data's 2"),
        ),
        (
            *("ScatterElements", {}, {"opset": 18, "shapes": [(0, 4), (2, 4), (2, 4)]}),
            *("error", "an axis of size 0"),
        ),
        ("Gather", {}, {"constants": [1, 0], "constant_folding": True}, "CPU", "beforehand"),
        ("Gather", {"axis": -3}, {}, "error", "not a valid model: axis is -3, expected -2 to 1"),
        ("GatherElements", {"axis": -3}, {}, "error", "axis is -3, expected -2 to 1"),
        ("Gather", {}, {"shapes": [(), (2,)]}, "error", "expected data of at least one dim"),
        ("Gather", {}, {"shapes": [(2,) * 7, (1, 1, 1)]}, "error", "9 dims, of which DirectML"),
        ("GatherND", {}, {"shapes": [(3, 4), (3,)]}, "error", "indices' last size is 3"),
        ("GatherND", {}, {"shapes": [(3, 4), (2,)]}, "error", "the result has no dims"),
        ("GatherND", {"batch_dims": -1}, {}, "error", "batch_dims is -1, expected 0 to 1"),
        ("GatherND", {"batch_dims": 1}, {}, "error", "batch sizes"),
        ("ScatterElements", {}, {"shapes": [(3, 4), (2, 4), (2, 3)]}, "error", "updates has shape"),
        ("ScatterND", {}, {"shapes": [(3,), (), (3,)]}, "error", "indices has no dim"),
        ("GatherElements", {}, {"shapes": [(3, 4), (2, 3)]}, "error", r"\[indices-sizes\]"),
        ("Gather", {}, {"shapes": [(2**32, 1), (2,)]}, "error", "fields cannot hold"),
        ("Gather", {}, {"shapes": [(2**31, 2), (2,)]}, "error", "E_INVALIDARG"),
    ],
)
def test_reasons(
    op_type: str, attributes: dict[str, Any], options: dict[str, Any], placed: str, reason: str
) -> None:
    lowering = lower(op_type, attributes, **options)
    assert lowering.placed == placed
    with pytest.raises(AssertionError, match=reason):
        raise AssertionError(lowering.reason)


@pytest.mark.parametrize(
    ("dtype", "reduction", "runs"),
    [
        ("float16", "add", False),
        ("float16", "max", False),
        ("bool", "min", False),
        ("bool", "max", False),
        ("bool", "add", True),
        ("string", "add", True),
        ("float32", "mul", True),
    ],
)
def test_reductions_that_the_cpu_provider_lacks(dtype: str, reduction: str, runs: bool) -> None:
    dtypes = [dtype, "int64", dtype]
    lowering = lower("ScatterND", {"reduction": reduction}, dtypes=dtypes, opset=18)
    assert lowering.placed == "CPU"
    assert lowering.error_at == ("" if runs else "run")
    if dtype == "float16" and reduction == "max":
        elements = lower("ScatterElements", {"reduction": "max"}, dtypes=dtypes, opset=18)
        assert elements.error_at == ""


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("Conv", {}, [], []), {}, ValueError, "op_type is 'Conv'"),
        (("Gather", {"axis": 1.5}, [(3,), (2,)], ["f4", "i8"]), {}, TypeError, "axis is of type f"),
        (("Gather", {"axis": True}, [(3,), (2,)], ["f4", "i8"]), {}, TypeError, "axis is True"),
        (("Gather", {}, [(3,), (2,)], ["f4", "what"]), {}, TypeError, "'what' is no dtype"),
        (("Gather", {}, [(3,), (2,)], ["f4", "i8"]), {"opset": 0}, ValueError, "opset is 0"),
        (("Gather", {}, [(3,), (2,)], ["f4", "i8"]), {"opset": "13"}, TypeError, "opset is of"),
        (("Gather", {}, [(3,), (2,)], ["f4", "i8"]), {"constants": [2]}, ValueError, "0 to 1"),
        (
            ("ScatterND", {"reduction": 1}, [(3,), (2, 1), (2,)], ["f4", "i8", "f4"]),
            *({}, TypeError, "reduction is of type int"),
        ),
    ],
)
def test_what_no_node_says(
    arguments: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        lower_node(*arguments, **({"opset": 13} | options))


SHAPES = st.lists(st.integers(0, 4), max_size=5).map(tuple)


@st.composite
def nodes(draw: st.DrawFn) -> tuple[str, dict[str, Any], list[tuple[int, ...]], list[str], int]:
    """Mostly what ONNX allows, but anything may be wrong with it."""
    op_type = draw(st.sampled_from(sorted(ATTRIBUTES)))
    attributes: dict[str, Any] = {}
    for name in draw(st.sets(st.sampled_from(sorted(ATTRIBUTES[op_type])))):
        reductions = st.sampled_from(("none", "add", "max", "?"))
        attributes[name] = draw(reductions if name == "reduction" else st.integers(-3, 3))
    data = draw(SHAPES)
    indices = draw(st.one_of(SHAPES, st.just(data)))
    updates = draw(st.one_of(SHAPES, st.just(indices)))
    dtype = draw(st.sampled_from(DTYPES))
    count = input_count(op_type)
    dtypes = [dtype, draw(st.sampled_from(("int64", "int64", "int32"))), dtype][:count]
    return op_type, attributes, [data, indices, updates][:count], dtypes, draw(st.integers(1, 26))


@given(node=nodes(), dynamic=st.booleans(), doubles=st.booleans(), constants=st.sets(st.just(1)))
def test_any_node_has_a_lowering_that_holds_together(
    node: Any, dynamic: bool, doubles: bool, constants: set[int]
) -> None:
    *arguments, opset = node
    lowering = lower_node(
        *arguments,
        opset=opset,
        dynamic_shapes=dynamic,
        device_doubles=doubles,
        constants=constants,
    )
    broken = [bool(desc.violations()) for desc in lowering.descs]
    assert (lowering.placed == "error") <= bool(lowering.error_at)
    assert (lowering.placed == "CPU") <= (not lowering.descs)
    assert broken in ([], [False], [False, False]) or lowering.placed == "error"
    assert lowering.reason or (lowering.placed == "DML" and lowering.descs)
    assert len(lowering.descs) <= (2 if constants and not dynamic else 1)


@given(node=nodes())
def test_from_onnx_node_is_the_one_desc_of_a_lowering(node: Any) -> None:
    *arguments, opset = node
    lowering = lower_node(*arguments, opset=opset)
    if lowering.placed == "DML" and lowering.descs:
        assert (from_onnx_node(*arguments, opset=opset),) == lowering.descs
        return
    with pytest.raises(dmlindex.DescriptorError) as raised:
        from_onnx_node(*arguments, opset=opset)
    assert lowering.reason in str(raised.value)


@given(node=nodes(), dim=st.integers(1, 3))
def test_a_leading_dim_of_one_changes_nothing_but_the_dims(node: Any, dim: int) -> None:
    """*Elements and Gather of data with a 1 in front: the same elements, in one more dim."""
    op_type, attributes, shapes, dtypes, opset = node
    assume(op_type in ("GatherElements", "Scatter", "ScatterElements"))
    assume(len(shapes[0]) + 1 < 8)
    axis = attributes.get("axis", 0)
    assume(-len(shapes[0]) <= axis < len(shapes[0]) == len(shapes[1]))
    deeper = attributes | {"axis": axis + 1 if axis >= 0 else axis}
    if "axis" not in attributes:
        deeper = attributes | {"axis": 1}
    before = lower_node(op_type, attributes, shapes, dtypes, opset=opset)
    after = lower_node(op_type, deeper, [(1, *s) for s in shapes], dtypes, opset=opset)
    assert before.placed == after.placed
    assert before.error_at == after.error_at
    assert len(before.descs) == len(after.descs)
