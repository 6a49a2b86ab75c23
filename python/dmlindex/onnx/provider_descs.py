"""The descriptors that ONNX Runtime 1.24's DirectML provider fills in."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import ClassVar

from dmlindex.directml import (
    DataType,
    FeatureLevel,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherOperatorDesc,
    OperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
    TensorFlags,
    Violation,
)
from dmlindex.onnx.nodes import ATTRIBUTES, INPUTS, Node, Shape

OPERATORS = tuple(ATTRIBUTES)
DATA_TYPES = {
    data_type.name.lower(): data_type
    for data_type in DataType
    if data_type not in (DataType.UNKNOWN, DataType.UINT4, DataType.INT4)
} | {"bool": DataType.UINT8}
_FEWEST_SCATTER_DIMS = 4


@dataclass(frozen=True)
class ElementWiseIdentityOperatorDesc:
    """DML_ELEMENT_WISE_IDENTITY_OPERATOR_DESC, without its optional ScaleBias: a copy."""

    operator: ClassVar[str] = "ELEMENT_WISE_IDENTITY"
    input_tensor: TensorDesc
    output_tensor: TensorDesc

    def violations(self, feature_level: FeatureLevel = FeatureLevel.FL_6_4) -> list[Violation]:
        """None: the provider copies what a scatter would have been valid for."""
        return []

    def to_json(self) -> str:
        """The desc as one line of JSON, as the recorded lowerings hold it."""
        tensors = {"input": self.input_tensor, "output": self.output_tensor}
        sizes = {
            name: {"data_type": tensor.data_type.name, "sizes": tensor.sizes}
            for name, tensor in tensors.items()
        }
        return json.dumps({"operator": self.operator} | sizes)


Desc = OperatorDesc | ElementWiseIdentityOperatorDesc


def dimension_count(node: Node) -> int:
    """How many dims all tensors of the node's desc have."""
    fewest = _FEWEST_SCATTER_DIMS if node.scatters and node.is_elements else 1
    return max(fewest, *(len(shape) for shape in (*node.shapes, node.output)))


def has_no_elements(node: Node) -> bool:
    return any(0 in shape for shape in (*node.shapes, node.output))


def desc(node: Node) -> OperatorDesc:
    """Of a node that the provider's own checks let through.

    Every tensor gets the largest rank, with 1s in front: in Scatter and ScatterElements at least 4.
    ValueError for a size that DirectML's fields cannot hold.
    """
    count = dimension_count(node)
    data, indices, *updates = (
        _tensor(shape, dtype, count) for shape, dtype in zip(node.shapes, node.dtypes, strict=True)
    )
    output = _tensor(node.output, node.dtypes[0], count)
    axis = node.normalized_axis + count - len(node.data) if node.has_axis else 0
    match node.op_type:
        case "Gather":
            return GatherOperatorDesc(data, indices, output, axis, len(node.indices))
        case "GatherElements":
            return GatherElementsOperatorDesc(data, indices, output, axis)
        case "GatherND":
            ranks = len(node.data), len(node.indices)
            return GatherND1OperatorDesc(data, indices, output, *ranks, node.batch_dims)
        case "ScatterND":
            ranks = len(node.data), len(node.indices)
            return ScatterNDOperatorDesc(data, indices, updates[0], output, *ranks)
        case _:
            return ScatterElementsOperatorDesc(data, indices, updates[0], output, axis)


def identity(node: Node) -> ElementWiseIdentityOperatorDesc:
    """What stands for a Scatter or ScatterElements without updates."""
    tensor = _tensor(node.data, node.dtypes[0], dimension_count(node))
    return ElementWiseIdentityOperatorDesc(tensor, tensor)


def owned_by_directml(desc: OperatorDesc, constants: Collection[int]) -> OperatorDesc:
    """The desc of the fused graph, in which DirectML owns the constant inputs."""
    fields = ["input_tensor" if name == "data" else f"{name}_tensor" for name in INPUTS]
    owned = {
        fields[position]: replace(getattr(desc, fields[position]), flags=TensorFlags.OWNED_BY_DML)
        for position in constants
    }
    return replace(desc, **owned)  # type: ignore[type-var]


def _tensor(shape: Shape, dtype: str, count: int) -> TensorDesc:
    return TensorDesc(DATA_TYPES[dtype], (1,) * (count - len(shape)) + shape)
