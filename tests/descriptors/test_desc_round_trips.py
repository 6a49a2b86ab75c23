"""Descriptors are values: they compare, hash, copy, pickle, go to JSON and back, and to C++."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest
from hypothesis import given

from dmlindex import (
    DataType,
    GatherElementsOperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
    TensorDesc,
    TensorFlags,
)
from dmlindex.directml import OperatorDesc
from tests.descriptors.desc_strategies import Problem, problems


@given(problem=problems())
def test_round_trips(problem: Problem) -> None:
    desc = problem.desc
    copies = [
        pickle.loads(pickle.dumps(desc)),
        copy.copy(desc),
        copy.deepcopy(desc),
        OperatorDesc.from_json(desc.to_json()),
        type(desc).from_json(desc.to_json()),
        replace(desc),
    ]
    for other in copies:
        assert other == desc
        assert hash(other) == hash(desc)
        assert type(other) is type(desc)


def test_replace() -> None:
    desc = GatherOperatorDesc.infer((4, 4), (2,))
    other = replace(desc, axis=1)
    assert (other.axis, other.input_tensor) == (1, desc.input_tensor)
    assert other != desc
    assert len({desc, other, GatherOperatorDesc.infer((4, 4), (2,))}) == 2
    with pytest.raises(ValueError, match="axis is -1"):
        replace(desc, axis=-1)


def test_json_of_another_operator() -> None:
    text = GatherElementsOperatorDesc.infer((4,), (2,)).to_json()
    with pytest.raises(ValueError, match="operator is GATHER_ELEMENTS, expected GATHER_ND"):
        GatherNDOperatorDesc.from_json(text)


def test_cpp_names_every_field() -> None:
    x = TensorDesc(DataType.UINT8, (2, 3), (4, 1), 2**64 - 1, 16, TensorFlags.OWNED_BY_DML)
    desc = GatherElementsOperatorDesc(x, TensorDesc(DataType.INT64, ()), None, 1)
    lines = desc.to_cpp("g").splitlines()
    assert [line for line in lines if "input" in line] == [
        "const UINT g_input_sizes[] = {2, 3};",
        "const UINT g_input_strides[] = {4, 1};",
        "DML_BUFFER_TENSOR_DESC g_input_buffer = {};",
        "g_input_buffer.DataType = DML_TENSOR_DATA_TYPE_UINT8;",
        "g_input_buffer.Flags = DML_TENSOR_FLAG_OWNED_BY_DML;",
        "g_input_buffer.DimensionCount = 2;",
        "g_input_buffer.Sizes = g_input_sizes;",
        "g_input_buffer.Strides = g_input_strides;",
        "g_input_buffer.TotalTensorSizeInBytes = 18446744073709551615ULL;",
        "g_input_buffer.GuaranteedBaseOffsetAlignment = 16;",
        "const DML_TENSOR_DESC g_input = {DML_TENSOR_TYPE_BUFFER, &g_input_buffer};",
        "g_fields.InputTensor = &g_input;",
    ]
    assert "g_indices_buffer.Sizes = nullptr;" in lines
    assert lines[-3:] == [
        "g_fields.OutputTensor = nullptr;",
        "g_fields.Axis = 1;",
        "const DML_OPERATOR_DESC g = {DML_OPERATOR_GATHER_ELEMENTS, &g_fields};",
    ]


def test_cpp_needs_an_identifier() -> None:
    desc = GatherOperatorDesc.infer((4,), (2,))
    for name in ("", "1a", "a b", "ä"):
        with pytest.raises(ValueError, match="expected an identifier"):
            desc.to_cpp(name)


def test_cpp_of_a_type_without_a_size() -> None:
    x = TensorDesc(DataType.INT4, (2,), flags=TensorFlags(6))
    text = GatherElementsOperatorDesc(x, x, x, 0).to_cpp()
    assert "input_buffer.TotalTensorSizeInBytes = 0ULL;" in text
    assert "static_cast<DML_TENSOR_FLAGS>(6)" in text
