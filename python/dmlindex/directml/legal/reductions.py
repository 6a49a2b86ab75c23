"""Reductions, which DirectML's scatters do not have: how updates that may meet are combined."""

from __future__ import annotations

import numpy as np

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.combine import OPERATORS, combiner
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request, bare_type
from dmlindex.directml.legal.rounds import (
    Targets,
    fixed_rounds,
    in_rounds,
    one_round,
    rounds_of,
)
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType

_FEW_ROUNDS = 16  # up to here rounds are better than comparing everything with everything
_REDUCE = {"add": "SUM", "mul": "MULTIPLY", "min": "MIN", "max": "MAX"}


def reduce_into(
    b: Builder, r: Request, table: Value, targets: Targets, kept: Value, unique: bool
) -> None:
    """Combines updates with input's rows; output, in which kept is the result, begins as input.

    Updates that cannot meet: one round. Else rounds, each with one update of a target at most; or,
    where those are many, all updates compared with all rows and reduced.
    """
    combine = combiner(b, r.input.dtype, r.reduction)
    if unique:
        one_round(b, targets.output, targets.addresses, targets.updates, combine)
        return
    rounds = rounds_of(r)
    count = targets.addresses.sizes[1] if rounds is None else len(rounds)
    cost = targets.addresses.elements * kept.elements
    compared = _can_compare(b, r, kept) and cost <= b.limit
    any_order = r.input.dtype.kind != "f" or not r.ordered
    if compared and (count > r.max_rounds or (any_order and count > _FEW_ROUNDS)):
        _compared(b, r, table, targets, kept, cost)
    elif rounds is not None and count <= r.max_rounds:
        fixed_rounds(b, r, targets, rounds, combine)
    elif count <= r.max_rounds:
        in_rounds(b, r, targets, combine)
    elif cost > b.limit and _can_compare(b, r, kept):
        raise NoProgram(
            "cost",
            f"comparing each update with each row takes {cost} temporary elements, more than "
            f"limit={b.limit}; {count} rounds are more than max_rounds={r.max_rounds}",
        )
    else:
        in_rounds(b, r, targets, combine)  # which says what to do


def _can_compare(b: Builder, r: Request, kept: Value) -> bool:
    """Whether the level selects and reduces numbers of the dtype."""
    data_type = bare_type(r.input.dtype)
    if data_type is None or data_type.dtype.itemsize != kept.itemsize:
        return False
    is_float = r.input.dtype.kind == "f"
    if is_float and r.reduction in ("min", "max"):
        return False  # what REDUCE makes of a NaN is not said anywhere
    selects = takes("ELEMENT_WISE_IF", data_type, b.level) if b.has_if else kept.itemsize == 4
    if is_float and not b.has_if:
        selects = False
    reduces = takes("REDUCE", data_type, b.level, _REDUCE[r.reduction])
    return selects and reduces and takes(OPERATORS[r.reduction], data_type, b.level)


def _compared(
    b: Builder, r: Request, table: Value, targets: Targets, kept: Value, cost: int
) -> None:
    """For each row all updates, but those of other rows as the identity; reduced, then combined."""
    data_type = DataType.of(r.input.dtype)
    rows, width = kept.sizes
    addresses = b.packed(targets.addresses, "packed")
    count = addresses.elements
    b.notes.append(f"{count} updates x {rows} rows x {width}: {cost} temporary elements")
    if r.input.dtype.kind == "f":
        b.promise = "bound"
        b.notes.append("REDUCE's order is free: sums and products are not bit for bit")
    numbers = b.sequence(rows, "the number of each row").reshape((rows, 1), "rows")
    goals = addresses.reshape((1, count), "targets")
    hits = b.compare("EQUALS", numbers, goals, "which updates go to which row")
    hits = hits.reshape((rows, 1, count), "for each element of a row")
    items = targets.updates.as_type(data_type, "the bits are numbers")
    items = items.view((1, width, count), (0, 1, width), "updates of each element of a row")
    identity = b.constant(np.array([_identity(r)], r.input.dtype))
    picked = b.where(hits, items, identity, why="other updates change nothing")
    combined = b.reduce(picked, _REDUCE[r.reduction], "all updates of a row together")
    combined = combined.reshape((rows, width), "rows")
    begin = table.as_type(data_type, "the bits are numbers").reshape((rows, width), "rows")
    out = kept.as_type(data_type, "the bits are numbers")
    b.elementwise(OPERATORS[r.reduction], begin, combined, why="combined with input", out=out)


def _identity(r: Request) -> int:
    """What changes nothing."""
    if r.reduction in ("add", "mul"):
        return 0 if r.reduction == "add" else 1
    info = np.iinfo(r.input.dtype)
    return int(info.max if r.reduction == "min" else info.min)
