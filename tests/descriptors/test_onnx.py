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
            scatter_elements((5, 7), (5, 2), (5, 2), (5, 7), 1),
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


def test_what_onnx_allows_and_directml_does_not_is_a_violation() -> None:
    smaller_off_axis = from_onnx_node("GatherElements", {}, [(5, 7), (9, 6)], F32_I64)
    assert [v.rule for v in smaller_off_axis.violations()] == ["indices-sizes"]
    many_dims = from_onnx_node("Gather", {}, [(2,) * 7, (1, 1, 1)], F32_I64)
    assert {v.rule for v in many_dims.violations()} == {"dimension-count"}
    empty = from_onnx_node("Gather", {}, [(0, 7), (1,)], F32_I64)
    assert {v.rule for v in empty.violations()} == {"sizes-positive"}


@pytest.mark.parametrize("op_type", ["ScatterElements", "ScatterND"])
def test_a_reduction_is_a_descriptor_error(op_type: str) -> None:
    with pytest.raises(dmlindex.DescriptorError, match=r"reduction is 'add'.*have no reduction"):
        from_onnx_node(op_type, {"reduction": "add"}, [(5,), (2, 1), (2,)], SCATTER_TYPES)


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
            *(dmlindex.DescriptorError, "complex64, which DirectML lacks"),
        ),
        ("GatherND", {}, [(5,), (2, 2)], F32_I64, ValueError, "a last size of 1 to 1"),
        ("GatherND", {}, [(5,), ()], F32_I64, ValueError, "at least one dim"),
        ("GatherND", {"batch_dims": 1}, [(5,), (5, 1)], F32_I64, ValueError, "batch_dims is 1"),
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
