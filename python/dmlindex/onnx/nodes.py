"""From an ONNX node to the descriptor that DirectML gets for it."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex.directml import (
    DataType,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherOperatorDesc,
    OperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
)

Shape = tuple[int, ...]

_ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Gather": {"axis": 0},
    "GatherElements": {"axis": 0},
    "GatherND": {"batch_dims": 0},
    "ScatterElements": {"axis": 0, "reduction": "none"},
    "ScatterND": {"reduction": "none"},
}
_DATA_TYPES = {
    data_type.dtype: data_type
    for data_type in DataType
    if data_type not in (DataType.UNKNOWN, DataType.UINT4, DataType.INT4)
} | {np.dtype(bool): DataType.UINT8}


def from_onnx_node(
    op_type: str,
    attributes: Mapping[str, Any],
    input_shapes: Sequence[Sequence[int]],
    dtypes: Sequence[npt.DTypeLike],
) -> OperatorDesc:
    """The descriptor that ONNX Runtime's DirectML provider builds for a node.

    All tensors get the rank of the largest, with 1s in front. GatherND becomes GATHER_ND1, bool
    becomes UINT8. What ONNX allows and DirectML doesn't is in the desc's `violations()`.

    Args:
        op_type: Gather, GatherElements, GatherND, ScatterElements or ScatterND.
        attributes: the node's; what is left out has ONNX's default.
        input_shapes: of data, indices and, in a scatter, updates.
        dtypes: of the same.

    A reduction, which DirectML lacks, is a DescriptorError, and so is a dtype that DirectML lacks.
    What ONNX itself does not allow is a ValueError, a wrong type a TypeError.

    >>> from_onnx_node("Gather", {"axis": -1}, [(3, 4), (2,)], ["float32", "int64"])
    ... # doctest: +NORMALIZE_WHITESPACE
    GatherOperatorDesc(input_tensor=TensorDesc(FLOAT32, {3, 4}),
                       indices_tensor=TensorDesc(INT64, {1, 2}),
                       output_tensor=TensorDesc(FLOAT32, {3, 2}), axis=1, index_dimensions=1)
    """
    if op_type not in _ATTRIBUTES:
        expected = ", ".join(_ATTRIBUTES)
        raise ValueError(f"from_onnx_node: op_type is {op_type!r}, expected one of {expected}")
    given = _read_attributes(op_type, attributes)
    scatters = op_type.startswith("Scatter")
    shapes = _read_shapes(op_type, input_shapes, 3 if scatters else 2)
    types = _read_dtypes(op_type, dtypes, len(shapes))
    data, indices = shapes[:2]
    if op_type in ("Gather", "GatherElements", "ScatterElements"):
        axis = _read_axis(op_type, given["axis"], len(data))
    batch = _read_batch_dims(given["batch_dims"], data, indices) if op_type == "GatherND" else 0
    if op_type in ("GatherND", "ScatterND"):
        _check_tuples(op_type, data, indices, batch)

    if op_type == "Gather":
        output = data[:axis] + indices + data[axis + 1 :]
    elif op_type == "GatherElements":
        output = indices
    elif op_type == "GatherND":
        output = indices[:-1] + data[batch + indices[-1] :]
    else:
        output = data
    rank = max(map(len, (*shapes, output)))
    input_tensor, indices_tensor, *updates, output_tensor = (
        TensorDesc(data_type, (1,) * (rank - len(shape)) + shape)
        for shape, data_type in zip((*shapes, output), (*types, types[0]), strict=True)
    )
    gathered = (input_tensor, indices_tensor, output_tensor)
    match op_type:
        case "Gather":
            return GatherOperatorDesc(*gathered, axis + rank - len(data), len(indices))
        case "GatherElements":
            return GatherElementsOperatorDesc(*gathered, axis + rank - len(data))
        case "GatherND":
            return GatherND1OperatorDesc(*gathered, len(data), len(indices), batch)
        case "ScatterElements":
            return ScatterElementsOperatorDesc(
                input_tensor, indices_tensor, updates[0], output_tensor, axis + rank - len(data)
            )
        case _:
            return ScatterNDOperatorDesc(
                input_tensor, indices_tensor, updates[0], output_tensor, len(data), len(indices)
            )


def _read_attributes(op_type: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    known = _ATTRIBUTES[op_type]
    if not isinstance(attributes, Mapping):
        raise TypeError(f"{op_type}: attributes is a {type(attributes).__name__}, expected a dict")
    if unknown := [name for name in attributes if name not in known]:
        raise ValueError(f"{op_type}: no attribute {unknown[0]!r}, expected {', '.join(known)}")
    values = known | dict(attributes)
    reduction = values.get("reduction", "none")
    if isinstance(reduction, bytes):  # ONNX's protobuf holds strings as bytes
        reduction = reduction.decode("utf-8", "replace")
    if reduction != "none":
        raise _core.DescriptorError(
            f"{op_type}: reduction is {reduction!r}, expected 'none': DirectML's scatters have no "
            f"reduction; use dmlindex.{_function(op_type)}(…, reduction=…)"
        )
    return values


def _function(op_type: str) -> str:
    return "scatter_elements" if op_type == "ScatterElements" else "scatter_nd"


def _read_shapes(op_type: str, shapes: Sequence[Sequence[int]], count: int) -> list[Shape]:
    if len(shapes) != count:
        raise ValueError(f"{op_type}: {len(shapes)} input_shapes, expected {count}")
    read = []
    for shape in shapes:
        try:
            sizes = tuple(operator.index(size) for size in shape)
        except TypeError:
            raise TypeError(
                f"{op_type}: a shape is {shape!r}, expected sizes; a symbolic one needs a value"
            ) from None
        if any(size < 0 for size in sizes):
            raise ValueError(f"{op_type}: a shape is {shape!r}, expected sizes of 0 or more")
        read.append(sizes)
    return read


def _read_dtypes(op_type: str, dtypes: Sequence[npt.DTypeLike], count: int) -> list[DataType]:
    if len(dtypes) != count:
        raise ValueError(f"{op_type}: {len(dtypes)} dtypes, expected {count}")
    read: list[DataType] = []
    for given in dtypes:
        dtype: np.dtype[Any] = np.dtype(given)
        if dtype not in _DATA_TYPES:
            known = ", ".join(str(known) for known in _DATA_TYPES)
            raise _core.DescriptorError(
                f"{op_type}: dtype {dtype}, which DirectML lacks; expected one of {known}"
            )
        read.append(_DATA_TYPES[dtype])
    return read


def _read_axis(op_type: str, axis: object, rank: int) -> int:
    number = operator.index(axis)  # type: ignore[arg-type]
    if not -rank <= number < rank:
        raise ValueError(f"{op_type}: axis is {number}, expected {-rank} <= axis < {rank}")
    return number % rank


def _read_batch_dims(batch_dims: object, data: Shape, indices: Shape) -> int:
    number = operator.index(batch_dims)  # type: ignore[arg-type]
    most = min(len(data), len(indices)) - 1
    if not 0 <= number <= max(most, 0):
        raise ValueError(f"GatherND: batch_dims is {number}, expected 0 to {max(most, 0)}")
    return number


def _check_tuples(op_type: str, data: Shape, indices: Shape, batch: int) -> None:
    if not data or not indices:
        raise ValueError(f"{op_type}: data and indices need at least one dim each")
    if not 1 <= indices[-1] <= len(data) - batch:
        raise ValueError(
            f"{op_type}: indices has shape {indices}, expected a last size of 1 to "
            f"{len(data) - batch}"
        )
