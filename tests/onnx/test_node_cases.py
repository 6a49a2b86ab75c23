"""ONNX's node tests for its gather and scatter operators: ours give the same bits in all 26."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import onnx
import onnx.backend.test.case.node
import onnx.reference
import pytest

from dmlindex.onnx import Backend, new_ops

OPERATORS = ("gather", "gatherelements", "gathernd", "scatter", "scatterelements", "scatternd")


def node_cases() -> list[Any]:
    """Importing a module of ONNX's node tests adds its cases to one list."""
    for name in OPERATORS:
        importlib.import_module(f"onnx.backend.test.case.node.{name}")
    cases = onnx.backend.test.case.node._NodeTestCases
    ours = {name.replace("_", "") for name in OPERATORS}
    return [case for case in cases if case.model.graph.node[0].op_type.lower() in ours]


CASES = node_cases()


def test_all_of_them_are_here() -> None:
    assert len({case.name for case in CASES}) == 26


def assert_same_bits(found: Any, expected: Any) -> None:
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_backend_gives_the_bits(case: Any) -> None:
    prepared = Backend.prepare(case.model)
    assert len(case.data_sets) > 0
    for inputs, outputs in case.data_sets:
        found = prepared.run(inputs)
        assert len(found) == len(outputs)
        for one, expected in zip(found, outputs, strict=True):
            assert_same_bits(one, expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_new_ops_give_the_bits(case: Any) -> None:
    evaluator = onnx.reference.ReferenceEvaluator(case.model, new_ops=new_ops())
    for inputs, outputs in case.data_sets:
        named = dict(zip(evaluator.input_names, inputs, strict=True))
        for one, expected in zip(evaluator.run(None, named), outputs, strict=True):
            assert_same_bits(one, expected)
