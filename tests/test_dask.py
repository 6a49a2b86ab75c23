"""Dask's gathers: whatever the chunks, what the NumPy functions say."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
import dmlindex.dask

da: Any = dask.array  # which is only partly typed

INPUT = np.arange(5 * 6 * 4, dtype=np.float32).reshape(5, 6, 4)
RNG = np.random.default_rng(0)
CALLS: list[tuple[str, Any, dict[str, Any]]] = [
    ("gather", RNG.integers(-6, 6, (3, 7)), {"axis": 1}),
    ("gather", np.int64(-1), {"axis": -1}),
    ("gather", RNG.integers(-9, 9, 8), {"mode": "fill", "fill_value": -1}),
    ("gather_elements", RNG.integers(0, 6, (5, 9, 4)), {"axis": 1}),
    ("gather_elements", RNG.integers(-9, 9, (3, 2, 2)), {"axis": -1, "mode": "clamp"}),
    ("gather_nd", RNG.integers(0, 4, (7, 3)), {}),
    ("gather_nd", RNG.integers(0, 5, (2, 3, 1)), {}),
    ("gather_nd", RNG.integers(-9, 9, (5, 8, 2)), {"batch_dims": 1, "mode": "wrap"}),
]


# Dask warns that it splits one array's chunks to fit the other's.
@pytest.mark.filterwarnings("ignore::dask.array.PerformanceWarning")
@given(st.sampled_from(CALLS), st.lists(st.integers(1, 6), min_size=3, max_size=3), st.data())
def test_any_chunks(
    call: tuple[str, Any, dict[str, Any]], chunks: list[int], data: st.DataObject
) -> None:
    name, indices, options = call
    expected = getattr(dmlindex, name)(INPUT, indices, **options)
    lazy: Any = indices
    if data.draw(st.booleans(), label="lazy indices"):
        sizes = [data.draw(st.integers(1, size)) for size in indices.shape]
        lazy = da.from_array(np.asarray(indices), chunks=tuple(sizes))
    result = getattr(dmlindex.dask, name)(
        da.from_array(INPUT, chunks=tuple(chunks)), lazy, **options
    )
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    computed = result.compute(scheduler="synchronous")
    np.testing.assert_array_equal(np.asarray(computed), expected)


def test_it_runs_on_many_threads_and_keeps_chunks() -> None:
    table = da.from_array(INPUT, chunks=(1, 6, 2))
    result: Any = dmlindex.dask.gather(table, np.arange(5, -1, -1), axis=1)
    assert result.chunks == ((1,) * 5, (6,), (2, 2))
    np.testing.assert_array_equal(result.compute(scheduler="threads"), INPUT[:, ::-1])


@pytest.mark.parametrize(
    ("name", "indices", "options", "error"),
    [
        ("gather", [0], {"axis": 3}, ValueError),
        ("gather", [0.5], {}, TypeError),
        ("gather", [0], {"mode": "drop"}, ValueError),
        ("gather", [0], {"fill": 3}, TypeError),
        ("gather", [0], {"out": np.empty((1, 6, 4), np.float32)}, TypeError),
        ("gather", [0], {"device": "abacus"}, ValueError),
        ("gather_elements", [[0]], {}, ValueError),
        ("gather_nd", [[0, 0, 0, 0]], {}, ValueError),
        ("gather_nd", [[0]], {"batch_dims": 2}, ValueError),
    ],
)
def test_wrong_arguments_are_refused_at_once(
    name: str, indices: Any, options: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error, match=f"^{name}: "):
        getattr(dmlindex.dask, name)(da.from_array(INPUT), indices, **options)


@pytest.mark.parametrize(
    ("name", "indices", "options"),
    [
        ("gather_elements", np.zeros((1, 7, 1), int), {}),
        ("gather_nd", np.zeros((4, 1), int), {"batch_dims": 1}),
        ("gather_nd", np.zeros((1, 1), int), {"batch_dims": 1}),
    ],
)
def test_sizes_that_do_not_fit(name: str, indices: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):  # noqa: PT011, the message is Dask's or the operator's
        getattr(dmlindex.dask, name)(da.from_array(INPUT), indices, **options).compute()


def test_a_bad_index_is_an_index_error_when_computed() -> None:
    result: Any = dmlindex.dask.gather(da.from_array(INPUT), [7])
    with pytest.raises(IndexError, match="= 7 is out of range for axis 0"):
        result.compute()
