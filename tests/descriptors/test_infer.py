"""Descriptors from shapes, arrays and tensors: what `infer` makes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import (
    DataType,
    DescriptorError,
    Device,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
    reference,
)
from tests.descriptors.desc_strategies import Problem, problems

F32, I64, U32 = DataType.FLOAT32, DataType.INT64, DataType.UINT32
UNTYPED: Any = GatherOperatorDesc  # for what a type checker refuses
Sizes = tuple[int, ...]


def sizes_of(desc: Any) -> list[Sizes]:
    return [getattr(desc, f.name).sizes for f in fields(desc) if f.name.endswith("_tensor")]


def sizes(min_dims: int, max_dims: int) -> st.SearchStrategy[Sizes]:
    return st.lists(st.integers(1, 3), min_size=min_dims, max_size=max_dims).map(tuple)


@st.composite
def calls(draw: st.DrawFn) -> tuple[Any, list[Any], dict[str, int], Callable[..., Any]]:
    """An operator's class, arrays of natural shapes, parameters, and the function it stands for."""
    operator = draw(st.sampled_from(["gather", "gather_elements", "gather_nd", "scatter_nd", "se"]))
    x = draw(sizes(1, 4))
    axis = draw(st.integers(-len(x), len(x) - 1))
    at = axis % len(x)
    if operator == "gather":
        i = draw(sizes(0, 3))
        parameters: dict[str, int] = {"axis": axis}
    elif operator in ("gather_elements", "se"):
        i = (*x[:at], draw(st.integers(1, x[at])), *x[at + 1 :])
        parameters = {"axis": axis}
    else:
        batch = draw(st.integers(0, len(x) - 1)) if operator == "gather_nd" else 0
        i = (*x[:batch], *draw(sizes(0, 2)), draw(st.integers(1, len(x) - batch)))
        parameters = {"batch_dimension_count": batch} if operator == "gather_nd" else {}
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    arrays: list[Any] = [rng.random(x).astype(np.float32), rng.integers(0, min(x), i)]
    if operator == "scatter_nd":
        arrays.append(rng.random(i[:-1] + x[i[-1] :]).astype(np.float32))
    elif operator == "se":
        arrays.append(rng.random(i).astype(np.float32))
    types: dict[str, Any] = {
        "gather": (GatherOperatorDesc, lambda x, i, axis: np.take(x, i, axis)),
        "gather_elements": (GatherElementsOperatorDesc, reference.gather_elements),
        "gather_nd": (GatherND1OperatorDesc, reference.gather_nd),
        "scatter_nd": (ScatterNDOperatorDesc, reference.scatter_nd),
        "se": (ScatterElementsOperatorDesc, reference.scatter_elements),
    }
    return types[operator][0], arrays, parameters, types[operator][1]


@given(call=calls())
def test_a_call_of_a_function_as_a_descriptor(call: Any) -> None:
    """NumPy's shapes with 1s in front, one DimensionCount, and the function's answer."""
    desc_type, arrays, parameters, function = call
    desc = desc_type.infer(*arrays, **parameters)
    expected = np.asarray(function(*arrays, *parameters.values()))
    assert desc == desc_type.infer(*(array.shape for array in arrays), **parameters)
    all_sizes = sizes_of(desc)
    assert len({len(one) for one in all_sizes}) == 1
    natural = [*(array.shape for array in arrays), expected.shape]
    assert len(all_sizes[0]) == max(1, *map(len, natural))
    for one, shape in zip(all_sizes, natural, strict=True):
        assert one == (1,) * (len(one) - len(shape)) + shape
    shaped = [array.reshape(one) for array, one in zip(arrays, all_sizes, strict=False)]
    output = Device().compile(desc)(*shaped)
    assert output.tobytes() == expected.tobytes()


@given(problem=problems())
def test_tensors_keep_their_layout(problem: Problem) -> None:
    """Of a valid desc's own tensors, infer makes the same desc, with a packed output."""
    desc = problem.desc
    tensors = [
        getattr(desc, f"{name}_tensor")
        for name in ("input", "indices", "updates")
        if hasattr(desc, f"{name}_tensor")
    ]
    parameters = {
        f.name: getattr(desc, f.name) for f in fields(desc) if not f.name.endswith("_tensor")
    }
    inferred = type(desc).infer(*tensors, **parameters)
    rank = max(len(tensor.sizes) for tensor in tensors)  # SCATTER_ND's may differ
    output = TensorDesc(desc.output_tensor.data_type, desc.output_tensor.sizes)
    expected = {
        f.name: getattr(desc, f.name).with_rank(rank) if f.name.endswith("_tensor") else value
        for f in fields(desc)
        for value in [getattr(desc, f.name)]
    }
    assert inferred == type(desc)(**expected | {"output_tensor": output.with_rank(rank)})
    larger = type(desc).infer(*tensors, **parameters, dimension_count=8)
    assert {len(one) for one in sizes_of(larger)} == {8}


