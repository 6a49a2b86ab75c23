"""Compiled descriptors: calls that fail, and in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dmlindex import Device
from tests.descriptors.descs import (
    data,
    gather_elements,
    scatter_elements,
)

X = np.arange(6, dtype=np.float32).reshape(2, 3)
I = np.array([[0, 1], [1, 0]])  # noqa: E741
GATHER = gather_elements((2, 3), (2, 2), (2, 2), 1)
STRIDED = gather_elements(data(2, 3, strides=(4, 1)), (2, 2), data(2, 2, strides=(3, 1)), 1)
SCATTER = scatter_elements((2, 3), (2, 2), (2, 2), (2, 3), 1)


WRONG_CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (GATHER, (X,), {}, TypeError, "missing required argument 'indices'"),
    (GATHER, (X, I, X), {}, TypeError, "takes 2 positional arguments but 3 were given"),
    (GATHER, (X, I), {"updates": X}, TypeError, "unexpected keyword argument 'updates'"),
    (SCATTER, (X, I), {}, TypeError, "missing required argument 'updates'"),
    (GATHER, (X, None), {}, TypeError, "GATHER_ELEMENTS: indices is None"),
    (GATHER, (X.astype("f8"), I), {}, TypeError, "input has dtype float64, expected float32"),
    (GATHER, (X.astype(">f4"), I), {}, TypeError, "input has dtype >f4, expected float32"),
    (GATHER, (X, I.astype("i4")), {}, TypeError, "indices has dtype int32, expected int64"),
    (GATHER, (X[:, :2], I), {}, ValueError, r"input has shape \(2, 2\), expected \(2, 3\)"),
    (GATHER, (X, I.ravel()[:3]), {}, ValueError, r"indices has shape \(3,\), expected \(2, 2\)"),
    (STRIDED, (X, I), {}, ValueError, "expected one dimension of at least 7 elements"),
    (STRIDED, (X.ravel(), I), {}, ValueError, "input has shape"),
    (SCATTER, (X, I, X), {}, ValueError, r"updates has shape \(2, 3\), expected \(2, 2\)"),
    (GATHER, (X, I), {"out": [1]}, TypeError, "out is a list, expected a numpy.ndarray"),
    (GATHER, (X, I), {"out": np.empty((2, 2))}, TypeError, "out has dtype float64"),
    (GATHER, (X, I), {"out": X}, ValueError, r"out has shape \(2, 3\), expected \(2, 2\)"),
    (STRIDED, (np.zeros(7, "f4"), I), {"out": X}, ValueError, "at least 5 elements"),
    (
        *(GATHER, (X, I), {"out": np.broadcast_to(np.float32(0), (2, 2))}),
        *(ValueError, "out is read-only"),
    ),
    (
        *(GATHER, (X, I), {"out": np.lib.stride_tricks.as_strided(X, (2, 2), (4, 4))}),
        *(ValueError, "share memory"),
    ),
    (
        *(STRIDED, (np.zeros(7, "f4"), I)),
        {"out": np.lib.stride_tricks.as_strided(np.zeros(1, "f4"), (9,), (0,))},
        *(ValueError, "share memory"),
    ),
]


@pytest.mark.parametrize(("desc", "arguments", "options", "error", "message"), WRONG_CALLS)
def test_a_wrong_call(
    device: str,
    desc: Any,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    error: type[Exception],
    message: str,
) -> None:
    with pytest.raises(error, match=message):
        Device(device).compile(desc)(*arguments, **options)
