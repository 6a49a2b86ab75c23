"""Calls whose indices reach one chunk only: each block of the result is one call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dask.array
import numpy as np
from dask.layers import ArraySliceDep

import dmlindex
from dmlindex.dask._layout import Layout
from dmlindex.dask._names import names
from dmlindex.dask._route import Router, resolve

da: Any = dask.array  # which is only partly typed
core: Any = dask.array.core


def blockwise(layout: Layout, updates: Any, options: dict[str, Any]) -> dask.array.Array:
    """The result as a Dask array, by dask.array.blockwise, whose calls Dask fuses with others.

    updates is None for a gather. Blocks of indices that meet in one block of a scatter's result
    are put together first.
    """
    layout = layout.lazy()
    rank = layout.input.ndim
    along = {e: d for d, e in layout.batch.items()}
    # Dims of indices have input's labels where they go along, else labels of their own.
    placed = [along.get(e, rank + e) for e in layout.index_dims]
    labels = (*placed, *(2 * rank + layout.indices.ndim,) * layout.tuples)
    dims = tuple(range(rank))
    behind = dims[layout.first + layout.count :]
    if updates is None:
        result = (*dims[: layout.first], *placed, *behind)
        arrays = [layout.input, _own(layout, dims), layout.indices, labels]
    else:
        result = dims
        arrays = [layout.input, dims, layout.indices, labels, updates, (*placed, *behind)]
    # Of a scatter's, blocks that meet in one of the result's come as lists, along these axes.
    met = tuple(axis for axis, label in enumerate(labels) if label not in result)
    located: list[int] = [e for e in layout.index_dims if placed[e] in result]
    where: list[Any] = [None, None]
    if located:
        chunks = tuple(layout.index_chunks[e] for e in located)
        where = [ArraySliceDep(chunks), tuple(placed[e] for e in located)]
    operator, batch = layout.operator, tuple(layout.batch)
    call = _Call(operator, layout.first, batch, layout.tuples, located, options, met)
    blocks: dask.array.Array = da.blockwise(
        call,
        result,
        *arrays,  # input first: of a scatter's, its chunks are the result's
        *where,
        name=names(operator, *arrays, options).local,
        concatenate=False,  # Dask would copy single blocks, too
        align_arrays=False,
        meta=np.empty((0,) * len(result), layout.input.dtype),
    )
    return blocks


def _own(layout: Layout, dims: tuple[int, ...]) -> tuple[int, ...]:
    """Labels for input, in which the axes that indices name have none of the result's."""
    rank, taken = len(dims), layout.indices.ndim
    return tuple(rank + taken + d if d in layout.indexed else d for d in dims)


@dataclass(frozen=True)
class _Call:
    """The call of a block. One object: Dask looks for tasks in every option that it is given."""

    operator: str
    first: int
    batch: tuple[int, ...]
    tuples: bool
    located: list[int]  # the dims of indices along which where says what the block is
    options: dict[str, Any]
    met: tuple[int, ...]  # the axes along which blocks come as lists

    def __call__(self, chunk: Any, block: Any, *rest: Any) -> Any:
        *updates, where = rest
        chunk, block = _whole(chunk, ()), _whole(block, self.met)
        dims = self.met[: len(self.met) - self.tuples]
        updates = [_whole(each, dims) for each in updates]
        try:
            return getattr(dmlindex, self.operator)(chunk, block, *updates, **self.options)
        except IndexError as error:
            # The position is that in the whole array, of which this is a block.
            starts = [0] * block.ndim
            for e, cut in zip(self.located, where or (), strict=True):
                starts[e] = cut.start
            count = len(self.batch) + (block.shape[-1] if self.tuples else 1)
            sizes = chunk.shape[self.first : self.first + count]
            router = Router.of_chunk(
                self.operator, self.options["mode"], self.first, sizes, self.batch, self.tuples
            )
            resolve(router, block, tuple(starts))
            raise error from None


def _whole(blocks: Any, axes: tuple[int, ...]) -> Any:
    """A block, or lists of lists of blocks as one: their neighbours along each of the axes."""
    one = blocks
    while isinstance(one, list):
        if len(one) > 1:
            return core.concatenate_axes(blocks, axes)
        one = one[0]
    return one
