"""How a workload's arrays are made: shapes, distributions of indices, dtypes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from benchmarks.call import Array, Call

Shape = tuple[int, ...]
Make = Callable[[np.random.Generator], Call]


def values(rng: np.random.Generator, shape: Shape, dtype: npt.DTypeLike = "float32") -> Array:
    if np.dtype(dtype).kind == "f":
        return rng.uniform(0.9, 1.1, shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def gather(
    shape: Shape,
    indices: Shape,
    axis: int = 0,
    *,
    dtype: npt.DTypeLike = "float32",
    index: npt.DTypeLike = "int64",
    low: int = 0,
    run: bool = False,
) -> Make:
    """Random indices in [low, size); with run, 0, 1, 2, …"""

    def make(rng: np.random.Generator) -> Call:
        picked = np.arange(np.prod(indices)) if run else rng.integers(low, shape[axis], indices)
        picked = np.asarray(picked, index).reshape(indices)
        return Call("gather", values(rng, shape, dtype), picked, axis=axis)

    return make


def of_dtype(make: Make, dtype: npt.DTypeLike) -> Make:
    """The same call with data of another dtype."""

    def remade(rng: np.random.Generator) -> Call:
        call = make(rng)
        updates = None if call.updates is None else call.updates.astype(dtype)
        return replace(call, input=call.input.astype(dtype), updates=updates)

    return remade


def gather_elements(shape: Shape, indices: Shape, axis: int, *, whole_rows: str = "") -> Make:
    """whole_rows, "materialised" or "expanded" (0-stride): indices constant along the last axis."""

    def make(rng: np.random.Generator) -> Call:
        return Call(
            "gather_elements",
            values(rng, shape),
            _element_indices(rng, shape[axis], indices, whole_rows),
            axis=axis,
        )

    return make


def _element_indices(rng: np.random.Generator, size: int, shape: Shape, whole_rows: str) -> Array:
    if not whole_rows:
        return rng.integers(0, size, shape)
    rows = rng.integers(0, size, (*shape[:-1], 1))
    expanded = np.lib.stride_tricks.as_strided(rows, shape, (*rows.strides[:-1], 0))
    return expanded if whole_rows == "expanded" else expanded.copy()


def gather_nd(
    shape: Shape,
    indices: Shape,
    batch_dims: int = 0,
    *,
    dtype: npt.DTypeLike = "float32",
    negative: bool = False,
) -> Make:
    def make(rng: np.random.Generator) -> Call:
        limits = np.array(shape[batch_dims : batch_dims + indices[-1]])
        picked = rng.integers(-limits if negative else 0 * limits, limits, indices)
        return Call("gather_nd", values(rng, shape, dtype), picked, batch_dims=batch_dims)

    return make


def scatter_nd(
    shape: Shape, indices: Shape, *, reduction: str = "none", in_place: bool = False
) -> Make:
    """Without a reduction the targets are distinct: peers promise nothing about the others."""

    def make(rng: np.random.Generator) -> Call:
        k = indices[-1]
        size, count = int(np.prod(shape[:k])), int(np.prod(indices[:-1]))
        if reduction == "none":
            flat = rng.permutation(size)[:count]
        else:
            flat = rng.integers(0, size, count)
        picked = np.stack(np.unravel_index(flat, shape[:k]), -1).reshape(indices)
        return Call(
            "scatter_nd",
            values(rng, shape),
            picked,
            values(rng, (*indices[:-1], *shape[k:])),
            reduction=reduction,
            in_place=in_place,
        )

    return make


def scatter_elements(
    shape: Shape,
    indices: Shape,
    axis: int,
    *,
    dtype: npt.DTypeLike = "float32",
    reduction: str = "none",
    whole_rows: str = "",
    in_place: bool = False,
) -> Make:
    """Without a reduction the targets are distinct: peers promise nothing about the others."""

    def make(rng: np.random.Generator) -> Call:
        if reduction == "none":
            every = np.broadcast_to(
                np.arange(shape[axis]).reshape([-1 if d == axis else 1 for d in range(len(shape))]),
                [size if d == axis else indices[d] for d, size in enumerate(shape)],
            )
            picked = rng.permuted(every, axis=axis).take(range(indices[axis]), axis)
            if whole_rows:
                picked = np.broadcast_to(picked[..., :1], indices).copy()
        else:
            picked = _element_indices(rng, shape[axis], indices, whole_rows)
        return Call(
            "scatter_elements",
            values(rng, shape, dtype),
            picked,
            values(rng, indices, dtype),
            axis=axis,
            reduction=reduction,
            in_place=in_place,
        )

    return make
