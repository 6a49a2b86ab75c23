"""Rows on their way between blocks, and what tasks do with them.

The elements themselves are moved by dmlindex's operators: `pick`, `put` and `merge`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex.dask._route import Routed, narrow

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


class Parts(NamedTuple):
    """Rows of several sources for several destinations: the first source's come first, and among
    a source's those for its first destination."""

    counts: Array  # [source, destination]
    arrays: tuple[Array, ...]  # with as many rows each, along axis
    axis: int = 0

    @property
    def ends(self) -> Array:
        return np.cumsum(self.counts, dtype=np.int64).reshape(self.counts.shape)


def _rows(array: Array, axis: int, ranges: Sequence[tuple[int, int]]) -> Array:
    """A copy of ranges of rows: a view would keep all the others in memory."""
    before = (slice(None),) * axis
    return _joined([array[(*before, slice(*r))] for r in ranges], axis)


def _joined(arrays: Sequence[Array], axis: int) -> Array:
    """The arrays one after the other, bit for bit: NumPy's own would turn foreign byte orders to
    the machine's, and pack what records are padded with."""
    dtype = arrays[0].dtype
    if dtype.isbuiltin == 1 or dtype.itemsize == 0:
        return np.concatenate(arrays, axis=axis)
    raw = np.dtype((np.void, dtype.itemsize))
    return np.concatenate([array.view(raw) for array in arrays], axis=axis).view(dtype)


def of_destinations(parts: Parts, low: int, high: int) -> Parts:
    """What goes to the destinations low ... high - 1."""
    counts, ends = parts.counts[:, low:high], parts.ends
    first = ends[:, low] - parts.counts[:, low]
    ranges = list(zip(first.tolist(), ends[:, high - 1].tolist(), strict=True))
    return Parts(counts, tuple(_rows(a, parts.axis, ranges) for a in parts.arrays), parts.axis)


def of_sources(parts: Parts, low: int, high: int) -> Parts:
    """What comes from the sources low ... high - 1."""
    ends = parts.ends[:, -1]
    ranges = [(int(ends[low - 1]) if low else 0, int(ends[high - 1]))]
    arrays = tuple(_rows(a, parts.axis, ranges) for a in parts.arrays)
    return Parts(parts.counts[low:high], arrays, parts.axis)


def join_sources(parts: Sequence[Parts]) -> Parts:
    """The rows of sources that follow each other, all for the same destinations."""
    if len(parts) == 1:
        return parts[0]
    axis = parts[0].axis
    columns = zip(*(p.arrays for p in parts), strict=True)
    arrays = tuple(_joined(column, axis) for column in columns)
    return Parts(np.concatenate([p.counts for p in parts]), arrays, axis)


def join_destinations(parts: Sequence[Parts]) -> Parts:
    """The rows of the same sources for destinations that follow each other."""
    axis = parts[0].axis
    before = (slice(None),) * axis
    cuts = [[0, *p.ends[:, -1].tolist()] for p in parts]
    arrays = tuple(
        _joined(
            [
                p.arrays[a][(*before, slice(*cut))]
                for pairs in zip(*map(pairwise, cuts), strict=True)
                for p, cut in zip(parts, pairs, strict=True)
            ],
            axis,
        )
        for a in range(len(parts[0].arrays))
    )
    return Parts(np.concatenate([p.counts for p in parts], axis=1), arrays, axis)


def send_offsets(routed: Routed, low: int, high: int) -> Parts:
    """What a route sends to the destinations low ... high - 1."""
    return of_destinations(Parts(routed.counts[np.newaxis], (routed.offsets,)), low, high)


def as_one(chunk: Array, first: int, count: int) -> Array:
    """A chunk with the dims first ... first + count - 1 as one."""
    size = int(np.prod(chunk.shape[first : first + count]))
    return chunk.reshape(*chunk.shape[:first], size, *chunk.shape[first + count :])


def pick(chunk: Array, parts: Sequence[Parts], first: int, count: int, device: Any) -> Parts:
    """The gather of one chunk: its rows at the offsets asked for."""
    asked = join_sources(parts)
    rows = dmlindex.gather(as_one(chunk, first, count), asked.arrays[0], first, device=device)
    return Parts(asked.counts, (rows,), first)


