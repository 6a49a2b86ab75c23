"""Strategies for what a call is made of: dtypes, shapes, arrays of any layout, indices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import reject
from hypothesis import strategies as st

from dmlindex.testing import values
from dmlindex.testing.choices import HypothesisChoices, UnfitError
from dmlindex.testing.drawing import draw_array, draw_indices
from dmlindex.testing.geometry import draw_shape

Array = npt.NDArray[Any]
Shape = tuple[int, ...]


def dtypes(classes: Sequence[str] = values.DTYPE_CLASSES) -> st.SearchStrategy[np.dtype[Any]]:
    """dtypes of the classes named: "bool", "integer", "float", "complex", "time", "text", "void"
    (records too), "ml_dtypes" (nothing where that is not installed), "foreign" (the other byte
    order)."""
    return st.sampled_from(values.all_dtypes(classes))


def index_dtypes(*, foreign: bool = True) -> st.SearchStrategy[np.dtype[Any]]:
    """Every integer dtype, those of the other byte order last."""
    return st.sampled_from(values.index_dtypes(foreign))


@st.composite
def shapes(
    draw: st.DrawFn, *, min_dims: int = 1, max_dims: int = 4, max_elements: int = 200
) -> Shape:
    """Shapes of small sizes, sometimes with one long dim or an empty one."""
    c = HypothesisChoices(draw)
    return draw_shape(c, min_dims=min_dims, max_dims=max_dims, max_elements=max_elements)


@st.composite
def arrays(draw: st.DrawFn, dtype: npt.DTypeLike, shape: Shape, *, broadcast: bool = True) -> Array:
    """Arrays of any content and layout: dims in any order, strides negative, padded or (with
    broadcast) 0, an unaligned start. The gaps between elements are not zero."""
    layout = "any" if broadcast else "apart"
    return draw_array(HypothesisChoices(draw), np.dtype(dtype), shape, layout)


@st.composite
def indices(
    draw: st.DrawFn,
    shape: Shape,
    limits: Sequence[int],
    dtype: npt.DTypeLike = np.int64,
    *,
    in_range: bool = True,
) -> Array:
    """Indices of any layout into axes of the sizes limits, which the last dim goes through again
    and again.

    So limits is (n,) for one axis, and one size for each coordinate of an index tuple.
    in_range=False puts some between them that are out of range, the extremes of the dtype among
    them. An axis of size 0 has none in range.
    """
    try:
        return draw_indices(
            HypothesisChoices(draw), np.dtype(dtype), shape, limits, in_range=in_range
        )
    except UnfitError:
        reject()
