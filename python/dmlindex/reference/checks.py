"""What the operators accept. Every argument is checked here, before anything is
written.

A wrong type or dtype is a TypeError; a wrong shape, axis, mode or number, an overlap and a
read-only out are a ValueError; an index out of range is an IndexError; no memory is a MemoryError.
Each message says operator, argument, what was found, what was expected, and where it helps what to
do.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from dmlindex.reference.reductions import is_reducible
from dmlindex.reference.weak import is_weak, takes_weak, weak_array

Array = npt.NDArray[Any]

GATHER_MODES = ("raise", "clamp", "wrap", "fill")
SCATTER_MODES = ("raise", "clamp", "wrap", "drop")
REDUCTIONS = ("none", "add", "mul", "min", "max")


def input_array(op: str, value: Any, argument: str = "input") -> Array:
    """An ndarray, a list, a number, or what speaks __dlpack__ or __array__, as an array."""
    refuse_masked(op, argument, value)
    if isinstance(value, np.ndarray):
        array = np.asarray(value)
    elif hasattr(value, "__dlpack__"):
        array = _from_dlpack(op, argument, value)
    else:
        array = np.asarray(value)
    if array.dtype.hasobject:
        raise TypeError(
            f"{op}: {argument} has dtype {array.dtype}, expected one that holds no Python objects"
        )
    return array


def refuse_masked(op: str, argument: str, value: Any) -> None:
    """A mask would be lost, in a list of arrays too."""
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{op}: {argument} is or holds a masked array; pass its .filled() or .data")
    if isinstance(value, (list, tuple)):
        for item in value:
            refuse_masked(op, argument, item)


def _from_dlpack(op: str, argument: str, value: Any) -> Array:
    try:
        return np.from_dlpack(value)
    except (BufferError, RuntimeError, ValueError) as error:
        if hasattr(value, "__array__"):
            return np.asarray(value)
        raise TypeError(
            f"{op}: {argument} is a {type(value).__name__} that NumPy cannot take through "
            f"__dlpack__ ({error}), expected an array in CPU memory"
        ) from error


def index_array(op: str, indices: Any) -> Array:
    array = input_array(op, indices, "indices")
    if array.dtype.kind in "iu":
        return array
    if array.size == 0 and isinstance(indices, (list, tuple)):
        return array.astype(np.int64)  # NumPy takes an empty list as float64
    raise TypeError(f"{op}: indices has dtype {array.dtype}, expected an integer type")


def updates_array(op: str, updates: Any, dtype: np.dtype[Any]) -> Array:
    if is_weak(updates) and takes_weak(dtype):
        return weak_array(op, "updates", updates, dtype)
    array = input_array(op, updates, "updates")
    if array.dtype != dtype:
        raise TypeError(
            f"{op}: updates has dtype {array.dtype}, expected input's {dtype}; "
            "dtypes are never cast"
        )
    return array


def updates_shape(op: str, updates: Array, expected: tuple[int, ...]) -> Array:
    """The updates in the shape that they must have; a single one goes to every place."""
    if updates.shape == ():
        return np.broadcast_to(updates, expected)
    if updates.shape != expected:
        raise ValueError(f"{op}: updates has shape {updates.shape}, expected {expected}")
    return updates


def integer(op: str, argument: str, value: SupportsIndex) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(
            f"{op}: {argument} is a {type(value).__name__}, expected an integer"
        ) from None


def axis(op: str, argument: str, value: SupportsIndex, rank: int) -> int:
    number = integer(op, argument, value)
    if rank == 0:
        raise ValueError(
            f"{op}: input has no dimensions, expected at least 1; reshape it to (1,) first"
        )
    if not -rank <= number < rank:
        raise ValueError(
            f"{op}: {argument} is {number}, expected {-rank} <= {argument} < {rank} "
            f"for input of rank {rank}"
        )
    return number % rank


def batch_dims(op: str, value: SupportsIndex, input: Array, indices: Array) -> int:
    number = integer(op, "batch_dims", value)
    smaller = min(input.ndim, indices.ndim)
    if not 0 <= number < smaller:
        raise ValueError(
            f"{op}: batch_dims is {number}, expected 0 <= batch_dims < {smaller}, the "
            f"smaller rank of input {input.shape} and indices {indices.shape}"
        )
    if input.shape[:number] != indices.shape[:number]:
        raise ValueError(
            f"{op}: the first {number} dims (batch_dims) of input are {input.shape[:number]} "
            f"and of indices {indices.shape[:number]}, expected the same"
        )
    return number


def choice(op: str, argument: str, value: str, choices: Sequence[str]) -> str:
    listed = ", ".join(f'"{c}"' for c in choices)
    if not isinstance(value, str):
        raise TypeError(f"{op}: {argument} is a {type(value).__name__}, expected one of {listed}")
    if value not in choices:
        raise ValueError(f'{op}: {argument} is "{value}", expected one of {listed}')
    return value


def flag(op: str, argument: str, value: bool) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{op}: {argument} is a {type(value).__name__}, expected a bool")


def reduction(op: str, value: str, dtype: np.dtype[Any]) -> str:
    value = choice(op, "reduction", value, REDUCTIONS)
    if value != "none" and not is_reducible(dtype, value):
        hint = "" if dtype.isnative else "; convert to native byte order first"
        raise TypeError(f'{op}: reduction "{value}" is not defined for dtype {dtype}{hint}')
    return value


def elements_indices(op: str, input: Array, indices: Array, axis: int) -> None:
    """indices of the *_elements operators: input's rank, and off the axis no larger."""
    if indices.ndim != input.ndim:
        raise ValueError(
            f"{op}: indices has rank {indices.ndim} and shape {indices.shape}, expected input's "
            f"rank {input.ndim} (input has shape {input.shape})"
        )
    for d, (found, limit) in enumerate(zip(indices.shape, input.shape, strict=True)):
        if d != axis and found > limit:
            raise ValueError(
                f"{op}: indices has size {found} in dim {d}, expected at most input's {limit} "
                "(only along the axis may it be larger)"
            )


