"""Small blocks of lazy indices are routed together: a task costs as much as thousands of rows."""

from __future__ import annotations

from dataclasses import replace

from dmlindex.dask._chunks import rechunked
from dmlindex.dask._layout import Layout, Shape

SOURCE_BYTES = 4 << 20  # blocks whose rows have more are not put together
MOST_HOPS = 2  # with more, rows would move too often: putting them together is a move, too


def coarse(layout: Layout, *, replies: bool) -> Layout:
    """The layout with neighbouring blocks of indices as one, up to SOURCE_BYTES of them and of what
    goes along with them.

    Blocks are put together along the last of the places first, and along the next one only where
    the last is whole: then the elements of blocks in order stay in C order.
    """
    if 0 in map(sum, layout.result_chunks):
        return layout  # Dask computes nothing to rechunk an empty result, but indices are checked
    chunks = list(layout.index_chunks)
    size = layout.source_bytes
    for e in reversed(layout.places):
        if not 0 < size <= SOURCE_BYTES:
            break
        longest = max(chunks[e])
        chunks[e] = _neighbours(chunks[e], longest * (SOURCE_BYTES // size))
        size = size // longest * max(chunks[e])
        if len(chunks[e]) > 1:
            break
    if tuple(chunks) == layout.index_chunks:
        return layout
    indices = rechunked(layout.indices, tuple(chunks))
    merged = replace(layout, indices=indices, index_chunks=tuple(chunks))
    return merged if merged.exchange(replies=replies).hops <= MOST_HOPS else layout


def _neighbours(sizes: Shape, limit: int) -> Shape:
    """Neighbours together up to a limit."""
    sums = [sizes[0]]
    for size in sizes[1:]:
        if sums[-1] + size <= limit:
            sums[-1] += size
        else:
            sums.append(size)
    return tuple(sums)
