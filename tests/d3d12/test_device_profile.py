"""Thresholds decide which kernels run, never what comes out; and nothing else of a device does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import EXCHANGES, NO_BLOCKS, same
from tests.d3d12.device_profile_calls import (
    lines,
    scatter_rows_apart,
    sums_in_columns,
    sums_in_lines,
)
from tests.d3d12.device_profile_sides import ADDED, FEW, HELD, SIDES


@pytest.fixture(autouse=True)
def own_profile(device: Device) -> Iterator[None]:
    before = _core.d3d12_profile(device.name)
    yield
    _core.d3d12_set_profile(device.name, before)


def test_every_threshold_has_a_test() -> None:
    assert set(SIDES) == set(_core.d3d12_thresholds())


@pytest.mark.parametrize("threshold", SIDES)
def test_both_sides_of_a_threshold(device: Device, threshold: str) -> None:
    sides = SIDES[threshold]
    assert len(sides.found) == 2
    for value, kernel in sides.found.items():
        _core.d3d12_set_profile(device.name, {**sides.given, threshold: value})
        assert _core.d3d12_profile(device.name)[threshold] == value
        _core.d3d12_kernels(device.name)
        same(sides.call(device.name), sides.call("cpu"))
        ran = _core.d3d12_kernels(device.name)
        others = set(sides.found.values()) - {kernel}
        if ADDED in sides.found.values() and 4 not in _core.d3d12_adds(device.name):
            continue
        if not sides.typed or _core.d3d12_binding(device.name) == "table":
            assert kernel in ran
            assert not others & set(ran)


@pytest.mark.parametrize(
    ("call", "kernel", "most"),
    [
        (partial(lines, dtype="u1", positions=16), "gather_table_4_1_4", 8),
        (partial(lines, size=1024, positions=264), "gather_table_4_4_4", 264),
        (partial(lines, size=1028, positions=264), "gather_table_16_4_4", 132),
    ],
    ids=["bytes", "a short line", "a long line"],
)
def test_lines_of_bytes_and_long_ones_are_held_for_twice_as_many_positions(
    device: Device, call: Callable[[str], Any], kernel: str, most: int
) -> None:
    for held_line in (most, most + 1):
        _core.d3d12_set_profile(device.name, {**HELD, "held_line": held_line})
        _core.d3d12_kernels(device.name)
        same(call(device.name), call("cpu"))
        if _core.d3d12_binding(device.name) == "table":
            assert (kernel in _core.d3d12_kernels(device.name)) == (held_line == most)


# Positions of a line of some elements, a row or a column; columns of uint32 of a line of 4 targets.
@pytest.mark.parametrize(
    ("call", "kernel", "given"),
    [
        (partial(sums_in_lines, per_line=288, ordered=False, size=9), ADDED, FEW),
        (partial(sums_in_lines, per_line=289, ordered=False, size=9), "reduce_lines", FEW),
        (
            partial(sums_in_lines, per_line=288, ordered=False, size=9),
            "reduce_lines",
            FEW | EXCHANGES,
        ),
        (partial(sums_in_lines, per_line=288, size=9), "reduce_lines", FEW),
        (partial(sums_in_columns, per_line=9, size=9), ADDED, FEW),
        (partial(sums_in_columns, per_line=10, size=9), "reduce_lines", FEW),
        (partial(sums_in_lines, per_line=9, ordered=False, size=8), "add_lines", FEW),
        (partial(sums_in_columns, per_line=7, size=8), "add_lines", FEW),
        (partial(scatter_rows_apart, columns=11), "scatter_lines", NO_BLOCKS),
        (partial(scatter_rows_apart, columns=12), "find_single_winners_4_1", NO_BLOCKS),
    ],
    ids=[
        "added",
        "crowded",
        "not added",
        "in order",
        "columns",
        "long columns",
        "few elements",
        "columns of few elements",
        "short rows",
        "long rows",
    ],
)
def test_where_lines_have_a_quicker_way(
    device: Device, call: Callable[[str], Any], kernel: str, given: dict[str, int]
) -> None:
    any_lines = {"least_lanes": 1, "least_lines": 1, "named_targets": 0}
    _core.d3d12_set_profile(device.name, given | any_lines)
    _core.d3d12_kernels(device.name)
    same(call(device.name), call("cpu"))
    has = kernel != ADDED or 4 in _core.d3d12_adds(device.name)
    if has and _core.d3d12_binding(device.name) == "table":
        assert kernel in _core.d3d12_kernels(device.name)


@pytest.mark.parametrize("which", [1, 2], ids=["least", "most"])
def test_the_ends_of_all_ranges(device: Device, which: int) -> None:
    """All thresholds at once: the same bits, whatever a profile says."""
    limits = _core.d3d12_thresholds()
    _core.d3d12_set_profile(device.name, {name: limit[which] for name, limit in limits.items()})
    for sides in SIDES.values():
        same(sides.call(device.name), sides.call("cpu"))


def test_a_device_begins_with_the_defaults(device: Device) -> None:
    _core.d3d12_set_profile(device.name, {})
    defaults = {name: limit[0] for name, limit in _core.d3d12_thresholds().items()}
    assert _core.d3d12_profile(device.name) == defaults


@pytest.mark.parametrize("threshold", SIDES)
def test_what_is_out_of_range_is_refused(device: Device, threshold: str) -> None:
    before = _core.d3d12_profile(device.name)
    _, least, most = _core.d3d12_thresholds()[threshold]
    for value in (least - 1, most + 1):
        with pytest.raises(ValueError, match="out of range"):
            _core.d3d12_set_profile(device.name, {threshold: value})
    assert _core.d3d12_profile(device.name) == before


def test_a_threshold_that_is_not_there(device: Device) -> None:
    with pytest.raises(ValueError, match="no threshold is named striped"):
        _core.d3d12_set_profile(device.name, {"striped": 1})
