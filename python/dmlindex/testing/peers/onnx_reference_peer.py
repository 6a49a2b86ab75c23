"""ONNX's own reference evaluator, on models of one node."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx.reference import ReferenceEvaluator

from dmlindex.testing.call import Call
from dmlindex.testing.peers import Peer, Rule
from dmlindex.testing.peers.arguments import peer_function
from dmlindex.testing.peers.onnx_nodes import DTYPES, RULES, model
from dmlindex.testing.peers.rules import sizes


def _answer(call: Call) -> Any:
    made, feeds = model(call)
    with np.errstate(all="ignore"):
        return ReferenceEvaluator(made).run(None, feeds)[0]  # type: ignore[index]


def _other_shape(call: Call) -> bool:
    source, places = np.shape(call.arguments[0]), np.shape(call.arguments[1])
    axis = call.given().get("axis", 0)
    return axis < 0 or (*source[:axis], *source[axis + 1 :]) != (
        *places[:axis],
        *places[axis + 1 :],
    )


def _long_axis(call: Call) -> bool:
    return sizes(call)[0] >= 32


PEER = Peer(
    "onnx-reference",
    lambda operator: peer_function(operator, _answer),
    (
        *RULES,
        Rule(
            "elements-shapes",
            "it takes indices of input's shape off an axis that is not negative, and no other",
            lambda call: call.operator.endswith("_elements") and _other_shape(call),
        ),
        Rule(
            "long-axes",
            "it gathers by numpy.choose, which takes fewer than 32 positions, or 64 in NumPy 2",
            lambda call: call.operator == "gather_elements" and _long_axis(call),
        ),
    ),
    dtypes=DTYPES,
    any_order=True,
)
