"""What the operators mean, in plain NumPy loops: the specification, for reading.

Read this file first. Each function below is its formula, one loop over the indices, and it is slow
on purpose: nothing is clever, so that it can be checked by eye. The package's own functions (and
any implementation of yours, see `dmlindex.testing`) must give the same bits, or an exception of the
same type.

An operator sees its arrays in three steps:

1. The arguments are checked, all before anything is written (`_reference_checks.py`).
2. Every index is resolved, in C order of indices: `resolve` is the meaning of the modes.
3. Elements move as bytes. `_as_bytes` views an array as elements without a type, so that no NaN, no
   padding and no byte order is touched. Only a reduction looks at values
   (`_reference_reductions.py`).

The answer is built in fresh memory and copied to `out` at the very end. Hence an error leaves `out`
as it was, and an `out` that overlaps an input changes nothing.

The operators are DirectML's. Source pages: DML_GATHER_OPERATOR_DESC,
DML_GATHER_ELEMENTS_OPERATOR_DESC, DML_GATHER_ND_OPERATOR_DESC, DML_GATHER_ND1_OPERATOR_DESC,
DML_SCATTER_OPERATOR_DESC and DML_SCATTER_ND_OPERATOR_DESC.
"""

from __future__ import annotations

from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from dmlindex import _reference_checks as check
from dmlindex._reference_descs import run
from dmlindex._reference_reductions import combine

__all__ = [
    "find_duplicates",
    "gather",
    "gather_elements",
    "gather_nd",
    "resolve",
    "run",
    "scatter_elements",
    "scatter_nd",
]

Array = npt.NDArray[Any]


def resolve(index: int, size: int, mode: str) -> int | None:
    """The place in [0, size) that an index means; None if it means none and mode skips it.

    Raises IndexError where the mode allows no such index. Into an axis of size 0, only "fill" and
    "drop" allow any.

    >>> [resolve(i, 5, "raise") for i in (0, 4, -1, -5)]  # negative ones count from the end
    [0, 4, 4, 0]
    >>> [resolve(i, 5, "clamp") for i in (5, 99, -6, -99)]  # clamped to [-5, 4], then as above
    [4, 4, 0, 0]
    >>> [resolve(i, 5, "wrap") for i in (5, 99, -6, -99)]  # modulo 5
    [0, 4, 4, 1]
    >>> [resolve(i, 5, "fill") for i in (4, 5, -5, -6)]
    [4, None, 0, None]
    """
    if size > 0 and mode == "clamp":
        index = min(max(index, -size), size - 1)
    if size > 0 and mode == "wrap":
        index = index % size
    if -size <= index < size:
        return index + size if index < 0 else index
    if mode in ("fill", "drop"):
        return None
    raise IndexError(f"{index} is out of range")


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
    fill = check.fill(op, fill_value, source.dtype)
    shape = source.shape[:axis] + places.shape + source.shape[axis + 1 :]
    output = check.fresh(op, shape, source.dtype)
    check.out(op, out, shape, source.dtype)

    read, write = _as_bytes(source), _as_bytes(output)
    before: tuple[Any, ...] = (slice(None),) * axis
    for q in np.ndindex(places.shape):
        i = _resolve_at(op, places, q, axis, source.shape[axis], mode)
        write[(*before, *q)] = fill if i is None else read[(*before, i)]
    return _deliver(output, out)


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
    fill = check.fill(op, fill_value, source.dtype)
    check.elements_indices(op, source, places, axis)
    output = check.fresh(op, places.shape, source.dtype)
    check.out(op, out, places.shape, source.dtype)

    read, write = _as_bytes(source), _as_bytes(output)
    for p in np.ndindex(places.shape):
        i = _resolve_at(op, places, p, axis, source.shape[axis], mode)
        write[p] = fill if i is None else read[_replaced(p, axis, i)]
    return _deliver(output, out)


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
    fill = check.fill(op, fill_value, source.dtype)
    k = check.tuple_size(op, source, places, batch_dims)
    shape = places.shape[:-1] + source.shape[batch_dims + k :]
    output = check.fresh(op, shape, source.dtype)
    check.out(op, out, shape, source.dtype)

    read, write = _as_bytes(source), _as_bytes(output)
    sizes = source.shape[batch_dims : batch_dims + k]
    for bq in np.ndindex(places.shape[:-1]):
        i = _resolve_tuple(op, places, bq, sizes, batch_dims, mode)
        write[bq] = fill if i is None else read[bq[:batch_dims] + i]
    return _deliver(output, out)


