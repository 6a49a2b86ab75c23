"""What the Dask functions refuse, and when."""

from __future__ import annotations

from typing import Any

import dask.array
import numpy as np
import pytest
from dask.delayed import delayed

import dmlindex.dask

da: Any = dask.array  # which is only partly typed

INPUT = np.arange(5 * 6 * 4, dtype=np.float32).reshape(5, 6, 4)


@pytest.mark.parametrize(
    ("name", "arguments", "options", "error"),
    [
        ("gather", [[0]], {"axis": 3}, ValueError),
        ("gather", [[0.5]], {}, TypeError),
        ("gather", [da.zeros(3)], {}, TypeError),
        ("gather", [[0]], {"mode": "drop"}, ValueError),
        ("gather", [[0]], {"fill_value": "x"}, (TypeError, ValueError)),
        ("gather", [[0]], {"out": np.empty((1, 6, 4), np.float32)}, TypeError),
        ("gather", [[0]], {"device": "abacus"}, ValueError),
        ("gather_elements", [[[0]]], {}, ValueError),
        ("gather_elements", [np.zeros((1, 7, 1), int)], {}, ValueError),
        ("gather_nd", [[[0, 0, 0, 0]]], {}, ValueError),
        ("gather_nd", [np.zeros((4, 1), int)], {"batch_dims": 1}, ValueError),
        ("gather_nd", [[[0]]], {"batch_dims": 2}, ValueError),
        ("scatter_nd", [[[0]], np.zeros((1, 6, 4))], {}, TypeError),
        ("scatter_nd", [[[0]], da.zeros((1, 6, 4))], {}, TypeError),
        ("scatter_nd", [[[0]], da.zeros((1, 6, 5), dtype="f4")], {}, ValueError),
        ("scatter_nd", [[[0]], INPUT[:1]], {"reduction": "xor"}, ValueError),
        ("scatter_nd", [[[0]], INPUT[:1]], {"mode": "fill"}, ValueError),
        ("scatter_nd", [[[0]], INPUT[:1]], {"ordered": 1}, TypeError),
        ("scatter_nd", [[[0]], INPUT[:1]], {"out": INPUT}, TypeError),
        ("scatter_elements", [INPUT.astype(int), INPUT[:4]], {}, ValueError),
        ("scatter_elements", [INPUT.astype(int), INPUT], {"unique_indices": 1}, TypeError),
    ],
)
def test_wrong_arguments_are_refused_at_once(
    name: str, arguments: Any, options: dict[str, Any], error: Any
) -> None:
    for chunks in (-1, 2):
        with pytest.raises(error, match=f"^{name}: "):
            getattr(dmlindex.dask, name)(da.from_array(INPUT, chunks=chunks), *arguments, **options)


def test_chunks_of_unknown_sizes() -> None:
    known = da.from_array(np.arange(9), chunks=3)
    unknown = known[known > 2]
    scatter = dmlindex.dask.scatter_elements
    for arguments in [(unknown, [0]), (known, unknown)]:
        with pytest.raises(ValueError, match=r"unknown sizes .* compute_chunk_sizes\(\)"):
            dmlindex.dask.gather(*arguments)
    with pytest.raises(ValueError, match=r"^scatter_elements: updates has chunks of unknown sizes"):
        scatter(known, known, unknown)
    with pytest.raises(ValueError, match=r"^find_duplicates: indices has chunks of unknown sizes"):
        dmlindex.dask.find_duplicates((9,), unknown, axis=0)


def test_masked_chunks() -> None:
    masked = da.ma.masked_array(da.from_array(INPUT, chunks=2), mask=INPUT > 3)
    with pytest.raises(TypeError, match=r"^gather: input is or holds a masked array"):
        dmlindex.dask.gather(masked, [0])
    with pytest.raises(TypeError, match=r"^gather: indices is or holds a masked array"):
        dmlindex.dask.gather(da.from_array(INPUT), np.ma.masked_array([0]))


def test_other_collections_are_refused() -> None:
    with pytest.raises(TypeError, match=r"^gather: input is a dask\.\S+, expected a dask.array"):
        dmlindex.dask.gather(delayed(INPUT), [0])


@pytest.mark.parametrize("chunks", [6, 2])
def test_a_bad_index_is_an_index_error_when_computed(chunks: int) -> None:
    indices = np.zeros((4, 5), int)
    indices[2, 3] = 7
    for given in (indices, da.from_array(indices, chunks=2)):
        result = dmlindex.dask.gather(da.from_array(INPUT, chunks=chunks), given, axis=1)
        assert result.shape == (5, 4, 5, 4)
        with pytest.raises(IndexError, match=r"^gather: indices\[2, 3\] = 7 .* for axis 1 of .* 6"):
            da.compute(result)


def test_a_bad_index_of_empty_slices_is_found() -> None:
    indices = da.from_array(np.array([0, 9]), chunks=1)
    result = dmlindex.dask.gather(da.zeros((4, 0), chunks=(2, 0)), indices)
    with pytest.raises(IndexError, match=r"^gather: indices\[1\] = 9 is out of range"):
        da.compute(result)


def test_numpy_alone_is_computed_lazily_too() -> None:
    result = dmlindex.dask.gather(INPUT, [1, 0])
    assert isinstance(result, da.Array)
    np.testing.assert_array_equal(result.compute(), INPUT[[1, 0]])
