"""One step of a reduction: what combining the value that is there with one update gives, to the
bit.

A scatter with a reduction applies its updates one after the other in C order of indices, each by
what `step_of` gives.

- Integers wrap. Bool: add and max are or; mul and min are and.
- A float step is the operation in the dtype, or for types narrower than float32 the float32
  operation rounded to nearest even into the dtype.
- A NaN propagates: the value already there if it is one, else the update; payload and sign stay,
  and a signaling NaN becomes quiet. (A float of 8 bits or fewer keeps the sign only.)
- A NaN that the operation makes itself (inf - inf, 0 * inf) is the quiet NaN with its sign set and
  no payload, which x86 and so NumPy there make; other processors make the positive one.
- min and max keep the value already there where the two compare equal, as -0 and +0 do.
- Complex numbers add and multiply by parts with these same steps; they have no min and max.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Scalar = Any  # a NumPy scalar of a reducible dtype
Step = Callable[[Scalar, Scalar], Scalar]

# The bit that makes a NaN quiet: the highest of the mantissa.
_QUIET_BIT = {"float16": 9, "bfloat16": 6, "float32": 22, "float64": 51}


def is_small_float(dtype: np.dtype[Any]) -> bool:
    """Whether dtype is bfloat16 or one of ml_dtypes' floats of 8 bits or fewer."""
    return dtype.type.__module__ == "ml_dtypes" and dtype.name.startswith(("bfloat", "float"))


def is_reducible(dtype: np.dtype[Any], reduction: str) -> bool:
    """Whether the reduction is defined for the dtype."""
    if not dtype.isnative:
        return False
    if dtype.kind == "c":
        return reduction in ("add", "mul")
    return dtype.kind in "biu" or dtype.type in _FLOATS or is_small_float(dtype)


_FLOATS = (np.float16, np.float32, np.float64, np.longdouble)


def step_of(reduction: str, dtype: np.dtype[Any]) -> Step:
    """One step: of the value that is there and an update, both of dtype, it makes a value of it.

    NumPy may warn in it: it belongs inside np.errstate(all="ignore").

    >>> with np.errstate(all="ignore"):
    ...     print(step_of("add", np.dtype("u1"))(np.uint8(200), np.uint8(100)))
    44
    >>> halves = step_of("add", np.dtype("f2"))
    >>> print(halves(np.float16(256), np.float16(0.125)))  # a tie: to the even one
    256.0
    >>> print(step_of("min", np.dtype("f4"))(np.float32(0.0), np.float32(-0.0)))
    0.0
    """
    if dtype.kind == "b":
        return _BOOL_STEP[reduction]
    if dtype.kind in "iu":
        return _INTEGER_STEP[reduction]
    return partial(_complex_step if dtype.kind == "c" else _float_step, reduction)


_BOOL_STEP: dict[str, Step] = {
    "add": operator.or_,
    "mul": operator.and_,
    "min": operator.and_,
    "max": operator.or_,
}
_INTEGER_STEP: dict[str, Step] = {"add": operator.add, "mul": operator.mul, "min": min, "max": max}


def _float_step(reduction: str, old: Scalar, update: Scalar) -> Scalar:
    if old != old:  # np.isnan, which takes twenty times as long
        return _quiet(old)
    if update != update:
        return _quiet(update)
    if reduction == "min":
        return update if update < old else old
    if reduction == "max":
        return update if update > old else old
    dtype = old.dtype
    narrow = dtype.itemsize < 4
    a, b = (np.float32(old), np.float32(update)) if narrow else (old, update)
    result = a + b if reduction == "add" else a - b if reduction == "subtract" else a * b
    if result != result:
        result = type(result)(-np.nan)
    return result.astype(dtype) if narrow else result


def _complex_step(reduction: str, old: Scalar, update: Scalar) -> Scalar:
    """(a + bi) with (c + di), by parts."""
    a, b, c, d = old.real, old.imag, update.real, update.imag
    step = _float_step
    if reduction == "add":
        real, imag = step("add", a, c), step("add", b, d)
    else:
        real = step("subtract", step("mul", a, c), step("mul", b, d))
        imag = step("add", step("mul", a, d), step("mul", b, c))
    parts = np.array([real, imag])  # complex(real, imag) would lose bits of a NaN or a long double
    return parts.view(old.dtype)[0]


def _quiet(nan: Scalar) -> Scalar:
    """The NaN with its quiet bit set."""
    dtype = nan.dtype
    if dtype.name in _QUIET_BIT:
        bits = np.array([nan]).view(f"u{dtype.itemsize}")
        return (bits | bits.dtype.type(1 << _QUIET_BIT[dtype.name])).view(dtype)[0]
    if dtype.itemsize == 1:
        return np.float32(nan).astype(dtype)
    return nan + dtype.type(0)  # a long double has no integer of its size: the processor quiets it