def scatter_elements(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    axis: SupportsIndex = 0,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: Array | None = None,
) -> Array:
    """output = input, then output[p with p[axis] := indices[p]] = updates[p], for p in C order.

    So where targets meet the last one wins, or with a reduction each is applied in that order.
    indices has input's rank, and off the axis no dim larger than input's; updates has its shape, or
    is a single value for all. Python's own numbers take input's dtype (`_reference_weak.py`).
    unique_indices promises that no targets meet; it lets an implementation skip work, and changes
    nothing here. DirectML: DML_SCATTER_OPERATOR_DESC (also called SCATTER_ELEMENTS).

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
    check.elements_indices(op, source, places, axis)
    items = check.updates_shape(op, items, places.shape)
    check.out(op, out, source.shape, source.dtype)
    output = _copy(source)

    for p in np.ndindex(places.shape):
        i = _resolve_at(op, places, p, axis, source.shape[axis], mode)
        if i is not None:
            _write(output, _replaced(p, axis, i), items, p, reduction)
    return _deliver(output, out)


def scatter_nd(
    input: npt.ArrayLike,
    indices: npt.ArrayLike,
    updates: npt.ArrayLike,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    out: Array | None = None,
) -> Array:
    """output = input, then output[indices[q…, :], s…] = updates[q…, s…], for q in C order.

    So where targets meet the last one wins, or with a reduction each is applied in that order. The
    last dim of indices is the tuple: k coordinates, for the first k axes of input. updates has the
    shape indices.shape[:-1] + input.shape[k:], or is a single value for all. unique_indices is as
    in scatter_elements. DirectML: DML_SCATTER_ND_OPERATOR_DESC.

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
    k = check.tuple_size(op, source, places, 0)
    items = check.updates_shape(op, items, places.shape[:-1] + source.shape[k:])
    check.out(op, out, source.shape, source.dtype)
    output = _copy(source)

    for q in np.ndindex(places.shape[:-1]):
        i = _resolve_tuple(op, places, q, source.shape[:k], 0, mode)
        if i is not None:
            # Bytes move a slice at a time; a reduction looks at one element at a time.
            for s in [()] if reduction == "none" else np.ndindex(source.shape[k:]):
                _write(output, i + s, items, q + s, reduction)
    return _deliver(output, out)


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
        targets = [_resolve_tuple(op, places, q, source.shape[:k], 0, mode) for q in tuples]
    else:
        axis = check.axis(op, "axis", axis, source.ndim)
        check.elements_indices(op, source, places, axis)
        targets = []
        for p in np.ndindex(places.shape):
            i = _resolve_at(op, places, p, axis, source.shape[axis], mode)
            targets.append(None if i is None else _replaced(p, axis, i))
    last = {target: position for position, target in enumerate(targets)}
    overwritten = [
        position
        for position, target in enumerate(targets)
        if target is not None and last[target] != position
    ]
    return np.array(overwritten, np.int64)


def _resolve_at(
    op: str, indices: Array, position: tuple[int, ...], axis: int, size: int, mode: str
) -> int | None:
    """resolve(indices[position]), with an error that says all there is to know."""
    index = int(indices[position])
    try:
        return resolve(index, size, mode)
    except IndexError:
        raise check.index_error(op, position, index, axis, size, indices.dtype) from None


def _resolve_tuple(
    op: str, indices: Array, position: tuple[int, ...], sizes: tuple[int, ...], axis: int, mode: str
) -> tuple[int, ...] | None:
    """Every coordinate of a tuple resolved, the first for axis; None if any of them is."""
    place = [
        _resolve_at(op, indices, (*position, c), axis + c, size, mode)
        for c, size in enumerate(sizes)
    ]
    resolved = tuple(i for i in place if i is not None)
    return resolved if len(resolved) == len(place) else None


def _replaced(position: tuple[int, ...], axis: int, index: int) -> tuple[int, ...]:
    """The position with index in the axis's place."""
    return (*position[:axis], index, *position[axis + 1 :])


def _write(
    output: Array,
    target: tuple[int, ...],
    updates: Array,
    position: tuple[int, ...],
    reduction: str,
) -> None:
    """One update: its bytes replace the target's, or its value is combined with the value there."""
    if reduction == "none":
        _as_bytes(output)[target] = _as_bytes(updates)[position]
    else:
        output[target] = combine(reduction, output[target], updates[position])


def _as_bytes(array: Array) -> Array:
    """The same memory as elements of plain bytes: copying those copies every bit."""
    return array.view(np.dtype((np.void, array.dtype.itemsize)))


def _copy(array: Array) -> Array:
    copied = check.fresh("copy", array.shape, array.dtype)
    _as_bytes(copied)[...] = _as_bytes(array)
    return copied


def _deliver(output: Array, out: Array | None) -> Array:
    """The result: output itself, or out with output's bytes."""
    if out is None:
        return output
    _as_bytes(out)[...] = _as_bytes(output)
    return out
