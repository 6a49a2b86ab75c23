"""For every threshold of a device's profile, a call and the kernels on either side of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tests.d3d12.device_kernel_calls import EXCHANGES, NEVER, NO_BLOCKS
from tests.d3d12.device_profile_calls import (
    columns,
    gather,
    lines,
    rows,
    rows_of_eights,
    scatter,
    scatter_columns,
    scatter_few_columns,
    scatter_in_lines,
    scatter_in_place,
    scatter_many,
    scatter_ordered,
    scatter_rows,
    scatter_rows_apart,
    sums,
    sums_in_lines,
)

FEW = {"few_positions": 0}


@dataclass(frozen=True)
class Sides:
    """A call, and what a threshold has it run: a kernel at one value, another at another."""

    call: Callable[[str], Any]
    found: dict[int, str]  # kernel, by the threshold's value
    given: dict[str, int] = field(default_factory=dict)  # of the other thresholds
    typed: bool = True  # only with descriptor tables


ADDED = "accumulate_sums_4"  # where the device has what it takes
HELD = {"held_positions": 1, "held_line": 4, "large_table_positions": 1}
SINGLES = "gather_singles_4_4_1"
SIDES = {
    # How a kernel walks its positions is no kernel's name: tests/cpp/profile_test.cpp sees that.
    "striped_table_bytes": Sides(columns, {0: SINGLES, NEVER: SINGLES}, {"striped_line": 4}),
    "striped_line": Sides(columns, {4: SINGLES, 261: SINGLES}, {"striped_table_bytes": 0}),
    "held_bytes": Sides(gather(200, 9), {4096: "gather_table_4_4_4", 4095: SINGLES}, HELD),
    "held_positions": Sides(gather(200, 9), {9: "gather_table_4_4_4", 10: SINGLES}, HELD),
    "held_line": Sides(lines, {16: "gather_table_4_4_4", 17: SINGLES}, HELD),
    "group_and_buffer_elements": Sides(
        gather(8200, 9), {8200: "gather_table_buffer_4", 8199: "gather_table_textured_4"}, HELD
    ),
    "group_and_texture_elements": Sides(
        gather(8200, 9),
        {8200: "gather_table_textured_4", 8199: "gather_textured_4"},
        HELD | {"group_and_buffer_elements": 0},
    ),
    "texture_elements": Sides(
        gather(8200, 9),
        {8200: "gather_textured_4", 8199: SINGLES},
        HELD | {"group_and_buffer_elements": 0, "group_and_texture_elements": 0},
    ),
    "large_table_positions": Sides(
        gather(8200, 9), {9: "gather_table_buffer_4", 10: SINGLES}, HELD
    ),
    "long_slice_bytes": Sides(rows, {19: "gather_bytes", 20: "gather_rows_simple_4"}),
    "eights_slice_bytes": Sides(rows_of_eights, {39: "gather_any_8", 40: "gather_rows_simple_4"}),
    "targets_copied": Sides(
        scatter, {16: "scatter_winners_4", 15: "scatter_singles_4_1"}, NO_BLOCKS
    ),
    "targets_in_place": Sides(
        scatter_in_place,
        {16: "scatter_winners_4", 15: "scatter_singles_4_1"},
        NO_BLOCKS,
    ),
    "slices_copied": Sides(scatter_rows, {16: "scatter_slices", 15: "scatter_rows_simple_4"}, FEW),
    "range_bytes": Sides(
        scatter_many,
        {4096: "find_single_winners_4_1", NEVER: "find_single_winners_4_1"},
        NO_BLOCKS,
    ),
    "most_ranges": Sides(
        scatter_many,
        {3: "find_single_winners_4_1", 2: "find_single_winners_4_1"},
        NO_BLOCKS | {"range_bytes": 4096},
    ),
    "targets_in_ranges": Sides(
        scatter_many,
        {2: "find_single_winners_4_1", 1: "find_single_winners_4_1"},
        NO_BLOCKS | {"range_bytes": 4096},
    ),
    "ordered_positions": Sides(
        scatter_ordered,
        {2500: "find_single_winners_4_1", 2501: "find_single_winners_4_1"},
        NO_BLOCKS | {"range_bytes": 4096},
    ),
    "least_lines": Sides(
        scatter_columns, {600: "scatter_lines", 601: "find_single_winners_4_1"}, NO_BLOCKS
    ),
    "line_positions": Sides(
        scatter_rows_apart,
        {3: "scatter_lines", 2: "find_any_winners"},
        NO_BLOCKS | {"least_lines": 1},
    ),
    "column_positions": Sides(
        scatter_columns,
        {3: "scatter_lines", 2: "find_single_winners_4_1"},
        NO_BLOCKS | {"least_lines": 1},
    ),
    "least_lanes": Sides(sums_in_lines, {300: "add_lines", 301: "reduce_lists_floats"}, FEW),
    # How many threads have a line is no kernel's name.
    "shared_lines": Sides(
        partial(sums_in_lines, per_line=70, ordered=False),
        {0: "add_lines", NEVER: "add_lines"},
        FEW | EXCHANGES | {"least_lanes": 1},
    ),
    "compared_positions": Sides(
        scatter_in_place,
        {4: "scatter_bytes", 3: "scatter_singles_4_1"},
        FEW | {"claimed_positions": 0},
    ),
    "claimed_positions": Sides(
        scatter_in_place,
        {1: "claim_targets", 0: "scatter_singles_4_1"},
        FEW | {"compared_positions": 0},
    ),
    "few_positions": Sides(scatter, {4: "scatter_blocks", 3: "scatter_winners_4"}),
    "few_table_bytes": Sides(scatter, {256: "scatter_blocks", 255: "scatter_winners_4"}),
    "few_without_order": Sides(
        sums(10, 30, ordered=False),
        {30: "reduce_blocks_floats", 29: "accumulate_floats"},
        EXCHANGES,
    ),
    "block_positions": Sides(
        scatter_in_lines, {6300: "scatter_blocks", 6299: "scatter_winners_2"}, FEW
    ),
    "listed_updates": Sides(
        sums(4, 100), {25: "reduce_lists_floats", 24: "reduce_sorted_floats"}, FEW, typed=False
    ),
    "listed_elements": Sides(
        sums(6400, 2),
        {100: "reduce_lists_floats", 99: "reduce_sorted_floats"},
        FEW | {"listed_updates": 1},
        typed=False,
    ),
    # How many updates a thread walks is no kernel's name either: see device_reduction_cases.py.
    "walked_updates": Sides(
        sums(9, 900),
        {0: "reduce_long_floats", NEVER: "reduce_long_floats"},
        FEW,
        typed=False,
    ),
    "atomic_slice_bytes": Sides(
        sums(10, 30, 2, ordered=False),
        {9: "accumulate_floats", 8: "reduce_lists_floats"},
        FEW | EXCHANGES | {"atomic_bytes": 0},
        typed=False,
    ),
    "atomic_bytes": Sides(
        sums(10, 30, 2, ordered=False),
        {241: "accumulate_floats", 240: "reduce_lists_floats"},
        FEW | EXCHANGES | {"atomic_slice_bytes": 0},
        typed=False,
    ),
    "bucket_updates": Sides(
        sums(70, 700, ordered=False),
        {700: "accumulate_buckets", 701: "accumulate_floats"},
        FEW | EXCHANGES | {"few_without_order": 0},
    ),
    "held_updates": Sides(
        sums(70, 700, ordered=False),
        {10: "accumulate_buckets", 11: "accumulate_floats"},
        FEW | EXCHANGES | {"few_without_order": 0, "bucket_updates": 5600},
    ),
    "added_updates": Sides(
        sums(70, 700, ordered=False), {700: ADDED, 701: "accumulate_floats"}, FEW
    ),
    "crowded_words": Sides(
        sums(70, 80_000, ordered=False),
        {70: "accumulate_buckets", 69: ADDED},
        FEW | {"bucket_updates": 1},
    ),
    "named_targets": Sides(
        partial(scatter_rows_apart, columns=70),
        {4: "scatter_lines", 3: "scatter_blocks"},
        {"least_lines": 600, "named_positions": 0},
    ),
    "named_positions": Sides(
        partial(scatter_rows_apart, columns=70),
        {10500: "scatter_lines", 10501: "scatter_blocks"},
        {"least_lines": 600},
    ),
    "held_targets": Sides(
        scatter_few_columns,
        {40: "hold_lines", 39: "find_single_winners_4_1"},
        {"claimed_positions": 0},
    ),
    "paired_positions": Sides(
        sums(70, 700, dtype="i4"),
        {700: "accumulate_whole_pairs", 701: "accumulate_whole"},
        FEW,
    ),
}
