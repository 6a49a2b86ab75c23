"""Scatters into so much that no cache keeps a copy: some rows are copied, then updated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlindex


@pytest.mark.parametrize("reduction", ["none", "add"])
@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("count", [1, 2])
def test_rows_that_are_copied_when_they_are_updated(
    threads: Callable[[int], None], count: int, axis: int, reduction: Any
) -> None:
    """Also rows behind the last that has updates; a bad index in the last leaves out untouched."""
    threads(count)
    rng = np.random.default_rng([count, axis])
    shape = (1900, 60, 70)
    table = rng.integers(-9, 9, shape).astype("f4")
    updated = (1803, 60, 40) if axis == 2 else (1803, 40, 70)
    indices = rng.integers(-shape[axis], shape[axis], updated)
    updates = rng.integers(-9, 9, updated).astype("f4")
    places = list(np.ogrid[tuple(slice(size) for size in updated)])
    places[axis] = indices
    expected = table.copy()
    if reduction == "none":
        expected[tuple(places)] = updates
    else:
        np.add.at(expected, tuple(places), updates)
    for out in (None, np.zeros(shape, "f4")):
        result = dmlindex.scatter_elements(
            table, indices, updates, axis, reduction=reduction, out=out
        )
        assert np.array_equal(result, expected)

    indices[-1, -1, -1] = shape[axis]
    out = np.zeros(shape, "f4")
    for given in (None, out):
        with pytest.raises(IndexError, match=rf"indices\[1802, .* = {shape[axis]} "):
            dmlindex.scatter_elements(table, indices, updates, axis, out=given)
    assert not out.any()
    dropped = dmlindex.scatter_elements(
        table, indices, updates, axis, reduction=reduction, mode="drop", out=out
    )
    assert np.array_equal(dropped[:1802], expected[:1802])
    assert np.array_equal(dropped[1803:], table[1803:])
