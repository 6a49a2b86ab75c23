"""Functions of other libraries' tensors, fuzzed as functions of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlindex import reference, testing
from dmlindex.testing.adapters import adapted


class Tensor:
    def __init__(self, array: Any) -> None:
        self.array = array


def gather(input: Any, indices: Any, axis: int = 0, *, out: Any = None) -> Tensor:
    assert out is None
    return Tensor(reference.gather(input.array, indices.array, axis))


def fuzz(function: Any, **options: Any) -> testing.Report:
    wanted = {"index_dtypes": ["i8"], "with_lists": False, "mistakes": False, "examples": 200}
    return testing.fuzz(function, operator="gather", progress=False, **{**wanted, **options})


def test_a_function_of_tensors_gets_those_and_no_out() -> None:
    function = adapted(gather, Tensor, lambda tensor: tensor.array)
    assert function(np.array([5, 6]), np.array([1, 1])).tolist() == [6, 6]
    report = fuzz(function)
    assert report.differences == []
    assert not any(name == "out" for _, name, _ in report.coverage)
    wrong = fuzz(adapted(gather, Tensor, lambda tensor: tensor.array[::-1]), max_rank=2)
    assert wrong.differences


def test_torch() -> None:
    pytest.importorskip("torch")

    @testing.from_torch
    def take_rows(input: Any, indices: Any, axis: int = 0) -> Any:
        return input[(slice(None),) * (axis % input.ndim) + (indices,)]

    assert fuzz(take_rows, dtypes=["f4", "i8"], in_range=True).differences == []
    wrong = testing.from_torch(lambda input, indices: -input[indices])
    assert fuzz(wrong, dtypes=["i8"]).differences


def test_jax() -> None:
    pytest.importorskip("jax")

    @testing.from_jax
    def take_rows(input: Any, indices: Any, axis: int = 0) -> Any:
        return input.take(indices, axis=axis)

    assert fuzz(take_rows, dtypes=["f4", "i8"], in_range=True, examples=15).differences == []
