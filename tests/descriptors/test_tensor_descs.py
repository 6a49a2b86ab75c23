"""TensorDescs of arrays, data types of dtypes, and what a tensor's size is at least."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import DataType, TensorDesc
from tests.descriptors.desc_strategies import Problem, problems
from tests.descriptors.test_infer import Sizes, sizes


@pytest.mark.parametrize("data_type", DataType)
def test_data_types_and_dtypes(data_type: DataType) -> None:
    if data_type in (DataType.UNKNOWN, DataType.UINT4, DataType.INT4):
        with pytest.raises(ValueError, match="no NumPy dtype"):
            _ = data_type.dtype
    else:
        assert DataType.of(data_type.dtype) is data_type


@pytest.mark.parametrize(
    ("dtype", "advice"),
    [
        ("?", "as uint8$"),
        ("c8", "as uint64$"),
        ("c16", "as uint8, with a dim"),
        ("M8[s]", "as uint64$"),
        ("S1", "as uint8$"),
        ("V3", "as uint8, with a dim"),
        (np.dtype("f4").newbyteorder(), "foreign byte order.*astype"),
    ],
)
def test_dtypes_that_directml_lacks(dtype: Any, advice: str) -> None:
    with pytest.raises(TypeError, match=advice):
        DataType.of(dtype)


@given(given_data=st.data(), shape=sizes(0, 4))
def test_an_array_as_it_lies(given_data: st.DataObject, shape: Sizes) -> None:
    """The desc's strides find the array's elements in its own memory."""
    steps = [given_data.draw(st.integers(1, 2)) for _ in shape]
    order = given_data.draw(st.permutations(range(len(shape))))
    wide = [shape[d] * steps[d] for d in order]
    buffer = np.arange(np.prod(wide, dtype=int) + 1, dtype=np.int16)  # totals count 4 bytes
    base = buffer[:-1].reshape(wide)
    array = base.transpose(np.argsort(order))[tuple(slice(None, None, step) for step in steps)]
    desc = TensorDesc.from_array(array, rank=5)
    assert desc.sizes == (1,) * (5 - len(shape)) + shape
    assert (desc.strides is None) == array.flags.c_contiguous
    found = desc.view(buffer if desc.strides else array.reshape(desc.sizes))
    assert np.array_equal(found.reshape(shape), array)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 2))[::-1], "-16 bytes, which is negative.*ascontiguousarray"),
        (np.zeros(3, "i4,i2")["f0"], "6 bytes, which is no multiple of 4"),
    ],
)
def test_strides_that_directml_lacks(array: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TensorDesc.from_array(array)
    assert TensorDesc.from_array(np.ascontiguousarray(array)).strides is None


def test_strides_of_dims_of_one_do_not_count() -> None:
    assert TensorDesc.from_array(np.zeros((3, 4), np.int8)[::-1][:1, ::2]) == TensorDesc(
        DataType.INT8, (1, 2), strides=(0, 2)
    )


def test_ranks() -> None:
    strided = TensorDesc(DataType.INT8, (1, 2, 3), strides=(9, 4, 1))
    assert strided.with_rank(2) == TensorDesc(DataType.INT8, (2, 3), strides=(4, 1))
    assert strided.with_rank(4).with_rank(3).strides == (9, 4, 1)
    assert TensorDesc.from_array(np.zeros((), np.int8)).sizes == (1,)
    with pytest.raises(ValueError, match="rank is 1"):
        TensorDesc.from_array(np.zeros((2, 3)), rank=1)
    with pytest.raises(TypeError, match="list"):
        TensorDesc.from_array([1, 2])  # type: ignore[arg-type]


@given(problem=problems())
def test_the_implied_size(problem: Problem) -> None:
    """It is the least that DirectML's rules take for the total."""
    tensor = problem.desc.input_tensor
    least = tensor.implied_size_in_bytes
    for total, valid in ((least, True), (least - 1, False)):
        desc = replace(problem.desc, input_tensor=replace(tensor, total_tensor_size_in_bytes=total))
        assert (desc.violations() == []) == valid


@given(problem=problems(), extra=st.integers(0, 3))
def test_arrays_that_are_the_tensor(problem: Problem, extra: int) -> None:
    """A view has the tensor's elements and no copy of them, whatever form the array has."""
    tensor, buffer = problem.desc.input_tensor, problem.buffers[0]
    expected = tensor.view(buffer)
    spare = expected.shape.index(next((s for s in expected.shape if s > 1), 1))
    forms = [expected, expected.reshape(expected.shape[spare:])]
    if tensor.strides is None:
        line = np.ones(tensor.total_bytes // buffer.itemsize + extra, buffer.dtype)
        line[: buffer.size] = buffer.reshape(-1)
        forms += [buffer.reshape(-1), line]
    else:
        forms += [buffer, np.repeat(buffer, 2)[::2]]
    for form in forms:
        found = tensor.view(form)
        assert found.shape == tensor.sizes
        assert found.tobytes() == expected.tobytes()
        assert np.shares_memory(found, form)


def test_arrays_that_are_not_the_tensor() -> None:
    tensor = TensorDesc(DataType.UINT8, (1, 2, 3), strides=(0, 4, 1))
    wide = np.zeros((2, 4), np.uint8)
    assert tensor.view(wide[:, :3]).shape == (1, 2, 3)
    for array in (np.zeros((2, 3), np.uint8), wide[:, 1:], wide.reshape(-1)[:7], wide):
        if array.strides == wide.strides and array.shape == (2, 3):
            continue  # the strides are right: it is the tensor a byte further on
        with pytest.raises(
            ValueError, match=r"at least 8 elements, or \(1, 2, 3\) with the desc's"
        ):
            tensor.view(array)
    packed = TensorDesc(DataType.UINT8, (1, 2, 3), total_tensor_size_in_bytes=12)
    assert packed.view(np.zeros(6, np.uint8)).shape == (1, 2, 3)
    for size in (5, 7, 11):
        with pytest.raises(ValueError, match=r"\(1, 2, 3\) or one dimension of at least 12"):
            packed.view(np.zeros(size, np.uint8))
