"""A call that reaches further than views is done in sections, with the CPU's result, or refused."""

from __future__ import annotations

import pytest

from tests.children import in_child

CASES = [
    "gathers",
    "scatters",
    "many_targets",
    "many_in_order",
    "more_targets_than_before",
    "no_room_between_sections",
    "reductions",
    "long_sums",
    "bad_indices",
    "far_tables",
]


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", ["root", "table"])
@pytest.mark.parametrize("case", CASES)
def test_in_sections(case: str, binding: str) -> None:
    arguments = f"Device('d3d12'), {binding!r}" if case == "far_tables" else "Device('d3d12')"
    code = f"""
from dmlindex import Device
from tests.d3d12 import device_sections
device_sections.{case}({arguments})
"""
    in_child(code, 300, DMLINDEX_D3D12_BINDING=binding)
