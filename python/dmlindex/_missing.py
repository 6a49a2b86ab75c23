"""Values that other libraries' tables lack, and that NumPy would quietly make NaN of.

`dmlindex._core` asks before it converts an object that is no NumPy array.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def missing_values(table: Any) -> str | None:
    """What to do about them; None where a table lacks nothing, or marks it by NaN itself.

    PyArrow's and Polars' arrays count them. Those of pandas have `isna`, and dtypes whose
    `na_value` is pandas.NA where they are nullable (Int64, boolean, Float64, Arrow's).
    """
    count = getattr(table, "null_count", None)
    if count is not None and np.sum(np.asarray(count() if callable(count) else count)) > 0:
        return "fill them first, e.g. with its fill_null(value)"
    nullable = hasattr(table, "isna") and any(map(_is_nullable, _dtypes(table)))
    if nullable and np.asarray(table.isna()).any():
        return "fill them first, e.g. with its fillna(value)"
    return None


def _dtypes(table: Any) -> list[Any]:
    """A frame of pandas has one for each column."""
    return list(table.dtypes) if hasattr(table, "columns") else [table.dtype]


def _is_nullable(dtype: Any) -> bool:
    return type(getattr(dtype, "na_value", None)).__name__ == "NAType"
