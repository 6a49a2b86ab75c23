"""Recipes for gather and gather_elements."""

from __future__ import annotations

from math import prod

from dmlindex.directml.gather_descs import GatherElementsOperatorDesc, GatherOperatorDesc
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.elements import axis_tensors, fits_as_view
from dmlindex.directml.legal.fills import fill_carrier, filled, result, with_spare_row
from dmlindex.directml.legal.indices import prepared
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.request import Request, index_type


def gather(b: Builder, r: Request) -> Value:
    """{before, axis, after}: four dims do at every level."""
    axis, x, i = r.position, r.input.shape, r.indices
    before, after = prod(x[:axis]), prod(x[axis + 1 :])
    data_type, words = fill_carrier(b, r)
    table = b.argument("input", "input", r.input, data_type, (before, x[axis], after * words))
    raw = b.argument("indices", "input", i, index_type(i), (i.size,))
    places = prepared(b, raw, (x[axis],), r.mode)
    sizes = (before, i.size, after * words)
    if r.mode == "fill" and not b.has_if:
        table, places = with_spare_row(b, r, table, places, 1)
    return filled(
        b,
        r,
        places.mask and places.mask.reshape((i.size, 1, 1), "one for each slice"),
        (before, i.size, after, words),
        result(b, r, data_type, sizes),
        lambda output: emit_gather(b, table, places.indices, output),
    )


def emit_gather(b: Builder, table: Value, indices: Value, output: Value) -> Value:
    """GATHER along the middle of {before, axis, after}."""
    indices = indices.reshape((indices.elements,), indices.why)
    output = output.reshape((table.sizes[0], indices.elements, table.sizes[2]), output.why)
    why = "along the middle of {before, axis, after}"
    return b.operator(GatherOperatorDesc, [table, indices, output], 2, 1, dims=4, why=why)


def gather_elements(b: Builder, r: Request) -> Value:
    """{before, axis, after}; dims that indices cut short are strides, or a copy."""
    axis, x, i = r.position, r.input.shape, r.indices
    data_type, words = fill_carrier(b, r)
    table = b.argument("input", "input", r.input, data_type, (*x, words))
    raw = b.argument("indices", "input", i, index_type(i), i.shape)
    places = prepared(b, raw, (x[axis],), r.mode)
    cut = (*i.shape[:axis], x[axis], *i.shape[axis + 1 :], words)
    before, after = prod(i.shape[:axis]), prod(i.shape[axis + 1 :])
    lines = (before, i.shape[axis], after)
    if r.mode == "fill" and not b.has_if:
        table = b.crop(table, cut, "the dims off the axis are those of indices")
        table = table.reshape((before, x[axis], after, words), table.why)
        table, places = with_spare_row(b, r, table, places, 1)
        axis = 1
    elif cut != table.sizes:
        table = _cut_lines(b, table, cut, axis)
    indices = places.indices.reshape(lines, "{before, axis, after}")
    return filled(
        b,
        r,
        places.mask and places.mask.reshape((*lines, 1), "one for each element"),
        (*lines, words),
        result(b, r, data_type, (*lines, words)),
        lambda output: _emit_elements(b, table, indices, output, axis),
    )


def _cut_lines(b: Builder, table: Value, cut: Shape, axis: int) -> Value:
    """The dims that indices have: a view with strides where it has few enough, else a copy."""
    view = table.cut(cut, "off the axis as long as indices: the same strides")
    if fits_as_view(b, view, axis):
        return view
    return b.crop(table, cut, "off the axis as long as indices: too many dims for strides")


def _emit_elements(b: Builder, table: Value, indices: Value, output: Value, axis: int) -> Value:
    values, at = axis_tensors(b, table, (indices, output), axis)
    return b.operator(GatherElementsOperatorDesc, values, at, why="each element along the axis")
