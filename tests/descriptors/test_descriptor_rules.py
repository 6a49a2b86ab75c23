"""Every rule by name: a descriptor that breaks just it, and its nearest valid neighbour."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

import dmlindex
from dmlindex import DataType, Device, TensorFlags
from dmlindex.directml import OperatorDesc
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd,
    gather_nd1,
    scatter_elements,
    scatter_nd,
)
from tests.descriptors.rule_cases import CASES, Case


@pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])
def test_a_rule_by_name(case: Case) -> None:
    violations = case.broken.violations()
    assert {violation.rule for violation in violations} == {case.rule}, violations
    assert case.valid.violations() == []
    with pytest.raises(dmlindex.DescriptorError) as caught:
        Device().compile(case.broken)
    assert caught.value.violations == tuple(violations)
    assert str(caught.value).splitlines() == [str(violation) for violation in violations]
    assert Device().compile(case.valid).desc is case.valid


def test_the_documentation_lists_every_rule() -> None:
    """Each rule that the documentation names has a case here, or a test of its own."""
    page = (Path(__file__).parents[2] / "docs" / "descriptors.md").read_text(encoding="utf-8")
    table = page.partition("## Rules")[2].partition("## Feature levels")[0]
    rows = [line for line in table.splitlines() if line.startswith("| `")]
    named = {rule for row in rows for rule in re.findall(r"`([a-z-]+)`", row.split("|")[1])}
    of_their_own = {"output-overlap-undecided"}
    levels = {rule for rule in named if rule.startswith("feature-level-")}  # test_feature_levels.py
    assert named - of_their_own - levels == {case.rule for case in CASES}


def test_a_search_that_is_given_up_says_so() -> None:
    strides = (
        *(96644341, 97254546, 99079156, 101026043),
        *(102897355, 104526320, 104774293, 106476338),
    )
    output = data(*(6,) * 8, strides=strides)
    desc = gather_elements((6,) * 8, (6,) * 8, output, 0)
    (violation,) = desc.violations()
    assert violation.rule == "output-overlap-undecided"
    assert "given up" in violation.advice


def test_all_rules_are_reported_at_once() -> None:
    broken = data(
        2, 0, data_type=DataType.INT4, guaranteed_base_offset_alignment=3, flags=TensorFlags(4)
    )
    desc = gather_elements(broken, None, data(2, 3, strides=(1, 1)), 7)
    rules = [(v.tensor, v.rule) for v in desc.violations()]
    assert rules == [
        ("input", "sizes-positive"),
        ("input", "data-type"),
        ("input", "base-offset-alignment"),
        ("input", "flags"),
        ("indices", "tensor-required"),
        ("output", "output-overlap"),
        ("output", "data-types-equal"),
        ("", "axis"),
    ]


HIDDEN = [  # a broken rule, and one that used to hide behind it
    (gather_elements((2, 3), (2, 2), (2, 5), 4), ["axis", "output-sizes"]),
    (gather_elements((2, 3), (4, 2), (4, 2), 4), ["axis", "indices-sizes"]),
    (gather_elements((2, 3), (4, 2), (4, 2), 1), ["indices-sizes"]),
    (gather_elements((2, 3), (2, 2), (1, 2, 2), 1), ["dimension-counts-equal"]),
    (gather_elements((2, 3), (2, 2), (1, 2, 5), 1), ["dimension-counts-equal", "output-sizes"]),
    (
        scatter_elements((2, 3), (2, 2), (5, 2), (4, 3), 2),
        ["axis", "updates-sizes", "output-sizes"],
    ),
    (gather((2, 3), (4, 2), (9, 9), 2, 1), ["axis", "indices-leading-ones"]),
    (gather((2, 3), (1, 4), (4,), 1, 1), ["dimension-counts-equal", "output-sizes"]),
    (gather_nd((2, 3), (4, 3), (4, 1), 2, 3), ["indices-dimension-count", "index-tuple-size"]),
    (gather_nd1((2, 3), (2, 4), (2, 1), 2, 2, 2), ["batch-dimension-count", "index-tuple-size"]),
    (scatter_nd((2, 3), (4, 1), (9, 9), (2, 9), 3, 2), ["input-dimension-count", "output-sizes"]),
    (gather_elements(None, (2, 2), (2, 5), 4), ["tensor-required", "output-sizes"]),
]


@pytest.mark.parametrize(("desc", "rules"), HIDDEN)
def test_one_broken_rule_hides_no_other(desc: OperatorDesc, rules: list[str]) -> None:
    assert [violation.rule for violation in desc.violations()] == rules


@pytest.mark.parametrize(
    ("desc", "rule"),
    [
        (gather_nd((1, 1, 3, 4), (1, 1, 2, 2), (1, 1, 1, 2), 4, 4), "output-dimension-count"),
        (gather_nd((1, 3, 4), (1, 2, 2), (1, 1, 2), 3, 3), "output-sizes"),
        (scatter_nd((1, 3, 4), (1, 2, 2), (2,), (1, 3, 4), 3, 3), "updates-dimension-count"),
    ],
)
def test_dimension_counts_are_told_from_counts(desc: Any, rule: str) -> None:
    """And with the counts that the advice names, there is nothing wrong."""
    violation = next(each for each in desc.violations() if each.rule == rule)
    found = re.search(r"input_dimension_count.* with (\d) and (\d) these", violation.advice)
    assert found is not None
    r, q = map(int, found.groups())
    right = dataclasses.replace(desc, input_dimension_count=r, indices_dimension_count=q)
    assert right.violations() == []


def test_a_count_out_of_range_says_what_it_counts() -> None:
    (violation,) = gather_nd((3, 4), (2, 2), (1, 2), 3, 2).violations()
    assert violation.rule == "input-dimension-count"
    assert "how many dims count, without the 1s in front" in violation.advice


def test_a_violation_says_what_and_why() -> None:
    (violation,) = gather((2, 3), (1, 4), (2, 5), 1, 1).violations()
    assert violation == dmlindex.Violation(
        rule="output-sizes",
        operator="GATHER",
        tensor="output",
        field="sizes",
        found="{2, 5}",
        expected="{2, 4}",
        advice="",
    )
    assert str(violation) == "GATHER: output.sizes is {2, 5}, expected {2, 4} [output-sizes]"
