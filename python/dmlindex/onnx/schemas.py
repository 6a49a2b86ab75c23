"""What ONNX itself allows, by opset: a model that breaks this is not loaded at all."""

from __future__ import annotations

from dmlindex.onnx.nodes import INPUTS, Node

LAST_OPSET = 25
"""Of ONNX Runtime 1.24; it refuses models of a later one."""

_OPSETS = {
    "Gather": (1, LAST_OPSET),
    "GatherElements": (11, LAST_OPSET),
    "GatherND": (11, LAST_OPSET),
    "Scatter": (9, 10),  # then ScatterElements took its place
    "ScatterElements": (11, LAST_OPSET),
    "ScatterND": (11, LAST_OPSET),
}
_ATTRIBUTE_SINCE = {("GatherND", "batch_dims"): 12} | {
    (op_type, "reduction"): 16 for op_type in ("ScatterElements", "ScatterND")
}
_DATA_TYPES = frozenset(
    {
        *("bool", "string", "float16", "float32", "float64", "complex64", "complex128"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)
_BFLOAT16_SINCE = 13
_INDEX_TYPES = frozenset({"int32", "int64"})


def opsets(op_type: str) -> tuple[int, int]:
    """The first opset and the last that ONNX Runtime 1.24 loads the operator at.

    >>> opsets("Scatter")
    (9, 10)
    """
    return _OPSETS[op_type]


def data_types(opset: int) -> frozenset[str]:
    """The element types of data and updates."""
    return _DATA_TYPES | {"bfloat16"} if opset >= _BFLOAT16_SINCE else _DATA_TYPES


def index_types(op_type: str) -> frozenset[str]:
    return frozenset({"int64"}) if op_type.endswith("ND") else _INDEX_TYPES


def broken_schema(node: Node) -> str:
    """Why ONNX has no such node, whatever the shapes; empty where it has.

    >>> from dmlindex.onnx.nodes import read_node
    >>> broken_schema(read_node("GatherND", {}, [(3,), (2, 1)], ["float32", "int32"], 13))
    'indices is int32, expected int64'
    """
    first, last = _OPSETS[node.op_type]
    if not first <= node.opset <= last:
        advice = "; ScatterElements took its place" if node.op_type == "Scatter" else ""
        return f"{node.op_type} at opset {node.opset}, expected opset {first} to {last}{advice}"
    for name in sorted(node.given):
        since = _ATTRIBUTE_SINCE.get((node.op_type, name), first)
        if node.opset < since:
            return f"{name} came with opset {since}, and this node is of opset {node.opset}"
    for name, dtype in zip(INPUTS, node.dtypes, strict=False):
        expected = index_types(node.op_type) if name == "indices" else data_types(node.opset)
        if dtype not in expected:
            return f"{name} is {dtype}, expected {' or '.join(sorted(expected))}"
    if node.scatters and node.dtypes[2] != node.dtypes[0]:
        return f"updates is {node.dtypes[2]}, expected data's type, {node.dtypes[0]}"
    return ""


def broken_shapes(node: Node) -> str:
    """What ONNX's shape inference refuses; empty where it refuses nothing.

    >>> from dmlindex.onnx.nodes import read_node
    >>> broken_shapes(read_node("Gather", {"axis": 2}, [(3,), (2,)], ["float32", "int64"], 13))
    'axis is 2, expected -1 to 0'
    """
    rank = len(node.data)
    if node.op_type == "Gather":
        return out_of_range_axis(node)
    if node.op_type == "GatherND":
        if not node.data or not node.indices:
            return "data and indices need at least one dim each"
        most = rank - node.batch_dims
        if node.indices[-1] > most:
            return f"indices' last size is {node.indices[-1]}, expected at most {most}"
    return ""


def out_of_range_axis(node: Node) -> str:
    rank = len(node.data)
    if -rank <= node.axis < rank:
        return ""
    expected = f"{-rank} to {rank - 1}" if rank else "data of at least one dim"
    return f"axis is {node.axis}, expected {expected}"
