"""The shapes of a call: what each operator wants of input, indices, and what is moved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from dmlindex.testing.choices import Choices, UnfitError
from dmlindex.testing.space import LONGEST_SIDE, Space

Shape = tuple[int, ...]
_LARGE = 20_000  # elements that are moved, at most


@dataclass(frozen=True)
class Geometry:
    """The shapes of input and indices, the limits of indices, the shape of output or updates."""

    input: Shape
    indices: Shape
    limits: Shape
    items: Shape
    axis: int | None = None  # which the indices go along
    position: dict[str, int] = field(default_factory=dict)  # axis or batch_dims, as it is given


def draw_shape(
    c: Choices,
    *,
    min_dims: int = 1,
    max_dims: int = 4,
    max_elements: int = 200,
    max_side: int = 140,
) -> Shape:
    """Small sizes, sometimes with one long dim or an empty one."""
    sides = [c.integer(1, min(5, max_side)) for _ in range(c.integer(min_dims, max_dims))]
    special = c.pick((None, None, None, None, "long", "empty"))
    if sides and special is not None:
        d = c.integer(0, len(sides) - 1)
        if special == "empty":
            sides[d] = 0
        elif max_side > 16:
            sides[d] = c.integer(16, max_side)
    # Sides of 0 count as 1: strides are products of the others.
    while math.prod(max(n, 1) for n in sides) > max_elements:
        sides[sides.index(max(sides))] //= 2
    return tuple(sides)


def geometry(c: Choices, operator: str, space: Space) -> Geometry:
    side, rank = space.max_side, space.max_rank
    large = side == LONGEST_SIDE and c.large()
    shape = draw_shape(c, max_dims=rank, max_side=side)
    if operator == "gather":
        axis = _axis(c, shape, space)
        rest = math.prod(shape[:axis] + shape[axis + 1 :])
        places = _positions(c, min(3, space.most_dims + 1 - len(shape)), rest, space, large)
        items = shape[:axis] + places + shape[axis + 1 :]
        return Geometry(shape, places, (shape[axis],), items, axis, _given(c, axis, shape))
    if operator.endswith("elements"):
        axis = _axis(c, shape, space)
        most = 2 * shape[axis] + 1 if space.duplicates or operator == "gather_elements" else 0
        along = c.integer(0, min(most or shape[axis], side))
        if large and space.duplicates:
            rest = math.prod(shape[:axis] + shape[axis + 1 :])
            along = c.integer(1, _LARGE // max(1, rest))
        smaller = [n if c.one_in(2) else c.integer(min(n, 1), n) for n in shape]
        places = (*smaller[:axis], along, *smaller[axis + 1 :])
        return Geometry(shape, places, (shape[axis],), places, axis, _given(c, axis, shape))
    batch = 0
    if operator == "gather_nd" and space.batch_dims:
        batch = c.integer(0, len(shape) - 1)
    k = c.integer(1, min(len(shape) - batch, side))
    limits = shape[batch : batch + k]
    rest = math.prod(shape[batch + k :]) * math.prod(shape[:batch])
    # Neither indices nor what is moved has more dims than an array may have.
    dims = min(2, space.most_dims - batch - 1, space.most_dims - len(shape) + k)
    if operator == "scatter_nd" and not space.duplicates:
        most = min(_few(rest), math.prod(limits))
        fewest = min(1, dims)
        if not most and not dims:
            raise UnfitError  # an index into nothing
        q: Shape = (0,)
        if most:
            dims = min(dims, rank)
            q = draw_shape(c, min_dims=fewest, max_dims=dims, max_elements=most, max_side=side)
    else:
        q = _positions(c, dims, rest, space, large and dims > 0)
    position = {"batch_dims": batch} if operator == "gather_nd" else {}
    return Geometry(
        shape,
        (*shape[:batch], *q, k),
        limits,
        shape[:batch] + q + shape[batch + k :],
        None,
        position,
    )


def _positions(c: Choices, dims: int, rest: int, space: Space, large: bool) -> Shape:
    """How many slices of so many elements are moved: a few, or very many in one dim."""
    if large:
        return (c.integer(1, _LARGE // max(1, rest)),)
    dims, side = min(dims, space.max_rank), space.max_side
    return draw_shape(c, min_dims=0, max_dims=dims, max_elements=_few(rest), max_side=side)


def _few(rest: int) -> int:
    """How many slices of so many elements are still a small call."""
    return max(1, 300 // max(1, rest))


def _axis(c: Choices, shape: Shape, space: Space) -> int:
    return c.integer(0, len(shape) - 1) if "axis" in space.arguments else 0


def _given(c: Choices, axis: int, shape: Shape) -> dict[str, int]:
    """The axis as it is given: sometimes counted from the end."""
    return {"axis": axis - len(shape) if c.one_in(2) else axis}
