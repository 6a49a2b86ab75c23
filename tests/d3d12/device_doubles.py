"""Reductions of float64 and complex numbers, whose arithmetic a D3D12 device does in integers, held
to the reference: numbers of any bits, and those between which rounding, cancelling and the ends of
the range lie."""

from __future__ import annotations

import json
import traceback
from functools import partial
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
import tests.conftest  # noqa: F401 (registers Hypothesis's profiles)
from dmlindex import reference, testing

CALLS = [
    (dtype, reduction)
    for dtype in ("f8", "c8", "c16")
    for reduction in ("add", "mul", "min", "max")
    if dtype == "f8" or reduction in ("add", "mul")
]
TARGETS = 5


def mantissas(bits: int) -> st.SearchStrategy[int]:
    """Any, and those with few ones, with ones up to an end, or just beside the middle."""
    full, half = (1 << bits) - 1, 1 << (bits - 1)
    ones = st.integers(0, bits)
    return st.one_of(
        st.integers(0, full),
        st.sampled_from([0, 1, half - 1, half, half + 1, full]),
        ones.map(lambda k: full >> k),
        ones.map(lambda k: full << k & full),
        ones.map(lambda k: 1 << k & full),
    )


@st.composite
def numbers(draw: st.DrawFn, dtype: np.dtype[Any], count: int) -> Any:
    """So many, most of them near one size: sums round and cancel, products of two are near an end
    of the range where that size is near its root."""
    bits, last = np.finfo(dtype).nmant, 2 ** np.finfo(dtype).nexp - 1
    middle = last // 2
    at = draw(st.sampled_from([0, middle // 2, middle, middle + middle // 2, last - 1]))
    near = st.integers(-bits - 4, bits + 4).map(lambda by: min(max(at + by, 0), last))
    exponents = st.one_of(near, near, near, st.integers(0, last), st.sampled_from([0, last]))
    words = st.builds(
        lambda sign, exponent, mantissa: (
            (sign << 8 * dtype.itemsize - 1) | (exponent << bits) | mantissa
        ),
        st.integers(0, 1),
        exponents,
        mantissas(bits),
    )
    drawn = draw(st.lists(words, min_size=count, max_size=count))
    return np.array(drawn, f"u{dtype.itemsize}").view(dtype)


@st.composite
def calls(draw: st.DrawFn, dtype: np.dtype[Any], reduction: str) -> testing.Call:
    """Updates of single elements, in runs and lists of any length."""
    part = dtype.type(0).real.dtype
    parts = dtype.itemsize // part.itemsize
    places = draw(st.lists(st.integers(0, TARGETS - 1), min_size=1, max_size=12))
    both = draw(numbers(part, parts * (TARGETS + len(places)))).view(dtype)
    indices = np.array(places)[:, np.newaxis]
    return testing.Call(
        "scatter_nd", (both[:TARGETS], indices, both[TARGETS:]), {"reduction": reduction}
    )


def pairs(dtype: np.dtype[Any], reduction: str) -> testing.Call:
    """Every pair of numbers whose sums and products lie at a tie, just beside one, or at an end."""
    part = dtype.type(0).real.dtype
    bits, last = np.finfo(part).nmant, 2 ** np.finfo(part).nexp - 1
    middle, half, full = last // 2, 1 << (bits - 1), (1 << bits) - 1
    exponents = [0, 1, 2, bits + 1, (middle - bits) // 2, middle // 2, middle // 2 + 1]
    exponents += [middle - bits - 2, middle - bits - 1, middle - bits, middle - 1, middle]
    exponents += [middle + middle // 2 + 1, last - 1, last]
    significands = [0, 1, half, half + 1, full - 1, full]
    sign = 1 << (8 * part.itemsize - 1)
    words = [s | e << bits | m for s in (0, sign) for e in exponents for m in significands]
    each = np.array(words, f"u{part.itemsize}")
    old, update = np.repeat(each, len(each)), np.tile(each, len(each))
    if part != dtype:  # any two make a complex number
        order = np.random.default_rng(0).permutation(len(old))[:8000]
        old, update = (np.ravel((a[order], a[order[::-1]]), "F") for a in (old, update))
    x, updates = old.view(dtype), update.view(dtype)
    return testing.Call(
        "scatter_nd", (x, np.arange(len(x))[:, np.newaxis], updates), {"reduction": reduction}
    )


def check(dtype: str, reduction: str) -> None:
    device = partial(dmlindex.scatter_nd, device="d3d12")
    testing.check_same(device, reference.scatter_nd, pairs(np.dtype(dtype), reduction))

    @given(calls(np.dtype(dtype), reduction))
    def agrees(call: testing.Call) -> None:
        testing.check_same(device, reference.scatter_nd, call)

    agrees()


def main() -> None:
    """Prints as JSON what went wrong with each dtype and reduction, or null."""
    found: dict[str, str | None] = {}
    for dtype, reduction in CALLS:
        try:
            check(dtype, reduction)
            found[f"{dtype} {reduction}"] = None
        except Exception:
            found[f"{dtype} {reduction}"] = traceback.format_exc()
    print(json.dumps(found))
