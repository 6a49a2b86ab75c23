"""The arrays that a compiled operator takes as a tensor: natural shapes, lines, and views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import (
    DataType,
    Device,
    GatherElementsOperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    TensorDesc,
    reference,
)
from tests.descriptors.desc_strategies import Array, Problem, buffer_shape, problems

MODES: Any = st.sampled_from([None, "raise", "clamp", "wrap", "directml"])


def form_of(draw: Callable[..., Any], tensor: TensorDesc, buffer: Array, mode: str) -> Array:
    """The same memory in another form, where there is one."""
    if mode == "directml" and tensor.strides is not None:
        return buffer  # of a view there is nothing behind its elements, where that mode gets to
    view = tensor.view(buffer)
    ones = next((d for d, size in enumerate(view.shape) if size > 1), view.ndim)
    forms: list[Array] = [buffer, view.squeeze(tuple(range(draw(st.integers(0, ones)))))]
    if tensor.strides is None:
        forms.append(buffer.reshape(-1))
    chosen: Array = draw(st.sampled_from(forms))
    return chosen


@given(given_data=st.data(), problem=problems(), mode=MODES)
def test_every_form_is_the_same_tensor(
    device: str, given_data: st.DataObject, problem: Problem, mode: Any
) -> None:
    draw, output = given_data.draw, problem.desc.output_tensor
    operator = Device(device).compile(problem.desc, mode=mode)
    shape = buffer_shape(draw, output)
    outs = [np.full(shape, 7, output.data_type.dtype) for _ in range(2)]
    names = ["input", "indices", "updates"][: len(problem.buffers)]
    forms = [
        form_of(draw, getattr(problem.desc, f"{name}_tensor"), buffer, operator.mode)
        for name, buffer in zip(names, problem.buffers, strict=True)
    ]
    try:
        operator(*problem.buffers, out=outs[0])
    except IndexError:
        with pytest.raises(IndexError):
            operator(*forms, out=form_of(draw, output, outs[1], operator.mode))
    else:
        given_out = form_of(draw, output, outs[1], operator.mode)
        assert operator(*forms, out=given_out) is given_out
        fresh = operator(*forms)
        assert output.view(fresh).tobytes() == output.view(outs[0]).tobytes()
    assert outs[1].tobytes() == outs[0].tobytes()


@given(given_data=st.data(), problem=problems())
def test_a_line_holds_what_lies_behind_the_sizes(
    device: str, given_data: st.DataObject, problem: Problem
) -> None:
    """Mode directml reads and writes a packed tensor's total, as far as the array goes."""
    desc, buffers = problem.desc, list(problem.buffers)
    if desc.operator.startswith("SCATTER"):
        table, lines = desc.output_tensor, buffers
    else:
        table, lines = desc.input_tensor, buffers[1:]
    needed = table.total_bytes // table.data_type.dtype.itemsize
    line = np.arange(needed + given_data.draw(st.integers(0, 3))).astype(table.data_type.dtype)
    operator = Device(device).compile(desc, mode="directml")
    if desc.operator.startswith("SCATTER"):
        expected = reference.run(desc, *lines, out=line.copy(), mode="directml")
        assert operator(*lines, out=line).tobytes() == expected.tobytes()
    else:
        expected = reference.run(desc, line, *lines, mode="directml")
        assert operator(line, *lines).tobytes() == expected.tobytes()


def test_lines_that_have_steps(device: str) -> None:
    desc = GatherElementsOperatorDesc.infer((2, 3), (2, 1), 1)
    wide = np.arange(12, dtype=np.float32)
    found = Device(device).compile(desc, mode="raise")(wide[::2], np.array([2, -3]))
    assert found.tolist() == [[4], [6]]
    out = np.zeros(4, np.float32)
    Device(device).compile(desc, mode="raise")(wide[::2], np.array([2, -3]), out=out[::2])
    assert out.tolist() == [4, 0, 6, 0]


def test_a_view_is_not_copied_away(device: str) -> None:
    """A scatter in place on part of a larger array."""
    base = np.zeros((3, 8), np.float32)
    part = base[:, 2:5]
    desc = ScatterElementsOperatorDesc.infer(part, (3, 1), axis=1)
    desc = type(desc)(part_of := TensorDesc.from_array(part), *_inner(desc), part_of, desc.axis)
    operator = Device(device).compile(desc, mode="raise")
    assert operator(part, np.array([[0], [1], [2]]), np.ones((3, 1), np.float32), out=part) is part
    assert np.argwhere(base).tolist() == [[0, 2], [1, 3], [2, 4]]


def _inner(desc: Any) -> tuple[Any, Any]:
    return desc.indices_tensor, desc.updates_tensor


X = np.zeros((2, 3), np.float32)
I = np.zeros((2, 2), np.int64)  # noqa: E741


@pytest.mark.parametrize(
    ("strides", "x", "i", "message"),
    [
        (None, X[0], I, r"input has shape \(3,\), expected \(1, 2, 3\), its desc's sizes, or one"),
        (None, X.T, I, r"input has shape \(3, 2\)"),
        (None, X.reshape(1, 1, 2, 3), I, r"input has shape \(1, 1, 2, 3\)"),
        (None, np.zeros(5, np.float32), I, "one dimension of at least 6 elements"),
        (None, X, np.zeros(3, np.int64), r"indices has shape \(3,\)"),
        ((0, 4, 1), X, I, r"at least 7 elements, or \(1, 2, 3\) with its desc's strides"),
        ((0, 4, 1), np.zeros((2, 8), np.float32)[:, ::2][:, :3], I, "with its desc's strides"),
        ((0, 4, 1), np.zeros(6, np.float32), I, "at least 7 elements"),
    ],
)
def test_arrays_that_are_not_the_tensor(
    device: str, strides: Any, x: Array, i: Array, message: str
) -> None:
    input = TensorDesc(DataType.FLOAT32, (1, 2, 3), strides)
    operator = Device(device).compile(GatherElementsOperatorDesc.infer(input, (1, 2, 2), 2))
    with pytest.raises(ValueError, match=message):
        operator(x, i)
    with pytest.raises(ValueError, match=r"out has shape \(3,\), expected \(1, 2, 2\)"):
        operator(np.zeros(7 if strides else 6, np.float32), I, out=np.zeros(3, np.float32))


def test_a_scalar_is_natural(device: str) -> None:
    operator = Device(device).compile(GatherOperatorDesc.infer((4,), ()), mode="raise")
    assert operator(np.arange(4, dtype=np.float32), np.array(2)).tolist() == [2]
