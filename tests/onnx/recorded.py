"""The lowerings that were recorded from ONNX Runtime (see tests/data/README.md)."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import dmlindex
from dmlindex.onnx import Lowering, lower_node
from dmlindex.onnx.nodes import Node, read_node
from dmlindex.onnx.provider_descs import Desc, ElementWiseIdentityOperatorDesc

Case = dict[str, Any]
OP_TYPES = ("Gather", "GatherElements", "GatherND", "Scatter", "ScatterElements", "ScatterND")
_FILE = Path(__file__).parents[1] / "data" / "ort_dml_lowering.jsonl.gz"


@cache
def cases() -> list[Case]:
    with gzip.open(_FILE, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def constants(case: Case) -> list[int]:
    return [position for position, input in enumerate(case["inputs"]) if input.get("constant")]


def node(case: Case) -> Node:
    shapes = [input["shape"] for input in case["inputs"]]
    dtypes = [input["dtype"] for input in case["inputs"]]
    return read_node(case["op"], case["attributes"], shapes, dtypes, case["opset"])


def lower(case: Case) -> Lowering:
    return lower_node(
        case["op"],
        case["attributes"],
        [input["shape"] for input in case["inputs"]],
        [input["dtype"] for input in case["inputs"]],
        opset=case["opset"],
        constants=constants(case),
        device_doubles=case.get("device_doubles", False),
        fused=case.get("graph_fusion", True),
        dynamic_shapes=case.get("dynamic_shapes", False),
        constant_folding=case.get("graph_optimization") == "all",
    )


def descs(case: Case) -> tuple[Desc, ...]:
    return tuple(_desc(recorded) for recorded in case["descs"])


def _desc(recorded: dict[str, Any]) -> Desc:
    if recorded["operator"] != "ELEMENT_WISE_IDENTITY":
        return dmlindex.desc_from_json(json.dumps(recorded))
    tensors = (recorded["input"], recorded["output"])
    return ElementWiseIdentityOperatorDesc(
        *(
            dmlindex.TensorDesc(dmlindex.DataType[tensor["data_type"]], tensor["sizes"])
            for tensor in tensors
        )
    )
