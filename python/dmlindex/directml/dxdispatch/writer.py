"""Writes models: a case becomes resources, a dispatchable, a dispatch, and a file of its output."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.dxdispatch import npy
from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.operators import IndexingOperator
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, TensorFlags

Array = npt.NDArray[Any]

ACTUAL, EXPECTED, INPUTS = "actual", "expected", "inputs"  # folders
_MOST_INLINE = 256  # values that stand in the JSON itself
FILL = 0xA5  # what an output's bytes are before anything is written


@dataclass(frozen=True)
class Case:
    """An operator desc with an array for each input: of its sizes, or a 1-D buffer of its total
    size. Or a Program of `legalize`, with the arrays that it takes."""

    name: str
    desc: Any
    inputs: tuple[Array, ...]
    about: str = ""


class ModelWriter:
    """Collects the parts of one model.json, and the files that it reads."""

    def __init__(self, *, inline: bool = False) -> None:
        """inline: short inputs stand in the JSON, where its numbers can hold them."""
        self._inline = inline
        self._resources: dict[str, Any] = {}
        self._dispatchables: dict[str, Any] = {}
        self._commands: list[Any] = []
        self.files: dict[PurePosixPath, bytes] = {}

    def add(self, case: Case) -> None:
        if not re.fullmatch(r"[A-Za-z0-9_-]{1,100}", case.name):
            raise DxDispatchError(
                f"a case is called {shown(case.name)}, expected letters, digits, _ and -"
            )
        operator = IndexingOperator(case.desc)
        if problems := operator.problems():
            raise DxDispatchError(f"{case.name}: {'; '.join(problems)}")
        points = {point: tensor for point, (tensor,) in operator.inputs().items()}
        if len(points) != len(case.inputs):
            raise DxDispatchError(
                f"{case.name}: {len(case.inputs)} arrays, expected {len(points)}: "
                f"{', '.join(points)}"
            )
        bindings: dict[str, Any] = {}
        owned: dict[str, Any] = {}
        for (point, tensor), array in zip(points.items(), case.inputs, strict=True):
            name = f"{case.name}.{point.removesuffix('Tensor').lower()}"
            self.add_input(name, tensor, array)
            by_directml = tensor.flags & TensorFlags.OWNED_BY_DML
            (owned if by_directml else bindings)[point] = name
        output = f"{case.name}.output"
        self.add_filled(output, operator.output().data_type, _elements(operator.output()))
        bindings["OutputTensor"] = output
        self.dispatch(case.name, operator, bindings, owned, case.about)
        self.write_file(output, case.name, _whole_sizes(operator.output()))

    def add_input(self, name: str, tensor: TensorDesc, array: Array) -> None:
        """A resource with the array's elements, and zeros behind them up to the total size."""
        dtype = tensor.data_type.dtype
        if array.dtype != dtype:
            raise DxDispatchError(f"{name}: an array of {array.dtype}, expected {dtype}")
        whole = tensor.strides is None and array.shape == tensor.sizes
        needed = tensor.total_bytes // dtype.itemsize
        if not whole and (array.ndim != 1 or array.size < needed):
            sizes = f"{list(tensor.sizes)} or " if tensor.strides is None else ""
            raise DxDispatchError(
                f"{name}: an array of shape {list(array.shape)}, expected {sizes}one dimension of "
                f"{needed} elements or more"
            )
        count = max(_elements(tensor), array.size)
        flat = np.zeros(-(-count // _step(dtype)) * _step(dtype), dtype)
        flat[: array.size] = array.reshape(-1)
        self.add_values(name, tensor.data_type, flat)

    def add_values(self, name: str, data_type: DataType, values: Array) -> None:
        """A resource with these elements."""
        if self._inline and values.size <= _MOST_INLINE and np.isfinite(values).all():
            listed: Any = values.tolist()
        else:
            path = PurePosixPath(INPUTS, f"{name}.npy")
            self.files[path] = npy.write(values.tobytes(), data_type, values.shape)
            listed = {"sourcePath": str(path)}
        self._resources[name] = {"initialValuesDataType": data_type.name, "initialValues": listed}

    def add_filled(self, name: str, data_type: DataType, count: int) -> None:
        """A resource of so many elements whose bytes are all 0xA5."""
        value = np.frombuffer(bytes([FILL] * data_type.dtype.itemsize), data_type.dtype)[0].item()
        self._resources[name] = {
            "initialValuesDataType": data_type.name,
            "initialValues": {"valueCount": count, "value": value},
        }

    def dispatch(
        self,
        name: str,
        operator: Any,
        bindings: dict[str, Any],
        owned: dict[str, Any] | None = None,
        about: str = "",
    ) -> None:
        """A dispatchable and the command that runs it; owned are the inputs of DirectML itself."""
        if name in self._dispatchables:
            raise DxDispatchError(f"two cases are called {shown(name)}")
        dispatchable = {"type": operator.type, "desc": operator.to_json()}
        if about:
            dispatchable["about"] = about  # a field that the tool passes over
        if owned:
            dispatchable["bindings"] = owned
        self._dispatchables[name] = dispatchable
        self._commands.append({"type": "dispatch", "dispatchable": name, "bindings": bindings})

    def write_file(self, resource: str, name: str, sizes: tuple[int, ...] = ()) -> None:
        """The command that writes a resource, of these sizes or as one line."""
        command = {"type": "writeFile", "resource": resource, "targetPath": f"{ACTUAL}/{name}.npy"}
        self._commands.append({**command, "dimensions": list(sizes)} if sizes else command)

    def text(self) -> str:
        """The model's JSON."""
        parts = []
        for key, members in (
            ("resources", self._resources),
            ("dispatchables", self._dispatchables),
        ):
            lines = [f"  {json.dumps(name)}: {_line(value)}" for name, value in members.items()]
            parts.append(f' "{key}": {{\n' + ",\n".join(lines) + "}")
        lines = [f"  {_line(command)}" for command in self._commands]
        parts.append(' "commands": [\n' + ",\n".join(lines) + "]")
        return "{\n" + ",\n".join(parts) + "}\n"


def _whole_sizes(tensor: TensorDesc) -> tuple[int, ...]:
    """The tensor's sizes, where they are all of its buffer."""
    whole = tensor.strides is None and math.prod(tensor.sizes) == _elements(tensor)
    return tensor.sizes if whole else ()


def _step(dtype: np.dtype[Any]) -> int:
    """Elements to which a buffer is rounded up: to 4 bytes."""
    return max(4 // dtype.itemsize, 1)


def _elements(tensor: TensorDesc) -> int:
    """In a buffer of the total size, rounded up to 4 bytes and to whole elements."""
    unit = max(4, tensor.data_type.dtype.itemsize)
    return -(-tensor.total_bytes // unit) * unit // tensor.data_type.dtype.itemsize


def _line(value: object) -> str:
    return json.dumps(value, allow_nan=False)
