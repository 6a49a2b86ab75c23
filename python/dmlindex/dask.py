"""The gathers over Dask's chunked arrays (`pip install 'dmlindex[dask]'`).

Dask itself has neither take_along_axis nor gather_nd. Here every block of the result is one call of
the NumPy function, lazily and in parallel. A block needs all of input along the axes that indices
name, so these are made one chunk; all other chunks stay as they are.

The arguments are those of the functions of the same name in dmlindex, but for out; indices may be a
NumPy or a Dask array. So are the errors: sizes and indices are checked when a block is computed (an
IndexError names the position within its block), all else at once.

>>> import dask.array
>>> import numpy as np
>>> from dmlindex.dask import gather_elements
>>> table = dask.array.from_array(np.arange(12).reshape(4, 3), chunks=(2, 3))
>>> gather_elements(table, np.array([[2], [1], [0], [-1]]), axis=1).compute()
array([[ 2],
       [ 4],
       [ 6],
       [11]])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dask.array
import numpy as np

import dmlindex

__all__ = ["gather", "gather_elements", "gather_nd"]

da: Any = dask.array  # which is only partly typed


def gather(input: Any, indices: Any, axis: int = 0, **options: Any) -> dask.array.Array:
    """dmlindex.gather: slices of input along an axis."""
    indices = _lazy(indices)
    operator = _checked(dmlindex.gather, input, indices, axis=axis, **options)
    axis %= input.ndim
    dims = range(input.ndim)
    places = range(input.ndim, input.ndim + indices.ndim)
    result = (*dims[:axis], *places, *dims[axis + 1 :])
    return _blocks(operator, result, input, dims, indices, places)


def gather_elements(input: Any, indices: Any, axis: int = 0, **options: Any) -> dask.array.Array:
    """dmlindex.gather_elements: one element of input for each index."""
    indices = _lazy(indices)
    operator = _checked(dmlindex.gather_elements, input, indices, axis=axis, **options)
    axis %= input.ndim
    places = range(input.ndim)
    # Off the axis, what lies past indices is never read, and the blocks must line up.
    window = tuple(slice(None if d == axis else indices.shape[d]) for d in places)
    dims = [input.ndim if d == axis else d for d in places]
    return _blocks(operator, places, input[window], dims, indices, places)


def gather_nd(input: Any, indices: Any, batch_dims: int = 0, **options: Any) -> dask.array.Array:
    """dmlindex.gather_nd: slices of input that tuples of indices name."""
    indices = _lazy(indices)
    operator = _checked(dmlindex.gather_nd, input, indices, batch_dims=batch_dims, **options)
    dims = range(input.ndim)
    places = (*dims[:batch_dims], *range(input.ndim, input.ndim + indices.ndim - batch_dims))
    result = (*places[:-1], *dims[batch_dims + indices.shape[-1] :])
    return _blocks(operator, result, input, dims, indices, places)


def _lazy(indices: Any) -> Any:
    return indices if isinstance(indices, dask.array.Array) else da.from_array(np.asarray(indices))


def _checked(
    operator: Callable[..., Any], input: Any, indices: Any, **options: Any
) -> Callable[..., Any]:
    """The operator with its options; a call on one element shows now what is wrong with them."""
    if "out" in options:
        raise TypeError(f"{operator.__name__}: out is given, but a Dask result is a new array")
    shape = (1,) * indices.ndim
    if operator is dmlindex.gather_nd and shape:
        shape = (*shape[:-1], indices.shape[-1])
    call = functools.partial(operator, **options)
    call(np.zeros((1,) * input.ndim, input.dtype), np.zeros(shape, indices.dtype))
    return call


def _blocks(
    operator: Callable[..., Any],
    result: Sequence[int],
    input: Any,
    dims: Sequence[int],
    indices: Any,
    places: Sequence[int],
) -> dask.array.Array:
    """One call for each block of the result; dims that are not in it arrive whole."""
    arrays = (input, tuple(dims), indices, tuple(places))
    empty = np.empty((0,) * len(result), input.dtype)
    blocks: dask.array.Array = da.blockwise(
        operator, tuple(result), *arrays, concatenate=True, meta=empty
    )
    return blocks
