"""Tensors of GATHER_ELEMENTS and SCATTER_ELEMENTS, in as few dims as they can have."""

from __future__ import annotations

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Value, coalesced


def _part(value: Value, first: int, last: int) -> Value:
    """Some dims of a value, as few as its strides allow; none where all are 1."""
    part = value.view(value.sizes[first:last], value.strides[first:last], "")
    return part.view((), (), "") if part.elements == 1 else coalesced([part])[0]


def fits_as_view(b: Builder, table: Value, axis: int) -> bool:
    """Whether the level has as many dims; the table's last one is for the parts of an element."""
    halves = (_part(table, 0, axis), _part(table, axis + 1, -1))
    return sum(len(half.sizes) for half in halves) + 1 + (table.sizes[-1] > 1) <= b.most_dims


def axis_tensors(
    b: Builder, table: Value, others: tuple[Value, ...], axis: int
) -> tuple[list[Value], int]:
    """What GATHER_ELEMENTS and SCATTER_ELEMENTS take, and the axis among its dims.

    table has its own dims, and one for the parts of an element. The others are (before, axis,
    after), or (before, axis, after, parts); those without parts are repeated for each.
    """
    left, right = _part(table, 0, axis), _part(table, axis + 1, -1)
    words = table.sizes[-1]
    parts = (words,) if words > 1 else ()
    lines = table.view(
        (*left.sizes, table.sizes[axis], *right.sizes, *parts),
        (*left.strides, table.strides[axis], *right.strides, *((1,) if parts else ())),
        table.why,
    )
    found = [lines]
    for value in others:
        sizes = (*left.sizes, value.sizes[1], *right.sizes)
        if len(value.sizes) == 3:
            value = value.reshape((*sizes, *parts[1:], *([1] if parts else [])), value.why)
            value = value.broadcast((*sizes, *parts), "one for all parts" if parts else value.why)
        else:
            value = value.reshape((*sizes, *parts), value.why)
        found.append(value)
    return found, len(left.sizes) + max(b.least_dims - len(lines.sizes), 0)
