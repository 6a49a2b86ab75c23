"""Strategies for whole calls, right ones and ones with exactly one mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume, reject
from hypothesis import strategies as st

from dmlindex.reference.checks import GATHER_MODES, REDUCTIONS, SCATTER_MODES, overlaps_itself
from dmlindex.reference.reductions import is_reducible
from dmlindex.testing import ingredients as any_of
from dmlindex.testing.call import PARAMETERS, Call, extent
from dmlindex.testing.ingredients import (
    arrays,
    as_bytes,
    fill_values,
    gaps,
    indices,
    shapes,
    strided,
    weak_updates,
)
from dmlindex.testing.mistakes import MISTAKES

Array = npt.NDArray[Any]
Shape = tuple[int, ...]

OPERATORS = tuple(PARAMETERS)


@st.composite
def calls(
    draw: st.DrawFn,
    operator: str = "",
    *,
    dtypes: st.SearchStrategy[np.dtype[Any]] | None = None,
    index_dtypes: st.SearchStrategy[np.dtype[Any]] | None = None,
    modes: Sequence[str] = (),
    reductions: Sequence[str] = REDUCTIONS,
    in_range: bool = False,
    with_out: bool = True,
    with_lists: bool = True,
    max_dims: int = 4,
) -> Call:
    """Calls of an operator (of any, if none is named) whose arguments are as they should be.

    An index may be out of range, which mode="raise" answers with IndexError; not so with
    in_range=True. with_out: sometimes with out, which may be a scatter's input itself or overlap an
    argument in any way. with_lists: sometimes indices is a list, and updates are Python's own
    numbers.
    """
    operator = operator or draw(st.sampled_from(OPERATORS))
    if operator not in OPERATORS:
        raise ValueError(f"operator is {operator!r}, expected one of {', '.join(OPERATORS)}")
    scatter = operator.startswith("scatter")
    reduction = draw(st.sampled_from(reductions)) if scatter else "none"
    dtype = draw(any_of.dtypes() if dtypes is None else dtypes)
    if not is_reducible(dtype, reduction):
        reduction = "none"
        assume("none" in reductions)
    mode = draw(st.sampled_from(modes or (SCATTER_MODES if scatter else GATHER_MODES)))
    integer = draw(any_of.index_dtypes() if index_dtypes is None else index_dtypes)
    strays = not in_range and draw(
        st.sampled_from([False, False, True] if mode == "raise" else [True, False])
    )

    input_shape, places_shape, limits, items_shape, position = draw(_geometry(operator, max_dims))
    assume(0 not in limits or 0 in places_shape or not in_range)
    source = draw(arrays(dtype, input_shape))
    places = draw(indices(places_shape, limits, integer, in_range=not strays and 0 not in limits))
    arguments: tuple[Any, ...] = (source, places)
    options: dict[str, Any] = {}
    if scatter:
        arguments += (draw(arrays(dtype, items_shape)),)
        if reduction != "none":
            options["reduction"] = reduction
        if (
            not strays
            and draw(st.booleans())
            and _all_different(operator, source, places, position)
        ):
            options["unique_indices"] = True
    for name, value in position.items():
        if draw(st.booleans()):
            arguments += (value,)
        else:
            options[name] = value
    if mode != "raise" or draw(st.booleans()):
        options["mode"] = mode
    if mode == "fill" and draw(st.booleans()):
        options["fill_value"] = draw(fill_values(dtype))
    if scatter and with_lists and draw(st.integers(0, 3)) == 3:
        arguments = (source, places, draw(weak_updates(dtype, items_shape)), *arguments[3:])
    call = Call(operator, arguments, options)
    if with_out and draw(st.booleans()):
        return draw(_with_out(call, input_shape if scatter else items_shape))
    listed = places.tolist()
    if with_lists and draw(st.integers(0, 3)) == 3 and _lists_as(listed, places):
        return Call(operator, (source, listed, *arguments[2:]), options)
    return call


def _lists_as(listed: Any, array: Array) -> bool:
    """Whether NumPy takes a list for the same array; the shape of an empty one may be lost."""
    again = np.asarray(listed)
    return array.dtype == np.int64 and again.shape == array.shape


@st.composite
def _geometry(
    draw: st.DrawFn, operator: str, max_dims: int
) -> tuple[Shape, Shape, Shape, Shape, dict[str, int]]:
    """The shapes of input and indices, the limits of indices, the shape of what is moved (output or
    updates),
    and axis or batch_dims."""
    shape = draw(shapes(max_dims=max_dims))
    if operator == "gather":
        axis = draw(st.integers(0, len(shape) - 1))
        rest = int(np.prod(shape[:axis] + shape[axis + 1 :]))
        places = draw(shapes(min_dims=0, max_dims=3, max_elements=max(1, 300 // max(1, rest))))
        items = shape[:axis] + places + shape[axis + 1 :]
        return shape, places, (shape[axis],), items, {"axis": draw(_maybe_negative(axis, shape))}
    if operator.endswith("elements"):
        axis = draw(st.integers(0, len(shape) - 1))
        along = draw(st.integers(0, 2 * shape[axis] + 1))
        smaller = [n if draw(st.booleans()) else draw(st.integers(min(n, 1), n)) for n in shape]
        places = (*smaller[:axis], along, *smaller[axis + 1 :])
        return shape, places, (shape[axis],), places, {"axis": draw(_maybe_negative(axis, shape))}
    assert operator.endswith("_nd"), f"the shapes of {operator} are not written down here"
    batch = draw(st.integers(0, len(shape) - 1)) if operator == "gather_nd" else 0
    k = draw(st.integers(1, len(shape) - batch))
    rest = int(np.prod(shape[batch + k :])) * int(np.prod(shape[:batch]))
    q = draw(shapes(min_dims=0, max_dims=2, max_elements=max(1, 300 // max(1, rest))))
    position = {"batch_dims": batch} if operator == "gather_nd" else {}
    items = shape[:batch] + q + shape[batch + k :]
    return shape, (*shape[:batch], *q, k), shape[batch : batch + k], items, position


@st.composite
def _maybe_negative(draw: st.DrawFn, axis: int, shape: Shape) -> int:
    return axis - len(shape) if draw(st.booleans()) else axis


def _all_different(operator: str, source: Array, places: Array, position: dict[str, int]) -> bool:
    from dmlindex import reference

    axis = position.get("axis")
    try:
        return reference.find_duplicates(source.shape, places, axis=axis).size == 0
    except IndexError:
        return False


@st.composite
def _with_out(draw: st.DrawFn, call: Call, shape: Shape) -> Call:
    """The call with an out: on its own, the very input of a scatter, or overlapping an argument."""
    source = call.arguments[0]
    kind = draw(st.sampled_from(["own", "own", "input", "overlap"]))
    if kind == "input" and source.shape == shape and not overlaps_itself(source):
        return Call(call.operator, call.arguments, {**call.options, "out": source}, "out is input")
    out = draw(arrays(source.dtype, shape, broadcast=False))
    arguments = list(call.arguments)
    note = ""
    if kind == "overlap":
        which = draw(st.integers(0, len(arguments) - 1))
        assume(isinstance(arguments[which], np.ndarray))
        shift = draw(st.integers(-64, 64)) * draw(st.sampled_from([1, source.dtype.itemsize]))
        arguments[which], out = _overlapped(arguments[which], out, shift)
        note = f"out overlaps {PARAMETERS[call.operator][which]}"
    return Call(call.operator, tuple(arguments), {**call.options, "out": out}, note)


def _overlapped(array: Array, out: Array, shift: int) -> tuple[Array, Array]:
    """Both again in one piece of memory, out's beginning shift bytes behind the array's."""
    (low, high), (out_low, out_high) = extent(array), extent(out)
    memory = gaps(max(high - low, out_high - out_low) + abs(shift) + 1)
    moved_out = strided(out.shape, out.dtype, out.strides, memory, max(shift, 0))
    moved = strided(array.shape, array.dtype, array.strides, memory, max(-shift, 0))
    as_bytes(moved)[...] = as_bytes(array)
    return moved, moved_out


@st.composite
def invalid_calls(draw: st.DrawFn, /, operator: str = "", **restrictions: Any) -> Call:
    """Calls of an operator with exactly one mistake, which the note names; all of them are errors.

    The restrictions are those of calls().
    """
    mistake = draw(st.sampled_from(sorted(MISTAKES)))
    if mistake.startswith("out"):
        restrictions["with_out"] = True
    call = draw(calls(operator, in_range=True, with_lists=False, **restrictions))
    wrong = MISTAKES[mistake](call, draw(st.integers(0, 1000)))
    if wrong is None:
        reject()
    return replace(wrong, note=mistake.replace("_", " "))
