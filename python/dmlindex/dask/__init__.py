"""The functions of dmlindex over Dask's chunked arrays (`pip install 'dmlindex[dask]'`).

Arrays may be larger than memory, or spread over workers. input, indices and updates may be chunked
in any way, and some of them NumPy arrays; the result is a Dask array with the same bits as the
NumPy function's. dmlindex's own functions come here when one of their arguments is a Dask array.

Arguments are those of the functions of the same name in dmlindex, but for out; their docstrings say
what they mean. Shapes, dtypes and options are checked at once, indices when the result is computed:
an IndexError then names one that is out of range by its position in the whole array.

>>> import dask.array
>>> import numpy as np
>>> from dmlindex.dask import gather_elements
>>> table = dask.array.from_array(np.arange(12).reshape(4, 3), chunks=(2, 2))
>>> gather_elements(table, np.array([[2], [1], [0], [-1]]), axis=1).compute()
array([[ 2],
       [ 4],
       [ 6],
       [11]])
"""

from __future__ import annotations

from typing import Any

import dask.array

from dmlindex.dask import _arguments as arguments
from dmlindex.dask._blockwise import blockwise
from dmlindex.dask._chunks import gather_layout, scatter_layout
from dmlindex.dask._duplicates import routed_duplicates
from dmlindex.dask._gathers import routed_gather
from dmlindex.dask._layout import Layout
from dmlindex.dask._names import chunked, names
from dmlindex.dask._scatters import routed_scatter
from dmlindex.reference import checks as check

__all__ = [
    "find_duplicates",
    "gather",
    "gather_elements",
    "gather_nd",
    "scatter_elements",
    "scatter_nd",
]


def gather(
    input: Any,
    indices: Any,
    axis: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: None = None,
    device: Any = None,
) -> dask.array.Array:
    """dmlindex.gather: slices of input along an axis.

    The result has input's chunks, with those of indices in the place of the axis's.

    >>> import dask.array as da
    >>> gather(da.arange(10, chunks=3), [9, 0, -1]).compute()
    array([9, 0, 9])
    """
    op = "gather"
    input, indices = arguments.both(op, input, indices, out)
    axis = check.axis(op, "axis", axis, input.ndim)
    where = {"first": axis, "count": 1, "batch": {}, "tuples": False}
    return _gather(op, input, indices, where, {"axis": axis}, mode, fill_value, device)


def gather_elements(
    input: Any,
    indices: Any,
    axis: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: None = None,
    device: Any = None,
) -> dask.array.Array:
    """dmlindex.gather_elements: one element of input for each index.

    The result has the chunks of indices; off the axis it is cut where input is cut, too.

    >>> import dask.array as da
    >>> gather_elements(da.ones((4, 6), chunks=2), [[5], [0]], axis=1).compute()
    array([[1.],
           [1.]])
    """
    op = "gather_elements"
    input, indices, axis = arguments.elements(op, input, indices, axis, out)
    where = _elements(input, axis)
    return _gather(op, input, indices, where, {"axis": axis}, mode, fill_value, device)


def gather_nd(
    input: Any,
    indices: Any,
    batch_dims: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: None = None,
    device: Any = None,
) -> dask.array.Array:
    """dmlindex.gather_nd: slices of input that tuples of indices name.

    The result has the chunks of indices (of all dims but the last, which is made one chunk) and
    input's; along batch dims it is cut where one of the two is cut.

    >>> import dask.array as da
    >>> gather_nd(da.eye(4, chunks=2), [[0, 0], [1, 3]]).compute()
    array([1., 0.])
    """
    op = "gather_nd"
    input, indices = arguments.both(op, input, indices, out)
    batch_dims = check.batch_dims(op, batch_dims, input, indices)
    k = check.tuple_size(op, input, indices, batch_dims)
    batch = {d: d for d in range(batch_dims)}
    where = {"first": 0, "count": batch_dims + k, "batch": batch, "tuples": True}
    extra = {"batch_dims": batch_dims}
    return _gather(op, input, indices, where, extra, mode, fill_value, device)


def scatter_elements(
    input: Any,
    indices: Any,
    updates: Any,
    axis: int = 0,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    ordered: bool = True,
    out: None = None,
    device: Any = None,
) -> dask.array.Array:
    """dmlindex.scatter_elements: input with one element replaced, or reduced, for each index.

    The result has input's chunks. ordered=False lets a reduction put the updates of each block
    together before they are sent.

    >>> import dask.array as da
    >>> zeros = da.zeros(6, chunks=2)
    >>> scatter_elements(zeros, [5, 0, 5], [1.0, 1.0, 1.0], reduction="add").compute()
    array([1., 0., 0., 0., 0., 2.])
    """
    op = "scatter_elements"
    input, indices, axis = arguments.elements(op, input, indices, axis, out)
    options = {"mode": mode, "reduction": reduction, "unique_indices": unique_indices}
    options |= {"ordered": ordered, "device": device}
    where, shape = _elements(input, axis), indices.shape
    return _scatter(op, input, indices, updates, shape, where, {"axis": axis}, options)


