"""legalize: which recipe for which call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dmlindex.directml.legal import fills, gathers, scatters, tuples
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.direct import direct, direct_desc
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.program import Impossible, Program
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request, read_request
from dmlindex.directml.values import FeatureLevel

_RECIPES: dict[str, Callable[[Builder, Request], Value]] = {
    "gather": gathers.gather,
    "gather_elements": gathers.gather_elements,
    "gather_nd": tuples.gather_nd,
    "scatter_elements": scatters.scatter_elements,
    "scatter_nd": scatters.scatter_nd,
}


def legalize(
    function: str | Callable[..., Any],
    shapes_or_arrays: Sequence[Any],
    *,
    feature_level: FeatureLevel = FeatureLevel.FL_6_4,
    axis: int = 0,
    batch_dims: int = 0,
    mode: str = "raise",
    reduction: str = "none",
    fill_value: Any = 0,
    unique_indices: bool = False,
    limit: int = 2**24,
    max_rounds: int = 512,
) -> Program | Impossible:
    """A program of what DirectML accepts at a feature level, or why there is none.

    Args:
        function: gather, gather_elements, gather_nd, scatter_elements or scatter_nd, or its name.
        shapes_or_arrays: input, indices and, for a scatter, updates: each an array, or its
            (shape, dtype).
        feature_level: what the descriptors are held to.
        axis, batch_dims, mode, reduction, fill_value, unique_indices: as the function takes them.
        limit: the most elements that a temporary may have where targets are compared.
        max_rounds: the most rounds that a scatter may be split into.
    """
    if not isinstance(feature_level, FeatureLevel):
        raise TypeError(
            f"legalize: feature_level is a {type(feature_level).__name__}, expected a FeatureLevel"
        )
    options = {
        "axis": axis,
        "batch_dims": batch_dims,
        "mode": mode,
        "reduction": reduction,
        "fill_value": fill_value,
        "unique_indices": unique_indices,
        "max_rounds": max_rounds,
    }
    r = read_request(function, shapes_or_arrays, options)
    b = Builder(feature_level, limit)
    try:
        result = _result(b, r)
    except NoProgram as why:
        return Impossible(r.function, feature_level, ((why.reason, why.sentence),))
    return Program(
        r.function, r.options, feature_level, b.buffers, tuple(b.steps), result, r.arguments,
        r.limits, r.position, r.shape, r.input.dtype, b.promise, tuple(b.notes), b.fixed_indices,
    )  # fmt: skip


def _result(b: Builder, r: Request) -> Value | None:
    size = int(np.prod(r.shape, dtype=object)) * r.input.dtype.itemsize
    out_of_place = 0 in r.limits and r.indices.size > 0
    if size == 0 or (out_of_place and r.mode in ("raise", "clamp", "wrap")):
        return None  # nothing to compute, or an IndexError
    if out_of_place:
        return fills.all_filled(b, r)
    if not r.scatters or scatters.has_unique_targets(r):
        desc = direct_desc(r, b.level)
        if desc is not None:
            return direct(b, r, desc)
    return _RECIPES[r.function](b, r)
