"""Runs a program here: the six operators by dmlindex, helpers plainly in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex._device import Device
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.layout import packed_strides
from dmlindex.directml.legal.program import Binding, Buffer, Operator, Program
from dmlindex.directml.tensor import TensorDesc
from dmlindex.reference import checks
from dmlindex.reference.memory import as_bytes

Array = npt.NDArray[Any]
_UNWRITTEN = 0xA5  # what memory holds before it is written: no step may read it


def run(program: Program, input: Any, indices: Any, updates: Any) -> Array:
    """The program's answer for these arrays."""
    given = _arguments(program, input, indices, updates)
    places, tensor = given["indices"], program.tensors.get("indices")
    if tensor is not None and tensor.strides is not None:
        places = _strided(tensor, places)
    _check_indices(program, places)
    memory = {buffer.name: _memory(buffer, given) for buffer in program.buffers.values()}
    for step in program.operators:
        _dispatch(step, memory)
    if program.result is None:
        return np.empty(program.shape, program.dtype)
    value = program.result
    if "output" in program.tensors and program.tensors["output"].strides is not None:
        return memory[value.buffer].view(program.dtype)[: program.shape[0]]
    raw = _view(value.tensor(), Binding(value.buffer, value.offset), memory)
    return np.frombuffer(bytearray(raw.tobytes()), program.dtype).reshape(program.shape)


def _arguments(program: Program, input: Any, indices: Any, updates: Any) -> dict[str, Array]:
    """The arrays by name; each of the shape and dtype that the program was made for."""
    op = program.function
    given = {"input": checks.input_array(op, input), "indices": checks.index_array(op, indices)}
    if "updates" in program.arguments:
        shape, dtype = program.arguments["updates"]
        items = checks.updates_array(op, updates, dtype)
        single = items.ndim == 0
        given["updates"] = checks.updates_shape(op, items, shape) if single else items
    elif updates is not None:
        raise TypeError(f"{op}: updates are given, but a gather takes none")
    for name, array in given.items():
        shape, dtype = program.arguments[name]
        if name in program.tensors and program.tensors[name].strides is not None:
            given[name] = array = array[: shape[0]]  # a buffer may be larger
        if array.dtype.newbyteorder("=") != dtype.newbyteorder("="):
            raise TypeError(f"{op}: {name} has dtype {array.dtype}, the program is for {dtype}")
        if array.shape != shape:
            raise ValueError(f"{op}: {name} has shape {array.shape}, the program is for {shape}")
    fixed = program.fixed_indices
    if fixed is not None and not np.array_equal(fixed, given["indices"]):
        raise ValueError(
            f"{op}: indices are others than those that the program was made for; give legalize "
            "their shape and dtype for a program for all"
        )
    return given


