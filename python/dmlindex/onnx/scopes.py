"""Walks a model's graphs: each node of ours with what is known of its inputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
import onnx.numpy_helper
from onnx.external_data_helper import uses_external_data

from dmlindex.onnx.models import subgraphs
from dmlindex.onnx.nodes import ATTRIBUTES, input_count

Size = int | str
"""Of a dim; a name or "?" where the model leaves it open."""

_DOMAINS = ("", "ai.onnx")  # two names of one
# What ONNX Runtime computes on the CPU where it makes a shape of shapes.
_SHAPE_MATH = frozenset(
    {
        *("Gather", "Unsqueeze", "Squeeze", "Concat", "Cast", "Slice", "Identity"),
        *("Add", "Sub", "Mul", "Div"),
    }
)
_RANDOM = ("Random", "Multinomial", "Bernoulli")  # how the operators' names begin


@dataclass(frozen=True)
class Value:
    """What is known of a tensor: dtype by ONNX's name, sizes, and whether it is a constant."""

    dtype: str | None = None
    sizes: tuple[Size, ...] | None = None
    constant: bool = False
    tensor: onnx.TensorProto | None = None
    of_shapes: bool = False

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The sizes where all are known."""
        if self.sizes is None or any(isinstance(size, str) for size in self.sizes):
            return None
        return tuple(size for size in self.sizes if isinstance(size, int))

    def array(self) -> npt.NDArray[Any] | None:
        """The constant's values, where they are at hand."""
        if self.tensor is None or uses_external_data(self.tensor):
            return None
        try:
            return np.asarray(onnx.numpy_helper.to_array(self.tensor))
        except Exception:  # a tensor without its data, or with too little
            return None


@dataclass(frozen=True)
class Found:
    """One node of ours: where it is, and its inputs."""

    proto: onnx.NodeProto
    place: str
    opset: int
    inputs: tuple[Value, ...]

    @property
    def name(self) -> str:
        return self.proto.name or f"-> {', '.join(self.proto.output) or '(no output)'}"

    @property
    def computes_a_shape(self) -> bool:
        """Whether ONNX Runtime prefers the CPU: data is a shape, or was made of shapes."""
        others = self.inputs[1:]
        return self.inputs[0].of_shapes and all(v.constant or v.of_shapes for v in others)


@dataclass
class _Scope:
    opset: int
    overridable: bool = True  # whether an initializer that is an input, too, is no constant
    values: dict[str, Value] = field(default_factory=dict)


def find_nodes(model: onnx.ModelProto) -> Iterator[Found]:
    """Every Gather and Scatter of the model, in its order, also in subgraphs and functions."""
    overridable = model.ir_version >= 4  # before, every initializer had to be an input
    yield from _in_graph(model.graph, "", _Scope(_opset(model), overridable))
    for function in model.functions:
        scope = _Scope(_opset(function))
        yield from _in_nodes(function.node, f"{function.domain}.{function.name}", scope)


def _opset(proto: onnx.ModelProto | onnx.FunctionProto) -> int:
    versions = [entry.version for entry in proto.opset_import if entry.domain in _DOMAINS]
    return versions[0] if versions else 1


def _in_graph(graph: onnx.GraphProto, place: str, outer: _Scope) -> Iterator[Found]:
    scope = replace(outer, values=dict(outer.values))
    for info in (*graph.input, *graph.output, *graph.value_info):
        scope.values[info.name] = typed(info.type)
    overridable = {info.name for info in graph.input} if scope.overridable else set()
    for tensor in graph.initializer:
        scope.values[tensor.name] = _constant(tensor, tensor.name not in overridable)
    yield from _in_nodes(graph.node, place, scope)


def _in_nodes(nodes: Any, place: str, scope: _Scope) -> Iterator[Found]:
    for node in nodes:
        ours = node.domain in _DOMAINS and node.op_type in ATTRIBUTES
        inputs = tuple(scope.values.get(name, Value()) for name in node.input)
        if ours:
            missing = (Value(),) * (input_count(node.op_type) - len(inputs))
            yield Found(node, place, scope.opset, inputs + missing)
        for attribute in node.attribute:
            for graph in subgraphs(attribute):
                inner = f"{node.name or node.op_type}.{attribute.name}"
                yield from _in_graph(graph, f"{place}/{inner}" if place else inner, scope)
        _remember(node, inputs, scope)


def _remember(node: onnx.NodeProto, inputs: tuple[Value, ...], scope: _Scope) -> None:
    """What a node's outputs are made of."""
    if node.domain not in _DOMAINS or any(map(subgraphs, node.attribute)):
        return
    if node.op_type == "Constant":
        _remember_constant(node, scope)
        return
    shapes = node.op_type in ("Shape", "Size")
    constant = shapes and bool(inputs) and inputs[0].shape is not None
    constant |= bool(inputs) and all(value.constant for value in inputs)
    constant &= not node.op_type.startswith(_RANDOM)
    of_shapes = shapes or (
        node.op_type in _SHAPE_MATH
        and any(value.of_shapes for value in inputs)
        and all(value.of_shapes or value.constant for value in inputs)
    )
    for name in node.output:
        known = scope.values.get(name, Value())
        tensor = inputs[0].tensor if node.op_type == "Identity" and inputs else None
        scope.values[name] = Value(known.dtype, known.sizes, constant, tensor, of_shapes)


def _remember_constant(node: onnx.NodeProto, scope: _Scope) -> None:
    for attribute in node.attribute:
        tensor = None
        if attribute.name == "value":
            tensor = attribute.t
        elif attribute.name in ("value_int", "value_ints"):
            values = attribute.ints if attribute.name == "value_ints" else attribute.i
            tensor = onnx.numpy_helper.from_array(np.array(values, np.int64))
        for name in node.output:
            known = scope.values.get(name, Value())
            scope.values[name] = (
                _constant(tensor) if tensor else Value(known.dtype, known.sizes, constant=True)
            )


def _constant(tensor: onnx.TensorProto, constant: bool = True) -> Value:
    dtype, sizes = _dtype(tensor.data_type), tuple(tensor.dims)
    return Value(dtype, sizes, constant, tensor if constant else None)


def typed(kind: onnx.TypeProto) -> Value:
    """What a type says of a value; of what is no tensor, nothing."""
    if not kind.HasField("tensor_type"):
        return Value()
    tensor = kind.tensor_type
    if not tensor.HasField("shape"):
        return Value(_dtype(tensor.elem_type))
    sizes = tuple(
        dim.dim_value if dim.HasField("dim_value") and dim.dim_value >= 0 else dim.dim_param or "?"
        for dim in tensor.shape.dim
    )
    return Value(_dtype(tensor.elem_type), sizes)


def _dtype(elem_type: int) -> str | None:
    """ONNX's name in lower case, as lower_node takes it."""
    if elem_type not in onnx.TensorProto.DataType.values() or not elem_type:
        return None
    name: str = onnx.TensorProto.DataType.Name(elem_type)
    return name.lower()
