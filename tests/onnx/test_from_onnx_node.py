"""from_onnx_node: the descriptors that ONNX Runtime's DirectML provider builds."""

from __future__ import annotations

from typing import Any

import pytest

import dmlindex
from dmlindex import DataType, from_onnx_node
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd1,
    index,
    scatter_elements,
    scatter_nd,
)

F32_I64 = ["float32", "int64"]
SCATTER_TYPES = ["float32", "int64", "float32"]


@pytest.mark.parametrize(
    ("op_type", "attributes", "shapes", "expected"),
    [
        # The result has more dims than data: everything gets them, and the axis moves along.
        (
            "Gather",
            {"axis": 1},
            [(5, 7), (2, 3)],
            gather((1, 5, 7), (1, 2, 3), (5, 2, 3), axis=2, index_dimensions=2),
        ),
        # A 0-d index takes a dim away.
        ("Gather", {}, [(5, 7), ()], gather((5, 7), (1, 1), (1, 7), 0, 0)),
        ("Gather", {"axis": -1}, [(5, 7), (2,)], gather((5, 7), (1, 2), (5, 2), 1, 1)),
        (
            "GatherElements",
            {"axis": -2},
            [(5, 7), (9, 7)],
            gather_elements((5, 7), (9, 7), (9, 7), 0),
        ),
        ("GatherND", {}, [(5, 7), (4, 2)], gather_nd1((5, 7), (4, 2), (1, 4), 2, 2, 0)),
        (
            "GatherND",
            {"batch_dims": 1},
            [(2, 5, 7), (2, 1)],
            gather_nd1((2, 5, 7), (1, 2, 1), (1, 2, 7), 3, 2, 1),
        ),
        (
            "ScatterElements",
            {"axis": 1, "reduction": "none"},
            [(5, 7), (5, 2), (5, 2)],
            # The provider gives Scatter and ScatterElements at least 4 dims.
            scatter_elements((1, 1, 5, 7), (1, 1, 5, 2), (1, 1, 5, 2), (1, 1, 5, 7), 3),
        ),
        (
            "Scatter",
            {"axis": -2},
            [(5, 1, 1, 7, 2), (5, 1, 1, 6, 2), (5, 1, 1, 6, 2)],
            scatter_elements((5, 1, 1, 7, 2), (5, 1, 1, 6, 2), (5, 1, 1, 6, 2), (5, 1, 1, 7, 2), 3),
        ),
        (
            "ScatterND",
            {"reduction": b"none"},
            [(7,), (2, 3, 1), (2, 3)],
            scatter_nd((1, 1, 7), (2, 3, 1), (1, 2, 3), (1, 1, 7), 1, 3),
        ),
    ],
)
def test_a_node(
    op_type: str, attributes: dict[str, Any], shapes: list[tuple[int, ...]], expected: Any
) -> None:
    types = F32_I64 if len(shapes) == 2 else SCATTER_TYPES
    desc = from_onnx_node(op_type, attributes, shapes, types)
    assert desc == expected
    assert desc.violations() == []


def test_bool_travels_as_uint8() -> None:
    desc = from_onnx_node("GatherElements", {}, [(2, 3), (2, 3)], [bool, "int32"])
    u8, i32 = DataType.UINT8, DataType.INT32
    assert desc == gather_elements(
        data(2, 3, data_type=u8), index(2, 3, data_type=i32), data(2, 3, data_type=u8), 0
    )


@pytest.mark.parametrize(
    ("op_type", "shapes", "rules"),
    [
        ("GatherElements", [(5, 7), (9, 6)], ["indices-sizes"]),
        ("ScatterElements", [(5, 7), (5, 6), (5, 6)], ["indices-sizes"]),
        ("Gather", [(2,) * 7, (1, 1, 1)], None),
    ],
)
def test_what_onnx_allows_and_directml_does_not(
    op_type: str, shapes: list[tuple[int, ...]], rules: list[str] | None
) -> None:
    types = SCATTER_TYPES[: len(shapes)]
    with pytest.raises(dmlindex.DescriptorError) as raised:
        from_onnx_node(op_type, {}, shapes, types)
    if rules is None:  # refused before there is a desc
        assert "9 dims" in str(raised.value)
        assert raised.value.violations == ()
    else:
        assert [violation.rule for violation in raised.value.violations] == rules


@pytest.mark.parametrize("op_type", ["ScatterElements", "ScatterND"])
def test_what_runs_on_the_cpu_has_no_desc(op_type: str) -> None:
    shapes = [(5,), (2, 1), (2,)] if op_type == "ScatterND" else [(5,), (2,), (2,)]
    with pytest.raises(dmlindex.DescriptorError, match=r"runs on the CPU: .*has 'add'"):
        from_onnx_node(op_type, {"reduction": "add"}, shapes, SCATTER_TYPES)
    with pytest.raises(dmlindex.DescriptorError, match="from opset 18 on"):
        from_onnx_node(op_type, {}, shapes, SCATTER_TYPES, opset=18)
    float64 = ["float64", "int64", "float64"]
    with pytest.raises(dmlindex.DescriptorError, match="float64 needs a device"):
        from_onnx_node(op_type, {}, shapes, float64)
    desc = from_onnx_node(op_type, {}, shapes, float64, device_doubles=True)
    assert desc.violations() == []


def test_without_elements_nothing_runs_or_data_is_copied() -> None:
    with pytest.raises(dmlindex.DescriptorError, match="no operator runs"):
        from_onnx_node("Gather", {}, [(0, 7), (1,)], F32_I64)
    copy = from_onnx_node("ScatterElements", {}, [(5, 7), (0, 7), (0, 7)], SCATTER_TYPES)
    assert copy.operator == "ELEMENT_WISE_IDENTITY"
    assert copy.violations() == []


@pytest.mark.parametrize(
    ("op_type", "attributes", "shapes", "dtypes", "error", "message"),
    [
        ("Conv", {}, [], [], ValueError, "op_type is 'Conv'"),
        ("Gather", {"axes": 1}, [(5,), (2,)], F32_I64, ValueError, "no attribute 'axes'"),
        ("Gather", [], [(5,), (2,)], F32_I64, TypeError, "attributes is a list"),
        ("Gather", {"axis": 1}, [(5,), (2,)], F32_I64, ValueError, "axis is 1, expected -1"),
        ("Gather", {}, [(), (2,)], F32_I64, ValueError, "axis is 0"),
        ("Gather", {}, [(5,)], F32_I64, ValueError, "1 input_shapes, expected 2"),
        ("Gather", {}, [(5,), ("N",)], F32_I64, TypeError, "a symbolic one needs a value"),
        ("Gather", {}, [(5,), (-1,)], F32_I64, ValueError, "sizes of 0 or more"),
        ("Gather", {}, [(5,), (2,)], ["float32"], ValueError, "1 dtypes, expected 2"),
        (
            *("Gather", {}, [(5,), (2,)], ["complex64", "int64"]),
            *(dmlindex.DescriptorError, "DirectML has no complex64"),
        ),
        ("GatherND", {}, [(5,), (2, 2)], F32_I64, ValueError, "is 2, expected at most 1"),
        ("GatherND", {}, [(5,), ()], F32_I64, ValueError, "at least one dim"),
        ("GatherND", {"batch_dims": 1}, [(5,), (5, 1)], F32_I64, ValueError, "expected at most 0"),
    ],
)
def test_what_onnx_does_not_allow(
    op_type: str,
    attributes: Any,
    shapes: Any,
    dtypes: Any,
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        from_onnx_node(op_type, attributes, shapes, dtypes)
