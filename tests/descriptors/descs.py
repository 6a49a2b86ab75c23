"""Short ways to write descriptors in the tests."""

from collections.abc import Sequence
from typing import Any

from dmlindex import (
    DataType,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
)

Tensor = TensorDesc | Sequence[int] | None


def data(*sizes: int, data_type: DataType = DataType.FLOAT32, **fields: Any) -> TensorDesc:
    return TensorDesc(data_type, sizes, **fields)


def index(*sizes: int, data_type: DataType = DataType.INT64, **fields: Any) -> TensorDesc:
    return TensorDesc(data_type, sizes, **fields)


def _data(tensor: Tensor) -> TensorDesc | None:
    return tensor if tensor is None or isinstance(tensor, TensorDesc) else data(*tensor)


def _index(tensor: Tensor) -> TensorDesc | None:
    return tensor if tensor is None or isinstance(tensor, TensorDesc) else index(*tensor)


# Sizes alone stand for a packed FLOAT32 tensor, or INT64 for indices.
def gather(
    input: Tensor, indices: Tensor, output: Tensor, axis: int, index_dimensions: int
) -> GatherOperatorDesc:
    return GatherOperatorDesc(_data(input), _index(indices), _data(output), axis, index_dimensions)


def gather_elements(
    input: Tensor, indices: Tensor, output: Tensor, axis: int
) -> GatherElementsOperatorDesc:
    return GatherElementsOperatorDesc(_data(input), _index(indices), _data(output), axis)


def gather_nd(
    input: Tensor, indices: Tensor, output: Tensor, r: int, q: int
) -> GatherNDOperatorDesc:
    return GatherNDOperatorDesc(_data(input), _index(indices), _data(output), r, q)


def gather_nd1(
    input: Tensor, indices: Tensor, output: Tensor, r: int, q: int, batch: int
) -> GatherND1OperatorDesc:
    return GatherND1OperatorDesc(_data(input), _index(indices), _data(output), r, q, batch)


def scatter_elements(
    input: Tensor, indices: Tensor, updates: Tensor, output: Tensor, axis: int
) -> ScatterElementsOperatorDesc:
    return ScatterElementsOperatorDesc(
        _data(input), _index(indices), _data(updates), _data(output), axis
    )


def scatter_nd(
    input: Tensor, indices: Tensor, updates: Tensor, output: Tensor, r: int, q: int
) -> ScatterNDOperatorDesc:
    return ScatterNDOperatorDesc(_data(input), _index(indices), _data(updates), _data(output), r, q)
