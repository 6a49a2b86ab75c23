"""NumPy's own indexing, with the indices resolved first, a whole array at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.fills import fill_element
from dmlindex.reference.memory import as_bytes
from dmlindex.testing.peers import Peer, Rule
from dmlindex.testing.peers.rules import NAN_BITS, ZERO_SIGNS, along_index, nd_index

Array = npt.NDArray[Any]

_UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def gather(
    input: Any,
    indices: Any,
    axis: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    source, places = np.asarray(input), np.asarray(indices)
    axis %= source.ndim
    where, there = _resolved(places, source.shape[axis], mode)
    found = as_bytes(source)[(slice(None),) * axis + (where,)]
    return _delivered(_filled(found, source.dtype, there, axis, fill_value), out)


def gather_elements(
    input: Any,
    indices: Any,
    axis: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    source, places = np.asarray(input), np.asarray(indices)
    axis %= source.ndim
    where, there = _resolved(places, source.shape[axis], mode)
    found = as_bytes(source)[along_index(where, axis)]
    return _delivered(_filled(found, source.dtype, there, 0, fill_value), out)


def gather_nd(
    input: Any,
    indices: Any,
    batch_dims: int = 0,
    *,
    mode: str = "raise",
    fill_value: Any = 0,
    out: Array | None = None,
) -> Array:
    source, places = np.asarray(input), np.asarray(indices)
    where, there = _resolved_tuples(places, source.shape[batch_dims:], mode)
    batch = nd_index(places, batch_dims)[:batch_dims]
    found = as_bytes(source)[(*batch, *where)]
    return _delivered(_filled(found, source.dtype, there, 0, fill_value), out)


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
    out: Array | None = None,
) -> Array:
    del unique_indices, ordered
    source, places = np.asarray(input), np.asarray(indices)
    axis %= source.ndim
    where, there = _resolved(places, source.shape[axis], mode)
    return _delivered(_scattered(source, along_index(where, axis), there, updates, reduction), out)


def scatter_nd(
    input: Any,
    indices: Any,
    updates: Any,
    *,
    reduction: str = "none",
    mode: str = "raise",
    unique_indices: bool = False,
    ordered: bool = True,
    out: Array | None = None,
) -> Array:
    del unique_indices, ordered
    source, places = np.asarray(input), np.asarray(indices)
    where, there = _resolved_tuples(places, source.shape, mode)
    return _delivered(_scattered(source, tuple(where), there, updates, reduction), out)


def _resolved(places: Array, size: int, mode: str) -> tuple[Array, Array | None]:
    """Indices from 0 to size - 1, and where there are any; None for everywhere."""
    wrong = places >= size
    if places.dtype.kind == "i":
        wrong |= places < -size
    if not wrong.any():
        where = places.astype(np.intp)
        return np.where(where < 0, where + size, where), None
    if mode == "raise" or (size == 0 and mode in ("clamp", "wrap")):
        raise IndexError("out of range")
    if mode in ("fill", "drop"):
        where = np.where(wrong, 0, places).astype(np.intp)
        return np.where(where < 0, where + size, where), ~wrong
    if mode == "wrap":
        return np.array([int(i) % size for i in places.flat], np.intp).reshape(places.shape), None
    where = np.where(wrong, 0, places).astype(np.intp)
    where = np.where(wrong, np.where(places < 0, 0, size - 1), where)
    return np.where(where < 0, where + size, where), None


def _resolved_tuples(
    places: Array, sizes: tuple[int, ...], mode: str
) -> tuple[list[Array], Array | None]:
    found, there = [], None
    for k in range(places.shape[-1]):
        where, inside = _resolved(places[..., k], sizes[k], mode)
        found.append(where)
        if inside is not None:
            there = inside if there is None else there & inside
    return found, there


def _filled(
    found: Array, dtype: np.dtype[Any], there: Array | None, at: int, fill_value: Any
) -> Array:
    """The elements of the dtype, with fill_value where there are none."""
    found = np.asarray(found)
    if there is not None:
        # What a value becomes in a dtype is ours to say, not NumPy's.
        found[(slice(None),) * at + (~there,)] = fill_element("fill", fill_value, dtype)
    return found.view(dtype)


def _scattered(
    source: Array, where: tuple[Array, ...], there: Array | None, updates: Any, reduction: str
) -> Array:
    answer = np.empty(source.shape, source.dtype)
    as_bytes(answer)[...] = as_bytes(source)
    shape = np.broadcast_shapes(*(w.shape for w in where)) if where else ()
    tail = source.shape[len(where) :]
    items = np.broadcast_to(np.asarray(updates, source.dtype), (*shape, *tail))
    if reduction == "none":
        items = as_bytes(items)
    # One dim of targets: NumPy goes through several in an order of its own.
    items = items.reshape(-1, *tail)
    chosen = slice(None) if there is None else there.ravel()
    where = tuple(np.broadcast_to(w, shape).ravel()[chosen] for w in where)
    items = items[chosen]
    if reduction == "none":
        as_bytes(answer)[where] = items
    else:
        with np.errstate(all="ignore"):
            _UFUNCS[reduction].at(answer, where, items)
    return answer


def _delivered(answer: Array, out: Array | None) -> Array:
    if out is None:
        return answer
    as_bytes(out)[...] = as_bytes(answer)
    return out


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (gather, gather_elements, gather_nd, scatter_elements, scatter_nd)
}


PEER = Peer(
    "numpy",
    _FUNCTIONS.__getitem__,
    (
        NAN_BITS,
        ZERO_SIGNS,
        Rule(
            "complex-products",
            "NumPy may contract a complex product's sum and round once less",
            lambda call: (
                call.options.get("reduction") == "mul"
                and np.asarray(call.arguments[0]).dtype.kind == "c"
            ),
        ),
        Rule(
            "empty-input",
            "NumPy's indexing refuses any index into an array of size 0",
            lambda call: 0 in np.shape(call.arguments[0]),
        ),
    ),
)
