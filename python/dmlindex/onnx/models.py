"""Models of ONNX's, made ready to be looked through: read, sizes filled in, functions inlined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import onnx.inliner
import onnx.shape_inference
from onnx.external_data_helper import (
    ExternalDataInfo,
    load_external_data_for_tensor,
    uses_external_data,
)

from dmlindex.onnx.nodes import Shape

_MOST_NODES = 1_000_000  # after inlining; a few short functions can call each other to any number
_MOST_NESTED = 200
_MOST_BYTES = 1 << 31  # of protobuf's
_SMALL_BYTES = 4096  # of a tensor whose values shapes may depend on
_KEPT_BYTES = 1 << 24  # of a tensor whose values are looked at as indices


class ModelError(ValueError):
    """A file that holds no model, or one that cannot be looked through."""


def read_model(path: Path, notes: list[str]) -> onnx.ModelProto:
    """The model in a file, of its external data only what shapes may depend on.

    ModelError where it holds none; OSError where it cannot be read. What is missing of the external
    data is noted.
    """
    if path.exists() and not path.is_file():  # a device may never end
        raise ModelError(f"a {'folder' if path.is_dir() else 'device'}, expected a file")
    if path.stat().st_size >= _MOST_BYTES:
        raise ModelError("2 GiB or more, which no ONNX model has: large weights are external data")
    try:
        model = onnx.load_model_from_string(path.read_bytes())
    except OSError:
        raise
    except Exception:  # of protobuf's, whose type depends on its version
        raise ModelError("not an ONNX model") from None
    if not model.opset_import or not (model.graph.node or model.graph.output):
        raise ModelError("not an ONNX model: it has no opset, or neither nodes nor outputs")
    if not _is_text(model):
        raise ModelError("not an ONNX model: it has names that are not UTF-8")
    missing = set()
    for tensor in _tensors(model.graph):
        if not uses_external_data(tensor):
            continue
        location = ExternalDataInfo(tensor).location
        try:
            if math.prod(tensor.dims) * 8 <= _SMALL_BYTES:
                load_external_data_for_tensor(tensor, str(path.parent))
                tensor.data_location = onnx.TensorProto.DEFAULT
                tensor.ClearField("external_data")
            elif not (path.parent / location).is_file():
                missing.add(location)
        except Exception:  # a missing file, or a path that leads out of the folder
            missing.add(location)
    notes += [
        f"external data {name!r} cannot be read: ONNX Runtime needs it" for name in sorted(missing)
    ]
    return model


def _is_text(message: Any) -> bool:
    """Whether every string is one; protobuf gives bytes for what is not UTF-8."""
    if isinstance(message, onnx.TensorProto):  # its data may be large
        return isinstance(message.name, str)
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING:
            strings = [value] if isinstance(value, (str, bytes)) else value
            text = not any(isinstance(string, bytes) for string in strings)
        elif field.type == field.TYPE_MESSAGE:
            text = all(map(_is_text, value if isinstance(value, Sequence) else [value]))
        else:
            continue
        if not text:
            return False
    return True


def _tensors(graph: onnx.GraphProto) -> Iterator[onnx.TensorProto]:
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.TENSOR:
                yield attribute.t
            for subgraph in subgraphs(attribute):
                yield from _tensors(subgraph)


def subgraphs(attribute: onnx.AttributeProto) -> list[onnx.GraphProto]:
    """The graphs that an attribute holds.

    >>> subgraphs(onnx.helper.make_attribute("axis", 1))
    []
    """
    own = [attribute.g] if attribute.HasField("g") else []
    return own + list(attribute.graphs)


def fix_inputs(model: onnx.ModelProto, inputs: Mapping[str, Shape]) -> None:
    """Gives the model's inputs these shapes; a named size is the same wherever it is named.

    ValueError for an input that the model does not have, or a shape that contradicts it.
    """
    known = {value.name: value for value in model.graph.input}
    named: dict[str, int] = {}
    for name, shape in inputs.items():
        if name not in known:
            raise ValueError(f"no input {name!r}, expected one of {', '.join(known) or 'none'}")
        kind = known[name].type.tensor_type
        if kind.HasField("shape") and len(kind.shape.dim) != len(shape):
            raise ValueError(
                f"input {name!r} has {len(kind.shape.dim)} dims, and {len(shape)} are given"
            )
        while len(kind.shape.dim) < len(shape):
            kind.shape.dim.add()
        for dim, size in zip(kind.shape.dim, shape, strict=True):
            fixed = dim.dim_value if dim.HasField("dim_value") else named.get(dim.dim_param, -1)
            if fixed not in (-1, size):
                size_of = repr(dim.dim_param) if dim.dim_param else f"a dim of input {name!r}"
                raise ValueError(f"{size_of} is {fixed}, and {size} is given")
            if dim.dim_param:
                named[dim.dim_param] = size
            dim.dim_value = size
    _name_sizes(model.graph, named)


def _name_sizes(graph: onnx.GraphProto, named: Mapping[str, int]) -> None:
    for value in (*graph.input, *graph.output, *graph.value_info):
        for dim in value.type.tensor_type.shape.dim:
            if dim.dim_param in named:
                dim.dim_value = named[dim.dim_param]
    for node in graph.node:
        for attribute in node.attribute:
            for subgraph in subgraphs(attribute):
                _name_sizes(subgraph, named)


def inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with its own functions' nodes where they are called.

    A function of another opset than the model's stays a function. ModelError where functions call
    themselves, or make more than a million nodes.
    """
    if not model.functions:
        return model
    functions = {(function.domain, function.name): function for function in model.functions}
    counts: dict[tuple[str, str], int] = {}

    def count(nodes: Iterable[onnx.NodeProto], callers: tuple[tuple[str, str], ...]) -> int:
        if len(callers) > _MOST_NESTED:
            raise ModelError(f"functions call each other more than {_MOST_NESTED} deep")
        total = 0
        for node in nodes:
            key = (node.domain, node.op_type)
            total += 1
            if key in callers:
                raise ModelError(f"the function {node.op_type!r} calls itself")
            if key in functions:
                if key not in counts:
                    counts[key] = count(functions[key].node, (*callers, key))
                total += counts[key]
            for attribute in node.attribute:
                total += sum(count(graph.node, callers) for graph in subgraphs(attribute))
        return total

    total = max(count(functions[key].node, (key,)) for key in functions)
    if max(total, count(model.graph.node, ())) > _MOST_NODES:
        raise ModelError(f"its functions make more than {_MOST_NODES:,} nodes")
    try:
        return onnx.inliner.inline_local_functions(model)
    except Exception as error:
        why = first_line(error).rpartition("failed: ")[2]
        raise ModelError(f"its functions cannot be inlined: {why}") from None


def with_shapes(model: onnx.ModelProto, notes: list[str]) -> onnx.ModelProto:
    """The model with the shapes that ONNX infers; where it cannot, it is noted."""
    infer = partial(onnx.shape_inference.infer_shapes, data_prop=True)
    try:
        return infer(model)
    except Exception as first:
        del model.graph.value_info[:]  # what an exporter wrote there may contradict the inputs
        try:
            return infer(model)
        except Exception:
            notes.append(f"ONNX could not infer its shapes: {first_line(first)}")
            return model


def drop_weights(model: onnx.ModelProto) -> None:
    """Removes the values of large tensors: nothing here looks at them, and they cost time."""
    for tensor in _tensors(model.graph):
        if len(tensor.raw_data) > _KEPT_BYTES:
            tensor.ClearField("raw_data")


def first_line(error: Exception) -> str:
    """An exception in one short line.

    >>> first_line(ValueError("one\\ntwo"))
    'one'
    """
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 200 else lines[0][:199] + "…"
