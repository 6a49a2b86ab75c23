"""The NumPy functions hand Dask's arrays on to dmlindex.dask."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
import pytest

import dmlindex

da: Any = dask.array  # which is only partly typed

X = np.arange(20.0).reshape(4, 5)
TUPLES = np.array([[3, 1], [0, -1]])
ALONG = np.array([[4, 0], [1, 1]])

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("gather", (X, ALONG), {"axis": 1, "mode": "clamp"}),
    ("gather_elements", (X, ALONG, 1), {}),
    ("gather_nd", (X, TUPLES), {"device": "cpu"}),
    ("scatter_elements", (X, ALONG, np.ones((2, 2)), 1), {"reduction": "add"}),
    ("scatter_nd", (X, TUPLES, np.ones(2)), {"unique_indices": True}),
    ("find_duplicates", (X, ALONG), {"axis": 1}),
]


@pytest.mark.parametrize(("name", "arguments", "options"), CALLS, ids=[c[0] for c in CALLS])
def test_any_argument_may_be_a_dask_array(
    name: str, arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    function = getattr(dmlindex, name)
    expected = function(*arguments, **options)
    for i, value in enumerate(arguments):
        if isinstance(value, np.ndarray):
            given = list(arguments)
            given[i] = da.from_array(value, chunks=2)
            result = function(*given, **options)
            assert isinstance(result, da.Array)
            np.testing.assert_array_equal(da.compute(result)[0], expected)


def test_by_keywords() -> None:
    lazy = da.from_array(X, chunks=2)
    result = dmlindex.gather_nd(indices=TUPLES, input=lazy)
    np.testing.assert_array_equal(da.compute(result)[0], [X[3, 1], X[0, -1]])


def test_out_is_refused() -> None:
    out = np.empty(2)
    with pytest.raises(TypeError, match=r"^gather_nd: out is given together with a Dask array"):
        dmlindex.gather_nd(da.from_array(X, chunks=2), TUPLES, out=out)


def test_compiled_operators_take_arrays_at_hand() -> None:
    data = dmlindex.TensorDesc(dmlindex.DataType.FLOAT64, (4, 5))
    places = dmlindex.TensorDesc(dmlindex.DataType.INT64, (4, 5))
    desc = dmlindex.GatherElementsOperatorDesc(data, places, data, axis=1)
    compiled = dmlindex.Device("cpu").compile(desc)
    with pytest.raises(TypeError, match=r"Dask"):
        compiled(da.from_array(X), np.zeros((4, 5), int))
