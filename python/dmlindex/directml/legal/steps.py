"""The buffers and steps of a program that is being made."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.layout import Shape, Value, coalesced, packed_strides
from dmlindex.directml.legal.program import Binding, Buffer, Operator, Step, View
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.support import support, takes
from dmlindex.directml.values import DataType, FeatureLevel

Array = npt.NDArray[Any]
MOST_ELEMENTS = 2**32 - 1


class Steps:
    """Collects buffers and steps for a program at a feature level.

    What the level does not have is a NoProgram.
    """

    def __init__(self, level: FeatureLevel, limit: int) -> None:
        self.level = level
        self.limit = limit
        self.buffers: dict[str, Buffer] = {}
        self.steps: list[Step] = []
        self.notes: list[str] = []
        self.promise = "bits"
        self.fixed_indices: Array | None = None
        self._temporaries = count()
        self._labels: dict[str, tuple[Any, ...]] = {}
        self._constants: dict[tuple[str, bytes], Value] = {}

    @property
    def least_dims(self) -> int:
        """What the six operators need at the level."""
        return 4 if self.level < FeatureLevel.FL_3_0 else 1

    @property
    def most_dims(self) -> int:
        return 4 if self.level < FeatureLevel.FL_3_0 else 8

    @property
    def mask_type(self) -> DataType:
        """Of conditions: IF wants UINT8; where it takes halves only, numbers 0 and 1 select."""
        return DataType.UINT8 if self.has_if else DataType.UINT32

    @property
    def has_if(self) -> bool:
        return takes("ELEMENT_WISE_IF", DataType.UINT32, self.level)

    # Buffers

    def add_buffer(
        self, name: str, kind: str, data_type: DataType, sizes: Shape, **made_for: Any
    ) -> Value:
        value = Value(name, data_type, sizes, packed_strides(sizes))
        if value.elements > MOST_ELEMENTS and kind == "temporary":
            raise NoProgram("size", f"a temporary of {value.elements} elements")
        size = value.elements * value.itemsize
        self.buffers[name] = Buffer(name, kind, -(-size // 4) * 4, **made_for)
        self._labels[name] = _label(coalesced([value])[0])
        return value

    def label(self, value: Value) -> None:
        """That the buffer is seen as this from the beginning."""
        self._labels[value.buffer] = _label(value)

    def argument(
        self, name: str, kind: str, array: Array, data_type: DataType, sizes: Shape
    ) -> Value:
        """The buffer of an argument or the result, seen as a tensor of a type and sizes."""
        value = self.add_buffer(name, kind, data_type, sizes, shape=array.shape, dtype=array.dtype)
        natural = array.dtype.newbyteorder("=") if name == "indices" else array.dtype
        same_type = natural == data_type.dtype
        shown = data_type if same_type else None
        self._labels[name] = (shown, _behind_ones(array.shape), "packed", 0)
        why = "the same elements in fewer dims" if same_type else f"the bits of {array.dtype}"
        return value.view(sizes, value.strides, why)

    def temporary(self, data_type: DataType, sizes: Shape) -> Value:
        return self.add_buffer(f"t{next(self._temporaries)}", "temporary", data_type, sizes)

    def constant(self, array: Array) -> Value:
        """The same array twice is one buffer."""
        key = (array.dtype.str, array.tobytes())
        if key not in self._constants:
            name = f"c{len(self._constants)}"
            data_type = DataType.of(array.dtype)
            self._constants[key] = self.add_buffer(
                name, "constant", data_type, array.shape, contents=array
            )
        return self._constants[key].view(array.shape, packed_strides(array.shape), "")

    def number(self, value: int, data_type: DataType) -> Value:
        return self.constant(np.array([value]).astype(data_type.dtype))

    # Steps

    def emit(
        self, desc: OperatorDesc | HelperDesc, inputs: list[Value], output: Value, why: str
    ) -> Value:
        for value in (*inputs, output):
            self._show(value)
        bindings = [Binding(value.buffer, value.offset) for value in (*inputs, output)]
        if broken := desc.violations(self.level):
            reason = "dimension-count" if "dimension" in broken[0].rule else "operator"
            reason = "data-type" if "data-type" in broken[0].rule else reason
            reason = "size" if broken[0].rule in ("extent", "element-count") else reason
            raise NoProgram(reason, str(broken[0]))
        self.steps.append(Operator(desc, tuple(bindings[:-1]), bindings[-1], why))
        return output

    def _show(self, value: Value) -> None:
        """A view as a step of its own, where a buffer is seen as something new.

        Constants are made as they are wanted; other sizes of a packed temporary are no news.
        """
        kind = self.buffers[value.buffer].kind
        label = _label(coalesced([value])[0] if kind == "temporary" else value)
        if kind != "constant" and self._labels[value.buffer] != label:
            self._labels[value.buffer] = label
            why = value.why or "the same bytes as this operator wants them"
            self.steps.append(View(value.buffer, value.tensor(), why))

    def operator(
        self,
        desc_type: Callable[..., OperatorDesc],
        values: list[Value],
        *positions: int,
        why: str,
        dims: int = 0,
    ) -> Value:
        """One of the six: its tensors, the output last, and its other fields."""
        dims = max(dims, self.least_dims)
        desc = desc_type(*(value.tensor(dims) for value in values), *positions)
        return self.emit(desc, values[:-1], values[-1], why)

    def helper(
        self, operator: str, inputs: list[Value], output: Value, why: str, **parameters: Any
    ) -> Value:
        dims = self._dims(operator, len(output.sizes))
        tensors = tuple(value.tensor(dims) for value in inputs)
        desc = HelperDesc(operator, tensors, output.tensor(dims), parameters)
        return self.emit(desc, inputs, output, why)

    def _dims(self, operator: str, dims: int) -> int:
        row = support(operator, self.level)
        if row is None:
            raise NoProgram("operator", f"{operator} is not there at {self.level.name}")
        return max(row.least_dims, dims)


def _behind_ones(sizes: Shape) -> Shape:
    lead = next((d for d, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[lead:]


def _label(value: Value) -> tuple[Any, ...]:
    """What a view shows, but for 1s in front, which are free."""
    sizes = _behind_ones(value.sizes)
    strides = "packed" if value.is_packed else value.strides[len(value.sizes) - len(sizes) :]
    return value.data_type, sizes, strides, value.offset
