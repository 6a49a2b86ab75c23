"""Puts a program together, step by step; the recipes say what, this says how at the level."""

from __future__ import annotations

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


class Builder:
    """Collects buffers and steps for a program at a feature level.

    Every method that computes gives a packed temporary, unless `out` says where. What the level
    does not have is a NoProgram.
    """

    def __init__(self, level: FeatureLevel, limit: int) -> None:
        self.level = level
        self.limit = limit
        self.buffers: dict[str, Buffer] = {}
        self.steps: list[Step] = []
        self.notes: list[str] = []
        self.promise = "bits"
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
        self._labels[name] = _label(value)
        return value

    def temporary(self, data_type: DataType, sizes: Shape) -> Value:
        name = f"t{sum(b.kind == 'temporary' for b in self.buffers.values())}"
        return self.add_buffer(name, "temporary", data_type, sizes)

    def constant(self, array: Array) -> Value:
        """The same array twice is one buffer."""
        key = (array.dtype.str, array.tobytes())
        if key not in self._constants:
            name = f"c{len(self._constants)}"
            data_type = DataType[array.dtype.name.upper()]
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
        """A view as a step of its own, where a buffer is seen as something new."""
        label = _label(value)
        if self._labels[value.buffer] != label:
            self._labels[value.buffer] = label
            why = value.why or "the same bytes as this operator wants them"
            self.steps.append(View(value.buffer, value.tensor(), why))

    def show_result(self, value: Value) -> None:
        """The last step: the output as the function's result is laid out."""
        self._show(value)

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

    def elementwise(
        self,
        operator: str,
        *values: Value,
        why: str,
        data_type: DataType | None = None,
        out: Value | None = None,
    ) -> Value:
        """An operator on values that broadcast; all get as few dims as they can have."""
        sizes = tuple(np.broadcast_shapes(*(value.sizes for value in values)))
        if out is None:
            out = self.temporary(data_type or values[-1].data_type, sizes)
        wide = [
            value
            if value.sizes == sizes
            else value.broadcast(sizes, value.why or "repeated: a stride of 0")
            for value in values
        ]
        *inputs, output = coalesced([*wide, out])
        self.helper(operator, inputs, output, why)
        return out

    def compare(self, operator: str, a: Value, b: Value, why: str, *, as_number: bool = False):  # type: ignore[no-untyped-def]
        """EQUALS or LESS_THAN: a mask, or as_number always the numbers 0 and 1."""
        data_type = DataType.UINT32 if as_number else self.mask_type
        name = f"ELEMENT_WISE_LOGICAL_{operator}"
        return self.elementwise(name, a, b, data_type=data_type, why=why)

    def where(
        self, mask: Value, a: Value, b: Value, *, why: str, out: Value | None = None
    ) -> Value:
        """IF; below level 3_0 b + mask * (a - b), which wraps around to the same bits."""
        if self.has_if:
            return self.elementwise("ELEMENT_WISE_IF", mask, a, b, why=why, out=out)
        word = DataType.UINT32
        if a.itemsize != 4:
            raise NoProgram("operator", f"{self.level.name} selects 32-bit numbers only")
        kept, a, b = a.data_type, a.as_type(word, why), b.as_type(word, why)
        out = None if out is None else out.as_type(word, why)
        less = self.elementwise("ELEMENT_WISE_SUBTRACT", a, b, why=f"{why}: how far from b to a")
        step = self.elementwise("ELEMENT_WISE_MULTIPLY", mask, less, why=f"{why}: by 0 or 1")
        chosen = self.elementwise("ELEMENT_WISE_ADD", b, step, why=why, out=out)
        return chosen.as_type(kept, why)

    # Copies

    def pack(self, value: Value, why: str, out: Value | None = None) -> Value:
        """A copy, in as few dims as there are; 64 bits as 2 × 32 where the level lacks them."""
        if not takes("ELEMENT_WISE_IDENTITY", value.data_type, self.level) and value.itemsize == 8:
            word, kept = DataType.UINT32, value.data_type
            target = None if out is None else out.as_parts(word, why)
            packed = self.pack(value.as_parts(word, why), why, target)
            return out or packed.as_whole(kept, why)
        return self.elementwise("ELEMENT_WISE_IDENTITY", value, why=why, out=out)

    def crop(self, value: Value, sizes: Shape, why: str) -> Value:
        """The first of each dim of a packed value, packed: in one copy, or in one for each dim."""
        view = value.cut(sizes, why)
        if len(coalesced([view])[0].sizes) <= self.most_dims:
            return value if sizes == value.sizes else self.pack(view, why)
        for d, size in enumerate(sizes):
            if size < value.sizes[d]:
                cropped = (*value.sizes[:d], size, *value.sizes[d + 1 :])
                value = self.pack(value.cut(cropped, why), why)
        return value

    def take(self, value: Value, dim: int, start: int, size: int, why: str) -> Value:
        """Part of a dim: a view where it begins at a multiple of 16 bytes, else a SLICE."""
        sizes = (*value.sizes[:dim], size, *value.sizes[dim + 1 :])
        offset = start * value.strides[dim] * value.itemsize
        if offset % 16 == 0:
            return value.at(offset, why).cut(sizes, why)
        if not value.is_packed:
            value = self.pack(value, why)
        before, after = int(np.prod(sizes[:dim])), int(np.prod(sizes[dim + 1 :]))
        line = value.reshape((before, value.sizes[dim], after), why)
        output = self.temporary(value.data_type, sizes)
        dims = self._dims("SLICE", 3)
        offsets = [0] * (dims - 2) + [start, 0]
        shape = (before, size, after)
        lengths = [1] * (dims - 3) + list(shape)
        self.helper(
            "SLICE",
            [line],
            output.reshape(shape, why),
            why,
            Offsets=offsets,
            Sizes=lengths,
        )
        return output

    def join(self, values: list[Value], dim: int, why: str, out: Value | None = None) -> Value:
        """Packed values, or repeated ones, one after the other along a dim."""
        first = values[0].sizes
        dim %= len(first)
        total = sum(value.sizes[dim] for value in values)
        sizes = (*first[:dim], total, *first[dim + 1 :])
        output = out or self.temporary(values[0].data_type, sizes)
        lines = [_line(value, dim) for value in (*values, output)]
        axis = self._dims("JOIN", 3) - 2
        self.helper("JOIN", lines[:-1], lines[-1], why, Axis=axis)
        return output

    def reduce(self, value: Value, function: str, why: str) -> Value:
        """Over the last dim, which stays, of size 1; the value is packed."""
        rows = value.elements // value.sizes[-1]
        output = self.temporary(value.data_type, (*value.sizes[:-1], 1))
        dims = self._dims("REDUCE", 2)
        self.helper(
            "REDUCE",
            [value.reshape((rows, value.sizes[-1]), why)],
            output.reshape((rows, 1), why),
            why,
            Function=function,
            Axes=[dims - 1],
        )
        return output

    def sequence(self, count: int, why: str) -> Value:
        """0, 1, 2, … as UINT32."""
        output = self.temporary(DataType.UINT32, (count,))
        return self.helper("FILL_VALUE_SEQUENCE", [], output, why, ValueStart=0, ValueDelta=1)


def _line(value: Value, dim: int) -> Value:
    """As (before, dim, after); a value that is not packed is repeated, and stays so."""
    before = int(np.prod(value.sizes[:dim]))
    after = int(np.prod(value.sizes[dim + 1 :]))
    shape = (before, value.sizes[dim], after)
    if value.is_packed:
        return value.reshape(shape, value.why)
    if len(value.sizes) != 3:
        raise AssertionError(f"{value} has no view of sizes {shape}")
    return value


def _label(value: Value) -> tuple[Any, ...]:
    """What a view shows, but for 1s in front, which are free."""
    lead = next((d for d, size in enumerate(value.sizes) if size != 1), len(value.sizes))
    strides = "packed" if value.is_packed else value.strides[lead:]
    return value.data_type, value.sizes[lead:], strides, value.offset
