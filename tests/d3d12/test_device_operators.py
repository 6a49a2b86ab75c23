"""Compiled operators on a D3D12 device: tensors of its memory and arrays, mixed in any way.

tests/descriptors/test_compiled_operator.py runs there too, with arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dmlindex
from dmlindex import (
    DataType,
    Device,
    DeviceError,
    DeviceTensor,
    GatherOperatorDesc,
    TensorDesc,
    reference,
)
from tests.descriptors.desc_strategies import Array, Problem, buffer_shape, problems
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    index,
    scatter_elements,
    scatter_nd,
)

FILLER = 0xA5
X = np.arange(12, dtype=np.float32).reshape(4, 3)
ROWS = gather((4, 3), index(1, 2), (2, 3), 0, 1)
TAKEN = np.array([[3, 0]])
SCATTER = scatter_elements((4, 3), (1, 3), (1, 3), (4, 3), 0)


def as_array(result: Any) -> Array:
    array: Array = result.numpy() if isinstance(result, DeviceTensor) else result
    return array


def bytes_outside(tensor: TensorDesc, buffer: Array) -> Array:
    """The elements of a buffer that do not belong to the tensor, in order."""
    if tensor.strides is None:
        return buffer[:0].ravel()
    mask = np.ones(buffer.shape, bool)
    np.lib.stride_tricks.as_strided(mask, tensor.sizes, tensor.strides)[...] = False
    return buffer[mask]


@given(
    problem=problems(),
    choice=st.sampled_from(["raise", "clamp", "wrap", "skip"]),
    placed=st.tuples(*[st.booleans()] * 3),
    given_data=st.data(),
)
def test_tensors_and_arrays_mixed(
    device: Device,
    problem: Problem,
    choice: Any,
    placed: tuple[bool, ...],
    given_data: st.DataObject,
) -> None:
    """The result is a tensor where an operand is; padding is zero in a new one, kept in out."""
    scatters = problem.desc.operator.startswith("SCATTER")
    mode: Any = choice if choice != "skip" else "drop" if scatters else "fill"
    operator = device.compile(problem.desc, mode=mode)
    operands = [
        device.tensor(buffer) if there else buffer
        for there, buffer in zip(placed, problem.buffers, strict=False)
    ]
    wanted = DeviceTensor if any(isinstance(o, DeviceTensor) for o in operands) else np.ndarray
    tensor = problem.desc.output_tensor
    filled = np.empty(buffer_shape(given_data.draw, tensor), tensor.data_type.dtype)
    filled.view(np.uint8).fill(FILLER)
    out = device.tensor(filled)
    try:
        expected = problem.expected(mode)
    except IndexError:
        with pytest.raises(IndexError, match=rf"^{problem.desc.operator}: indices\["):
            as_array(operator(*operands))
        operator(*operands, out=out)
        with pytest.raises(IndexError, match=rf"^{problem.desc.operator}: indices\["):
            out.numpy()
        assert out.numpy().tobytes() == filled.tobytes()
        return
    result = operator(*operands)
    assert type(result) is wanted
    assert tensor.view(as_array(result)).tobytes() == expected.tobytes()
    assert not bytes_outside(tensor, as_array(result)).view(np.uint8).any()
    assert operator(*operands, out=out) is out
    found = out.numpy()
    assert tensor.view(found).tobytes() == expected.tobytes()
    assert bytes_outside(tensor, found).tobytes() == bytes_outside(tensor, filled).tobytes()
    assert operator(*operands, out=filled) is filled
    assert filled.tobytes() == found.tobytes()


@given(problem=problems(), victim=st.integers(0, 2))
def test_out_is_an_operand(device: Device, problem: Problem, victim: int) -> None:
    """In place in a scatter whose input and output lie alike; elsewhere as if it were apart."""
    assume(victim < len(problem.buffers))
    operands: list[Any] = list(problem.buffers)
    tensor = problem.desc.output_tensor
    assume(tensor.strides is not None or operands[victim].shape == tensor.sizes)
    try:
        expected = reference.run(problem.desc, *operands, out=operands[victim].copy())
    except (TypeError, ValueError):
        assume(False)  # the operand does not fit the output
    operands[victim] = device.tensor(operands[victim])
    out = device.compile(problem.desc)(*operands, out=operands[victim])
    assert out is operands[victim]
    assert out.numpy().tobytes() == expected.tobytes()


def test_in_place_and_chained(device: Device) -> None:
    table = device.tensor(X)
    scatter, gather_rows = device.compile(SCATTER), device.compile(ROWS)
    indices, updates = np.array([[2, 0, 2]]), np.full((1, 3), 9, np.float32)
    for _ in range(3):
        assert scatter(table, indices, updates, out=table) is table
    expected = X.copy()
    np.put_along_axis(expected, indices, updates, 0)
    np.testing.assert_array_equal(gather_rows(table, TAKEN).numpy(), expected[[3, 0]])


def test_repr_and_device(device: Device) -> None:
    operator = device.compile(ROWS)
    name = device.tensor([1]).device
    assert repr(operator).startswith(f"Device('{name}', feature_level=")
    assert f"compiled for {name}" in operator._repr_html_()
    assert operator.device == name
    assert Device().compile(ROWS).device == "cpu"


def test_operands_must_fit(device: Device) -> None:
    operator, table = device.compile(ROWS), device.tensor(X)
    with pytest.raises(TypeError, match="GATHER: input has dtype int64, expected float32"):
        operator(device.tensor(TAKEN), TAKEN)
    with pytest.raises(ValueError, match=r"GATHER: input has shape \(2, 3\), expected \(4, 3\)"):
        operator(device.tensor(X[:2]), TAKEN)
    with pytest.raises(TypeError, match="GATHER: indices has dtype float32, expected int64"):
        operator(table, table)
    with pytest.raises(ValueError, match=r"GATHER: out has shape \(4, 3\), expected \(2, 3\)"):
        operator(table, TAKEN, out=table)
    strided = gather_elements(data(2, 3, strides=(4, 1)), (2, 2), (2, 2), 1)
    with pytest.raises(ValueError, match="one dimension of at least 7 elements"):
        device.compile(strided)(device.tensor(np.zeros(6, np.float32)), np.zeros((2, 2), int))


def test_the_cpu_takes_no_tensors(device: Device) -> None:
    table = device.tensor(X)
    message = rf"GATHER: input is a DeviceTensor on {table.device}, but the call runs on cpu"
    with pytest.raises(ValueError, match=message):
        Device().compile(ROWS)(table, TAKEN)
    with pytest.raises(ValueError, match="GATHER: out is a DeviceTensor"):
        Device().compile(ROWS)(X, TAKEN, out=table)


def test_a_released_tensor(device: Device) -> None:
    table = device.tensor(X)
    table.release()
    for place in (device, Device()):
        with pytest.raises(ValueError, match="GATHER: input is a DeviceTensor that was released"):
            place.compile(ROWS)(table, TAKEN)


def test_an_error_goes_on_through_operators_and_functions(device: Device) -> None:
    bad = device.compile(ROWS, mode="raise")(device.tensor(X), np.array([[0, 4]]))
    later = dmlindex.gather(bad, [0])
    last = device.compile(gather((1, 3), index(1, 1), (1, 3), 0, 1))(later, np.array([[0]]))
    message = r"^GATHER: indices\[0, 1\] = 4 is out of range for axis 0 of input, which has size 4"
    with pytest.raises(IndexError, match=message):
        last.numpy()
    device.synchronize()


def test_an_error_outlives_its_operator(device: Device) -> None:
    result = device.compile(ROWS, mode="raise")(device.tensor(X), np.array([[9, 0]]))
    with pytest.raises(IndexError, match=r"^GATHER: indices\[0, 0\] = 9"):
        result.numpy()


def test_only_the_part_that_is_used_is_uploaded(device: Device) -> None:
    huge = np.broadcast_to(np.float32(7), (1 << 40,))  # no upload would get through
    tensor = data(2, 2, strides=(2, 1))
    operator = device.compile(gather_elements(tensor, (2, 2), (2, 2), 1))
    np.testing.assert_array_equal(operator(huge, np.zeros((2, 2), int)), np.full((2, 2), 7))


@pytest.mark.parametrize("name", ["FLOAT64", "INT64", "UINT16", "INT8"])
def test_last_write_wins(device: Device, name: str) -> None:
    data_type = DataType[name]
    table = data(5, data_type=data_type)
    updates = data(300, data_type=data_type)
    operator = device.compile(scatter_nd(table, index(300, 1), updates, table, 1, 2))
    values = np.arange(300).astype(data_type.dtype)
    indices = np.random.default_rng(1).integers(0, 5, (300, 1))
    expected = np.zeros(5, data_type.dtype)
    expected[indices[:, 0]] = values
    np.testing.assert_array_equal(operator(np.zeros(5, data_type.dtype), indices, values), expected)


def test_feature_levels_hold_there_too(device: Device) -> None:
    desc = GatherOperatorDesc(
        data(4, data_type=DataType.INT64), index(1), data(1, data_type=DataType.INT64), 0, 1
    )
    with pytest.raises(dmlindex.DescriptorError, match="feature-level"):
        Device(device.name, feature_level=dmlindex.FeatureLevel.FL_3_0).compile(desc)


def test_no_such_device() -> None:
    with pytest.raises(DeviceError, match="is not there"):
        Device("d3d12:99")
