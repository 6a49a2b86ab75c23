"""A call as an ONNX model of one node."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import helper

from dmlindex._explain.elsewhere import ONNX, ONNX_NODES
from dmlindex.testing.call import Call
from dmlindex.testing.peers import Rule
from dmlindex.testing.peers.rules import (
    DUPLICATES,
    EMPTY,
    NAN_BITS,
    OUT_OF_RANGE,
    ZERO_SIGNS,
    only_dtypes,
    only_reductions,
    signed_indices,
)

_OPSET = 18
DTYPES = ONNX.dtypes
RULES: tuple[Rule, ...] = (
    only_dtypes(*DTYPES),
    OUT_OF_RANGE,
    only_reductions(ONNX.reductions),
    EMPTY,
    DUPLICATES,
    NAN_BITS,
    ZERO_SIGNS,
)  # fmt: skip


def model(call: Call) -> tuple[Any, dict[str, Any]]:
    """The model, and what to feed it."""
    given = call.given()
    feeds = {"input": np.array(given["input"]), "indices": signed_indices(call)}
    if "updates" in given:
        feeds["updates"] = np.array(given["updates"])
    attributes: dict[str, Any] = {
        name: given[name] for name in ("axis", "batch_dims") if name in given
    }
    if "reduction" in given:
        attributes["reduction"] = given["reduction"]
    node = helper.make_node(ONNX_NODES[call.operator], list(feeds), ["output"], **attributes)
    inputs = [
        helper.make_tensor_value_info(
            name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in feeds.items()
    ]
    kind = inputs[0].type.tensor_type.elem_type
    output = helper.make_tensor_value_info("output", kind, None)
    graph = helper.make_graph([node], "call", inputs, [output])
    opset = helper.make_opsetid("", _OPSET)
    made = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    return made, feeds
