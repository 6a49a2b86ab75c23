"""Updates that may meet: the last one of each target, or one round after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex.directml.gather_descs import GatherElementsOperatorDesc
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.gathers import emit_gather
from dmlindex.directml.legal.indices import WORD
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request
from dmlindex.directml.legal.support import takes
from dmlindex.directml.scatter_descs import ScatterNDOperatorDesc

Combine = Callable[[Value, Value], Value]
MOST_STEPS = 30_000  # of a program that goes in rounds


@dataclass(frozen=True)
class Targets:
    """A scatter by rows: addresses (before, axis, after), updates of the same dims and one for the
    row, and output (rows, width). Only updates along the axis can meet."""

    addresses: Value
    updates: Value
    output: Value


def scatter_rows(
    b: Builder, table: Value, indices: Value, updates: Value, output: Value, sizes: Shape = ()
) -> None:
    """SCATTER_ND of rows: indices are addresses, or tuples into the sizes."""
    width = output.sizes[-1]
    rows = (output.sizes[0], *((width,) if width > 1 else ()))
    sizes = sizes or rows
    coordinates = len(sizes) - (width > 1)
    count = indices.elements // coordinates
    indices = indices.reshape((count, coordinates), indices.why)
    updates = updates.reshape((count, *rows[1:]), updates.why)
    table, output = table.reshape(sizes, table.why), output.reshape(sizes, output.why)
    values = [table, indices, updates, output]
    dims = max(len(sizes), 2)
    b.operator(ScatterNDOperatorDesc, values, len(sizes), 2, dims=dims, why="rows to their places")


def keep_last(b: Builder, targets: Targets) -> bool:
    """Gives each update the value of the last with its target, and scatters: any order will do."""
    before, count, after = targets.addresses.sizes
    cost = before * count * count * after
    if cost > b.limit or not takes("ELEMENT_WISE_LOGICAL_EQUALS", WORD, b.level):
        return False
    b.notes.append(f"updates are compared with each other: {cost} temporary elements")
    addresses = b.packed(targets.addresses, "packed")
    strides = addresses.strides
    sizes = (before, after, count)
    mine = addresses.view((*sizes, 1), (strides[0], strides[2], strides[1], 0), "each update")
    others = addresses.view(
        (*sizes[:2], 1, count), (strides[0], strides[2], 0, strides[1]), "and each other"
    )
    same = b.compare("EQUALS", mine, others, "which updates have the same target")
    numbers = b.sequence(count, "the numbers of the updates")
    zero = b.number(0, WORD)
    wide = numbers.broadcast(same.sizes, "for each update")
    last = b.where(same, wide, zero, why="the number, if the target is the same")
    last = b.reduce(last, "MAX", "the last update of each target")
    width = targets.updates.sizes[-1]
    full = (before, count, after, width)
    winners = last.view(full, (after * count, 1, count, 0), "one for each element of the row")
    chosen = b.temporary(targets.updates.data_type, full)
    why = "that update for all of them"
    b.operator(GatherElementsOperatorDesc, [targets.updates, winners, chosen], 1, why=why)
    scatter_rows(b, targets.output, addresses, chosen, targets.output)
    return True


def rounds_of(r: Request) -> list[npt.NDArray[np.uint32]] | None:
    """Of known indices: in which round each update is, so that targets of one do not meet.

    None where the indices are not known, or one of them is an error.
    """
    if r.known is None:
        return None
    shape = r.input.shape if r.function == "scatter_elements" else r.limits
    numbers = np.arange(prod(shape)).reshape(shape)
    mode = "fill" if r.mode == "drop" else r.mode
    options: Any = {"mode": mode, "fill_value": -1}
    try:
        if r.function == "scatter_elements":
            places = dmlindex.gather_elements(numbers, r.known, r.position, **options)
        else:
            places = dmlindex.gather_nd(numbers, r.known, **options)
    except IndexError:
        return None
    places = places.ravel()
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    begins = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    starts = np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))
    nth = np.empty(len(order), np.int64)
    nth[order] = np.arange(len(order)) - starts
    nth[places < 0] = 0  # dropped: to the spare row, which is nobody's target
    return [np.flatnonzero(nth == n).astype(np.uint32) for n in range(int(nth.max()) + 1)]


def fixed_rounds(
    b: Builder,
    r: Request,
    targets: Targets,
    rounds: list[npt.NDArray[np.uint32]],
    combine: Combine | None,
) -> None:
    """The updates of each round, for the indices given and no others."""
    b.fixed_indices = r.known
    b.notes.append(f"for these indices only: {len(rounds)} rounds")
    addresses = b.packed(targets.addresses, "packed")
    width = targets.updates.sizes[-1]
    lines = (
        addresses.reshape((1, addresses.elements, 1), "one by one"),
        targets.updates.reshape((1, addresses.elements, width), "rows"),
    )
    first = len(b.steps)
    for n, positions in enumerate(rounds):
        _require_few_steps(b, first, n, len(rounds))
        chosen = b.constant(positions)
        part, items = (
            emit_gather(b, line, chosen, b.temporary(line.data_type, (1, len(positions), last)))
            for line, last in zip(lines, (1, width), strict=True)
        )
        one_round(b, targets.output, part, items, combine)


def in_rounds(b: Builder, r: Request, targets: Targets, combine: Combine | None) -> None:
    """One update of each line a round, in order: no two of a round meet."""
    count = targets.addresses.sizes[1]
    if count > r.max_rounds:
        raise NoProgram(
            "duplicates",
            f"{count} updates may meet: pass unique_indices=True, the indices as an array, or "
            f"max_rounds={count}",
        )
    b.notes.append(f"{count} rounds, one for each update that may meet another")
    first = len(b.steps)
    for k in range(count):
        _require_few_steps(b, first, k, count)
        why = f"round {k}: one update of each line"
        addresses = b.packed(b.take(targets.addresses, 1, k, 1, why), why)
        updates = b.packed(b.take(targets.updates, 1, k, 1, why), why)
        one_round(b, targets.output, addresses, updates, combine)


def _require_few_steps(b: Builder, first: int, done: int, count: int) -> None:
    """After the first round: that all of them have not too many steps."""
    each = len(b.steps) - first
    if done == 1 and each * count > MOST_STEPS:
        raise NoProgram(
            "duplicates",
            f"{count} rounds of {each} steps are more than {MOST_STEPS} steps: pass "
            "unique_indices=True if no updates meet",
        )


def one_round(
    b: Builder, output: Value, addresses: Value, updates: Value, combine: Combine | None
) -> None:
    """Updates that do not meet, combined with what is there."""
    if combine is not None:
        width = output.sizes[-1]
        count = addresses.elements
        old = b.temporary(output.data_type, (1, count, width))
        lines = output.reshape((1, *output.sizes), "rows")
        emit_gather(b, lines, addresses, old)
        items = updates.reshape((prod(updates.sizes),), "all elements")
        updates = combine(old.reshape(items.sizes, "all elements"), items)
    scatter_rows(b, output, addresses, updates, output)
