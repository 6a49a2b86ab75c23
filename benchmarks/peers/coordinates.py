"""How an index tuple is spelled in the libraries that index with one array a dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.call import Call


def tuple_code(call: Call) -> str:
    """The tuple's numbers as arrays, behind the batch's own: 'b0, i[..., 0], i[..., 1]'."""
    batch = [f"b{dim}" for dim in range(call.batch_dims)]
    return ", ".join(batch + [f"i[..., {k}]" for k in range(call.indices.shape[-1])])


def batch_arrays(call: Call) -> dict[str, Any]:
    """The b0, b1, … of tuple_code, made before the clock starts."""
    rank = call.indices.ndim - 1
    return {f"b{dim}": _along(call.input.shape[dim], dim, rank) for dim in range(call.batch_dims)}


def grid_code(call: Call) -> str:
    """The place that each of a scatter_elements' indices means: 'i, g1'."""
    dims = [f"g{dim}" for dim in range(call.input.ndim)]
    dims[call.axis] = "i"
    return ", ".join(dims)


def grid_arrays(call: Call) -> dict[str, Any]:
    """The g0, g1, … of grid_code, made before the clock starts."""
    rank = call.input.ndim
    return {f"g{dim}": _along(call.indices.shape[dim], dim, rank) for dim in range(rank)}


def _along(size: int, dim: int, rank: int) -> Any:
    shape = [1] * rank
    shape[dim] = size
    return np.arange(size).reshape(shape)
