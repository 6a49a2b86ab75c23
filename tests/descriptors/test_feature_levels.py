"""The gate of the feature levels: every level, operator, data type, index type and rank."""

from __future__ import annotations

import itertools

import pytest

import dmlindex
from dmlindex import DataType, Device, FeatureLevel
from dmlindex.directml.descs import OperatorDesc
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd,
    gather_nd1,
    index,
    scatter_elements,
    scatter_nd,
)

FLOATS = {DataType.FLOAT32, DataType.FLOAT16}
UP_TO_32_BITS = FLOATS | {
    *(DataType.INT32, DataType.INT16, DataType.INT8),
    *(DataType.UINT32, DataType.UINT16, DataType.UINT8),
}
ALL_DATA = UP_TO_32_BITS | {DataType.FLOAT64, DataType.INT64, DataType.UINT64}
UINT32 = {DataType.UINT32}
ALL_INDICES = {DataType.UINT32, DataType.INT32, DataType.UINT64, DataType.INT64}
AT_1_0 = {"GATHER"}
AT_2_0 = AT_1_0 | {"SCATTER_ELEMENTS"}
AT_2_1 = AT_2_0 | {"GATHER_ELEMENTS", "GATHER_ND", "SCATTER_ND"}
AT_3_0 = AT_2_1 | {"GATHER_ND1"}

FOUR, ANY = {4}, set(range(1, 9))
# From this level on: ranks, data types, index types, operators.
TABLE = {
    FeatureLevel.FL_1_0: (FOUR, FLOATS, UINT32, AT_1_0),
    FeatureLevel.FL_2_0: (FOUR, FLOATS, UINT32, AT_2_0),
    FeatureLevel.FL_2_1: (FOUR, UP_TO_32_BITS, UINT32, AT_2_1),
    FeatureLevel.FL_3_0: (ANY, UP_TO_32_BITS, ALL_INDICES, AT_3_0),
    FeatureLevel.FL_4_1: (ANY, ALL_DATA, ALL_INDICES, AT_3_0),
}


def desc_of(operator: str, rank: int, data_type: DataType, index_type: DataType) -> OperatorDesc:
    """A valid desc where every tensor has the rank and every size is 1."""
    ones = (1,) * rank
    x, i = data(*ones, data_type=data_type), index(*ones, data_type=index_type)
    descs: dict[str, OperatorDesc] = {
        "GATHER": gather(x, i, x, 0, 1),
        "GATHER_ELEMENTS": gather_elements(x, i, x, 0),
        "GATHER_ND": gather_nd(x, i, x, 1, 1),
        "GATHER_ND1": gather_nd1(x, i, x, 1, 1, 0),
        "SCATTER_ELEMENTS": scatter_elements(x, i, x, x, 0),
        "SCATTER_ND": scatter_nd(x, i, x, x, 1, 1),
    }
    return descs[operator]


@pytest.mark.parametrize("level", FeatureLevel)
@pytest.mark.parametrize("operator", sorted(AT_3_0))
def test_a_level_has_just_what_the_table_says(level: FeatureLevel, operator: str) -> None:
    row = TABLE[max(start for start in TABLE if start <= level)]
    ranks, data_types, index_types, operators = row
    for rank, data_type, index_type in itertools.product(ANY, ALL_DATA, ALL_INDICES):
        expected = set()
        if operator not in operators:
            expected.add("feature-level-operator")
        if rank not in ranks:
            expected.add("feature-level-dimension-count")
        if data_type not in data_types or index_type not in index_types:
            expected.add("feature-level-data-type")
        desc = desc_of(operator, rank, data_type, index_type)
        assert {violation.rule for violation in desc.violations(level)} == expected, desc


def test_the_needed_level_is_the_lowest_that_has_all() -> None:
    from dmlindex import _core

    for operator, rank, data_type, index_type in itertools.product(
        sorted(AT_3_0), ANY, ALL_DATA, ALL_INDICES
    ):
        desc = desc_of(operator, rank, data_type, index_type)
        lowest = next(level for level in FeatureLevel if not desc.violations(level))
        assert _core.needed_feature_level(desc) == lowest, desc


def test_compile_is_held_to_the_level_of_the_device() -> None:
    desc = desc_of("GATHER_ND1", 3, DataType.INT64, DataType.INT64)
    with pytest.raises(dmlindex.DescriptorError) as caught:
        Device(feature_level=FeatureLevel.FL_2_1).compile(desc)
    assert [str(violation) for violation in caught.value.violations] == [
        "GATHER_ND1: operator is GATHER_ND1 at feature level 2_1, "
        "expected feature level 3_0 or higher [feature-level-operator]",
        *(
            f"GATHER_ND1: {tensor}.{field} is {found} at feature level 2_1, expected feature "
            f"level {level} or higher{advice} [{rule}]"
            for tensor, least in (("input", "4_1"), ("indices", "3_0"), ("output", "4_1"))
            for field, found, level, advice, rule in (
                (
                    *("sizes", "3 dims", "3_0", "; below that, every tensor has 4 dims"),
                    "feature-level-dimension-count",
                ),
                ("data_type", "INT64", least, "", "feature-level-data-type"),
            )
        ),
    ]
    Device(feature_level=FeatureLevel.FL_4_1).compile(desc)