def merge(
    order: Array | None, parts: Sequence[Parts], shape: Shape, first: int, fill_value: Any
) -> Array:
    """A block of the result: the rows that came for it, which lie along first, at their places.

    The block has an index for each position of shape, and order says which of them the rows are
    for; the others get fill_value.
    """
    rows = _joined([p.arrays[0] for p in parts], first)
    size = int(np.prod(shape))
    if order is not None:
        places = np.full(size, order.size, np.min_scalar_type(size))
        places[order] = np.arange(order.size)
        fill = {} if order.size == size else {"mode": "fill", "fill_value": fill_value}
        rows = dmlindex.gather(rows, places, first, **fill)
    return rows.reshape((*rows.shape[:first], *shape, *rows.shape[first + 1 :]))


def merge_routed(
    routed: Routed, parts: Sequence[Parts], shape: Shape, first: int, fill_value: Any
) -> Array:
    """merge, after a route."""
    return merge(routed.order, parts, shape, first, fill_value)


def send_updates(
    routed: Routed, block: Array, rank: int, span: Any, reduction: str, combine: bool
) -> Parts:
    """The updates of a block with their offsets, in order of the chunks that they go to.

    The first rank dims of the block go along with indices. span: where these lie in the whole
    array, as (shape, start, the whole's shape), if blocks in order don't give C order: then the
    positions go along too. combine: the rows for one place are reduced to one beforehand.
    """
    counts, offsets, order = routed
    rows = as_one(block, 0, rank)
    if order is not None:
        rows = dmlindex.gather(rows, order)
    arrays: tuple[Array, ...] = (offsets, rows)
    if combine:
        counts, arrays = _combined(counts, offsets, rows, reduction)
    elif span is not None:
        places = np.arange(rows.shape[0]) if order is None else order
        arrays = (*arrays, positions(places, *span))
    return Parts(counts[np.newaxis], arrays)


def positions(places: Array, shape: Shape, start: Shape, whole: Shape) -> Array:
    """Flat places in a block of the shape, which begins at start, as flat places in the whole."""
    if not whole:
        return places
    at = zip(np.unravel_index(places, shape), start, strict=False)
    return np.ravel_multi_index(tuple(p + s for p, s in at), whole).astype(np.int64)


def _combined(
    counts: Array, offsets: Array, rows: Array, reduction: Any
) -> tuple[Array, tuple[Array, ...]]:
    owner = np.repeat(np.arange(counts.size), counts)
    span = int(offsets.max(initial=0)) + 1
    _, first, inverse = np.unique(owner * span + offsets, return_index=True, return_inverse=True)
    if first.size == offsets.size:
        return counts, (offsets, rows)
    others = np.ones(offsets.size, bool)
    others[first] = False
    sums = dmlindex.scatter_nd(
        rows[first], inverse[others][:, np.newaxis], rows[others], reduction=reduction
    )
    kept = np.bincount(owner[first], minlength=counts.size)
    return narrow(kept, offsets.size + 1), (offsets[first], sums)


def put(chunk: Array, parts: Sequence[Parts], count: int, options: dict[str, Any]) -> Array:
    """The scatter into one chunk, whose first count dims are routed: all parts in turn, from the
    second on in place. Where positions came along they say the order, and on a device each call
    takes its time: then all is one call."""
    written = flat = as_one(chunk, 0, count)
    if len(parts[0].arrays) > 2 or options["device"] is not None:
        parts = [join_sources(parts)]
    for part in parts:
        offsets, rows, *where = part.arrays
        if where:
            order = np.argsort(where[0], kind="stable")
            offsets, rows = offsets[order], dmlindex.gather(rows, order)
        out = None if written is flat else written
        written = dmlindex.scatter_nd(written, offsets[:, np.newaxis], rows, out=out, **options)
    return written.reshape(chunk.shape)


def fail(error: Exception) -> None:
    """Raises what was found wrong when the graph was made."""
    raise error
