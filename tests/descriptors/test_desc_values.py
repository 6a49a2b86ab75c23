"""Descriptors are values: what they hold, compare and refuse; views of buffers."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import DataType, TensorDesc
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


def test_descs_are_values() -> None:
    again = gather_elements((2, 3), (2, 2), (2, 2), 1)
    assert again == GATHER
    assert hash(again) == hash(GATHER)
    assert pickle.loads(pickle.dumps(GATHER)) == GATHER
    assert gather_elements((2, 3), (2, 2), (2, 2), 0) != GATHER
    with pytest.raises(AttributeError):
        GATHER.axis = 0  # type: ignore[misc]
    assert repr(data(2, strides=(0,), flags=dmlindex.TensorFlags.OWNED_BY_DML)) == (
        "TensorDesc(DataType.FLOAT32, (2,), strides=(0,), flags=TensorFlags.OWNED_BY_DML)"
    )


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("FLOAT32", (2,)), TypeError, "data_type is of type str, expected a DataType"),
        ((1, (2,)), TypeError, "data_type is of type int"),
        ((DataType.FLOAT32, 2), TypeError, "sizes is of type int, expected a sequence"),
        ((DataType.FLOAT32, (2.0,)), TypeError, r"sizes\[0\] is of type float"),
        ((DataType.FLOAT32, (-1,)), ValueError, r"sizes\[0\] is -1, expected 0 to 4294967295"),
        ((DataType.FLOAT32, (2,), (2**32,)), ValueError, r"strides\[0\] is 4294967296"),
        ((DataType.FLOAT32, (2,), None, 2**64), ValueError, "total_tensor_size_in_bytes is"),
        ((DataType.FLOAT32, (2,), None, None, True), TypeError, "alignment is True"),
        ((DataType.FLOAT32, (2,), None, None, 0, 1), TypeError, "flags is of type int"),
    ],
)
def test_what_a_tensor_desc_cannot_hold(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        TensorDesc(*arguments)


def test_view() -> None:
    desc = data(2, 2, strides=(3, 1))
    buffer = np.arange(9, dtype=np.float32)
    assert desc.view(buffer).tolist() == [[0, 1], [3, 4]]
    assert desc.view(buffer[::-1]).tolist() == [[8, 7], [5, 4]]
    assert np.shares_memory(desc.view(buffer), buffer)
    assert data(2, 3).view(X) is X
    for wrong, error in (
        (buffer[:4], ValueError),
        (buffer.reshape(3, 3), ValueError),
        (buffer.astype("f8"), TypeError),
        ([1.0] * 9, TypeError),
    ):
        with pytest.raises(error, match=r"^view: buffer"):
            desc.view(wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^view: buffer has shape \(3, 3\), expected \(2, 3\)"):
        data(2, 3).view(buffer.reshape(3, 3))
    with pytest.raises(dmlindex.DescriptorError, match="TensorDesc: strides is 1 strides"):
        data(2, 2, strides=(1,)).view(buffer)
