"""What ONNX Runtime's CPU provider refuses of the nodes that the DirectML provider leaves to it."""

from __future__ import annotations

import math

from dmlindex.onnx.nodes import Node
from dmlindex.onnx.schemas import out_of_range_axis

# Reductions that a type has no kernel for. ScatterElements has min and max of float16.
_NO_KERNEL = {
    "float16": ("add", "mul", "min", "max"),
    "bool": ("min", "max"),
    "string": ("mul", "min", "max"),
}
_EMPTY_AXIS = "indices point into an axis of size 0"


def missing_kernel(node: Node) -> str:
    """What the CPU provider has no code for; empty where it has."""
    reduction, dtype = node.reduction, node.dtypes[0]
    if dtype.startswith("complex"):
        return f"ONNX Runtime has no {dtype}"
    if node.op_type == "ScatterElements" and dtype == "float16" and reduction in ("min", "max"):
        return ""
    if reduction in _NO_KERNEL.get(dtype, ()):
        return f"the CPU provider has no {node.op_type} of {dtype} with reduction {reduction!r}"
    return ""


def refused_shapes(node: Node) -> str:
    """Why the CPU provider refuses these shapes at run; empty where it runs them."""
    if node.has_axis and (why := out_of_range_axis(node)):
        return why
    if node.is_elements:
        return _refused_elements(node)
    if node.op_type == "Gather" and not node.data[node.normalized_axis] and 0 not in node.indices:
        return _EMPTY_AXIS
    if node.op_type == "GatherND":
        batches = [math.prod(shape[: node.batch_dims]) for shape in node.shapes]
        if node.batch_dims < 0 or (batches[0] and batches[1] % batches[0]):
            return f"batch sizes {batches[0]} of data and {batches[1]} of indices"
    if node.op_type == "ScatterND":
        return _refused_tuples(node)
    return ""


def _refused_elements(node: Node) -> str:
    data, indices = node.data, node.indices
    if node.scatters and node.shapes[2] != indices:
        return f"updates has shape {node.shapes[2]}, expected that of indices, {indices}"
    if len(indices) != len(data):
        return f"indices has {len(indices)} dims, expected data's {len(data)}"
    axis = node.normalized_axis
    if not data[axis] and 0 not in indices:
        return _EMPTY_AXIS
    for dim, (size, most) in enumerate(zip(indices, data, strict=True)):
        if dim != axis and size > most:
            return f"indices' size {size} of dim {dim}, expected at most data's {most}"
    return ""


def _refused_tuples(node: Node) -> str:
    if not node.indices:
        return "indices has no dim, expected at least one"
    k = node.indices[-1]
    if k > len(node.data):
        return f"indices' last size is {k}, expected at most {len(node.data)}"
    expected = node.indices[:-1] + node.data[k:]
    if node.shapes[2] != expected:
        return f"updates has shape {node.shapes[2]}, expected {expected}"
    if 0 in node.data[:k] and 0 not in node.indices:
        return _EMPTY_AXIS
    return ""
