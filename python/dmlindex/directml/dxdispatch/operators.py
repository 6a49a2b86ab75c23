"""The six operators as DxDispatch's dispatchables: their JSON, and how they run here."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from dmlindex._device import Device
from dmlindex.directml.desc_json import OPERATOR_DESCS
from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.fields import Fields
from dmlindex.directml.dxdispatch.model import Bytes
from dmlindex.directml.dxdispatch.tensors import tensor_from_json, tensor_to_json
from dmlindex.directml.tensor import TensorDesc

# SCATTER_ELEMENTS is DirectML's newer name of the operator, which the tool does not know.
_TYPES = {
    desc.operator.replace("SCATTER_ELEMENTS", "SCATTER"): desc for desc in OPERATOR_DESCS.values()
}


@dataclass(frozen=True)
class IndexingOperator:
    """A gather or a scatter."""

    desc: Any

    @property
    def type(self) -> str:
        return next(name for name, desc in _TYPES.items() if isinstance(self.desc, desc))

    def inputs(self) -> dict[str, tuple[TensorDesc, ...]]:
        return {
            name: (tensor,) for name, tensor in self._tensors().items() if name != "OutputTensor"
        }

    def output(self) -> TensorDesc:
        return self._tensors()["OutputTensor"]

    def _tensors(self) -> dict[str, TensorDesc]:
        return {
            bind_point(field.name): getattr(self.desc, field.name)
            for field in fields(self.desc)
            if field.name.endswith("_tensor")
        }

    def problems(self) -> list[str]:
        return [str(violation) for violation in self.desc.violations()]

    def run(self, inputs: list[Bytes], output: Bytes, device: str) -> None:
        tensors = [*(tensor for (tensor,) in self.inputs().values()), self.output()]
        *arrays, out = (
            typed(buffer, tensor) for buffer, tensor in zip([*inputs, output], tensors, strict=True)
        )
        Device(device).compile(self.desc, mode="directml")(*arrays, out=out)

    def to_json(self) -> dict[str, Any]:
        return {
            bind_point(field.name): tensor_to_json(value)
            if isinstance(value, TensorDesc)
            else value
            for field in fields(self.desc)
            for value in [getattr(self.desc, field.name)]
        }


def bind_point(field: str) -> str:
    """DirectML's name of a field.

    >>> bind_point("input_dimension_count")
    'InputDimensionCount'
    """
    return "".join(word.capitalize() for word in field.split("_"))


def typed(buffer: Bytes, tensor: TensorDesc) -> Any:
    """A buffer as whole elements of the tensor's type."""
    dtype = tensor.data_type.dtype
    return buffer[: buffer.size // dtype.itemsize * dtype.itemsize].view(dtype)


def indexing_operator(type_name: str, attributes: Fields) -> IndexingOperator | None:
    """The operator that a dispatchable's fields describe; None where its type is another."""
    if type_name == "SCATTER_ELEMENTS":
        raise DxDispatchError(
            f"{attributes.place('type')} is SCATTER_ELEMENTS, which DxDispatch does not know: "
            "write SCATTER"
        )
    desc = _TYPES.get(type_name)
    if desc is None:
        return None
    arguments = {}
    for field in fields(desc):  # type: ignore[arg-type]
        name = bind_point(field.name)
        if field.name.endswith("_tensor"):
            value = attributes.value(name)
            arguments[field.name] = tensor_from_json(attributes.place(name), value)
        else:
            arguments[field.name] = attributes.integer(name)
    return IndexingOperator(desc(**arguments))
