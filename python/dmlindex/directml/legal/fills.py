"""The result's buffer, and what mode "fill" puts there."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.indices import WORD, Places
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.request import Request, carrier
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType


def result(b: Builder, r: Request, data_type: DataType, sizes: Shape, *, spare: int = 0) -> Value:
    """The output's buffer, which may have a spare row behind the result."""
    return b.argument("output", "output", r.result, data_type, (sizes[0] + spare, *sizes[1:]))


def fill_carrier(b: Builder, r: Request) -> tuple[DataType, int]:
    selects = r.mode == "fill" and b.has_if
    narrow = selects and not takes("ELEMENT_WISE_IF", DataType.UINT64, b.level)
    return carrier(r.input.dtype, b.level, most=4 if narrow else 8)


def fill_row(b: Builder, r: Request, data_type: DataType, words: int) -> Value:
    """The fill value, in the type that the data moves as."""
    return b.constant(np.frombuffer(r.fill.tobytes(), data_type.dtype).reshape(words))


def filled(
    b: Builder,
    r: Request,
    mask: Value | None,
    sizes: Shape,
    output: Value,
    emit: Callable[[Value], Value],
) -> Value:
    """What emit writes to output; with a mask of the same dims, the fill value where it is 0."""
    if mask is None or not b.has_if:
        emit(output)
        return output
    gathered = emit(b.temporary(output.data_type, output.sizes))
    wide = gathered.reshape(sizes, "each element's parts in a dim of their own")
    filler = fill_row(b, r, output.data_type, sizes[-1])
    b.where(mask, wide, filler, why="fill", out=output.reshape(sizes, output.why))
    return output


def with_spare_row(
    b: Builder, r: Request, table: Value, places: Places, dim: int
) -> tuple[Value, Places]:
    """One more row in the dim, of fill values, where indices out of range go."""
    rows = table.sizes[dim]
    sizes = (*table.sizes[:dim], 1, *table.sizes[dim + 1 :])
    words = table.sizes[-1] if len(table.sizes) == 4 else r.input.dtype.itemsize // table.itemsize
    row = fill_row(b, r, table.data_type, words)
    if len(table.sizes) == 3:
        row = b.constant(
            np.tile(np.frombuffer(r.fill.tobytes(), row.data_type.dtype), sizes[-1] // words)
        )
    row = row.broadcast(sizes, "repeated: strides of 0")
    longer = b.join([table, row], dim, "a spare row of fill values at the end")
    assert places.mask is not None
    mask = places.mask.reshape(places.indices.sizes, places.mask.why)
    spare = b.where(mask, places.indices, b.number(rows, WORD), why="out of range: the spare row")
    return longer, Places(spare, places.mask)


def all_filled(b: Builder, r: Request) -> Value:
    """An axis of size 0 has no place for any index: the fill value everywhere."""
    data_type, words = carrier(r.input.dtype, b.level)
    output = result(b, r, data_type, (prod(r.shape), words))
    row = fill_row(b, r, data_type, words).broadcast(output.sizes, "repeated: a stride of 0")
    return b.pack(row, "the axis has size 0: all is fill value", out=output)
