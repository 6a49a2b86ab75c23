"""What mode "fill" puts where an index means no place, as code."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np


def fill_code(bits: bytes, dtype: np.dtype[Any], given: object = None) -> str:
    """An expression of NumPy's for the element of those bits; `x` is the input, of that dtype.

    `given` is what the caller wrote for it, which is shown where it means the same.

    >>> fill_code(np.float32(0.1).tobytes(), np.dtype(np.float32), 0.1)
    '0.1'
    >>> fill_code(np.float64("nan").tobytes(), np.dtype(np.float64))
    'np.nan'
    >>> fill_code(b"ab", np.dtype([("first", "S1"), ("second", "S1")]))
    "np.frombuffer(b'ab', x.dtype)[0]"
    """
    candidates = [given]
    if dtype.itemsize and dtype.names is None:
        element = np.frombuffer(bits, dtype)[0]
        candidates.append(str(element) if dtype.kind == "M" else element.item())
    for candidate in candidates:
        if type(candidate) in _TEXTS and _bits(candidate, dtype) == bits:
            return str(_TEXTS[type(candidate)](candidate))
    return f"np.frombuffer({bits!r}, x.dtype)[0]" if any(bits) else "np.zeros((), x.dtype)"


def _bits(value: object, dtype: np.dtype[Any]) -> bytes:
    """Those of the value as an element of the dtype; none where NumPy makes none of it."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.array(value, dtype).tobytes()
    except (TypeError, ValueError, OverflowError):
        return b""


def _float_text(number: float) -> str:
    return repr(number).replace("nan", "np.nan").replace("inf", "np.inf")


def _complex_text(number: complex) -> str:
    return f"complex({_float_text(number.real)}, {_float_text(number.imag)})"


_TEXTS: dict[type, Any] = {
    bool: repr, int: repr, float: _float_text, complex: _complex_text, str: repr, bytes: repr,
}  # fmt: skip
