"""How far a reduction with ordered=False may be from the ordered one.

Adding n numbers in any order and grouping is off by at most γₙ·Σ|x|, multiplying by γₙ of the
product, with γₙ = n·u / (1 - n·u), or (1 + u)ⁿ - 1 where n·u is 1 or more, and u half the dtype's
step at 1; so two orders differ by at most twice that. Integers have no such slack, nor have min and
max. The signs of zeros and the bits of NaNs are free.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.call import Call

Array = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]


@np.errstate(all="ignore")  # signalling NaNs, overflow: neither is an error here
def within_bounds(found: Array, expected: Array, call: Call) -> Mask:
    """For each element, in C order, whether it may differ as it does."""
    reduction = call.options.get("reduction", "none")
    if reduction == "none" or not _is_inexact(expected.dtype):
        return np.zeros(expected.size, bool)
    ours, theirs = _wide(found).ravel(), _wide(expected).ravel()
    same = _same_values(ours, theirs)
    if reduction in ("min", "max"):
        return same
    counts, sums, least = _history(call, reduction)
    n_u = (counts.ravel() + 1) * _unit(expected.dtype)
    many = n_u >= 1  # more than the usual bound holds for
    gamma = np.where(many, (1 + _unit(expected.dtype)) ** (counts.ravel() + 1) - 1, n_u / (1 - n_u))
    slack = 2 * gamma * (sums.ravel() if reduction == "add" else np.abs(theirs))
    # Nothing is promised of what overflows, underflows or is no number on the way.
    wild = ~np.isfinite(sums.ravel()) | ~np.isfinite(theirs) | ~np.isfinite(ours)
    wild |= sums.ravel() >= _largest(expected.dtype)
    if reduction == "mul":
        wild |= least.ravel() < _tiniest(expected.dtype)
    close: Mask = same | (np.abs(ours - theirs) <= slack)
    return close | (wild & (counts.ravel() > 1))


def _same_values(ours: Array, theirs: Array) -> Mask:
    """Zeros of either sign are equal, and all NaNs, in each part of a number by itself."""
    same: Mask = np.ones(ours.shape, bool)
    for a, b in (ours.real, theirs.real), (ours.imag, theirs.imag):
        same &= (a == b) | (np.isnan(a) & np.isnan(b))
    return same


def _history(call: Call, reduction: str) -> tuple[Array, Array, Array]:
    """How many updates each element had; the sum of all abs(x), or the product of those past 1; the
    product of those below 1."""
    from dmlindex import reference
    from dmlindex.reference import checks

    given = call.given()
    scatter: Any = getattr(reference, call.operator)
    position = {name: given[name] for name in ("axis",) if name in given}
    options = {**position, "mode": given.get("mode", "raise"), "reduction": "add"}
    source = np.asarray(given["input"])
    places = given["indices"]
    shape = np.shape(given["updates"])
    zeros = np.zeros(source.shape)
    counts = scatter(zeros, places, np.ones(shape) if shape else 1.0, **options)
    magnitude = np.abs(_wide(source))
    steps = np.abs(_wide(checks.updates_array(call.operator, given["updates"], source.dtype)))
    if reduction == "add":
        return counts, scatter(magnitude, places, steps, **options), np.ones(source.shape)
    options["reduction"] = "mul"
    grown = scatter(np.maximum(magnitude, 1), places, np.maximum(steps, 1), **options)
    shrunk = scatter(np.minimum(magnitude, 1), places, np.minimum(steps, 1), **options)
    return counts, grown, shrunk


def _is_inexact(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "fc" or (dtype.type.__module__ == "ml_dtypes" and "int" not in dtype.name)


def _wide(array: Array) -> Array:
    if array.dtype.kind == "c":
        return array.astype(np.clongdouble)
    return array.astype(np.longdouble if array.dtype.kind == "f" else np.float64)


def _finfo(dtype: np.dtype[Any]) -> Any:
    if dtype.type.__module__ == "ml_dtypes":
        import ml_dtypes

        return ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    return np.finfo(dtype)


def _unit(dtype: np.dtype[Any]) -> float:
    # A complex product is four products and two sums.
    return float(_finfo(dtype).eps) * (4 if dtype.kind == "c" else 0.5)


def _largest(dtype: np.dtype[Any]) -> Any:
    return np.longdouble(_finfo(dtype).max)


def _tiniest(dtype: np.dtype[Any]) -> Any:
    return np.longdouble(_finfo(dtype).tiny)
