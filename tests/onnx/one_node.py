"""Models of one node."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import onnx
import onnx.helper

from dmlindex.onnx.nodes import INPUTS

TYPES = {"float32": "FLOAT", "float64": "DOUBLE"}


def elem_type(dtype: str) -> int:
    return int(onnx.TensorProto.DataType.Value(TYPES.get(dtype, dtype.upper())))


def model(
    op_type: str,
    attributes: dict[str, Any],
    shapes: Sequence[Sequence[int | str] | None],
    dtypes: Sequence[str],
    opset: int,
    constants: Collection[int] = (),
) -> onnx.ModelProto:
    """Inputs data, indices and updates; a constant is all zeros."""
    names = INPUTS[: len(shapes)]
    inputs, initializers = [], []
    for position, (name, shape, dtype) in enumerate(zip(names, shapes, dtypes, strict=True)):
        if position in constants:
            zeros = np.zeros([int(size) for size in shape or ()], dtype)
            initializers.append(onnx.numpy_helper.from_array(zeros, name))
        else:
            info = onnx.helper.make_tensor_value_info(name, elem_type(dtype), shape)
            inputs.append(info)
    node = onnx.helper.make_node(op_type, names, ["output"], name="the node", **attributes)
    output = onnx.helper.make_tensor_value_info("output", elem_type(dtypes[0]), None)
    return onnx.helper.make_model(
        onnx.helper.make_graph([node], "graph", inputs, [output], initializers),
        opset_imports=[onnx.helper.make_opsetid("", opset)],
        ir_version=8,
    )
