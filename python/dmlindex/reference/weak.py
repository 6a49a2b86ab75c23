"""Python's own numbers, and lists of them: they take the dtype of what they are used with.

Only objects of exactly these types are weak. NumPy's scalars have a dtype of their own, and so has
a subclass of int.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_NUMBERS = (bool, int, float, complex)


def is_weak(value: Any, depth: int = 32) -> bool:
    """Whether it is such a number, or lists of them no deeper than any NumPy's arrays."""
    if type(value) is list:
        return depth > 0 and all(is_weak(one, depth - 1) for one in value)
    return type(value) in _NUMBERS


def takes_weak(dtype: np.dtype[Any]) -> bool:
    """Whether weak values go into a dtype at all; into the others only what has that dtype."""
    return dtype.kind in "biufc" or dtype.type.__module__ == "ml_dtypes"


def weak_array(op: str, argument: str, value: Any, dtype: np.dtype[Any]) -> Array:
    """The values in a dtype that takes them."""
    try:
        shape = np.shape(value)
    except ValueError as error:
        raise ValueError(f"{op}: {argument} is a list of no shape ({error})") from None
    numbers: list[Any] = [value]
    for _ in shape:
        numbers = [number for row in numbers for number in row]
    elements = [_element(op, argument, number, dtype) for number in numbers]
    return np.array(elements, dtype).reshape(shape) if elements else np.empty(shape, dtype)


def _element(op: str, argument: str, number: Any, dtype: np.dtype[Any]) -> Any:
    """A number in the dtype.

    A bool goes into any, an int into integers in range and, as float() rounds it, into floats; a
    float into floats, rounded but not to infinity, and into integers if it is whole.
    """
    if dtype.kind == "b" and type(number) is not bool:
        raise TypeError(f"{op}: {argument} has {number!r}, expected bools for dtype bool")
    if dtype.kind != "c" and type(number) is complex and number.imag == 0:
        number = number.real
    element = _integer(number, dtype) if _is_integer(dtype) else _rounded(number, dtype)
    if element is None:
        raise ValueError(f"{op}: {argument} has {number!r}, for which dtype {dtype} has no room")
    return element


def _is_integer(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu" or dtype.name.startswith(("int", "uint"))


def _integer(number: Any, dtype: np.dtype[Any]) -> Any:
    if type(number) is float and number.is_integer():
        number = int(number)
    if isinstance(number, int):
        lowest, highest = _limits(dtype)
        if lowest <= number <= highest:
            return np.array(number).astype(dtype)[()]
    return None


def _limits(dtype: np.dtype[Any]) -> tuple[int, int]:
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    import ml_dtypes

    limits: Any = ml_dtypes
    return int(limits.iinfo(dtype).min), int(limits.iinfo(dtype).max)


def _rounded(number: Any, dtype: np.dtype[Any]) -> Any:
    if type(number) is complex and dtype.kind != "c":
        return None
    if type(number) is not complex:
        try:
            number = float(number) if not _is_exact(number, dtype) else np.longdouble(number)
        except OverflowError:
            return None
    with np.errstate(all="ignore"):
        element = np.array(number).astype(dtype)[()]
        parts = [(np.real(number), np.real(element)), (np.imag(number), np.imag(element))]
        if dtype.kind != "c":
            parts = [(number, element)]
        return element if all(_is_kept(*part, dtype) for part in parts) else None


def _is_exact(number: Any, dtype: np.dtype[Any]) -> bool:
    """Whether a long double takes an integer as it is."""
    return (
        dtype.type in (np.longdouble, np.clongdouble)
        and isinstance(number, int)
        and -(2**63) <= number < 2**63
    )


def _is_kept(number: Any, element: Any, dtype: np.dtype[Any]) -> bool:
    """Whether the element is the number, rounded: a small float may lack infinity and NaN."""
    if np.isnan(number):
        return bool(np.isnan(element))
    if np.isinf(number):
        return bool(element == number)
    return bool(np.isfinite(element)) and abs(float(number)) <= _saturation(dtype)


def _saturation(dtype: np.dtype[Any]) -> float:
    """The number that all larger ones become in a dtype that has no infinity and no NaN."""
    if dtype.type.__module__ != "ml_dtypes":
        return np.inf
    largest = float(np.array(1e30).astype(dtype)[()])
    return largest if largest < 1e29 else np.inf
