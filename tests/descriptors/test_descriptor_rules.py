"""Every rule by name: a descriptor that breaks just it, and its nearest valid neighbour."""

import re
from pathlib import Path

import pytest

import dmlindex
from dmlindex import DataType, Device, TensorFlags
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
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
    ]


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
