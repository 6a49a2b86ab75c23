"""The three gathers, each its formula as one loop over the indices."""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from dmlindex.reference import checks as check
from dmlindex.reference.fills import fill_element
from dmlindex.reference.memory import as_bytes, deliver
from dmlindex.reference.places import replaced, resolve_at, resolve_tuple

Array = npt.NDArray[Any]


def gather(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    """output[o…, q…, i…] = input[o…, indices[q…], i…]; o are the dims before axis, i those after.

    The result has the shape input.shape[:axis] + indices.shape + input.shape[axis + 1:].
    DirectML: DML_GATHER_OPERATOR_DESC.

    >>> gather([[1, 2], [3, 4], [5, 6]], [2, 0])
    array([[5, 6],
           [1, 2]])
    >>> gather([[1, 2], [3, 4], [5, 6]], -1, axis=1)
    array([2, 4, 6])
    """
    op = "gather"
    source, places = check.input_array(op, input), check.index_array(op, indices)
    axis = check.axis(op, "axis", axis, source.ndim)
    mode = check.choice(op, "mode", mode, check.GATHER_MODES)
    fill = fill_element(op, fill_value, source.dtype)
    shape = source.shape[:axis] + places.shape + source.shape[axis + 1 :]
    output = check.fresh(op, shape, source.dtype)
    check.out(op, out, shape, source.dtype)

    read, write = as_bytes(source), as_bytes(output)
    before: tuple[Any, ...] = (slice(None),) * axis
    for q in np.ndindex(places.shape):
        i = resolve_at(op, places, q, axis, source.shape[axis], mode)
        write[(*before, *q)] = fill if i is None else read[(*before, i)]
    return deliver(output, out)


def gather_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    """output[p] = input[p with p[axis] := indices[p]], for every p in the shape of indices.

    indices has input's rank, and off the axis no dim larger than input's. The result has the shape
    of indices. DirectML: DML_GATHER_ELEMENTS_OPERATOR_DESC.

    >>> gather_elements([[1, 2], [3, 4], [5, 6]], [[2, 0]])
    array([[5, 2]])
    """
    op = "gather_elements"
    source, places = check.input_array(op, input), check.index_array(op, indices)
    axis = check.axis(op, "axis", axis, source.ndim)
    mode = check.choice(op, "mode", mode, check.GATHER_MODES)
    fill = fill_element(op, fill_value, source.dtype)
    check.elements_indices(op, source, places, axis)
    output = check.fresh(op, places.shape, source.dtype)
    check.out(op, out, places.shape, source.dtype)

    read, write = as_bytes(source), as_bytes(output)
    for p in np.ndindex(places.shape):
        i = resolve_at(op, places, p, axis, source.shape[axis], mode)
        write[p] = fill if i is None else read[replaced(p, axis, i)]
    return deliver(output, out)


def gather_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    batch_dims: SupportsIndex = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    """output[b…, q…, s…] = input[b…, indices[b…, q…, :], s…]; b are the first batch_dims dims.

    The last dim of indices is the tuple: k coordinates, for k axes of input after the batch dims,
    which must be equal in both. The result has the shape indices.shape[:-1] +
    input.shape[batch_dims + k:]. DirectML: DML_GATHER_ND_OPERATOR_DESC (no batch) and
    DML_GATHER_ND1_OPERATOR_DESC.

    >>> gather_nd([[1, 2], [3, 4], [5, 6]], [[2, 0], [0, 1]])
    array([5, 2])
    >>> gather_nd([[1, 2], [3, 4], [5, 6]], [[2], [0]])
    array([[5, 6],
           [1, 2]])
    >>> gather_nd([[1, 2], [3, 4], [5, 6]], [[1], [0], [1]], batch_dims=1)
    array([2, 3, 6])
    """
    op = "gather_nd"
    source, places = check.input_array(op, input), check.index_array(op, indices)
    batch_dims = check.batch_dims(op, batch_dims, source, places)
    mode = check.choice(op, "mode", mode, check.GATHER_MODES)
    fill = fill_element(op, fill_value, source.dtype)
    k = check.tuple_size(op, source, places, batch_dims)
    shape = places.shape[:-1] + source.shape[batch_dims + k :]
    output = check.fresh(op, shape, source.dtype)
    check.out(op, out, shape, source.dtype)

    read, write = as_bytes(source), as_bytes(output)
    sizes = source.shape[batch_dims : batch_dims + k]
    for bq in np.ndindex(places.shape[:-1]):
        i = resolve_tuple(op, places, bq, sizes, batch_dims, mode)
        write[bq] = fill if i is None else read[bq[:batch_dims] + i]
    return deliver(output, out)
