"""Writes a program of `legalize` as a model: a dispatchable for each of its operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.helpers import HelperOperator
from dmlindex.directml.dxdispatch.operators import IndexingOperator
from dmlindex.directml.dxdispatch.writer import FILL, Case, ModelWriter
from dmlindex.directml.legal import HelperDesc, Program
from dmlindex.directml.legal.program import Binding, Buffer
from dmlindex.directml.values import DataType

Array = npt.NDArray[Any]

_OFFSET_ALIGNMENT = 16
_MOST_STEPS_WRITTEN = 32  # programs of more operators write their last output only


def add_program(writer: ModelWriter, case: Case) -> None:
    """The program's buffers, and a dispatch for each operator, whose output is written, too.

    So the first operator whose answer is another on a machine is the one that compare names.
    ValueError or TypeError for arrays that the program is not for.
    """
    name, program = case.name, case.desc
    if not isinstance(program, Program):
        raise DxDispatchError(f"{name}: neither a descriptor nor a program: {program}")
    if program.result is None:
        raise DxDispatchError(f"{name}: the program has nothing to dispatch")
    about = case.about or str(program).splitlines()[0]
    if program.promise != "bits":
        about += f" (promises {program.promise}: other bits may be right, too)"
    given = dict(zip(("input", "indices", "updates"), case.inputs, strict=False))
    program.run(**given)  # which checks them
    types = _data_types(program)
    for buffer in program.buffers.values():
        _add_buffer(writer, name, buffer, given.get(buffer.name), types[buffer.name])
    steps = program.operators
    for number, step in enumerate(steps, 1):
        helper = isinstance(step.desc, HelperDesc)
        operator = HelperOperator(step.desc) if helper else IndexingOperator(step.desc)  # type: ignore[arg-type]
        sources = iter(step.inputs)
        bindings: dict[str, Any] = {}
        for point, tensors in operator.inputs().items():
            bound = [_source(name, next(sources)) for _ in tensors]
            bindings[point] = bound[0] if len(bound) == 1 else bound
        bindings["OutputTensor"] = _source(name, step.output)
        last = number == len(steps)
        step_name = name if last else f"{name}_{number:02}_{operator.type.lower()}"
        writer.dispatch(step_name, operator, bindings, about=f"{about}; {step.why}")
        if last or len(steps) <= _MOST_STEPS_WRITTEN:
            writer.write_file(f"{name}.{step.output.buffer}", step_name)


def _data_types(program: Program) -> dict[str, DataType]:
    """Of each buffer: that of the first tensor that lies in it."""
    types = dict.fromkeys(program.buffers, DataType.UINT8)
    for step in reversed(program.operators):
        for _, tensor, binding in step.tensors():
            types[binding.buffer] = tensor.data_type
    return types


def _add_buffer(
    writer: ModelWriter, name: str, buffer: Buffer, array: Array | None, data_type: DataType
) -> None:
    contents = buffer.contents if buffer.kind == "constant" else array
    size = -(-buffer.size_in_bytes // _OFFSET_ALIGNMENT) * _OFFSET_ALIGNMENT
    flat = np.full(size, FILL, np.uint8)
    if contents is not None:
        if buffer.name == "indices":
            contents = contents.astype(contents.dtype.newbyteorder("<"))
        data = np.frombuffer(np.ascontiguousarray(contents).tobytes(), np.uint8)
        flat[: data.size] = data
    values = flat.view(data_type.dtype)
    if contents is None:
        writer.add_filled(f"{name}.{buffer.name}", data_type, values.size)
    else:
        writer.add_values(f"{name}.{buffer.name}", data_type, values)


def _source(name: str, binding: Binding) -> Any:
    resource = f"{name}.{binding.buffer}"
    if not binding.offset:
        return resource
    return {"name": resource, "elementOffset": binding.offset, "elementSizeInBytes": 1}
