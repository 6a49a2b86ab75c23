"""The examples of DirectML's pages as printed, through descriptors, and the slips put right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dmlindex import DataType, Device, FeatureLevel
from dmlindex.directml.descs import OperatorDesc
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd,
    gather_nd1,
    index,
    scatter_elements,
    scatter_nd,
)

U32 = DataType.UINT32
F32 = DataType.FLOAT32


def places(*sizes: int) -> Any:
    return index(*sizes, data_type=U32)


EXAMPLES: dict[str, tuple[OperatorDesc, list[Any], Any]] = {
    "GATHER 1": (
        gather((4,), places(5), (5,), 0, 1),
        [[11, 12, 13, 14], [3, 1, 3, 0, 2]],
        [14, 12, 14, 11, 13],
    ),
    "GATHER 2": (
        gather((3, 2), places(1, 4), (4, 2), 0, 1),
        [[1, 2, 3, 4, 5, 6], [0, 1, 1, 2]],
        [1, 2, 3, 4, 3, 4, 5, 6],
    ),
    "GATHER 4": (
        gather((1, 3, 3), places(1, 1, 2), (3, 1, 2), 2, 2),
        [[1, 2, 3, 4, 5, 6, 7, 8, 9], [0, 2]],
        [1, 3, 4, 6, 7, 9],
    ),
    "GATHER 5": (
        gather((1, 3, 2), places(1, 2, 2), (2, 2, 2), 1, 2),
        [[1, 2, 3, 4, 5, 6], [0, 1, 1, 2]],
        [1, 2, 3, 4, 3, 4, 5, 6],
    ),
    "GATHER_ND 1": (
        gather_nd((2, 2), places(2, 1), (2, 2), 2, 2),
        [[0, 1, 2, 3], [1, 0]],
        [2, 3, 0, 1],
    ),
    "GATHER_ND 2": (
        gather_nd((1, 2, 2, 2), places(1, 1, 2, 2), (1, 1, 2, 2), 3, 2),
        [range(8), [0, 1, 1, 0]],
        [2, 3, 4, 5],
    ),
    "GATHER_ND1 1": (
        gather_nd1((2, 2), places(2, 1), (2, 2), 2, 2, 0),
        [[0, 1, 2, 3], [1, 0]],
        [2, 3, 0, 1],
    ),
    "GATHER_ND1 2": (
        gather_nd1((1, 3, 2, 2), places(1, 3, 2, 2), (1, 1, 3, 2), 3, 3, 1),
        [range(12), [0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 0]],
        [0, 3, 7, 4, 9, 10],
    ),
    # Two updates meet at 3: either may win there; here, as on the page, the last.
    "SCATTER 1": (
        scatter_elements((5,), places(4), (4,), (5,), 0),
        [range(5), [3, 1, 3, 0], [5, 6, 7, 8]],
        [8, 6, 2, 7, 4],
    ),
}


def run(desc: Any, arguments: list[Any]) -> list[float]:
    """Flat numbers in, flat numbers out."""
    shapes: Any = [
        (desc.input_tensor, np.float32),
        (desc.indices_tensor, np.uint32),
        (getattr(desc, "updates_tensor", None), np.float32),
    ]
    arrays = [
        np.array(numbers, dtype).reshape(tensor.sizes)
        for numbers, (tensor, dtype) in zip(arguments, shapes, strict=False)
    ]
    output = Device().compile(desc)(*arrays)
    assert output.shape == desc.output_tensor.sizes
    assert output.dtype == np.float32
    numbers: list[float] = output.ravel().tolist()
    return numbers


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_as_printed(name: str) -> None:
    desc, arguments, expected = EXAMPLES[name]
    assert desc.violations() == []
    assert run(desc, arguments) == expected


@pytest.mark.parametrize("name", ["GATHER_ND 1", "SCATTER 1"])
def test_the_examples_have_dims_that_their_first_level_lacks(name: str) -> None:
    """Level 2_1 takes tensors of four dims, and the pages' examples have one to three."""
    rules = {violation.rule for violation in EXAMPLES[name][0].violations(FeatureLevel.FL_2_1)}
    assert rules == {"feature-level-dimension-count"}


