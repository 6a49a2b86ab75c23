"""The element that mode "fill" puts where an index means no place."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.checks import refuse_masked
from dmlindex.reference.weak import is_weak, takes_weak, weak_array

Array = npt.NDArray[Any]


def fill_element(op: str, value: Any, dtype: np.dtype[Any]) -> Any:
    """The element for "fill", as bytes: 0 is all zero bytes in any dtype.

    Else Python's own numbers are weak, as in updates; any other value must convert exactly.
    """
    refuse_masked(op, "fill_value", value)
    as_bytes = np.dtype((np.void, dtype.itemsize))
    if _is_zero(value):
        return np.zeros((), as_bytes)[()]
    if is_weak(value) and not isinstance(value, list) and takes_weak(dtype):
        try:
            return weak_array(op, "fill_value", value, dtype).view(as_bytes)[()]
        except TypeError as error:
            raise ValueError(str(error)) from None
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # that a complex number loses its imaginary part is seen below
            filled = _converted(value, dtype)
    except (TypeError, ValueError, OverflowError):
        filled = None
    if filled is None:
        raise ValueError(
            f"{op}: fill_value is {value!r}, expected one that dtype {dtype} holds exactly"
        )
    return filled.view(as_bytes)[()]


def _is_zero(value: Any) -> bool:
    is_numpys = isinstance(value, (np.integer, np.floating))
    if isinstance(value, np.timedelta64) or not (is_numpys or type(value) in (bool, int, float)):
        return False
    return bool(value == 0) and not np.signbit(float(value))


def _converted(value: Any, dtype: np.dtype[Any]) -> Array | None:
    """The value as an array of the dtype; None if that changes it, or it is of another kind."""
    given = np.asarray(value)
    if given.ndim > 0 or given.dtype.hasobject:
        return None
    converted = given.astype(dtype)
    if _is_number(given.dtype) and _is_number(dtype):
        # Python compares numbers of different types exactly; NumPy would round one to the other's
        # type.
        wanted = value if isinstance(value, int) else _number(given)
        equal = _number(converted) == wanted or (converted != converted and given != given)
    else:
        equal = given.dtype.kind == dtype.kind and (
            converted[()] == given[()] or (converted != converted and given != given)
        )
    return converted if equal else None


def _is_number(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biufc" or dtype.type.__module__ == "ml_dtypes"


def _number(array: Array) -> Any:
    number = array.item()
    return float(number) if array.dtype.type.__module__ == "ml_dtypes" else number
