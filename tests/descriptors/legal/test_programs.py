"""Programs for drawn calls: at every feature level the function's answer, or a reason."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import dmlindex
from dmlindex import FeatureLevel, testing
from dmlindex.directml.legal import REASONS, Impossible, Program, legalize
from dmlindex.testing.call import PARAMETERS
from tests.descriptors.legal.outcomes import count

Array = np.ndarray[Any, Any]


def arguments(call: testing.Call) -> dict[str, Any]:
    return dict(zip(PARAMETERS[call.operator], call.arguments, strict=False)) | call.options


def in_order(call: testing.Call) -> testing.Call:
    """Without ordered=False, of which there is a test with a bound."""
    options = {name: value for name, value in call.options.items() if name != "ordered"}
    return replace(call, options=options)


def check_program(call: testing.Call, level: FeatureLevel, known: bool, seen: list[Any]) -> None:
    """That legalize gives a program that computes the call, or a reason that is on the list.

    known: whether the indices are given as an array. A program of steps seen before is not run.
    """
    call = in_order(call)
    options = arguments(call)
    x, i, u = (options.pop(name, None) for name in ("input", "indices", "updates"))
    places = np.asarray(i)
    shapes = [(x.shape, x.dtype), i if known else (places.shape, places.dtype)]
    program = legalize(call.operator, shapes, feature_level=level, **options)
    if isinstance(program, Impossible):
        assert {name for name, _ in program.reasons} <= REASONS.keys()
        assert str(program)
        return
    assert program.violations() == []
    assert program.feature_level == level
    if program.steps in seen:
        return
    seen.append(program.steps)
    check_answer(call, program, [x, i] if u is None else [x, i, u])


def check_answer(call: testing.Call, program: Program, arrays: list[Any]) -> None:
    if program.promise == "bits":
        testing.check_same(
            lambda *_, **__: program.run(*arrays), getattr(dmlindex, call.operator), call
        )
        return
    try:
        expected = call.copy().run(getattr(dmlindex, call.operator))
    except IndexError as error:
        with pytest.raises(IndexError, match=re.escape(str(error))):
            program.run(*arrays)
        return
    found = program.run(*arrays)
    with np.errstate(invalid="ignore"):  # signaling NaNs of bfloat16
        same = (found == expected) | ((found != found) & (expected != expected))
    assert same.all(), f"{program}\n{call}"


@given(testing.calls(with_out=False))
def test_every_level(call: testing.Call) -> None:
    seen: list[Any] = []
    for level in FeatureLevel:
        for known in (False, True):
            check_program(call, level, known, seen)


@settings(max_examples=20)
@pytest.mark.parametrize("level", [FeatureLevel.FL_2_1, FeatureLevel.FL_3_0], ids=lambda f: f.name)
@given(call=testing.calls(with_out=False, max_dims=9))
def test_ranks_past_the_levels(call: testing.Call, level: FeatureLevel) -> None:
    check_program(call, level, known=False, seen=[])


def test_how_many_calls_have_a_program() -> None:
    counts = count(300, [FeatureLevel.FL_2_1, FeatureLevel.FL_4_1])
    assert counts[FeatureLevel.FL_2_1]["impossible"] <= 300 * 0.2
    assert counts[FeatureLevel.FL_4_1]["impossible"] <= 300 * 0.01
