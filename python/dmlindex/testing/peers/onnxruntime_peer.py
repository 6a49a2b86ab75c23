"""ONNX Runtime's CPU provider, on models of one node."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from dmlindex._explain.elsewhere import WHY
from dmlindex.testing.call import Call
from dmlindex.testing.peers import Peer, Rule
from dmlindex.testing.peers.arguments import peer_function
from dmlindex.testing.peers.onnx_nodes import DTYPES, RULES, model
from dmlindex.testing.peers.rules import reduces

onnxruntime: Any = importlib.import_module("onnxruntime")

_OPTIONS = onnxruntime.SessionOptions()
_OPTIONS.intra_op_num_threads = 1
_OPTIONS.log_severity_level = 4


def _answer(call: Call) -> Any:
    made, feeds = model(call)
    session = onnxruntime.InferenceSession(
        made.SerializeToString(), _OPTIONS, providers=["CPUExecutionProvider"]
    )
    return session.run(None, feeds)[0]


PEER = Peer(
    "onnxruntime",
    lambda operator: peer_function(operator, _answer),
    (
        *RULES,
        Rule(
            "float16-reductions",
            WHY["float16-reductions"],
            lambda call: reduces(call) and np.asarray(call.arguments[0]).dtype == np.float16,
        ),
    ),
    dtypes=DTYPES,
    any_order=True,
)
