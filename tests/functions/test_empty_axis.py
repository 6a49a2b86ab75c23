"""An axis of size 0: "fill" fills everything, "drop" changes nothing, every other mode raises.

tests/functions/test_isa.py runs this with every instruction set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex

Array = npt.NDArray[Any]
# Long enough for every kernel, and as many as would be looked up by bytes at a time.
COUNTS = [1, 16, 17, 128, 1000]
GATHERS: dict[str, Callable[..., Array]] = {
    "gather": dmlindex.gather,
    "gather_elements": dmlindex.gather_elements,
    "gather_nd": lambda x, i, **options: dmlindex.gather_nd(x, i[:, np.newaxis], **options),
}
SCATTERS: dict[str, Callable[..., Array]] = {
    "scatter_elements": dmlindex.scatter_elements,
    "scatter_nd": lambda x, i, u, **options: dmlindex.scatter_nd(x, i[:, np.newaxis], u, **options),
}


@pytest.mark.parametrize("index", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("dtype", ["u1", "u2", "f4", "f8", "c16", "S3"])
@pytest.mark.parametrize("operator", GATHERS)
def test_gathers(operator: str, dtype: str, index: str) -> None:
    gather = GATHERS[operator]
    x = np.ones(0, dtype)
    fill = np.array(7).astype(dtype)[()]
    for count in COUNTS:
        indices = np.arange(count).astype(index)
        for mode in ("raise", "clamp", "wrap"):
            with pytest.raises(IndexError, match="which has size 0 and so no place for any index"):
                gather(x, indices, mode=mode)
        filled = np.full(count, fill, dtype)
        np.testing.assert_array_equal(gather(x, indices, mode="fill", fill_value=fill), filled)
        zeros = np.zeros(count, dtype)
        np.testing.assert_array_equal(gather(x, indices, mode="fill"), zeros)
        out = np.ones(count, dtype)
        assert gather(x, indices, mode="fill", out=out, fill_value=fill) is out
        np.testing.assert_array_equal(out, filled)


@pytest.mark.parametrize("index", ["i1", "u1", "i4", "u8"])
@pytest.mark.parametrize("dtype", ["u1", "f4", "c16"])
@pytest.mark.parametrize("reduction", ["none", "add"])
@pytest.mark.parametrize("operator", SCATTERS)
def test_scatters(operator: str, reduction: str, dtype: str, index: str) -> None:
    scatter = SCATTERS[operator]
    x = np.ones(0, dtype)
    for count in COUNTS:
        indices, updates = np.arange(count).astype(index), np.ones(count, dtype)
        for mode in ("raise", "clamp", "wrap"):
            with pytest.raises(IndexError, match="which has size 0 and so no place for any index"):
                scatter(x, indices, updates, mode=mode, reduction=reduction)
        assert scatter(x, indices, updates, mode="drop", reduction=reduction).shape == (0,)


@pytest.mark.parametrize("index", ["u1", "i8"])
@pytest.mark.parametrize("dtype", ["u1", "f4"])
def test_an_empty_axis_behind_and_before_others(dtype: str, index: str) -> None:
    """Rows of a table without rows, and rows that have no elements."""
    fill = np.array(7).astype(dtype)[()]
    indices = np.arange(100).astype(index)
    found = dmlindex.gather(np.ones((0, 5), dtype), indices, mode="fill", fill_value=fill)
    np.testing.assert_array_equal(found, np.full((100, 5), fill, dtype))
    found = dmlindex.gather(np.ones((3, 0), dtype), indices, 1, mode="fill", fill_value=fill)
    np.testing.assert_array_equal(found, np.full((3, 100), fill, dtype))
    rows = np.tile(indices, (3, 1))
    found = dmlindex.gather_elements(np.ones((3, 0), dtype), rows, 1, mode="fill", fill_value=fill)
    np.testing.assert_array_equal(found, np.full((3, 100), fill, dtype))