def tuple_size(op: str, input: Array, indices: Array, batch_dims: int) -> int:
    """k, the coordinates in each index tuple of the *_nd operators."""
    if input.ndim == 0 or indices.ndim == 0:
        argument = "indices" if indices.ndim == 0 else "input"
        raise ValueError(f"{op}: {argument} has no dimensions, expected at least 1")
    k, most = indices.shape[-1], input.ndim - batch_dims
    if not 1 <= k <= most:
        raise ValueError(
            f"{op}: indices has a last dim (the tuple) of size {k}, expected 1 to {most}: one "
            f"coordinate for each indexed axis of input, which has shape {input.shape}"
        )
    return int(k)


def shaped(op: str, input_or_shape: Any) -> Array:
    """An array of the shape, or of that of the array, which takes no memory."""
    name = "input_or_shape"
    refuse_masked(op, name, input_or_shape)
    try:
        given = tuple(getattr(input_or_shape, "shape", input_or_shape))
    except TypeError:
        found = type(input_or_shape).__name__
        raise TypeError(
            f"{op}: {name} is a {found}, expected an array or a sequence of integers"
        ) from None
    sizes = [integer(op, f"{name}[{d}]", size) for d, size in enumerate(given)]
    for d, size in enumerate(sizes):
        if not 0 <= size < 2**63:
            raise ValueError(f"{op}: {name}[{d}] is {size}, expected 0 <= size < 2**63")
    if math.prod(sizes) >= 2**63:
        raise ValueError(f"{op}: {name} {tuple(sizes)} has 2**63 elements or more")
    return np.broadcast_to(np.empty((), "V0"), sizes)


def fresh(op: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A new array for the result: ValueError if none can be so large, MemoryError if none fits."""
    try:
        if dtype.itemsize == 0:  # NumPy would make texts of no characters one character long
            return np.empty(shape, "V0").view(dtype)
        return np.empty(shape, dtype)
    except ValueError as error:
        raise ValueError(
            f"{op}: the result would have shape {shape} and dtype {dtype}: {error}"
        ) from None


def out(op: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if value is None:
        return
    refuse_masked(op, "out", value)
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{op}: out is a {type(value).__name__}, expected a numpy.ndarray")
    if value.dtype != dtype:
        raise TypeError(f"{op}: out has dtype {value.dtype}, expected input's {dtype}")
    if value.shape != shape:
        raise ValueError(f"{op}: out has shape {value.shape}, expected {shape}")
    if not value.flags.writeable:
        raise ValueError(f"{op}: out is read-only, expected a writeable array")
    if overlaps_itself(value):
        raise ValueError(
            f"{op}: out has shape {value.shape} and strides {value.strides}, with which elements "
            "share memory; expected each element to have a place of its own"
        )


def overlaps_itself(array: Array) -> bool:
    """Whether two elements share a byte: of the addresses of all bytes, none may come twice."""
    if array.flags.forc or array.size <= 1 or array.dtype.itemsize == 0:
        return False
    addresses = np.zeros(1, np.int64)
    for size, stride in zip((*array.shape, array.dtype.itemsize), (*array.strides, 1), strict=True):
        addresses = (addresses[:, np.newaxis] + np.arange(size) * stride).ravel()
    return len(np.unique(addresses)) < addresses.size


def index_error(
    op: str,
    position: tuple[int, ...],
    index: int,
    axis: int,
    size: int,
    dtype: np.dtype[Any],
) -> IndexError:
    at = ", ".join(map(str, position)) or "()"
    skip = '"fill"' if op.startswith("gather") else '"drop"'
    if size == 0:
        expected, modes = " and so no place for any index", skip
    else:
        expected = f" (expected {-size if dtype.kind == 'i' else 0} <= index < {size})"
        modes = f'"clamp", "wrap" or {skip}'
    return IndexError(
        f"{op}: indices[{at}] = {index} is out of range for axis {axis} of input, "
        f"which has size {size}{expected}; pass mode={modes} to allow it"
    )
