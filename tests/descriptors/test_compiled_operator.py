"""Compiled descriptors against the reference, on views of the same buffers; and calls that fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

import dmlindex
from dmlindex import DataType, Device, reference
from tests.descriptors.desc_strategies import Array, Problem, buffer_shape, problems
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd,
    index,
    scatter_elements,
)

FILLER = 0xA5
MODES = st.sampled_from(["default", "raise", "clamp", "wrap", "skip"])


def compiled(device: str, problem: Problem, choice: str) -> tuple[Any, str]:
    """The operator, and its mode."""
    if choice == "default":
        return Device(device).compile(problem.desc), "directml"
    skip = "drop" if problem.desc.operator.startswith("SCATTER") else "fill"
    mode: Any = skip if choice == "skip" else choice
    return Device(device).compile(problem.desc, mode=mode), mode


def new_out(draw: Callable[..., Any], problem: Problem) -> Array:
    tensor = problem.desc.output_tensor
    out = np.empty(buffer_shape(draw, tensor), tensor.data_type.dtype)
    out.view(np.uint8).fill(FILLER)
    return out


@given(given_data=st.data(), problem=problems(), choice=MODES)
def test_equal_to_the_reference(
    device: str, given_data: st.DataObject, problem: Problem, choice: str
) -> None:
    """The padding, too."""
    operator, mode = compiled(device, problem, choice)
    out = new_out(given_data.draw, problem)
    try:
        expected = reference.run(problem.desc, *problem.buffers, mode=mode)
    except IndexError:
        before = out.tobytes()
        with pytest.raises(IndexError):
            operator(*problem.buffers)
        with pytest.raises(IndexError):
            operator(*problem.buffers, out=out)
        assert out.tobytes() == before
        return
    assert operator.mode == mode
    assert operator(*problem.buffers).tobytes() == expected.tobytes()
    expected = reference.run(problem.desc, *problem.buffers, out=out.copy(), mode=mode)
    assert operator(*problem.buffers, out=out) is out
    assert out.tobytes() == expected.tobytes()


@given(given_data=st.data(), problem=problems(), choice=MODES)
def test_buffers_of_any_layout(
    device: str, given_data: st.DataObject, problem: Problem, choice: str
) -> None:
    """Arrays with strides of their own mean the same as contiguous ones."""

    def spread(array: Array) -> Array:
        wide = np.empty((*array.shape, 3), array.dtype)
        wide.view(np.uint8).fill(FILLER)
        wide[..., 1] = array
        return wide[..., 1]

    operator, mode = compiled(device, problem, choice)
    out = spread(new_out(given_data.draw, problem))
    try:
        expected = reference.run(problem.desc, *problem.buffers, out=out.copy(), mode=mode)
    except IndexError:
        return
    assert operator(*map(spread, problem.buffers), out=out) is out
    assert out.tobytes() == expected.tobytes()
    assert out.base is not None
    assert (out.base[..., ::2].tobytes().strip(bytes([FILLER]))) == b""


@given(
    problem=problems("SCATTER_ELEMENTS") | problems("SCATTER_ND"), alike=st.booleans(), choice=MODES
)
def test_out_is_the_input(device: str, problem: Problem, alike: bool, choice: str) -> None:
    """In place where the two lie alike; elsewhere the overlap is copied away."""
    if alike:
        tensor = problem.desc.input_tensor
        problem = replace(problem, desc=replace(problem.desc, output_tensor=tensor))
        assume(problem.desc.violations() == [])
    operator, mode = compiled(device, problem, choice)
    buffers = list(problem.buffers)
    tensor = problem.desc.output_tensor
    assume(tensor.strides is not None or buffers[0].shape == tensor.sizes)
    try:
        expected = reference.run(problem.desc, *buffers, out=buffers[0].copy(), mode=mode)
    except (IndexError, ValueError):
        reject()  # or the input's buffer does not fit the output
    operator(*buffers, out=buffers[0])
    assert buffers[0].tobytes() == expected.tobytes()


@given(given_data=st.data(), problem=problems(), choice=MODES)
def test_out_in_the_memory_of_an_input(
    device: str, given_data: st.DataObject, problem: Problem, choice: str
) -> None:
    operator, mode = compiled(device, problem, choice)
    tensor = problem.desc.output_tensor
    shape = buffer_shape(given_data.draw, tensor)
    size = int(np.prod(shape)) * tensor.data_type.dtype.itemsize
    shared = np.zeros(size + max(buffer.nbytes for buffer in problem.buffers) + 64, np.uint8)
    buffers = list(problem.buffers)
    victim = given_data.draw(st.integers(0, len(buffers) - 1))
    start = given_data.draw(st.integers(0, 8)) * 8
    place = shared[start : start + buffers[victim].nbytes]
    moved = place.view(buffers[victim].dtype).reshape(buffers[victim].shape)
    moved[...] = buffers[victim]
    buffers[victim] = moved
    out = shared[:size].view(tensor.data_type.dtype).reshape(shape)
    try:
        expected = reference.run(problem.desc, *buffers, out=out.copy(), mode=mode)
    except IndexError:
        reject()
    operator(*buffers, out=out)
    assert out.tobytes() == expected.tobytes()


X = np.arange(6, dtype=np.float32).reshape(2, 3)
I = np.array([[0, 1], [1, 0]])  # noqa: E741
GATHER = gather_elements((2, 3), (2, 2), (2, 2), 1)
STRIDED = gather_elements(data(2, 3, strides=(4, 1)), (2, 2), data(2, 2, strides=(3, 1)), 1)
SCATTER = scatter_elements((2, 3), (2, 2), (2, 2), (2, 3), 1)


def test_array_likes_are_taken(device: str) -> None:
    u8, i64 = DataType.UINT8, DataType.INT64
    desc = gather_elements(data(2, 2, data_type=i64), (2, 1), data(2, 1, data_type=i64), 1)
    operator = Device(device).compile(desc)
    assert operator([[1, 2], [3, 4]], [[1], [0]]).tolist() == [[2], [3]]
    with pytest.raises(TypeError, match="input has dtype int64, expected uint8"):
        Device(device).compile(
            gather_elements(data(2, 2, data_type=u8), (2, 1), data(2, 1, data_type=u8), 1)
        )([[1, 2], [3, 4]], [[1], [0]])


def test_an_index_error_names_the_place_in_the_tensors_as_they_are(device: str) -> None:
    desc = gather_nd((1, 1, 5, 3), index(1, 1, 4, 2), (1, 1, 1, 4), 2, 3)
    operator = Device(device).compile(desc, mode="raise")
    indices = np.zeros((1, 1, 4, 2), np.int64)
    indices[0, 0, 2, 1] = 7
    out = np.full((1, 1, 1, 4), 9, np.float32)
    message = (
        r"^GATHER_ND: indices\[0, 0, 2, 1\] = 7 is out of range for axis 3 of input, "
        r"which has size 3 \(expected -3 <= index < 3\)"
    )
    with pytest.raises(IndexError, match=message):
        operator(np.zeros((1, 1, 5, 3), np.float32), indices, out=out)
    assert (out == 9).all()
    flat = gather((1, 5), index(1, 2), (1, 2), 1, 1)
    with pytest.raises(IndexError, match=r"indices\[0, 1\] = -6 is out of range for axis 1"):
        Device(device).compile(flat, mode="raise")(
            np.zeros((1, 5), np.float32), np.array([[0, -6]])
        )


def test_fill_value(device: str) -> None:
    indices = np.array([[0, 9], [-9, 1]])
    operator = Device(device).compile(GATHER, mode="fill", fill_value=-1.5)
    assert operator(X, indices).tolist() == [[0, -1.5], [-1.5, 4]]
    assert Device(device).compile(GATHER, mode="fill")(X, indices).tolist() == [[0, 0], [0, 4]]
    wrong: list[Any] = [np.float64(0.1), "a", None]
    for fill_value in wrong:
        with pytest.raises(ValueError, match="fill_value"):
            Device(device).compile(GATHER, mode="fill", fill_value=fill_value)
    with pytest.raises(ValueError, match="fill_value is 1, expected 0: a scatter fills nothing"):
        Device(device).compile(SCATTER, fill_value=1)


def test_modes_by_operator() -> None:
    assert Device().compile(GATHER).mode == "directml"
    assert Device().compile(SCATTER).mode == "directml"
    with pytest.raises(ValueError, match="GATHER_ELEMENTS: mode is 'drop', expected \"raise\""):
        Device().compile(GATHER, mode="drop")
    with pytest.raises(ValueError, match="mode is 'fill'"):
        Device().compile(SCATTER, mode="fill")
    with pytest.raises(TypeError, match="mode is 1"):
        Device().compile(GATHER, mode=1)  # type: ignore[arg-type]


def test_a_device_is_checked() -> None:
    with pytest.raises(TypeError, match="name is of type int"):
        Device(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="feature_level is of type int"):
        Device(feature_level=0x6400)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gpu"):
        Device("gpu")
    with pytest.raises(TypeError, match="desc is a TensorDesc, expected an operator desc"):
        Device().compile(data(2))  # type: ignore[arg-type]
    assert Device() == Device("cpu")
    assert len({Device(), Device("cpu")}) == 1
    assert Device() != Device(feature_level=dmlindex.FeatureLevel.FL_1_0)


def test_the_functions_take_a_device() -> None:
    taken = dmlindex.gather(X, [1], device=Device())
    assert taken.tolist() == [[3, 4, 5]]
    with pytest.raises(TypeError, match="device is 1"):
        dmlindex.gather(X, [1], device=1)  # type: ignore[call-overload]
