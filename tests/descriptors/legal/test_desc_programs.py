"""legalize of descriptors: as they are, or as what they stand for, whatever their layout."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from dmlindex import (
    DataType,
    Device,
    FeatureLevel,
    GatherElementsOperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
)
from dmlindex.directml.legal import Impossible, Program, legalize
from tests.descriptors.desc_strategies import Problem, problems


@settings(max_examples=40)
@given(problems())
def test_every_level(problem: Problem) -> None:
    for level in FeatureLevel:
        program = legalize(problem.desc, feature_level=level)
        if isinstance(program, Impossible):
            assert level < FeatureLevel.FL_4_1, program
            continue
        assert program.violations() == []
        if program.options["mode"] == "directml":
            assert program.operators[0].desc == problem.desc
            expected = Device().compile(problem.desc, mode="directml")(*problem.buffers)
            assert program.run(*problem.buffers).tobytes() == expected.tobytes()
            continue
        try:
            wanted = problem.expected("raise")
        except IndexError:
            with pytest.raises(IndexError):
                program.run(*problem.buffers)
            continue
        found = program.run(*problem.buffers)
        assert problem.desc.output_tensor.view(found).tobytes() == wanted.tobytes()


def check(desc: Any, level: FeatureLevel, *arrays: Any, expected: Any) -> Program:
    program = legalize(desc, feature_level=level)
    assert isinstance(program, Program), program
    assert program.violations() == []
    assert program.run(*arrays).tolist() == expected
    return program


def test_a_smaller_index_tensor_off_the_axis() -> None:
    x = TensorDesc(DataType.INT32, (3, 4))
    i, y = TensorDesc(DataType.INT64, (2, 2)), TensorDesc(DataType.INT32, (2, 2))
    desc = GatherElementsOperatorDesc(x, i, y, axis=0)
    assert [v.rule for v in desc.violations()] == ["indices-sizes"]
    rows = np.arange(12, dtype=np.int32).reshape(3, 4)
    places = np.array([[2, 0], [-1, 1]])
    program = check(desc, FeatureLevel.FL_6_4, rows, places, expected=[[8, 1], [8, 5]])
    assert program.outcome == "views"


def test_a_scatter_that_is_too_long() -> None:
    x, i = TensorDesc(DataType.INT32, (2,)), TensorDesc(DataType.INT64, (3,))
    u = TensorDesc(DataType.INT32, (3,))
    desc = ScatterElementsOperatorDesc(x, i, u, x, axis=0)
    assert [v.rule for v in desc.violations()] == ["indices-axis-size"]
    updates = np.array([5, 6, 7], np.int32)
    check(
        desc,
        FeatureLevel.FL_3_0,
        np.zeros(2, np.int32),
        np.array([1, 0, 1]),
        updates,
        expected=[6, 7],
    )


def test_nine_dims() -> None:
    x = TensorDesc(DataType.INT32, (1, 2, 1, 1, 1, 1, 1, 1, 3))
    i = TensorDesc(DataType.INT64, (1, 1, 1, 1, 1, 1, 1, 1, 2))
    y = TensorDesc(DataType.INT32, (1, 2, 1, 1, 1, 1, 1, 1, 2))
    desc = GatherOperatorDesc(x, i, y, axis=8, index_dimensions=1)
    assert {v.rule for v in desc.violations()} == {"dimension-count"}
    rows = np.arange(6, dtype=np.int32).reshape(x.sizes)
    program = legalize(desc)
    assert isinstance(program, Program)
    found = program.run(rows, np.array([2, 0]).reshape(i.sizes))
    assert found.ravel().tolist() == [2, 0, 5, 3]


def test_what_no_level_has_a_meaning_for() -> None:
    x, i = TensorDesc(DataType.INT32, (3, 4)), TensorDesc(DataType.INT64, (3, 4))
    y = TensorDesc(DataType.INT32, (3, 5))
    refused = legalize(GatherElementsOperatorDesc(x, i, y, axis=0))
    assert isinstance(refused, Impossible)
    assert [name for name, _ in refused.reasons] == ["descriptor"]
    assert "output.sizes is {3, 5}, expected {3, 4}" in str(refused)
    assert not legalize(ScatterNDOperatorDesc(None, None, None, None, 1, 1))
