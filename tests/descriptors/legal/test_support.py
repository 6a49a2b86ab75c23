"""The one table that the helper operators' descriptors are held to."""

from __future__ import annotations

from typing import Any

import pytest

from dmlindex import DataType, FeatureLevel, TensorDesc
from dmlindex.directml.legal.helpers import INPUT_FIELDS, HelperDesc
from dmlindex.directml.legal.support import SUPPORT, takes

L = FeatureLevel
# Of what the pages say, the first level at which an operator takes a type on 4 dims.
FIRST = [
    ("ELEMENT_WISE_IDENTITY", "FLOAT32", L.FL_1_0),
    ("ELEMENT_WISE_IDENTITY", "UINT8", L.FL_2_1),
    ("ELEMENT_WISE_IDENTITY", "INT64", L.FL_4_1),
    ("ELEMENT_WISE_ADD", "INT32", L.FL_2_1),
    ("ELEMENT_WISE_ADD", "UINT64", L.FL_4_1),
    ("ELEMENT_WISE_ADD", "INT8", L.FL_5_1),
    ("ELEMENT_WISE_SUBTRACT", "INT16", L.FL_5_1),
    ("ELEMENT_WISE_MULTIPLY", "UINT32", L.FL_2_1),
    ("ELEMENT_WISE_MIN", "INT8", L.FL_2_1),
    ("ELEMENT_WISE_MAX", "INT64", L.FL_5_0),
    ("ELEMENT_WISE_MODULUS_FLOOR", "INT32", L.FL_2_1),
    ("ELEMENT_WISE_MODULUS_FLOOR", "INT64", L.FL_6_0),
    ("ELEMENT_WISE_LOGICAL_EQUALS", "UINT64", L.FL_4_1),
    ("ELEMENT_WISE_LOGICAL_LESS_THAN", "INT32", L.FL_2_1),
    ("ELEMENT_WISE_LOGICAL_AND", "UINT8", L.FL_2_0),
    ("ELEMENT_WISE_IF", "FLOAT16", L.FL_2_0),
    ("ELEMENT_WISE_IF", "UINT32", L.FL_3_0),
    ("ELEMENT_WISE_IF", "FLOAT64", L.FL_5_0),
    ("CAST", "INT16", L.FL_1_0),
    ("CAST", "INT64", L.FL_3_0),
    ("CAST", "FLOAT64", L.FL_4_1),
    ("JOIN", "UINT16", L.FL_1_0),
    ("JOIN", "UINT8", L.FL_2_1),
    ("SLICE", "UINT64", L.FL_4_1),
    ("FILL_VALUE_SEQUENCE", "UINT32", L.FL_2_1),
    ("REDUCE", "UINT8", L.FL_3_0),
]
PARAMETERS: dict[str, dict[str, Any]] = {
    "JOIN": {"Axis": 3},
    "SLICE": {"Offsets": [0, 0, 0, 0], "Sizes": [1, 1, 1, 1], "Strides": [1, 1, 1, 1]},
    "REDUCE": {"Function": "MAX", "Axes": [3]},
    "FILL_VALUE_SEQUENCE": {"ValueDataType": "UINT32", "ValueStart": 0, "ValueDelta": 1},
}


def helper(operator: str, data_type: DataType, dims: int = 4) -> HelperDesc:
    """Of sizes 1, with as few inputs as there may be."""
    tensor = TensorDesc(data_type, (1,) * dims)
    inputs = [tensor for _ in INPUT_FIELDS[operator]]
    output = tensor
    if operator == "ELEMENT_WISE_IF":
        inputs[0] = TensorDesc(DataType.UINT8, tensor.sizes)
    if operator in ("ELEMENT_WISE_LOGICAL_EQUALS", "ELEMENT_WISE_LOGICAL_LESS_THAN"):
        output = TensorDesc(DataType.UINT32, tensor.sizes)
    return HelperDesc(operator, tuple(inputs), output, PARAMETERS.get(operator, {}))


def test_every_helper_is_in_both_tables() -> None:
    assert SUPPORT.keys() == INPUT_FIELDS.keys()


