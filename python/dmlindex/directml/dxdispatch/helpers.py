"""The helper operators of programs as DxDispatch's dispatchables: their JSON, and how they run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.fields import Fields, integer
from dmlindex.directml.dxdispatch.initial_values import NO_VALUES
from dmlindex.directml.dxdispatch.model import Bytes
from dmlindex.directml.dxdispatch.operators import typed
from dmlindex.directml.dxdispatch.tensors import tensor_from_json, tensor_to_json
from dmlindex.directml.legal.execute import run_helper
from dmlindex.directml.legal.helpers import INPUT_FIELDS, HelperDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType

_REDUCTIONS = ("SUM", "MULTIPLY", "MIN", "MAX")
# The field that counts an array's numbers.
_COUNTS = {"SLICE": "DimensionCount", "REDUCE": "AxisCount"}


@dataclass(frozen=True)
class HelperOperator:
    """An operator of a program that is neither a gather nor a scatter."""

    desc: HelperDesc

    @property
    def type(self) -> str:
        return self.desc.operator

    def inputs(self) -> dict[str, tuple[TensorDesc, ...]]:
        names = INPUT_FIELDS[self.desc.operator]
        if names == ("InputTensors",):
            return {"InputTensors": self.desc.inputs}
        return {name: (tensor,) for name, tensor in zip(names, self.desc.inputs, strict=True)}

    def output(self) -> TensorDesc:
        return self.desc.output

    def problems(self) -> list[str]:
        return [str(violation) for violation in self.desc.violations()]

    def run(self, inputs: list[Bytes], output: Bytes, device: str) -> None:
        """In NumPy, whatever the device."""
        views = [
            _view(buffer, tensor) for buffer, tensor in zip(inputs, self.desc.inputs, strict=True)
        ]
        run_helper(self.desc, views, _view(output, self.desc.output))

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for name, tensors in self.inputs().items():
            if name == "InputTensors":
                data["InputCount"] = len(tensors)
                data[name] = [tensor_to_json(tensor) for tensor in tensors]
            else:
                data[name] = tensor_to_json(tensors[0])
        data["OutputTensor"] = tensor_to_json(self.desc.output)
        for name, value in self.desc.parameters.items():
            if isinstance(value, (list, tuple)):
                data[_COUNTS[self.type]] = len(value)
            data[name] = list(value) if isinstance(value, tuple) else value
        return data


def _view(buffer: Bytes, tensor: TensorDesc) -> Any:
    flat = typed(buffer, tensor)
    strides = tuple(stride * flat.itemsize for stride in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(flat, tensor.sizes, strides)


def helper_operator(type_name: str, attributes: Fields) -> HelperOperator | None:
    """The operator that a dispatchable's fields describe; None where its type is another."""
    if type_name not in INPUT_FIELDS:
        return None
    if "ScaleBias" in attributes:
        raise DxDispatchError(f"{attributes.place('ScaleBias')}: not run here")
    inputs: list[TensorDesc] = []
    for name in INPUT_FIELDS[type_name]:
        if name == "InputTensors":
            inputs += _joined(attributes)
        else:
            inputs.append(tensor_from_json(attributes.place(name), attributes.value(name)))
    output = tensor_from_json(attributes.place("OutputTensor"), attributes.value("OutputTensor"))
    ranks = {len(tensor.sizes) for tensor in (*inputs, output)}
    if len(ranks) > 1:
        raise DxDispatchError(
            f"{attributes.where}: tensors of {' and '.join(map(str, sorted(ranks)))} dims, "
            "expected one number for all"
        )
    read = _PARAMETERS.get(type_name)
    parameters = {} if read is None else read(attributes, output)
    return HelperOperator(HelperDesc(type_name, tuple(inputs), output, parameters))


def _joined(attributes: Fields) -> list[TensorDesc]:
    place, values = attributes.place("InputTensors"), attributes.array("InputTensors")
    count = attributes.integer("InputCount")
    if not 1 <= count <= len(values):
        raise DxDispatchError(
            f"{attributes.place('InputCount')} is {count}, expected 1 to {len(values)}, as many as "
            "there are InputTensors"
        )
    return [tensor_from_json(f"{place}[{i}]", value) for i, value in enumerate(values[:count])]


def _axis(attributes: Fields, output: TensorDesc) -> dict[str, Any]:
    return {"Axis": _below(attributes, "Axis", attributes.integer("Axis"), output)}


def _below(attributes: Fields, name: str, axis: int, output: TensorDesc) -> int:
    return integer(attributes.place(name), axis, 0, len(output.sizes) - 1)


def _slice(attributes: Fields, output: TensorDesc) -> dict[str, Any]:
    rank = len(output.sizes)
    values = {name: attributes.integers(name) for name in ("Offsets", "Sizes", "Strides")}
    if attributes.integer("DimensionCount") != rank or any(len(v) != rank for v in values.values()):
        raise DxDispatchError(
            f"{attributes.where}: Offsets, Sizes and Strides, expected {rank} numbers each, and a "
            "DimensionCount that says so"
        )
    if set(values["Strides"]) != {1}:
        raise DxDispatchError(f"{attributes.place('Strides')} are not all 1: not run here")
    return {name: list(value) for name, value in values.items()}


def _reduce(attributes: Fields, output: TensorDesc) -> dict[str, Any]:
    function = attributes.string("Function").removeprefix("DML_REDUCE_FUNCTION_")
    if function not in _REDUCTIONS:
        raise DxDispatchError(
            f"{attributes.place('Function')} is {shown(function)}, expected one of "
            f"{', '.join(_REDUCTIONS)}; others are not run here"
        )
    axes = attributes.integers("Axes")
    if attributes.integer("AxisCount") != len(axes) or len(set(axes)) != len(axes) or not axes:
        raise DxDispatchError(
            f"{attributes.place('Axes')} has {len(axes)} numbers, expected different ones, as many "
            "as AxisCount says"
        )
    return {"Function": function, "Axes": [_below(attributes, "Axes", a, output) for a in axes]}


def _sequence(attributes: Fields, output: TensorDesc) -> dict[str, Any]:
    data_type = attributes.data_type("ValueDataType")
    if data_type is not output.data_type or data_type in NO_VALUES:
        raise DxDispatchError(
            f"{attributes.place('ValueDataType')} is {data_type.name}, expected the output's, "
            f"{output.data_type.name}"
        )
    if data_type.dtype.kind == "f":
        raise DxDispatchError(f"{attributes.where}: a sequence of floats is not run here")
    return {
        "ValueDataType": data_type.name,
        **{name: _scalar(attributes, name, data_type) for name in ("ValueStart", "ValueDelta")},
    }


def _scalar(attributes: Fields, name: str, data_type: DataType) -> int:
    """A DML_SCALAR_UNION: a number, or {"UInt32": number}."""
    value, place = attributes.value(name), attributes.place(name)
    if not isinstance(value, int):
        field = data_type.name.title().replace("Uint", "UInt")
        value = Fields(place, value).value(field)
    info = np.iinfo(data_type.dtype)
    return integer(place, value, int(info.min), int(info.max))


_PARAMETERS: dict[str, Callable[[Fields, TensorDesc], dict[str, Any]]] = {
    "JOIN": _axis,
    "SLICE": _slice,
    "REDUCE": _reduce,
    "FILL_VALUE_SEQUENCE": _sequence,
}
