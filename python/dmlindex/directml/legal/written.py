"""Programs as JSON and as C++ that fills DirectML's structs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from dmlindex.directml.cpp import tensor_lines
from dmlindex.directml.desc_json import tensor_data
from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.program import Binding, Buffer, Operator, Program, View, buffer_text


def program_data(program: Program) -> dict[str, Any]:
    """See `Program.to_json`."""
    value = program.result
    return {
        "function": program.function,
        "options": program.options,
        "feature_level": program.feature_level.name,
        "promise": program.promise,
        "notes": list(program.notes),
        "buffers": [_buffer_data(buffer) for buffer in program.buffers.values()],
        "steps": [
            _view_data(step) if isinstance(step, View) else _operator_data(step)
            for step in program.steps
        ],
        "result": {
            "shape": list(program.shape),
            "dtype": program.dtype.str,
            "tensor": None if value is None else tensor_data(value.tensor()),
            **({} if value is None else _binding_data(Binding(value.buffer, value.offset))),
        },
    }


def _buffer_data(buffer: Buffer) -> dict[str, Any]:
    data: dict[str, Any] = {
        "name": buffer.name,
        "kind": buffer.kind,
        "size_in_bytes": buffer.size_in_bytes,
    }
    if buffer.dtype is not None:
        data |= {"shape": list(buffer.shape), "dtype": buffer.dtype.str}
    if buffer.contents is not None:
        data["data_type"] = buffer.contents.dtype.name.upper()
        data["contents"] = base64.b64encode(buffer.contents.tobytes()).decode()
    return data


def _view_data(step: View) -> dict[str, Any]:
    return {"view": step.buffer, "tensor": tensor_data(step.tensor), "why": step.why}


def _operator_data(step: Operator) -> dict[str, Any]:
    desc = step.desc
    if isinstance(desc, HelperDesc):
        tensors = {name: tensor_data(tensor) for name, tensor, _ in step.tensors()}
        data = {"operator": desc.operator, **tensors, **desc.parameters}
    else:
        data = json.loads(desc.to_json())
    return {
        "desc": data,
        "inputs": [_binding_data(binding) for binding in step.inputs],
        "output": _binding_data(step.output),
        "feature_level": step.feature_level.name,
        "why": step.why,
    }


def _binding_data(binding: Binding) -> dict[str, Any]:
    return {"buffer": binding.buffer, "offset": binding.offset}


def program_cpp(program: Program) -> str:
    """See `Program.to_cpp`."""
    lines = [f"// {line}" for line in str(program).splitlines()[: 1 + len(program.notes)]]
    for buffer in program.buffers.values():
        lines.append(f"// {buffer_text(buffer)}")
        if buffer.contents is not None:
            numbers = ", ".join(map(str, buffer.contents.tobytes()))
            lines.append(f"const unsigned char {buffer.name}_contents[] = {{{numbers}}};")
    number = 0
    for step in program.steps:
        if isinstance(step, View):
            lines.append(f"// {step}")
            continue
        number += 1
        bound = ", ".join(f"{name} = {_bound(binding)}" for name, _, binding in step.tensors())
        lines += ["", f"// {step.why} ({step.feature_level.name}); binds {bound}"]
        lines += _operator_cpp(step, f"op{number}")
    return "\n".join(lines) + "\n"


def _bound(binding: Binding) -> str:
    return f"{binding.buffer} + {binding.offset}" if binding.offset else binding.buffer


def _operator_cpp(step: Operator, name: str) -> Iterator[str]:
    desc = step.desc
    if not isinstance(desc, HelperDesc):
        yield desc.to_cpp(name).rstrip()
        return
    fields: list[str] = []
    joined: list[str] = []
    for i, (field, tensor) in enumerate(desc.tensors()):
        variable = f"{name}_tensor{i}"
        yield from tensor_lines(tensor, variable)
        if field.startswith("InputTensors"):
            joined.append(variable)
        else:
            fields.append(f"{name}_fields.{field} = &{variable};")
    if joined:
        yield f"const DML_TENSOR_DESC {name}_inputs[] = {{{', '.join(joined)}}};"
        fields += [
            f"{name}_fields.InputCount = {len(joined)};",
            f"{name}_fields.InputTensors = {name}_inputs;",
        ]
    for field, value in desc.parameters.items():
        if isinstance(value, list):
            yield f"const UINT {name}_{field}[] = {{{', '.join(map(str, value))}}};"
            count = "AxisCount" if field == "Axes" else "DimensionCount"
            fields.append(f"{name}_fields.{count} = {len(value)};")
            fields.append(f"{name}_fields.{field} = {name}_{field};")
        elif field == "Function":
            fields.append(f"{name}_fields.{field} = DML_REDUCE_FUNCTION_{value};")
        elif field == "ValueDataType":
            fields.append(f"{name}_fields.{field} = DML_TENSOR_DATA_TYPE_{value};")
        elif field in ("ValueStart", "ValueDelta"):
            fields.append(f"{name}_fields.{field}.UInt32 = {value};")
        else:
            fields.append(f"{name}_fields.{field} = {value};")
    yield f"DML_{desc.operator}_OPERATOR_DESC {name}_fields = {{}};"
    yield from dict.fromkeys(fields)  # DimensionCount stands behind each of its arrays
    yield f"const DML_OPERATOR_DESC {name} = {{DML_OPERATOR_{desc.operator}, &{name}_fields}};"