def scatter_nd(
    input: Any,
    indices: Any,
    updates: Any,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    ordered: bool = True,
    out: None = None,
    device: Any = None,
) -> dask.array.Array:
    """dmlindex.scatter_nd: input with slices replaced, or reduced, that tuples of indices name.

    The result has input's chunks; the last dim of indices is made one chunk. ordered is as in
    scatter_elements.

    >>> import dask.array as da
    >>> scatter_nd(da.zeros((2, 2), chunks=1), [[1, 0], [0, 1]], [5.0, 6.0]).compute()
    array([[0., 6.],
           [5., 0.]])
    """
    op = "scatter_nd"
    input, indices = arguments.both(op, input, indices, out)
    k = check.tuple_size(op, input, indices, 0)
    options = {"mode": mode, "reduction": reduction, "unique_indices": unique_indices}
    options |= {"ordered": ordered, "device": device}
    where = {"first": 0, "count": k, "batch": {}, "tuples": True}
    shape = indices.shape[:-1] + input.shape[k:]
    return _scatter(op, input, indices, updates, shape, where, {}, options)


def find_duplicates(
    input_or_shape: Any, indices: Any, *, axis: int | None = None, mode: str = "raise"
) -> dask.array.Array:
    """dmlindex.find_duplicates: the positions of updates that a later one overwrites.

    Of input only the shape counts. The result has as many blocks as indices, and
    how long they are is unknown until they are computed.

    >>> import dask.array as da
    >>> find_duplicates((4,), da.from_array([2, -1, 2, 3], chunks=2), axis=0).compute()
    array([0, 1])
    """
    op = "find_duplicates"
    indices = arguments.places(op, indices)
    if arguments.is_lazy(input_or_shape):
        arguments.known_chunks(op, "input_or_shape", input_or_shape)
    mode = check.choice(op, "mode", mode, check.SCATTER_MODES)
    source = check.shaped(op, input_or_shape)
    if axis is None:
        where = {"first": 0, "count": check.tuple_size(op, source, indices, 0), "batch": {}}
        where["tuples"] = True
    else:
        axis = check.axis(op, "axis", axis, source.ndim)
        check.elements_indices(op, source, indices, axis)
        where = _elements(source, axis)
    layout = arguments.duplicates_layout(op, mode, source.shape, indices, where)
    return routed_duplicates(layout, names(op, source.shape, layout.indices, axis, mode))


def _elements(input: Any, axis: int) -> dict[str, Any]:
    batch = {d: d for d in range(input.ndim) if d != axis}
    return {"first": 0, "count": input.ndim, "batch": batch, "tuples": False}


def _gather(
    op: str,
    input: Any,
    indices: Any,
    where: Any,
    position: Any,
    mode: str,
    fill_value: Any,
    device: Any,
) -> dask.array.Array:
    options = {"mode": mode, "fill_value": fill_value, "device": device}
    arguments.options(op, options, input, indices)
    layout = gather_layout(op, mode, input, indices, **where)
    if layout.destinations == 1:
        return blockwise(layout, None, options | position)
    named = names(op, layout.input, layout.indices, layout.index_chunks, position, options)
    return routed_gather(layout, named, fill_value, device)


def _scatter(
    op: str,
    input: Any,
    indices: Any,
    updates: Any,
    shape: tuple[int, ...],
    where: Any,
    position: Any,
    options: Any,
) -> dask.array.Array:
    updates = arguments.updates(op, updates, input.dtype, shape)
    arguments.options(op, options, input, indices, updates)
    layout, updates = scatter_layout(op, options["mode"], input, indices, updates, **where)
    if layout.destinations == 1 and _beside(layout):
        if not arguments.is_lazy(updates):
            updates = chunked(updates, layout.result_chunks)
        return blockwise(layout, updates, options | position)
    arrays = (layout.input, layout.indices, layout.index_chunks, updates)
    named = names(op, *arrays, position, options)
    put = {name: value for name, value in options.items() if name != "mode"}
    return routed_scatter(layout, updates, named, put)


def _beside(layout: Layout) -> bool:
    """Whether all of input's blocks have one of indices beside them."""
    return all(
        len(layout.index_chunks[e]) == layout.input.numblocks[d] for d, e in layout.batch.items()
    )
