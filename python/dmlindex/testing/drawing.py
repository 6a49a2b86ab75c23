"""How a call is drawn, choice by choice: arrays of any layout first, then a call made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.checks import overlaps_itself
from dmlindex.reference.memory import as_bytes
from dmlindex.reference.reductions import is_reducible
from dmlindex.testing import values
from dmlindex.testing.call import PARAMETERS, Call
from dmlindex.testing.choices import Choices, UnfitError
from dmlindex.testing.geometry import Geometry, geometry
from dmlindex.testing.memory import extent
from dmlindex.testing.space import Space

Array = npt.NDArray[Any]
Shape = tuple[int, ...]
_DEEPEST = 32  # of lists that are updates
_FAR = 100_000  # elements between two: no dim stretches further


def draw_array(c: Choices, dtype: np.dtype[Any], shape: Shape, layout: str = "any") -> Array:
    """Any content; layout is "packed", "any", or "apart", where no two elements share memory."""
    array = _laid_out(c, dtype, shape, layout)
    pool = values.pool(array.dtype)
    chosen = np.frombuffer(c.many(array.size), np.uint8)
    as_bytes(array)[...] = pool[chosen % len(pool)].reshape(shape)
    return array


def _laid_out(c: Choices, dtype: np.dtype[Any], shape: Shape, layout: str) -> Array:
    size = 1
    for side in shape:
        size *= side
    if layout == "packed" or not c.one_in(2):
        return np.ndarray(shape, dtype, buffer=_gaps(size * dtype.itemsize))
    strides = [0] * len(shape)
    step = dtype.itemsize
    for d in c.some(len(shape), len(shape)):
        stretch = c.pick((1, 1, 2, 3, -1, -2))
        if step > _FAR * dtype.itemsize:  # many dims
            stretch = 1 if stretch > 0 else -1
        if layout == "any" and c.one_in(8):
            continue  # a stride of 0
        strides[d] = stretch * step
        step *= abs(stretch) * max(shape[d], 1)
    misaligned = c.pick((0, 0, 0, 1))
    return _strided(shape, dtype, tuple(strides), _gaps(2 * step + 1), misaligned)


def _gaps(count: int) -> bytearray:
    return bytearray(b"\xa5" * count)


def _strided(
    shape: Shape, dtype: np.dtype[Any], strides: Shape, memory: bytearray, start: int
) -> Array:
    """An array in memory whose lowest byte is the start-th."""
    lowest = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if 0 not in shape)
    return np.ndarray(shape, dtype, memory, start - lowest, strides)


def draw_indices(
    c: Choices,
    dtype: np.dtype[Any],
    shape: Shape,
    limits: Sequence[int],
    *,
    in_range: bool = True,
    negative: bool = True,
    layout: str = "any",
) -> Array:
    """Indices into axes of the sizes limits, which the last dim goes through again and again."""
    array = _laid_out(c, dtype, shape, layout)
    if shape and array.strides[-1] == 0:
        limits = [min(limits)]  # the coordinates of a tuple share their memory
    pools = [values.index_pool(array.dtype, limit, in_range, negative) for limit in limits]
    if array.size and not all(pools):
        raise UnfitError
    chosen = c.many(array.size)
    if len(pools) == 1:
        pool = pools[0]
        picked = [pool[byte % len(pool)] for byte in chosen]
    else:
        count = len(pools)
        picked = [pools[i % count][b % len(pools[i % count])] for i, b in enumerate(chosen)]
    array[...] = np.array(picked, array.dtype).reshape(shape)
    return array


def _distinct_indices(c: Choices, dtype: np.dtype[Any], shape: Geometry) -> Array:
    """Indices of a scatter of which no two mean the same target."""
    found = np.empty(shape.indices, np.int64)
    highest = int(np.iinfo(dtype).max)
    limits = [min(limit, highest + 1) for limit in shape.limits]  # what the dtype can say
    if shape.axis is not None:
        lines = np.moveaxis(found, shape.axis, -1)
        for line in np.ndindex(lines.shape[:-1]):
            lines[line] = _some(c, lines.shape[-1], limits[0])
    else:
        flat = _some(c, int(np.prod(shape.indices[:-1])), int(np.prod(limits)))
        found[...] = np.stack(np.unravel_index(flat, limits), -1).reshape(found.shape)
    return found.astype(dtype)


def _some(c: Choices, count: int, among: int) -> npt.NDArray[np.int64]:
    if count > among:
        raise UnfitError
    return np.array(c.some(count, among), np.int64)


def draw_call(c: Choices, space: Space) -> Call:
    """A call of the space; UnfitError where the choices make none."""
    operator = c.pick(space.operators)
    scatter = operator.startswith("scatter")
    reduction = c.pick(space.reductions) if scatter else "none"
    dtype = c.any_of(space.dtypes)
    if not is_reducible(dtype, reduction):
        if "none" not in space.reductions:
            raise UnfitError
        reduction = "none"
    mode = c.pick(space.modes_of(operator))
    integer = c.any_of(space.index_dtypes)
    strays = not space.in_range and c.pick(
        (False, False, True) if mode == "raise" else (True, False)
    )
    shape = geometry(c, operator, space)
    empty = 0 in shape.limits
    if empty and space.in_range and 0 not in shape.indices:
        raise UnfitError
    layout = space.layouts
    source = draw_array(c, dtype, shape.input, layout)
    if scatter and not space.duplicates:
        places = _distinct_indices(c, integer, shape)
    else:
        places = draw_indices(
            c,
            integer,
            shape.indices,
            shape.limits,
            in_range=not strays and not empty,
            negative=space.negative,
            layout=layout,
        )
    arguments: tuple[Any, ...] = (source, places)
    options: dict[str, Any] = {}
    if scatter:
        arguments += (draw_array(c, dtype, shape.items, layout),)
        _scatter_options(c, space, options, operator, reduction, source, places, shape, strays)
    for name, value in shape.position.items():
        if name not in space.arguments:
            continue
        if space.by_keyword or c.one_in(2):
            options[name] = value
        else:
            arguments += (value,)
    if "mode" in space.arguments and (mode != "raise" or c.one_in(2)):
        options["mode"] = mode
    if mode == "fill" and "fill_value" in space.arguments and c.one_in(2):
        options["fill_value"] = c.pick(values.fill_values(dtype))
    call = Call(operator, arguments, options)
    if space.with_lists and scatter and c.one_in(4):
        call = _with_weak_updates(c, call, dtype, shape.items, layout)
    if space.with_out and c.one_in(2):
        return _with_out(c, call, shape.input if scatter else shape.items, layout)
    return _with_listed_indices(c, call) if space.with_lists and c.one_in(4) else call


def _scatter_options(
    c: Choices,
    space: Space,
    options: dict[str, Any],
    operator: str,
    reduction: str,
    source: Array,
    places: Array,
    shape: Geometry,
    strays: bool,
) -> None:
    if reduction != "none":
        options["reduction"] = reduction
    ordered = c.pick(space.ordered)
    if not ordered or len(space.ordered) > 1:
        options["ordered"] = ordered
    if "unique_indices" in space.arguments and not strays and c.one_in(2):
        from dmlindex import reference

        try:
            twice = reference.find_duplicates(source.shape, places, axis=shape.axis)
        except IndexError:
            return
        if twice.size == 0:
            options["unique_indices"] = True


def _with_listed_indices(c: Choices, call: Call) -> Call:
    """With indices as a list, where NumPy takes that for the same array."""
    places = call.arguments[1]
    listed = places.tolist()
    again = np.asarray(listed)
    if places.dtype != np.int64 or again.shape != places.shape or again.dtype != np.int64:
        return call
    return Call(call.operator, (call.arguments[0], listed, *call.arguments[2:]), call.options)


def _with_weak_updates(
    c: Choices, call: Call, dtype: np.dtype[Any], shape: Shape, layout: str
) -> Call:
    updates = draw_weak_updates(c, dtype, shape, layout)
    return Call(
        call.operator, (*call.arguments[:2], updates, *call.arguments[3:]), call.options, call.note
    )


def draw_weak_updates(c: Choices, dtype: np.dtype[Any], shape: Shape, layout: str = "any") -> Any:
    """Python's own numbers that go into a dtype: one for all, or a list of the shape.

    A scalar of the dtype, which is for all too, where there are none or the list would lose its
    shape.
    """
    numbers = values.weak_values(dtype)
    if not numbers:
        return draw_array(c, dtype, (), layout)
    if 0 in shape or not 0 < len(shape) <= _DEEPEST or c.one_in(2):
        return c.pick(numbers)
    chosen = c.many(int(np.prod(shape)))
    flat = np.empty(len(chosen), object)
    flat[:] = [numbers[byte % len(numbers)] for byte in chosen]
    return flat.reshape(shape).tolist()


def _with_out(c: Choices, call: Call, shape: Shape, layout: str) -> Call:
    """The call with an out: on its own, the very input of a scatter, or overlapping an argument."""
    source = call.arguments[0]
    kind = c.pick(("own", "own", "input", "overlap"))
    if kind == "input" and source.shape == shape and not overlaps_itself(source):
        return Call(call.operator, call.arguments, {**call.options, "out": source}, "out is input")
    out = draw_array(c, source.dtype, shape, "packed" if layout == "packed" else "apart")
    arguments = list(call.arguments)
    note = ""
    if kind == "overlap" and layout != "packed":
        which = c.integer(0, len(arguments) - 1)
        if not isinstance(arguments[which], np.ndarray):
            raise UnfitError
        shift = c.integer(-64, 64) * c.pick((1, source.dtype.itemsize))
        arguments[which], out = _overlapped(arguments[which], out, shift)
        note = f"out overlaps {PARAMETERS[call.operator][which]}"
    return Call(call.operator, tuple(arguments), {**call.options, "out": out}, note)


def _overlapped(array: Array, out: Array, shift: int) -> tuple[Array, Array]:
    """Both again in one piece of memory, out's beginning shift bytes behind the array's."""
    (low, high), (out_low, out_high) = extent(array), extent(out)
    memory = _gaps(max(high - low, out_high - out_low) + abs(shift) + 1)
    moved_out = _strided(out.shape, out.dtype, out.strides, memory, max(shift, 0))
    moved = _strided(array.shape, array.dtype, array.strides, memory, max(-shift, 0))
    as_bytes(moved)[...] = as_bytes(array)
    return moved, moved_out
