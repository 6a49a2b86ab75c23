"""Runs a model here: dispatches one after the other, and keeps what is printed and written."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

import numpy as np

from dmlindex.directml.dxdispatch import npy
from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.model import (
    Binding,
    Bindings,
    Bytes,
    Dispatch,
    Model,
    Print,
    Resource,
    WriteFile,
)
from dmlindex.directml.dxdispatch.printing import printed
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, TensorFlags

_OFFSET_ALIGNMENT = 16  # of a binding, in bytes
_MOST_DIMENSIONS = 32  # that NumPy's arrays have, whatever the release
_PICTURES = (".png", ".jpg")


@dataclass
class Outcome:
    """What a model prints, a line or more for each command, and the files that it writes."""

    printed: list[str] = field(default_factory=list)
    files: dict[PurePosixPath, bytes] = field(default_factory=dict)


class Memory:
    """The resources' bytes, and those of the inputs that DirectML owns, as a run goes on."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.buffers = {name: _buffer(resource) for name, resource in model.resources.items()}
        self._owned: dict[tuple[str, str], list[Bytes]] = {}
        for name, dispatchable in model.dispatchables.items():
            for point, bound in dispatchable.bindings.items():
                self._owned[name, point] = [self._bound(binding).copy() for binding in bound]

    def dispatch(self, command: Dispatch, device: str) -> None:
        inputs, output = self.operands(command)
        self._model.dispatchables[command.dispatchable].operator.run(inputs, output, device)

    def operands(self, command: Dispatch) -> tuple[list[Bytes], Bytes]:
        """What a dispatch reads, tensor by tensor, and what it writes to."""
        operator = self._model.dispatchables[command.dispatchable].operator
        inputs: list[Bytes] = []
        for point, tensors in operator.inputs().items():
            where = f"dispatchable {shown(command.dispatchable)}: {point}"
            inputs += self._operand(where, command, point, tensors)
        where = f"dispatchable {shown(command.dispatchable)}: OutputTensor"
        (output,) = self._operand(where, command, "OutputTensor", (operator.output(),))
        return inputs, output

    def _operand(
        self, where: str, command: Dispatch, point: str, tensors: tuple[TensorDesc, ...]
    ) -> list[Bytes]:
        owned = self._owned.get((command.dispatchable, point))
        by_directml = any(tensor.flags & TensorFlags.OWNED_BY_DML for tensor in tensors)
        if by_directml and (owned is None or point in command.bindings):
            raise DxDispatchError(
                f"{where} is OWNED_BY_DML, so it is bound in the dispatchable's own bindings, and "
                "not in the command's"
            )
        if not by_directml:
            owned = None
        if owned is None and point not in command.bindings:
            raise DxDispatchError(f"{where}: nothing is bound{_misspelt(point, command.bindings)}")
        bound = () if owned else command.bindings[point]
        found = owned or [self._bound(binding) for binding in bound]
        if len(found) != len(tensors):
            raise DxDispatchError(f"{where} takes {len(tensors)} resources, found {len(found)}")
        for buffer, tensor in zip(found, tensors, strict=True):
            if buffer.size < (needed := tensor.total_bytes):
                raise DxDispatchError(
                    f"{where}: {buffer.size} bytes are bound, expected at least {needed}, the "
                    "tensor's TotalTensorSizeInBytes"
                )
        for binding, tensor in zip(bound, tensors, strict=False):
            if (least := tensor.guaranteed_base_offset_alignment) and binding.offset % least:
                raise DxDispatchError(
                    f"{where} is bound at byte {binding.offset}, expected a multiple of {least}, "
                    "the tensor's GuaranteedBaseOffsetAlignment"
                )
        return found

    def _bound(self, binding: Binding) -> Bytes:
        buffer = self.buffers[binding.resource]
        if binding.offset % _OFFSET_ALIGNMENT or binding.offset >= buffer.size:
            raise DxDispatchError(
                f"resource {shown(binding.resource)} is bound at byte {binding.offset}, expected a "
                f"multiple of {_OFFSET_ALIGNMENT} below its size, {buffer.size}"
            )
        return buffer[binding.offset :]


def execute(model: Model, *, device: str = "cpu") -> Outcome:
    """What the commands print and write, in order.

    Operators run with mode "directml": what DirectML's own shaders compute, out of range too. Bytes
    behind a resource's values are zero. Inputs and output may share a resource; where they overlap,
    all is read before anything is written.
    """
    memory = Memory(model)
    outcome = Outcome()
    for command in model.commands:
        if isinstance(command, Dispatch):
            memory.dispatch(command, device)
            continue
        resource = model.resources[command.resource]
        data = memory.buffers[command.resource].tobytes()
        if isinstance(command, Print):
            outcome.printed.append(printed(command, resource, data))
        else:
            outcome.files[command.target] = _file(command, resource, data)
    return outcome


def _buffer(resource: Resource) -> Bytes:
    buffer = np.zeros(resource.size_in_bytes, np.uint8)
    buffer[: len(resource.values)] = np.frombuffer(resource.values, np.uint8)
    return buffer


def _misspelt(point: str, bindings: Bindings) -> str:
    close = [name for name in bindings if name.lower().strip() == point.lower()]
    return f"; {shown(close[0])} is another name" if close else ""


def _file(command: WriteFile, resource: Resource, data: bytes) -> bytes:
    """The whole buffer: some bytes may follow what the dimensions need."""
    kind = command.target.suffix.lower()
    where = f"writeFile {shown(str(command.target))}"
    if kind in _PICTURES:
        raise DxDispatchError(f"{where}: pictures are not written here; use .npy or .bin")
    if kind != ".npy":
        return data
    if resource.data_type is DataType.UNKNOWN:
        raise DxDispatchError(f"{where}: the resource's values are of several types; use .bin")
    size = resource.data_type.dtype.itemsize
    dimensions = command.dimensions or (len(data) // size,)
    elements = 0 if 0 in dimensions else 1
    for dimension in dimensions:
        elements = min(elements * dimension, len(data) + 1)
    if elements * size > len(data) or len(dimensions) > _MOST_DIMENSIONS:
        raise DxDispatchError(
            f"{where}: dimensions {list(dimensions)} need more than the {len(data)} bytes of the "
            f"resource, or are more than {_MOST_DIMENSIONS}"
        )
    return npy.write(data, resource.data_type, dimensions)
