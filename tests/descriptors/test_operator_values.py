"""Compiled operators are values, and refuse duplicates where they are to."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import (
    Device,
    FeatureLevel,
    GatherElementsOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
)
from tests.descriptors.desc_strategies import Problem, problems

GATHER = GatherElementsOperatorDesc.infer((2, 3), (2, 2), 1)
SCATTER = ScatterNDOperatorDesc.infer((4, 2), (3, 1))


@given(problem=problems(), mode=st.sampled_from([None, "raise", "wrap", "directml"]))
def test_copies_are_equal_and_do_the_same(device: str, problem: Problem, mode: Any) -> None:
    operator = Device(device).compile(problem.desc, mode=mode)
    for other in (pickle.loads(pickle.dumps(operator)), copy.copy(operator)):
        assert other == operator
        assert hash(other) == hash(operator)
        assert (other.desc, other.mode, other.device) == (problem.desc, operator.mode, device)
        try:
            expected = operator(*problem.buffers)
        except IndexError:
            continue
        assert other(*problem.buffers).tobytes() == expected.tobytes()


def test_what_makes_operators_differ() -> None:
    def compiled(level: FeatureLevel = FeatureLevel.FL_6_4, **options: Any) -> Any:
        return Device(feature_level=level).compile(options.pop("desc", GATHER), **options)

    operators = [
        compiled(),
        compiled(desc=GatherElementsOperatorDesc.infer((2, 3), (2, 1), 1)),
        compiled(FeatureLevel.FL_4_1),
        compiled(mode="fill"),
        compiled(mode="fill", fill_value=2),
        compiled(mode="raise"),
        compiled(desc=SCATTER),
        compiled(desc=SCATTER, duplicates="raise"),
    ]
    assert len(set(operators)) == len(operators)
    assert compiled(mode="directml") == compiled()
    assert compiled(mode="fill", fill_value=2) == compiled(mode="fill", fill_value=np.float32(2))
    assert compiled() != GATHER
    with pytest.raises(TypeError, match="'<' not supported"):
        _ = operators[0] < operators[1]


def test_a_fill_value_keeps_its_bits() -> None:
    nan = np.array([0x7FA12345], np.uint32).view(np.float32)[0]
    operator = Device().compile(GATHER, mode="fill", fill_value=nan)
    again = copy.deepcopy(operator)
    assert again == operator
    x, i = np.zeros((2, 3), np.float32), np.full((2, 2), 9)
    assert (again(x, i).view(np.uint32) == 0x7FA12345).all()


X = np.zeros((4, 2), np.float32)
U = np.ones((3, 2), np.float32)


@pytest.mark.parametrize("mode", [None, "raise", "clamp", "wrap", "drop"])
def test_duplicates_are_refused(device: str, mode: Any) -> None:
    operator = Device(device).compile(SCATTER, mode=mode, duplicates="raise")
    assert operator.duplicates == "raise"
    out = np.full((4, 2), 9, np.float32)
    message = (
        r"^SCATTER_ND: updates\[1, 0\] and a later update go to one element, as do 2 of 6 in all"
    )
    for indices in (np.array([[3], [1], [1]]), np.array([[3], [1], [-3]])):
        with pytest.raises(IndexError, match=message):
            operator(X, indices, U, out=out)
        with pytest.raises(IndexError, match=message):
            operator(input=X, updates=U, indices=indices)
    assert (out == 9).all()
    assert operator(X, np.array([[3], [1], [0]]), U, out=out) is out
    assert out.tolist() == [[1, 1], [1, 1], [0, 0], [1, 1]]
    assert Device(device).compile(SCATTER, mode=mode)(X, [[3], [1], [1]], U).sum() == 4


def test_duplicates_depend_on_the_mode() -> None:
    """Out of range, an update goes where its mode takes it."""
    desc = ScatterElementsOperatorDesc.infer((2, 3), (2, 1), axis=1)
    x, u = np.zeros((2, 3), np.float32), np.ones((2, 1), np.float32)
    i = np.array([[3], [0]])
    with pytest.raises(IndexError, match="one element"):
        Device().compile(desc, duplicates="raise")(x, i, u)
    dropped = Device().compile(desc, mode="drop", duplicates="raise")(x, i, u)
    assert dropped.tolist() == [[0, 0, 0], [1, 0, 0]]
    with pytest.raises(IndexError, match="out of range"):
        Device().compile(desc, mode="raise", duplicates="raise")(x, i, u)


def test_duplicates_of_a_device_tensor(d3d12: Device) -> None:
    operator = d3d12.compile(SCATTER, duplicates="raise")
    x, u = d3d12.tensor(X), d3d12.tensor(U)
    with pytest.raises(IndexError, match="one element"):
        operator(x, d3d12.tensor(np.array([[0], [0], [1]])), u, out=x)
    assert (x.numpy() == 0).all()
    assert operator(x, d3d12.tensor(np.array([[0], [2], [1]])), u).numpy().sum() == 6


@pytest.mark.parametrize(
    ("desc", "duplicates", "message"),
    [
        (GATHER, "raise", "GATHER_ELEMENTS: duplicates is 'raise', expected 'allow': a gather"),
        (SCATTER, "drop", "SCATTER_ND: duplicates is 'drop', expected 'allow' or 'raise'"),
        (SCATTER, None, "SCATTER_ND: duplicates is None"),
    ],
)
def test_what_duplicates_can_be(desc: Any, duplicates: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Device().compile(desc, duplicates=duplicates)