PAGES: dict[str, tuple[Any, list[Sizes]]] = {
    "GATHER 1": (GatherOperatorDesc.infer((4,), (5,)), [(4,), (5,), (5,)]),
    "GATHER 2": (
        GatherOperatorDesc.infer((3, 2), (1, 4), 0, 1),
        [(3, 2), (1, 4), (4, 2)],
    ),
    "GATHER 4": (
        GatherOperatorDesc.infer(TensorDesc(F32, (1, 3, 3)), TensorDesc(U32, (1, 1, 2)), 2, 2),
        [(1, 3, 3), (1, 1, 2), (3, 1, 2)],
    ),
    "GATHER_ELEMENTS 1": (
        GatherElementsOperatorDesc.infer((3, 3), (2, 3)),
        [(3, 3), (2, 3), (2, 3)],
    ),
    "GATHER_ND 1": (GatherNDOperatorDesc.infer((2, 2), (2, 1)), [(2, 2), (2, 1), (2, 2)]),
    "GATHER_ND 2": (
        GatherNDOperatorDesc.infer((1, 2, 2, 2), (1, 1, 2, 2), 3, 2),
        [(1, 2, 2, 2), (1, 1, 2, 2), (1, 1, 2, 2)],
    ),
    "GATHER_ND, of sizes": (
        GatherNDOperatorDesc.infer((3, 4, 5, 6, 7), (1, 1, 1, 2, 3), 5, 3),
        [(3, 4, 5, 6, 7), (1, 1, 1, 2, 3), (1, 1, 2, 6, 7)],
    ),
    "GATHER_ND1 2": (
        GatherND1OperatorDesc.infer((1, 3, 2, 2), (1, 3, 2, 2), 3, 3, 1),
        [(1, 3, 2, 2), (1, 3, 2, 2), (1, 1, 3, 2)],
    ),
    "SCATTER 1": (ScatterElementsOperatorDesc.infer((5,), (4,)), [(5,), (4,), (4,), (5,)]),
    "SCATTER_ND 1": (
        ScatterNDOperatorDesc.infer((8,), (4, 1)),
        [(1, 8), (4, 1), (1, 4), (1, 8)],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_the_pages_examples(name: str) -> None:
    desc, expected = PAGES[name]
    assert sizes_of(desc) == expected


def test_dims_that_directmlx_would_write_out_of_bounds() -> None:
    """With more index dims than axis + 1, its loop leaves the sizes; here all tensors grow."""
    x, i = TensorDesc(F32, (4, 3)), TensorDesc(I64, (2, 2))
    desc = GatherOperatorDesc.infer(x, i, 0, 2)
    assert sizes_of(desc) == [(1, 4, 3), (1, 2, 2), (2, 2, 3)]
    assert desc.axis == 1


def test_a_result_that_directmlx_would_count_below_zero() -> None:
    x, i = TensorDesc(F32, (4, 3, 2)), TensorDesc(I64, (5, 6, 1))
    desc = GatherNDOperatorDesc.infer(x, i, 3, 3)
    assert desc.output_tensor == TensorDesc(F32, (5, 6, 3, 2))
    assert desc.input_tensor == TensorDesc(F32, (1, 4, 3, 2))


@pytest.mark.parametrize(
    ("make", "rules"),
    [
        (lambda: GatherNDOperatorDesc.infer((2, 3), (4, 3)), ["index-tuple-size"]),
        (
            lambda: GatherNDOperatorDesc.infer((2, 3), (4, 3), 2, 3),
            ["indices-dimension-count", "index-tuple-size"],
        ),
        (
            lambda: GatherND1OperatorDesc.infer((2, 3), (2, 1), batch_dimension_count=2),
            ["batch-dimension-count"],
        ),
        (
            lambda: GatherND1OperatorDesc.infer((2, 3), (3, 1), batch_dimension_count=1),
            ["batch-sizes"],
        ),
        (
            lambda: ScatterNDOperatorDesc.infer((5, 3), (2, 1), (2, 4)),
            ["updates-sizes"],
        ),
        (
            lambda: ScatterElementsOperatorDesc.infer((5, 3), (2, 3), (3, 3)),
            ["updates-sizes"],
        ),
        (lambda: GatherOperatorDesc.infer((2, 0), (3,)), ["sizes-positive", "sizes-positive"]),
        (lambda: GatherOperatorDesc.infer((2,) * 5, (2,) * 5), ["dimension-count"] * 3),
        (lambda: GatherOperatorDesc.infer((4,), np.zeros(2, np.int8)), ["indices-data-type"]),
        (lambda: GatherOperatorDesc.infer((4,), (2, 3), 0, 1), ["indices-leading-ones"]),
    ],
)
def test_what_is_not_valid_has_reasons(make: Callable[[], Any], rules: list[str]) -> None:
    with pytest.raises(DescriptorError) as caught:
        make()
    assert [violation.rule for violation in caught.value.violations] == rules


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: GatherOperatorDesc.infer((2, 3), (1,), axis=2), ValueError, "expected -2 <= axis"),
        (lambda: GatherOperatorDesc.infer((), (1,)), ValueError, "axis is 0"),
        (lambda: UNTYPED.infer((2,), (1,), axis=None), TypeError, "axis is a NoneType"),
        (lambda: UNTYPED.infer((2,), "ab"), TypeError, "sizes is of type str"),
        (lambda: UNTYPED.infer((2,), (1.5,)), TypeError, r"sizes\[0\]"),
        (lambda: GatherOperatorDesc.infer((2,), (1,), 0, -1), ValueError, "index_dimensions is -1"),
        (
            lambda: GatherNDOperatorDesc.infer((2, 3), (4, 1), dimension_count=1),
            ValueError,
            "GatherNDOperatorDesc: dimension_count is 1, expected at least 2",
        ),
        (
            lambda: GatherND1OperatorDesc.infer((2,), (4, 1), batch_dimension_count=-1),
            ValueError,
            "batch_dimension_count is -1",
        ),
    ],
)
def test_what_is_no_tensor_or_number(
    make: Callable[[], Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make()


def test_types_of_shapes() -> None:
    desc = ScatterElementsOperatorDesc.infer(
        *((4,), (2,), (2,)), data_type=DataType.INT8, indices_data_type=U32
    )
    tensors = [getattr(desc, f.name) for f in fields(desc) if f.name.endswith("_tensor")]
    assert [t.data_type for t in tensors] == [DataType.INT8, U32, DataType.INT8, DataType.INT8]