def _memory(buffer: Buffer, given: dict[str, Array]) -> npt.NDArray[np.uint8]:
    filler = 0 if buffer.kind == "output" else _UNWRITTEN  # padding of an output is zero
    memory = np.full(-(-buffer.size_in_bytes // 16) * 16, filler, np.uint8)
    contents = buffer.contents if buffer.kind == "constant" else given.get(buffer.name)
    if contents is not None:
        if buffer.name == "indices":
            contents = contents.astype(contents.dtype.newbyteorder("<"))
        packed = as_bytes(contents).tobytes()  # padding between fields included
        memory[: len(packed)] = np.frombuffer(packed, np.uint8)
    return memory


def _check_indices(program: Program, indices: Array) -> None:
    """IndexError for the first in C order that the mode has no place for."""
    mode = program.options["mode"]
    if mode in ("fill", "drop", "directml") or (mode != "raise" and 0 not in program.limits):
        return
    sizes = np.array(program.limits[0] if len(program.limits) == 1 else program.limits, object)
    wide = indices.astype(object)
    least = -sizes if indices.dtype.kind == "i" else 0 * sizes
    inside = (least <= wide) & (wide < sizes) if mode == "raise" else sizes + 0 * wide > 0
    bad = ~np.asarray(inside, bool)
    if bad.any():
        position = tuple(int(i) for i in np.argwhere(bad)[0])
        which = position[-1] if len(program.limits) > 1 else 0
        raise checks.index_error(
            program.function,
            position,
            int(indices[position]),
            program.first_axis + which,
            program.limits[which],
            indices.dtype,
        )


def _view(tensor: TensorDesc, binding: Binding, memory: dict[str, Any]) -> Array:
    return _strided(tensor, memory[binding.buffer][binding.offset :].view(tensor.data_type.dtype))


def _strided(tensor: TensorDesc, flat: Array) -> Array:
    """The tensor in a line of elements."""
    strides = tensor.strides or packed_strides(tensor.sizes)
    return np.lib.stride_tricks.as_strided(
        flat, tensor.sizes, tuple(stride * flat.itemsize for stride in strides)
    )


def _dispatch(step: Operator, memory: dict[str, Any]) -> None:
    if isinstance(step.desc, OperatorDesc):
        _run_operator(step, step.desc, memory)
        return
    tensors = list(step.tensors())
    *inputs, output = (_view(tensor, binding, memory) for _, tensor, binding in tensors)
    run_helper(step.desc, inputs, output)


def run_helper(desc: HelperDesc, inputs: Sequence[Array], output: Array) -> None:
    """Writes what a helper operator computes; the arrays are its tensors, of their sizes."""
    with np.errstate(all="ignore"):
        result = _HELPERS[desc.operator](desc, *inputs)
    output[...] = result


def _run_operator(step: Operator, desc: OperatorDesc, memory: dict[str, Any]) -> None:
    """By dmlindex, which takes an array of a packed tensor's sizes, and else a flat buffer."""
    arrays: dict[tuple[str, int, TensorDesc], Array] = {}  # in place: one array for both
    bound = []
    for _, tensor, binding in step.tensors():
        key = (binding.buffer, binding.offset, tensor)
        if key not in arrays:
            flat = memory[binding.buffer][binding.offset :].view(tensor.data_type.dtype)
            packed = tensor.strides is None
            arrays[key] = _view(tensor, binding, memory) if packed else flat
        bound.append(arrays[key])
    *inputs, output = bound
    Device().compile(desc, mode="directml")(*inputs, out=output)


def _reduce(desc: HelperDesc, a: Array) -> Array:
    functions = {"SUM": np.add, "MULTIPLY": np.multiply, "MIN": np.minimum, "MAX": np.maximum}
    function: Any = functions[desc.parameters["Function"]]
    result: Array = function.reduce(a, tuple(desc.parameters["Axes"]), a.dtype, keepdims=True)
    return result


def _slice(desc: HelperDesc, a: Array) -> Array:
    pairs = zip(desc.parameters["Offsets"], desc.parameters["Sizes"], strict=True)
    part: Array = a[tuple(slice(start, start + size) for start, size in pairs)]
    return part


def _sequence(desc: HelperDesc) -> Array:
    start, step = desc.parameters["ValueStart"], desc.parameters["ValueDelta"]
    numbers = start + step * np.arange(desc.elements())
    filled: Array = numbers.astype(desc.output.data_type.dtype).reshape(desc.output.sizes)
    return filled


def _binary(function: Callable[..., Any]) -> Callable[..., Array]:
    def helper(desc: HelperDesc, a: Array, b: Array) -> Array:
        result: Array = function(a, b)
        return result

    return helper


def _if(desc: HelperDesc, condition: Array, a: Array, b: Array) -> Array:
    return np.where(condition != 0, a, b)


_HELPERS: dict[str, Callable[..., Array]] = {
    "ELEMENT_WISE_IDENTITY": lambda desc, a: a,
    "ELEMENT_WISE_ADD": _binary(np.add),
    "ELEMENT_WISE_SUBTRACT": _binary(np.subtract),
    "ELEMENT_WISE_MULTIPLY": _binary(np.multiply),
    "ELEMENT_WISE_MIN": _binary(np.minimum),
    "ELEMENT_WISE_MAX": _binary(np.maximum),
    "ELEMENT_WISE_MODULUS_FLOOR": _binary(np.mod),
    "ELEMENT_WISE_LOGICAL_EQUALS": _binary(np.equal),
    "ELEMENT_WISE_LOGICAL_LESS_THAN": _binary(np.less),
    "ELEMENT_WISE_LOGICAL_AND": _binary(np.logical_and),
    "ELEMENT_WISE_LOGICAL_OR": _binary(np.logical_or),
    "ELEMENT_WISE_LOGICAL_NOT": lambda desc, a: np.logical_not(a),
    "ELEMENT_WISE_IF": _if,
    "CAST": lambda desc, a: a.astype(desc.output.data_type.dtype),
    "JOIN": lambda desc, *arrays: np.concatenate(arrays, desc.parameters["Axis"]),
    "SLICE": _slice,
    "FILL_VALUE_SEQUENCE": _sequence,
    "REDUCE": _reduce,
}
