"""What the recipes are made of: arithmetic and copies, as the level has them."""

from __future__ import annotations

import numpy as np

from dmlindex.directml.legal.layout import Shape, Value, coalesced
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.steps import Steps
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType


class Builder(Steps):
    """Every method gives a packed temporary, unless `out` says where."""

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

    def compare(
        self, operator: str, left: Value, right: Value, why: str, *, as_number: bool = False
    ) -> Value:
        """EQUALS or LESS_THAN: a mask, or as_number always the numbers 0 and 1."""
        data_type = DataType.UINT32 if as_number else self.mask_type
        name = f"ELEMENT_WISE_LOGICAL_{operator}"
        return self.elementwise(name, left, right, data_type=data_type, why=why)

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
        """A copy, in as few dims as there are; 64 bits as twice 32 where the level lacks them."""
        if not takes("ELEMENT_WISE_IDENTITY", value.data_type, self.level) and value.itemsize == 8:
            word, kept = DataType.UINT32, value.data_type
            target = None if out is None else out.as_parts(word, why)
            packed = self.pack(value.as_parts(word, why), why, target)
            return out or packed.as_whole(kept, why)
        return self.elementwise("ELEMENT_WISE_IDENTITY", value, why=why, out=out)

    def packed(self, value: Value, why: str) -> Value:
        return value if value.is_packed else self.pack(value, why)

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
        value = self.packed(value, why)
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
            Strides=[1] * dims,
        )
        return output

    def join(self, values: list[Value], dim: int, why: str, out: Value | None = None) -> Value:
        """Packed values, or repeated ones, one after the other along a dim."""
        first = values[0].sizes
        dim %= len(first)
        total = sum(value.sizes[dim] for value in values)
        sizes = (*first[:dim], total, *first[dim + 1 :])
        output = out or self.temporary(values[0].data_type, sizes)
        lines = [*values, output]
        if all(value.is_packed for value in lines):
            lines = [_line(value, dim) for value in lines]
            dim = 1
        axis = self._dims("JOIN", len(lines[0].sizes)) - len(lines[0].sizes) + dim
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
        fields = {"ValueDataType": "UINT32", "ValueStart": 0, "ValueDelta": 1}
        return self.helper("FILL_VALUE_SEQUENCE", [], output, why, **fields)


def _line(value: Value, dim: int) -> Value:
    """As {before, dim, after}."""
    before = int(np.prod(value.sizes[:dim]))
    after = int(np.prod(value.sizes[dim + 1 :]))
    return value.reshape((before, value.sizes[dim], after), value.why)
