"""What the Dask functions accept: the NumPy functions' arguments, or Dask arrays in their place."""

from __future__ import annotations

import math
from typing import Any

import dask.array
import numpy as np

import dmlindex
from dmlindex.dask._layout import Layout
from dmlindex.dask._names import chunked
from dmlindex.reference import checks as check

da: Any = dask.array  # which is only partly typed


def both(op: str, input: Any, indices: Any, out: Any) -> tuple[Any, Any]:
    """Input as a Dask array, and indices as one or as a NumPy array."""
    if out is not None:
        raise TypeError(
            f"{op}: out is given together with a Dask array, whose result is computed later and "
            "chunk by chunk; leave out away and store the result, e.g. with dask.array.store"
        )
    return data(op, "input", input), places(op, indices)


def elements(op: str, input: Any, indices: Any, axis: Any, out: Any) -> tuple[Any, Any, int]:
    """Both, of shapes that go together off the axis, and the axis from 0 on."""
    input, indices = both(op, input, indices, out)
    axis = check.axis(op, "axis", axis, input.ndim)
    check.elements_indices(op, input, indices, axis)
    return input, indices, axis


def is_lazy(value: Any) -> bool:
    return isinstance(value, dask.array.Array)


def data(op: str, argument: str, value: Any) -> Any:
    """A Dask array of known chunks."""
    if not is_lazy(value):
        _no_other_collection(op, argument, value)
        return chunked(check.input_array(op, value, argument))
    if value.dtype.hasobject:
        raise TypeError(
            f"{op}: {argument} has dtype {value.dtype}, expected one that holds no Python objects"
        )
    known_chunks(op, argument, value)
    check.refuse_masked(op, argument, value._meta)
    return value


def places(op: str, indices: Any) -> Any:
    """Indices: a Dask array of known chunks, or a NumPy array."""
    if not is_lazy(indices):
        _no_other_collection(op, "indices", indices)
        return check.index_array(op, indices)
    if indices.dtype.kind not in "iu":
        raise TypeError(f"{op}: indices has dtype {indices.dtype}, expected an integer type")
    known_chunks(op, "indices", indices)
    check.refuse_masked(op, "indices", indices._meta)
    return indices


def updates(op: str, value: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Any:
    """Updates of the right dtype and shape, a Dask array or NumPy's; a single one is for all."""
    if is_lazy(value):
        value = data(op, "updates", value)
        if value.dtype != dtype:
            raise TypeError(
                f"{op}: updates has dtype {value.dtype}, expected input's {dtype}; "
                "dtypes are never cast"
            )
    else:
        _no_other_collection(op, "updates", value)
        value = check.updates_array(op, value, dtype)
    if value.shape == () != shape:
        return da.broadcast_to(da.asarray(value), shape)
    check.updates_shape(op, value, shape)
    return value


def options(op: str, given: dict[str, Any], input: Any, indices: Any, updates: Any = None) -> None:
    """The NumPy function says what is wrong with the options, given one element."""
    places = np.zeros((1, 1) if op.endswith("nd") else 1, indices.dtype)
    arrays = [np.zeros(1, input.dtype), places]
    if updates is not None:
        arrays.append(np.zeros(1, updates.dtype))
    getattr(dmlindex, op)(*arrays, **given)


def known_chunks(op: str, argument: str, array: Any) -> None:
    if any(math.isnan(size) for size in array.shape):
        raise ValueError(
            f"{op}: {argument} has chunks of unknown sizes (shape {array.shape}), expected known "
            f"ones; call its compute_chunk_sizes() first"
        )


def _no_other_collection(op: str, argument: str, value: Any) -> None:
    if hasattr(value, "__dask_graph__"):
        raise TypeError(
            f"{op}: {argument} is a {type(value).__module__}.{type(value).__name__}, expected a "
            "dask.array.Array or a NumPy array"
        )


def duplicates_layout(
    op: str, mode: str, shape: tuple[int, ...], indices: Any, where: Any
) -> Layout:
    """find_duplicates needs no input, but its shape, cut as indices is along the batch dims."""
    if isinstance(indices, np.ndarray):
        indices = chunked(indices)
    if where["tuples"]:
        indices = indices.rechunk({-1: -1})
    batch = where["batch"]
    window = tuple(indices.shape[batch[d]] if d in batch else n for d, n in enumerate(shape))
    chunks = tuple(indices.chunks[batch[d]] if d in batch else (n,) for d, n in enumerate(window))
    input = da.Array({}, op, chunks, np.int8)  # of which no block is asked for
    return Layout(op, mode, input, indices, indices.chunks, **where)
