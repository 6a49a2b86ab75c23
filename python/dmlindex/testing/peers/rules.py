"""Properties of calls that rules speak of."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlindex._explain.elsewhere import WHY
from dmlindex.testing.call import Call
from dmlindex.testing.peers import Rule


def reduces(call: Call) -> bool:
    return bool(call.options.get("reduction", "none") != "none")


def sizes(call: Call) -> tuple[int, ...]:
    """The sizes that the last dim of indices goes through."""
    given = call.given()
    shape: tuple[int, ...] = np.shape(given["input"])
    if not call.operator.endswith("_nd"):
        return (int(shape[given.get("axis", 0)]),)
    batch: int = given.get("batch_dims", 0)
    return shape[batch : batch + np.shape(given["indices"])[-1]]


def has_negatives(call: Call) -> bool:
    places = np.asarray(call.arguments[1])
    return bool(places.size and places.dtype.kind == "i" and places.min() < 0)


def out_of_range(call: Call) -> bool:
    places = np.asarray(call.arguments[1])
    if not places.size:
        return False
    limits = np.array(sizes(call), object)
    wide = places.astype(object)
    return bool(((wide >= limits) | (wide < -limits)).any())


def has_duplicates(call: Call) -> bool:
    """Whether two updates of a scatter have one target, out-of-range ones dropped."""
    from dmlindex import find_duplicates

    given = call.given()
    axis = given.get("axis", 0) if call.operator == "scatter_elements" else None
    source = np.shape(given["input"])
    return bool(find_duplicates(source, given["indices"], axis=axis, mode="drop").size)


def has_nans(call: Call) -> bool:
    return any(_is_float(a) and bool(np.isnan(_numbers(a)).any()) for a in _values(call))


def has_zeros_of_both_signs(call: Call) -> bool:
    signs = set()
    for array in _values(call):
        if _is_float(array):
            numbers = _numbers(array)
            zeros = numbers[numbers == 0]
            signs |= set(np.signbit(zeros.real).ravel().tolist())
    return len(signs) > 1


def _values(call: Call) -> list[Any]:
    given = call.given()
    return [np.asarray(given[name]) for name in ("input", "updates") if name in given]


def _is_float(array: Any) -> bool:
    return array.dtype.kind in "fc" or array.dtype.type.__module__ == "ml_dtypes"


def _numbers(array: Any) -> Any:
    if array.dtype.type.__module__ != "ml_dtypes":
        return array
    with np.errstate(invalid="ignore"):
        return array.astype(np.float64)


OUT_OF_RANGE = Rule(
    "out-of-range",
    WHY["out-of-range"],
    out_of_range,
)
DUPLICATES = Rule(
    "duplicate-targets",
    WHY["duplicate-targets"],
    lambda call: not reduces(call) and call.operator.startswith("scatter") and has_duplicates(call),
)
NAN_BITS = Rule(
    "nan-bits",
    WHY["nan-bits"],
    lambda call: reduces(call) and has_nans(call),
)
ZERO_SIGNS = Rule(
    "zero-signs",
    WHY["zero-signs"],
    lambda call: call.options.get("reduction") in ("min", "max") and has_zeros_of_both_signs(call),
)
EMPTY = Rule(
    "empty-input",
    WHY["empty-input"],
    lambda call: 0 in np.shape(call.arguments[0]) or 0 in np.shape(call.arguments[1]),
)


def moved_nans(*names: str) -> Rule:
    """Of narrow floats that a library moves by way of a wider one."""
    return Rule(
        "signalling-nans",
        WHY["signalling-nans"],
        lambda call: np.asarray(call.arguments[0]).dtype.name in names and has_nans(call),
    )


def only_dtypes(*names: str) -> Rule:
    """Of the rest the library has none, or not for this."""
    return Rule(
        "dtypes",
        WHY["dtypes"],
        lambda call: (
            np.asarray(call.arguments[0]).dtype.name not in names
            or not np.asarray(call.arguments[0]).dtype.isnative
        ),
    )


def only_reductions(names: dict[str, tuple[str, ...]]) -> Rule:
    """By operator, those that the library has, for numbers (not for bool)."""
    return Rule(
        "reductions",
        WHY["reductions"],
        lambda call: (
            reduces(call)
            and (
                call.options["reduction"] not in names.get(call.operator, ())
                or np.asarray(call.arguments[0]).dtype.kind == "b"
            )
        ),
    )


def signed_indices(call: Call) -> Any:
    """Indices as int64, counted from the end where they are negative; they are in range."""
    return np.asarray(call.arguments[1]).astype(np.int64)


def nd_index(places: Any, batch_dims: int) -> tuple[Any, ...]:
    """Index arrays for input[...]: the batch's positions, then each coordinate."""
    shape = places.shape[:-1]
    grid = np.ogrid[tuple(slice(n) for n in shape)] if shape else ()
    return (*grid[:batch_dims], *(places[..., k] for k in range(places.shape[-1])))


def along_index(places: Any, axis: int) -> tuple[Any, ...]:
    """Index arrays for input[...]: the position itself, but along the axis."""
    grid = list(np.ogrid[tuple(slice(n) for n in places.shape)])
    grid[axis] = places
    return tuple(grid)
