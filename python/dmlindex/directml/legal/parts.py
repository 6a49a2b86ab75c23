"""Calls too large for one tensor: split along the first dim, one part after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import gcd, lcm, prod

from dmlindex.directml.legal import steps
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Shape, Value, packed_strides
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Array, Request, carrier, memoryless
from dmlindex.directml.values import DataType

_ALIGNMENT = 16  # what the byte offset of a binding is a multiple of


def is_too_large(b: Builder, r: Request) -> bool:
    """Whether one of the call's tensors has more elements than a tensor may have."""
    words = carrier(r.input.dtype, b.level)[1]
    arrays = (prod(r.input.shape) * words, r.indices.size, prod(r.shape) * words)
    return max(*arrays, prod(r.updates_shape) * words) > steps.MOST_ELEMENTS


def in_parts(b: Builder, r: Request, recipe: Callable[[Builder, Request], Value]) -> Value:
    """Runs the recipe for each part, in buffers that hold the whole arrays."""
    r = _lines(r)
    split = _split_arrays(r)
    rows = max(shape[0] for shape in split.values())
    words = carrier(r.input.dtype, b.level)[1]
    part = _PartBuilder(b, r)
    step = _rows_in_a_part(r, split, words)
    for start in range(0, rows, step):
        stop = min(start + step, rows)
        part.offsets = {
            name: min(start, shape[0]) * prod(shape[1:]) * _itemsize(r, name)
            for name, shape in split.items()
        }
        recipe(part, _cut(r, split, start, stop))
    b.notes.append(f"{-(-rows // step)} parts, of {step} rows each")
    data_type, words = carrier(r.input.dtype, b.level)
    sizes = (prod(r.shape) * words,)
    return Value("output", data_type, sizes, packed_strides(sizes))


def _lines(r: Request) -> Request:
    """A gather as {before, axis, after} by a line of indices, which has more rows to split at."""
    if r.function != "gather":
        return r
    x, axis = r.input.shape, r.position
    lines = (prod(x[:axis]), x[axis], prod(x[axis + 1 :]))
    shape, axis = (lines, 1) if lines[0] > 1 else (lines[1:], 0)
    indices = memoryless(r.indices.dtype, (r.indices.size,))
    return replace(r, input=memoryless(r.input.dtype, shape), indices=indices, position=axis)


def _split_arrays(r: Request) -> dict[str, Shape]:
    """The arrays whose first dim is split, with their shapes; rows of one go with rows of all."""
    x, i, y = r.input.shape, r.indices.shape, r.shape
    if r.function == "gather":
        return {"input": x, "output": y} if r.position else {"indices": i, "output": y}
    if r.function == "gather_elements":
        whole = {"indices": i, "output": y}
        return {"input": x, **whole} if r.position else whole
    if r.function == "gather_nd" and (r.position or len(i) > 1):
        whole = {"indices": i, "output": y}
        return {"input": x, **whole} if r.position else whole
    if r.function == "scatter_elements" and r.position:
        return {"input": x, "indices": i, "updates": r.updates_shape, "output": y}
    raise NoProgram("size", f"{r.function} into {x} cannot be split along the first dim")


def _rows_in_a_part(r: Request, split: dict[str, Shape], words: int) -> int:
    """As many as every tensor takes, and so that each part begins at a multiple of 16 bytes."""
    most, aligned = steps.MOST_ELEMENTS, 1
    for name, shape in split.items():
        row = prod(shape[1:])
        most = min(most, steps.MOST_ELEMENTS // max(row * (1 if name == "indices" else words), 1))
        aligned = lcm(aligned, _ALIGNMENT // gcd(_ALIGNMENT, row * _itemsize(r, name)))
    rows = most // aligned * aligned
    fixed = [shape for name, shape in r.whole_shapes().items() if name not in split]
    if rows == 0 or any(prod(shape) * words > steps.MOST_ELEMENTS for shape in fixed):
        raise NoProgram("size", f"{r.function}: a row of {r.input.shape} is too large for a tensor")
    return rows


def _itemsize(r: Request, name: str) -> int:
    return int((r.indices if name == "indices" else r.input).dtype.itemsize)


def _cut(r: Request, split: dict[str, Shape], start: int, stop: int) -> Request:
    def rows(name: str, shape: Shape) -> Shape:
        if name not in split:
            return shape
        return (max(min(stop, shape[0]) - start, 0), *shape[1:])

    return replace(
        r,
        input=memoryless(r.input.dtype, rows("input", r.input.shape)),
        indices=memoryless(r.indices.dtype, rows("indices", r.indices.shape)),
        updates_shape=rows("updates", r.updates_shape),
        known=None if r.known is None else r.known[start:stop] if "indices" in split else r.known,
    )


class _PartBuilder(Builder):
    """Writes into another builder's program; arguments are parts of its buffers."""

    def __init__(self, whole: Builder, r: Request) -> None:
        self.__dict__ = whole.__dict__  # one program
        self.offsets: dict[str, int] = {}
        for name, array in r.whole().items():
            kind = "output" if name == "output" else "input"
            size = array.size * array.dtype.itemsize
            Builder.argument(self, name, kind, array, DataType.UINT8, (size,))

    def argument(
        self, name: str, kind: str, array: Array, data_type: DataType, sizes: Shape
    ) -> Value:
        value = Value(name, data_type, sizes, packed_strides(sizes), "one part")
        return value.at(self.offsets.get(name, 0), "one part")
