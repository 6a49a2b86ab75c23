"""One node of ONNX's: what its arguments say, checked for types only."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Shape = tuple[int, ...]

# The operators, and each one's attributes with ONNX's defaults.
ATTRIBUTES: dict[str, dict[str, Any]] = {
    "Gather": {"axis": 0},
    "GatherElements": {"axis": 0},
    "GatherND": {"batch_dims": 0},
    "Scatter": {"axis": 0},
    "ScatterElements": {"axis": 0, "reduction": "none"},
    "ScatterND": {"reduction": "none"},
}
FUNCTIONS = {
    "Gather": "gather",
    "GatherElements": "gather_elements",
    "GatherND": "gather_nd",
    "Scatter": "scatter_elements",
    "ScatterElements": "scatter_elements",
    "ScatterND": "scatter_nd",
}
"""dmlindex's own of each operator."""
INPUTS = ("data", "indices", "updates")

# ONNX's types that NumPy does not name so, if it has them at all.
_OTHER_TYPES = {"float": "float32", "double": "float64", "str": "string", "object": "string"} | {
    name: name
    for name in (
        *("string", "bfloat16", "int2", "uint2", "int4", "uint4", "float4e2m1", "float8e8m0"),
        *("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"),
    )
}


@dataclass(frozen=True)
class Node:
    """A node's operator, attributes (the defaults filled in), shapes and element types.

    `given` are the names of the attributes that the node has itself; `dtypes` NumPy's names, or
    string, bfloat16 and so on.
    """

    op_type: str
    opset: int
    shapes: tuple[Shape, ...]
    dtypes: tuple[str, ...]
    axis: int = 0
    batch_dims: int = 0
    reduction: str = "none"
    given: frozenset[str] = frozenset()

    @property
    def data(self) -> Shape:
        return self.shapes[0]

    @property
    def indices(self) -> Shape:
        return self.shapes[1]

    @property
    def has_axis(self) -> bool:
        return "axis" in ATTRIBUTES[self.op_type]

    @property
    def is_elements(self) -> bool:
        return self.op_type in ("GatherElements", "Scatter", "ScatterElements")

    @property
    def scatters(self) -> bool:
        return self.op_type.startswith("Scatter")

    @property
    def normalized_axis(self) -> int:
        """Of an axis in range: counted from the front."""
        return self.axis % len(self.data)

    @property
    def output(self) -> Shape:
        """The result's shape, by ONNX's rules; of a node that breaks none of them."""
        if self.op_type == "Gather":
            axis = self.normalized_axis
            return self.data[:axis] + self.indices + self.data[axis + 1 :]
        if self.op_type == "GatherElements":
            return self.indices
        if self.op_type == "GatherND":
            batch = self.batch_dims
            return (
                self.data[:batch] + self.indices[batch:-1] + self.data[batch + self.indices[-1] :]
            )
        return self.data


def input_count(op_type: str) -> int:
    """How many inputs the operator has: 3 in a scatter.

    >>> input_count("ScatterND")
    3
    """
    return 3 if op_type.startswith("Scatter") else 2


def read_node(
    op_type: str,
    attributes: Mapping[str, Any],
    input_shapes: Sequence[Sequence[int]],
    dtypes: Sequence[npt.DTypeLike],
    opset: int,
) -> Node:
    """The arguments as a Node: TypeError for a wrong type, ValueError for a value that no node has.

    >>> read_node("Gather", {"axis": -1}, [(3, 4), (2,)], ["float32", "int64"], 13).output
    (3, 2)
    """
    if op_type not in ATTRIBUTES:
        raise ValueError(f"op_type is {op_type!r}, expected one of {', '.join(ATTRIBUTES)}")
    node = Node(
        op_type,
        _integer(f"{op_type}: opset", opset),
        _read_shapes(op_type, input_shapes),
        _read_dtypes(op_type, dtypes),
    )
    if node.opset < 1:
        raise ValueError(f"{op_type}: opset is {node.opset}, expected 1 or more")
    return replace(node, **_read_attributes(op_type, attributes))


def read_positions(op_type: str, constants: Iterable[int]) -> frozenset[int]:
    """Which inputs are constants; ValueError for a position that is none of an input."""
    positions = frozenset(_integer(f"{op_type}: constants", position) for position in constants)
    count = input_count(op_type)
    if wrong := sorted(position for position in positions if not 0 <= position < count):
        raise ValueError(f"{op_type}: constants has {wrong[0]}, expected 0 to {count - 1}")
    return positions


def _integer(name: str, value: object) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value}, expected an integer")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected an integer") from None


def _read_attributes(op_type: str, attributes: Mapping[str, Any]) -> dict[str, Any]:
    known = ATTRIBUTES[op_type]
    if not isinstance(attributes, Mapping):
        raise TypeError(f"{op_type}: attributes is a {type(attributes).__name__}, expected a dict")
    if unknown := [name for name in attributes if name not in known]:
        raise ValueError(f"{op_type}: no attribute {unknown[0]!r}, expected {', '.join(known)}")
    values: dict[str, Any] = {"given": frozenset(attributes)}
    for name, value in attributes.items():
        if name != "reduction":
            values[name] = _integer(f"{op_type}: {name}", value)
            continue
        if isinstance(value, bytes):  # ONNX's protobuf holds strings as bytes
            value = value.decode("utf-8", "replace")
        if not isinstance(value, str):
            raise TypeError(
                f"{op_type}: reduction is of type {type(value).__name__}, expected a string"
            )
        values[name] = value
    return values


def _read_shapes(op_type: str, shapes: Sequence[Sequence[int]]) -> tuple[Shape, ...]:
    count = input_count(op_type)
    if len(shapes) != count:
        raise ValueError(f"{op_type}: {len(shapes)} input_shapes, expected {count}")
    read = []
    for name, shape in zip(INPUTS, shapes, strict=False):
        try:
            sizes = tuple(operator.index(size) for size in shape)
        except TypeError:
            raise TypeError(
                f"{op_type}: {name} has shape {shape!r}, expected sizes; a symbolic one needs a "
                "value"
            ) from None
        if any(size < 0 for size in sizes):
            raise ValueError(f"{op_type}: {name} has shape {shape!r}, expected sizes of 0 or more")
        read.append(sizes)
    return tuple(read)


def _read_dtypes(op_type: str, dtypes: Sequence[npt.DTypeLike]) -> tuple[str, ...]:
    count = input_count(op_type)
    if len(dtypes) != count:
        raise ValueError(f"{op_type}: {len(dtypes)} dtypes, expected {count}")
    return tuple(_type_name(op_type, dtype) for dtype in dtypes)


def _type_name(op_type: str, dtype: npt.DTypeLike) -> str:
    if isinstance(dtype, str) and dtype in _OTHER_TYPES:
        return _OTHER_TYPES[dtype]
    try:
        converted: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{op_type}: {dtype!r} is no dtype of NumPy's or ONNX's") from None
    if converted.kind in "OUT":
        return "string"
    name = converted.name.replace("_", "")  # ml_dtypes' float8_e5m2 is ONNX's float8e5m2
    return _OTHER_TYPES.get(name, converted.name)