def test_gather_3_has_one_index_dimension() -> None:
    """The page says IndexDimensions 2 for indices {1, 2}: then the result is {3, 1, 2}."""
    printed = gather((3, 2), places(1, 2), (3, 2), 1, 2)
    assert [v.rule for v in printed.violations()] == ["cropped-sizes", "output-sizes"]
    right = replace(printed, index_dimensions=1)
    assert run(right, [[1, 2, 3, 4, 5, 6], [1, 0]]) == [2, 1, 4, 3, 6, 5]


def test_gather_elements_keeps_the_type() -> None:
    """The page's output is UINT32 for an input of FLOAT32."""
    output = data(2, 3, data_type=U32)
    printed = gather_elements((3, 3), places(2, 3), output, 0)
    assert [v.rule for v in printed.violations()] == ["data-types-equal"]
    right = replace(printed, output_tensor=replace(output, data_type=F32))
    assert run(right, [range(1, 10), [1, 2, 0, 2, 0, 0]]) == [4, 8, 3, 7, 2, 3]


def test_scatter_2_has_three_rows() -> None:
    """The page's input is {2, 3}, printed with three rows, and its output {3, 3}."""
    printed = scatter_elements((2, 3), places(2, 3), (2, 3), (3, 3), 0)
    assert [v.rule for v in printed.violations()] == ["output-sizes"]
    right = replace(printed, input_tensor=data(3, 3))
    arguments = [[0] * 9, [1, 0, 2, 0, 2, 1], [10, 11, 12, 20, 21, 22]]
    assert run(right, arguments) == [20, 11, 0, 10, 0, 22, 0, 21, 12]


def test_scatter_nd_has_integer_indices() -> None:
    """The page's indices are FLOAT32. Its ranks 1, 2 and 1 are right, though its text forbids them,
    and so are counts as large as the ranks."""
    printed = scatter_nd((8,), index(4, 1, data_type=F32), (4,), (8,), 1, 2)
    assert [v.rule for v in printed.violations()] == ["indices-data-type"]
    right = replace(printed, indices_tensor=places(4, 1))
    arguments = [range(1, 9), [4, 3, 1, 7], [9, 10, 11, 12]]
    assert run(right, arguments) == [1, 11, 3, 10, 9, 6, 7, 12]


@pytest.mark.parametrize("sizes", [(1, 1, 2, 6, 7), (1, 1, 5, 6, 7)])
def test_the_size_formula_of_gather_nd(sizes: tuple[int, ...]) -> None:
    """The page's formula takes the last k sizes of input, its example those behind the first k."""
    desc = gather_nd((3, 4, 5, 6, 7), places(1, 1, 1, 2, 3), sizes, 5, 3)
    right = sizes == (1, 1, 2, 6, 7)
    assert [v.rule for v in desc.violations()] == ([] if right else ["output-sizes"])


def test_a_tuple_is_as_long_as_the_counted_dims() -> None:
    """The pages bound it by DimensionCount; it is InputDimensionCount less the batch dims."""
    ones = gather_nd((1, 1, 2, 3), places(1, 1, 4, 4), (1, 1, 1, 4), 2, 2)
    assert [v.rule for v in ones.violations()] == ["index-tuple-size"]


def test_all_dims_of_gather_can_be_index_dimensions() -> None:
    """The page says less than DimensionCount."""
    desc = gather((1, 5), places(2, 3), (2, 3), 1, 2)
    assert run(desc, [range(10, 15), [0, 1, 2, 3, 4, 0]]) == [10, 11, 12, 13, 14, 10]


def test_no_input_fits_the_illustration_of_batches() -> None:
    """GATHER_ND1's page splits indices {1, 3, 4, 5, 6, 7} with counts 5 and 2 into batches {3, 4}
    and {5, 6, 7}: tuples of 7 numbers, for which no tensor has dims enough behind the batches."""
    for n in range(6, 9):
        indices = places(*(1,) * (n - 6), 1, 3, 4, 5, 6, 7)
        for r in range(3, n + 1):
            input = data(*(1,) * (n - r), 3, 4, *(2,) * (r - 2))
            desc = gather_nd1(input, indices, input, r, 5, 2)
            assert [v.rule for v in desc.violations()] == ["index-tuple-size"]
    batches = places(1, 3, 4, 5, 6, 2)  # as the page counts, with tuples that there can be
    right = gather_nd1(data(1, 1, 3, 4, 8, 9), batches, data(1, 1, 3, 4, 5, 6), 4, 5, 2)
    assert right.violations() == []
