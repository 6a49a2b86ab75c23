"""Recipes for the scatters."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex.directml.legal import reductions
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.elements import axis_tensors, fits_as_view
from dmlindex.directml.legal.fills import result
from dmlindex.directml.legal.indices import WORD, flat_addresses, prepared
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.request import Request, carrier, index_type
from dmlindex.directml.legal.rounds import Targets, fixed_rounds, in_rounds, keep_last, scatter_rows
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc
from dmlindex.directml.values import DataType, FeatureLevel


def has_unique_targets(r: Request) -> bool:
    """Whether no two updates can meet: by promise, by their number, or as the indices given say."""
    lines = r.indices.shape[r.position] if r.function == "scatter_elements" else 0
    if r.function == "scatter_nd":
        lines = prod(r.indices.shape[:-1])
    if r.unique or lines <= 1:
        return True
    if r.known is None:
        return False
    return duplicates(r).size == 0


def duplicates(r: Request) -> npt.NDArray[np.int64]:
    """Positions of updates that a later one overwrites; none where an index is out of range."""
    axis = r.position if r.function == "scatter_elements" else None
    try:
        find: Any = dmlindex.find_duplicates
        found: npt.NDArray[np.int64] = find(r.input.shape, r.known, axis=axis, mode=r.mode)
        return found
    except IndexError:
        return np.empty(0, np.int64)  # the call is an error, whatever the program


def scatter_elements(b: Builder, r: Request) -> Value:
    """SCATTER where the level takes the lines; else SCATTER_ND of addresses."""
    axis, x, i = r.position, r.input.shape, r.indices
    after = prod(x[axis + 1 :])
    data_type, words = _carrier(b, r)
    lines = (prod(i.shape[:axis]), i.shape[axis], prod(i.shape[axis + 1 :]))
    table = b.argument("input", "input", r.input, data_type, (*x, words))
    unique = has_unique_targets(r)
    raw = b.argument("indices", "input", i, index_type(i), i.shape)
    updates = _updates(b, r, data_type, (*lines, words))
    if r.reduction == "none" and r.mode != "drop" and (unique or b.level < FeatureLevel.FL_2_1):
        done = _along_the_axis(b, r, table, raw, updates, lines, unique)
        if done is not None:
            return done
    places = prepared(b, raw, (x[axis],), r.mode, addresses=True)
    addresses = places.indices.reshape(lines, "{before, axis, after}")
    if after > 1:
        step = b.number(after, WORD)
        addresses = b.elementwise("ELEMENT_WISE_MULTIPLY", addresses, step, why="index by stride")
    cut = (*i.shape[:axis], 1, *i.shape[axis + 1 :])
    if lines[0] * lines[2] > 1:
        numbers = b.sequence(prod(x), "the address of every element")
        numbers = numbers.reshape(x, "in input's shape")
        lead = b.crop(numbers, cut, "where each line begins")
        lead = lead.reshape((lines[0], 1, lines[2]), lead.why)
        addresses = b.elementwise("ELEMENT_WISE_ADD", addresses, lead, why="addresses of elements")
    mask = places.mask and places.mask.reshape(lines, places.mask.why)
    return _flat(b, r, table, addresses, mask, updates, (prod(x), words))


def _along_the_axis(
    b: Builder, r: Request, table: Value, raw: Value, updates: Value, lines: Shape, unique: bool
) -> Value | None:
    """SCATTER, in place on a copy; in runs where it takes no more along the axis, or for order."""
    axis, x, count = r.position, r.input.shape, lines[1]
    run = min(x[axis], count) if unique else 1
    if -(-count // run) > max(r.max_rounds, 1):
        return None
    cut = (*r.indices.shape[:axis], x[axis], *r.indices.shape[axis + 1 :], table.sizes[-1])
    if not fits_as_view(b, table.cut(cut, ""), axis):
        return None
    places = prepared(b, raw, (x[axis],), r.mode)
    indices = places.indices.reshape(lines, "{before, axis, after}")
    output = result(b, r, table.data_type, table.sizes)
    whole = cut == table.sizes and run == count
    if not whole:
        b.pack(table, "output begins as input", out=output)
    target = output.cut(cut, "off the axis as long as indices: the same strides")
    for start in range(0, count, run):
        size = min(run, count - start)
        part, items = indices, updates
        if size < count:
            why = f"updates {start} to {start + size - 1} along the axis"
            part, items = b.take(indices, 1, start, size, why), b.take(updates, 1, start, size, why)
            part, items = b.packed(part, why), b.packed(items, why)
        _emit_elements(b, table if whole else target, part, items, target, axis)
    return output


def _emit_elements(
    b: Builder, table: Value, indices: Value, updates: Value, output: Value, axis: int
) -> None:
    values, at = axis_tensors(b, table, (indices, updates), axis)
    (target,), _ = axis_tensors(b, output, (), axis)
    why = "each update along the axis"
    b.operator(ScatterElementsOperatorDesc, [*values, target], at, why=why)


def scatter_nd(b: Builder, r: Request) -> Value:
    """SCATTER_ND by tuples; or of addresses, where those have too many coordinates."""
    x, i = r.input.shape, r.indices
    data_type, words = _carrier(b, r)
    tuples = prod(i.shape[:-1])
    rows, width = prod(r.limits), prod(x[r.k :]) * words
    table = b.argument("input", "input", r.input, data_type, (rows, width))
    raw = b.argument("indices", "input", i, index_type(i), (tuples, r.k))
    updates = _updates(b, r, data_type, (1, tuples, 1, width))
    dims = r.k + (width > 1)
    plain = r.reduction == "none" and r.mode != "drop" and has_unique_targets(r)
    if plain and dims <= b.most_dims and b.level >= FeatureLevel.FL_2_1:
        places = prepared(b, raw, r.limits, r.mode)
        output = result(b, r, data_type, (rows, width))
        sizes = (*r.limits, *((width,) if width > 1 else ()))
        scatter_rows(b, table, places.indices, updates, output, sizes)
        return output
    places = prepared(b, raw, r.limits, r.mode, addresses=True)
    addresses = flat_addresses(b, places.indices, r.limits).reshape((1, tuples, 1), "one a tuple")
    mask = places.mask and places.mask.reshape((1, tuples, 1), places.mask.why)
    return _flat(b, r, table, addresses, mask, updates, (rows, width))


def _flat(
    b: Builder,
    r: Request,
    table: Value,
    addresses: Value,
    mask: Value | None,
    updates: Value,
    shape: Shape,
) -> Value:
    """By the address of each row, on a copy of input; a spare row takes what is dropped."""
    rows, width = shape
    if mask is not None:
        spare = b.number(rows, WORD)
        addresses = b.where(mask, addresses, spare, why="out of range: the spare row")
    output = result(b, r, table.data_type, shape, spare=mask is not None)
    kept = output.cut(shape, "without the spare row")
    b.pack(table.reshape((rows * width,), "all elements"), "output begins as input",
           out=kept.reshape((rows * width,), "all elements"))  # fmt: skip
    targets = Targets(addresses, updates, output)
    unique = has_unique_targets(r)
    if r.reduction != "none":
        reductions.reduce_into(b, r, table.reshape(shape, "rows"), targets, kept, unique)
    elif unique:
        scatter_rows(b, output, addresses, updates, output)
    elif r.known is not None:
        keep = np.setdiff1d(np.arange(addresses.elements), duplicates(r)).astype(np.uint32)
        fixed_rounds(b, r, targets, [keep], None)
    elif not keep_last(b, targets):
        in_rounds(b, r, targets, None)
    return kept


def copied_input(b: Builder, r: Request) -> Value:
    """Without updates, output is input."""
    data_type, words = _carrier(b, r)
    sizes = (prod(r.input.shape) * words,)
    table = b.argument("input", "input", r.input, data_type, sizes)
    return b.pack(table, "no updates: output is input", out=result(b, r, data_type, sizes))


def _updates(b: Builder, r: Request, data_type: DataType, sizes: Shape) -> Value:
    return b.argument("updates", "input", r.bare("updates"), data_type, sizes)


def _carrier(b: Builder, r: Request) -> tuple[DataType, int]:
    pairs = r.reduction != "none" and r.input.dtype.type is np.complex64
    return carrier(r.input.dtype, b.level, most=4 if pairs else 8)