@pytest.mark.parametrize(("operator", "type_name", "first"), FIRST)
def test_types_by_level(operator: str, type_name: str, first: FeatureLevel) -> None:
    desc = helper(operator, DataType[type_name])
    for level in FeatureLevel:
        assert takes(operator, DataType[type_name], level) == (level >= first)
        assert (desc.violations(level) == []) == (level >= first), level


@pytest.mark.parametrize("operator", SUPPORT)
def test_dims_by_level(operator: str) -> None:
    data_type = DataType.UINT8 if "LOGICAL" in operator else DataType.UINT32
    for dims in range(1, 9):
        lowest = L.FL_2_1 if dims == 4 else L.FL_3_0
        if dims != 4 and operator in ("JOIN", "FILL_VALUE_SEQUENCE", "CAST"):
            lowest = {"JOIN": L.FL_4_1, "FILL_VALUE_SEQUENCE": L.FL_4_0, "CAST": L.FL_3_1}[operator]
        if dims == 5 and operator in ("JOIN", "ELEMENT_WISE_IDENTITY", "SLICE"):
            lowest = L.FL_3_0 if operator == "JOIN" else L.FL_2_1
        if operator in ("ELEMENT_WISE_IF", "CAST"):  # of 32 bits
            lowest = max(lowest, L.FL_3_0)
        desc = helper(operator, data_type, dims)
        sizes = {"Offsets": [0] * dims, "Sizes": [1] * dims, "Strides": [1] * dims}
        desc.parameters.update(sizes if operator == "SLICE" else {})
        if operator in ("JOIN", "REDUCE"):
            desc.parameters.update({"Axis": 0} if operator == "JOIN" else {"Axes": [0]})
        for level in (L.FL_2_1, L.FL_3_0, L.FL_3_1, L.FL_4_0, L.FL_4_1, L.FL_6_4):
            assert (desc.violations(level) == []) == (level >= lowest), (dims, level)


def test_reduce_multiplies_floats_only() -> None:
    for function, data_type, first in [
        ("SUM", DataType.UINT32, L.FL_2_1),
        ("SUM", DataType.INT64, L.FL_5_0),
        ("SUM", DataType.UINT8, None),
        ("MULTIPLY", DataType.FLOAT32, L.FL_1_0),
        ("MULTIPLY", DataType.INT32, None),
    ]:
        for level in FeatureLevel:
            expected = first is not None and level >= first
            assert takes("REDUCE", data_type, level, function) == expected


def rules(desc: HelperDesc) -> list[str]:
    return [violation.rule for violation in desc.violations()]


def test_rules_beside_the_table() -> None:
    x = TensorDesc(DataType.INT32, (1, 1, 2, 3))
    wide = TensorDesc(DataType.INT32, (1, 1, 2, 4))
    other = TensorDesc(DataType.UINT32, (1, 1, 2, 3))
    none = TensorDesc(DataType.INT32, (1, 1, 2, 0))
    assert rules(HelperDesc("ELEMENT_WISE_ADD", (x, wide), x)) == ["sizes"]
    assert rules(HelperDesc("ELEMENT_WISE_ADD", (x, other), x)) == ["data-types-equal"]
    assert rules(HelperDesc("ELEMENT_WISE_ADD", (x, none), x)) == ["sizes-positive"]
    assert rules(HelperDesc("JOIN", (x, x), wide, {"Axis": 3})) == ["sizes"]
    assert (
        rules(HelperDesc("JOIN", (x, x), TensorDesc(DataType.INT32, (1, 1, 4, 3)), {"Axis": 2}))
        == []
    )
    sliced = {"Offsets": [0, 0, 0, 2], "Sizes": [1, 1, 2, 3], "Strides": [1] * 4}
    assert rules(HelperDesc("SLICE", (x,), x, sliced)) == ["slice-bounds"]
    assert rules(HelperDesc("REDUCE", (x,), x, {"Function": "SUM", "Axes": [3]})) == ["sizes"]
