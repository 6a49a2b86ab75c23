"""The recipe for gather_nd."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from dmlindex.directml.gather_descs import GatherND1OperatorDesc, GatherNDOperatorDesc
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.fills import fill_carrier, filled, result, with_spare_row
from dmlindex.directml.legal.gathers import emit_gather
from dmlindex.directml.legal.indices import WORD, Places, flat_addresses, prepared
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.request import Request, index_type
from dmlindex.directml.values import FeatureLevel


def gather_nd(b: Builder, r: Request) -> Value:
    """GATHER_ND, or ND1 with one batch dim; else GATHER of addresses."""
    x, i, batch = r.input.shape, r.indices, r.position
    data_type, words = fill_carrier(b, r)
    batches, after = prod(x[:batch]), prod(x[batch + r.k :])
    rows = prod(r.limits)
    tuples = prod(i.shape[:-1])
    width = after * words
    table = b.argument("input", "input", r.input, data_type, (batches * rows, width))
    raw = b.argument("indices", "input", i, index_type(i), (tuples, r.k))
    dims = (batches > 1) + r.k + (width > 1)
    spare = r.mode == "fill" and not b.has_if
    flat = dims > b.most_dims or spare or (batches > 1 and b.level < FeatureLevel.FL_3_0)
    flat = flat or b.level < FeatureLevel.FL_2_1
    places = prepared(b, raw, r.limits, r.mode, addresses=flat and (batches > 1 or r.k > 1))
    if flat:
        addresses = flat_addresses(b, places.indices, r.limits)
        if batches > 1:
            addresses = _batched(b, addresses, batches, rows)
        places = Places(addresses, places.mask)
    if spare:
        table = table.reshape((1, batches * rows, width), table.why)
        table, places = with_spare_row(b, r, table, places, 1)
    emit: Callable[[Value], Value]
    if flat:
        lines = table.reshape((1, table.elements // width, width), "{rows, a row}")
        emit = lambda output: emit_gather(b, lines, places.indices, output)  # noqa: E731
    else:
        sizes = ((batches,) if batches > 1 else ()) + r.limits + ((width,) if width > 1 else ())
        emit = lambda output: _emit_nd(  # noqa: E731
            b, table.reshape(sizes, table.why), places.indices, output, batches
        )
    mask = places.mask and places.mask.reshape((tuples, 1, 1), "one for each tuple")
    return filled(
        b, r, mask, (tuples, after, words), result(b, r, data_type, (tuples, width)), emit
    )


def _batched(b: Builder, addresses: Value, batches: int, rows: int) -> Value:
    """Each batch's addresses further on by its rows."""
    step = b.number(rows, WORD)
    numbers = b.sequence(batches, "the number of each batch")
    starts = b.elementwise("ELEMENT_WISE_MULTIPLY", numbers, step, why="where each batch begins")
    count = addresses.elements // batches
    lines = addresses.reshape((batches, count), "{batch, tuples}")
    starts = starts.reshape((batches, 1), "one for each batch")
    return b.elementwise("ELEMENT_WISE_ADD", lines, starts, why="addresses in all batches")


def _emit_nd(b: Builder, table: Value, indices: Value, output: Value, batches: int) -> Value:
    tuples, k = indices.sizes
    lead = (batches, tuples // batches) if batches > 1 else (tuples,)
    width = output.sizes[1:] if output.sizes[1] > 1 else ()
    indices = indices.reshape((*lead, k), indices.why)
    output = output.reshape((*lead, *width), output.why)
    values = [table, indices, output]
    dims = max(len(value.sizes) for value in values)
    counts = (len(table.sizes), len(indices.sizes))
    if batches > 1:
        return b.operator(GatherND1OperatorDesc, values, *counts, 1, dims=dims, why="by tuples")
    return b.operator(GatherNDOperatorDesc, values, *counts, dims=dims, why="by tuples")
