"""The chunks that a call's arrays get: those of input stay, the others are cut to go with them."""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Any

import dask.array
import numpy as np

from dmlindex.dask._layout import Chunks, Layout, Shape

core: Any = dask.array.core  # which is only partly typed

MIN_BLOCK_BYTES = 1 << 20  # NumPy's indices are not cut into blocks whose results are smaller


def cropped(chunks: Shape, size: int) -> Shape:
    """The chunks of the first size elements."""
    ends = [min(end, size) for end in accumulate(chunks)]
    sizes = [end - start for start, end in zip([0, *ends], ends, strict=False)]
    while len(sizes) > 1 and sizes[-1] == 0:
        sizes.pop()
    return tuple(sizes)


def gather_layout(operator: str, mode: str, input: Any, indices: Any, **where: Any) -> Layout:
    """Of a gather: along a batch dim input and indices are cut wherever one of them is."""
    batch: dict[int, int] = where["batch"]
    window = tuple(
        slice(0, indices.shape[batch[d]]) if d in batch else slice(None) for d in range(input.ndim)
    )
    if any(indices.shape[e] != input.shape[d] for d, e in batch.items()):
        input = input[window]  # of gather_elements: nothing past indices is read
    known = isinstance(indices, np.ndarray)
    common = {
        d: input.chunks[d] if known else core.common_blockdim([input.chunks[d], indices.chunks[e]])
        for d, e in batch.items()
    }
    input = _rechunked(input, common)
    beside = {batch[d]: chunks for d, chunks in common.items()}
    chunks = _index_chunks(input, indices, beside, where)
    return Layout(operator, mode, input, _as_chunked(indices, chunks), chunks, **where)


def scatter_layout(
    operator: str, mode: str, input: Any, indices: Any, updates: Any, **where: Any
) -> tuple[Layout, Any]:
    """Of a scatter, with Dask's updates in the chunks that go with it, and NumPy's as they are:
    input's chunks stay."""
    batch: dict[int, int] = where["batch"]
    beside = {e: cropped(input.chunks[d], indices.shape[e]) for d, e in batch.items()}
    places = [e for e in range(indices.ndim - where["tuples"]) if e not in beside]
    if isinstance(indices, np.ndarray):
        if not isinstance(updates, np.ndarray):
            beside |= {e: updates.chunks[e] for e in places}
        elif all(n == 1 for d, n in enumerate(input.numblocks) if d in _indexed(where)):
            beside |= {e: (indices.shape[e],) for e in places}  # for one call
    chunks = _index_chunks(input, indices, beside, where)
    layout = Layout(operator, mode, input, _as_chunked(indices, chunks), chunks, **where)
    wanted = layout.result_chunks
    if isinstance(updates, np.ndarray):
        return layout, updates
    return layout, rechunked(updates, wanted)


def _indexed(where: dict[str, Any]) -> list[int]:
    """The dims of input that indices name."""
    routed = range(where["first"], where["first"] + where["count"])
    return [d for d in routed if d not in where["batch"]]


def _index_chunks(input: Any, indices: Any, beside: dict[int, Shape], where: Any) -> Chunks:
    """Those of indices; NumPy's get some: results of about the size of input's chunks."""
    whole = {indices.ndim - 1: (indices.shape[-1],)} if where["tuples"] else {}
    given = beside | whole
    if not isinstance(indices, np.ndarray):
        return tuple(given.get(e, indices.chunks[e]) for e in range(indices.ndim))
    largest = [max(chunks, default=0) for chunks in input.chunks]
    routed = range(where["first"], where["first"] + where["count"])
    row = input.dtype.itemsize * math.prod(n for d, n in enumerate(largest) if d not in routed)
    row *= math.prod(max(chunks, default=0) for e, chunks in beside.items())
    limit = max(MIN_BLOCK_BYTES, input.dtype.itemsize * math.prod(largest))
    free = [e for e in range(indices.ndim) if e not in given]
    points = max(1, limit // max(row, 1))
    for e in reversed(free):  # whole in the last dims, so that blocks in order are in C order
        size = max(1, min(points, indices.shape[e]))
        given[e] = core.normalize_chunks((size,), (indices.shape[e],))[0]
        points = max(1, points // size)
    return tuple(given[e] for e in range(indices.ndim))


def _as_chunked(indices: Any, chunks: Chunks) -> Any:
    if isinstance(indices, np.ndarray):
        return indices
    return rechunked(indices, chunks)


def rechunked(array: Any, chunks: Chunks) -> Any:
    """A Dask array in these chunks."""
    return _rechunked(array, dict(enumerate(chunks)))


def _rechunked(array: Any, chunks: dict[int, Shape]) -> Any:
    changed = {d: sizes for d, sizes in chunks.items() if array.chunks[d] != sizes}
    return array.rechunk(changed) if changed else array
