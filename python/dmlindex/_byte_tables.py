"""Reductions on floats of 8 bits and fewer: with 256 values, every result fits a table.

`dmlindex._core` asks for a table at the first reduction on such a dtype. The arithmetic and the
rounding are NumPy's and ml_dtypes' own.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np


@cache
def byte_table(dtype: np.dtype[Any], reduction: str) -> bytes:
    """The result's byte for every old value (slow) and update (fast): 65,536 bytes.

    Each is the float32 operation, rounded to nearest even into dtype. A NaN there already comes
    before the update's, and both before one that the operation makes.
    """
    bits = np.arange(256, dtype=np.uint8)
    old = bits.view(dtype).astype(np.float32)[:, np.newaxis]
    update = bits.view(dtype).astype(np.float32)[np.newaxis, :]
    if reduction in ("min", "max"):
        replaces = update < old if reduction == "min" else update > old
        moved = np.where(replaces, bits[np.newaxis, :], bits[:, np.newaxis])
    else:
        with np.errstate(all="ignore"):
            value = old + update if reduction == "add" else old * update
        value = np.where(np.isnan(value), np.float32(-np.nan), value)  # inf - inf, as on x86
        moved = _rounded(value, dtype)
    quiet = _rounded(np.broadcast_to(old, moved.shape), dtype)
    quiet_update = _rounded(np.broadcast_to(update, moved.shape), dtype)
    table = np.where(np.isnan(old), quiet, np.where(np.isnan(update), quiet_update, moved))
    return table.astype(np.uint8).tobytes()


def _rounded(values: Any, dtype: np.dtype[Any]) -> Any:
    with np.errstate(all="ignore"):
        return values.astype(dtype).view(np.uint8)
