"""The two scatters, each its formula as one loop over the indices, and their duplicates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from dmlindex.reference import checks as check
from dmlindex.reference.memory import as_bytes, copy, deliver
from dmlindex.reference.places import replaced, resolve_at, resolve_tuple
from dmlindex.reference.reductions import step_of

Array = npt.NDArray[Any]


def scatter_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    ordered: bool = True,
    out: Array | None = None,
) -> Array:
    """output = input, then output[p with p[axis] := indices[p]] = updates[p], for p in C order.

    So where targets meet the last one wins, or with a reduction each is applied in that order.
    indices has input's rank, and off the axis no dim larger than input's; updates has its shape, or
    is a single value for all. Python's own numbers take input's dtype (`weak.py`).
    unique_indices promises that no targets meet; it lets an implementation skip work, and changes
    nothing here, no more than ordered=False, which permits a reduction to combine updates in any
    order and grouping. DirectML: DML_SCATTER_OPERATOR_DESC (also called SCATTER_ELEMENTS).

    >>> scatter_elements([1, 2, 3, 4], [2, -1, 2], [30, 40, 50])
    array([ 1,  2, 50, 40])
    >>> scatter_elements([1, 2, 3, 4], [2, -1, 2], [30, 40, 50], reduction="add")
    array([ 1,  2, 83, 44])
    """
    op = "scatter_elements"
    source, places = check.input_array(op, input), check.index_array(op, indices)
    items = check.updates_array(op, updates, source.dtype)
    axis = check.axis(op, "axis", axis, source.ndim)
    mode = check.choice(op, "mode", mode, check.SCATTER_MODES)
    reduction = check.reduction(op, reduction, source.dtype)
    check.flag(op, "unique_indices", unique_indices)
    check.flag(op, "ordered", ordered)
    check.elements_indices(op, source, places, axis)
    items = check.updates_shape(op, items, places.shape)
    check.out(op, out, source.shape, source.dtype)
    output = copy(source)

    with np.errstate(all="ignore"):
        write = _writer(output, items, reduction)
        for p in np.ndindex(places.shape):
            i = resolve_at(op, places, p, axis, source.shape[axis], mode)
            if i is not None:
                write(replaced(p, axis, i), p)
    return deliver(output, out)


def scatter_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    ordered: bool = True,
    out: Array | None = None,
) -> Array:
    """output = input, then output[indices[q…, :], s…] = updates[q…, s…], for q in C order.

    So where targets meet the last one wins, or with a reduction each is applied in that order. The
    last dim of indices is the tuple: k coordinates, for the first k axes of input. updates has the
    shape indices.shape[:-1] + input.shape[k:], or is a single value for all. unique_indices
    and ordered are as in scatter_elements. DirectML: DML_SCATTER_ND_OPERATOR_DESC.

    >>> scatter_nd([[1, 2], [3, 4], [5, 6]], [[2, 0], [0, 1]], [50, 20])
    array([[ 1, 20],
           [ 3,  4],
           [50,  6]])
    >>> scatter_nd([[1, 2], [3, 4]], [[1], [1]], [[10, 0], [0, 10]], reduction="max")
    array([[ 1,  2],
           [10, 10]])
    """
    op = "scatter_nd"
    source, places = check.input_array(op, input), check.index_array(op, indices)
    items = check.updates_array(op, updates, source.dtype)
    mode = check.choice(op, "mode", mode, check.SCATTER_MODES)
    reduction = check.reduction(op, reduction, source.dtype)
    check.flag(op, "unique_indices", unique_indices)
    check.flag(op, "ordered", ordered)
    k = check.tuple_size(op, source, places, 0)
    items = check.updates_shape(op, items, places.shape[:-1] + source.shape[k:])
    check.out(op, out, source.shape, source.dtype)
    output = copy(source)

    with np.errstate(all="ignore"):
        write = _writer(output, items, reduction)
        for q in np.ndindex(places.shape[:-1]):
            i = resolve_tuple(op, places, q, source.shape[:k], 0, mode)
            if i is not None:
                # Bytes move a slice at a time; a reduction looks at one element at a time.
                for s in [()] if reduction == "none" else np.ndindex(source.shape[k:]):
                    write(i + s, q + s)
    return deliver(output, out)


def find_duplicates(
    input_or_shape: Any,
    indices: npt.ArrayLike,
    *,
    axis: SupportsIndex | None = None,
    mode: str = "raise",
) -> npt.NDArray[np.int64]:
    """Which updates of a scatter a later one overwrites: their positions, ascending, as int64.

    With an axis, of scatter_elements: flat positions in indices, in C order. With None, of
    scatter_nd: flat positions of the tuples, that is in indices.shape[:-1]. Negative indices count
    from the end; mode says what one out of range means, and an update that is dropped never counts.
    Of an array given for its shape nothing else is looked at.

    >>> find_duplicates((4,), [2, -1, 2, 3], axis=0)
    array([0, 1])
    >>> find_duplicates((3, 2), [[2, 0], [0, 1], [-1, -2]])
    array([0])
    """
    op = "find_duplicates"
    source = check.shaped(op, input_or_shape)
    places = check.index_array(op, indices)
    mode = check.choice(op, "mode", mode, check.SCATTER_MODES)
    targets: list[tuple[int, ...] | None]
    if axis is None:
        k = check.tuple_size(op, source, places, 0)
        tuples = np.ndindex(places.shape[:-1])
        targets = [resolve_tuple(op, places, q, source.shape[:k], 0, mode) for q in tuples]
    else:
        axis = check.axis(op, "axis", axis, source.ndim)
        check.elements_indices(op, source, places, axis)
        targets = []
        for p in np.ndindex(places.shape):
            i = resolve_at(op, places, p, axis, source.shape[axis], mode)
            targets.append(None if i is None else replaced(p, axis, i))
    last = {target: position for position, target in enumerate(targets)}
    overwritten = [
        position
        for position, target in enumerate(targets)
        if target is not None and last[target] != position
    ]
    return np.array(overwritten, np.int64)


def _writer(
    output: Array, updates: Array, reduction: str
) -> Callable[[tuple[int, ...], tuple[int, ...]], None]:
    """Writes one update: its bytes replace the target's, or its value is combined with that one."""
    if reduction == "none":
        to, of = as_bytes(output), as_bytes(updates)

        def write(target: tuple[int, ...], position: tuple[int, ...]) -> None:
            to[target] = of[position]

    else:
        step = step_of(reduction, output.dtype)

        def write(target: tuple[int, ...], position: tuple[int, ...]) -> None:
            output[target] = step(output[target], updates[position])

    return write
