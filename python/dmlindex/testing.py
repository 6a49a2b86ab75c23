"""Hypothesis strategies for calls of the operators, and a check: fuzz your own implementation.

    import numpy as np
    from dmlindex import reference, testing
    from hypothesis import given

    def my_gather(input, indices, axis=0, *, mode="raise"):
        return np.take(input, indices, axis, mode=mode)

    @given(testing.calls("gather", modes=["raise", "wrap"], with_out=False, with_lists=False))
    def test_my_gather(call):
        testing.check_same(my_gather, reference.gather, call)

A call holds arrays of any layout, dtype and content that the operator takes. `check_same` runs both
functions on copies of them and wants the same answer bit for bit, or an exception of the same type,
and no other byte written. Where they differ it says how, and prints code that shows it again.
numpy.take above is caught at once: it refuses uint64 indices, for example.

`invalid_calls` gives calls with exactly one mistake in them: wrong types, shapes, axes, an index
out of range. Needs Hypothesis (`pip install dmlindex[testing]`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import assume, reject
from hypothesis import strategies as st

from dmlindex import _test_values as values
from dmlindex._call import PARAMETERS, Call, check_same, extent
from dmlindex._reference_checks import GATHER_MODES, REDUCTIONS, SCATTER_MODES, overlaps_itself
from dmlindex._reference_reductions import is_reducible
from dmlindex._test_mistakes import MISTAKES

__all__ = [
    "Call",
    "arrays",
    "calls",
    "check_same",
    "dtypes",
    "index_dtypes",
    "indices",
    "invalid_calls",
    "is_reducible",
    "shapes",
]

Array = npt.NDArray[Any]
Shape = tuple[int, ...]

OPERATORS = tuple(PARAMETERS)


def dtypes(classes: Sequence[str] = values.DTYPE_CLASSES) -> st.SearchStrategy[np.dtype[Any]]:
    """dtypes of the classes named: "bool", "integer", "float", "complex", "time", "text", "void"
    (records
    too), "ml_dtypes" (nothing where that is not installed), "foreign" (the other byte order)."""
    return st.sampled_from([dtype for name in classes for dtype in values.dtypes_of(name)])


def index_dtypes(*, foreign: bool = True) -> st.SearchStrategy[np.dtype[Any]]:
    """Every integer dtype, those of the other byte order last."""
    return st.sampled_from(values.index_dtypes(foreign))


_any_dtype, _any_index_dtype = dtypes, index_dtypes  # for where an argument has that name


@st.composite
def shapes(
    draw: st.DrawFn, *, min_dims: int = 1, max_dims: int = 4, max_elements: int = 200
) -> Shape:
    """Shapes of small sizes, sometimes with one long dim or an empty one."""
    sides = draw(st.lists(st.integers(1, 5), min_size=min_dims, max_size=max_dims))
    special = draw(st.sampled_from([None, None, None, None, "long", "empty"]))
    if sides and special is not None:
        d = draw(st.integers(0, len(sides) - 1))
        sides[d] = 0 if special == "empty" else draw(st.integers(16, 140))
    while int(np.prod(sides)) > max_elements:
        sides[sides.index(max(sides))] //= 2
    return tuple(sides)


@st.composite
def arrays(draw: st.DrawFn, dtype: npt.DTypeLike, shape: Shape, *, broadcast: bool = True) -> Array:
    """Arrays of any content and layout: dims in any order, strides negative, padded or (with
    broadcast) 0,
    an unaligned start. The gaps between elements are not zero."""
    array = draw(_laid_out(np.dtype(dtype), shape, broadcast))
    pool = values.pool(array.dtype)
    chosen = np.frombuffer(draw(st.binary(min_size=array.size, max_size=array.size)), np.uint8)
    as_bytes(array)[...] = pool[chosen % len(pool)].reshape(shape)
    return array


def as_bytes(array: Array) -> Array:
    """The same memory, each element as plain bytes: copying those copies every bit."""
    return array.view(np.dtype((np.void, array.dtype.itemsize)))


@st.composite
def _laid_out(draw: st.DrawFn, dtype: np.dtype[Any], shape: Shape, broadcast: bool) -> Array:
    if draw(st.booleans()):
        return np.ndarray(shape, dtype, buffer=_gaps(int(np.prod(shape)) * dtype.itemsize))
    strides = [0] * len(shape)
    step = dtype.itemsize
    for d in draw(st.permutations(range(len(shape)))):
        stretch = draw(st.sampled_from([1, 1, 2, 3, -1, -2]))
        if broadcast and draw(st.integers(0, 7)) == 7:
            continue  # a stride of 0
        strides[d] = stretch * step
        step *= abs(stretch) * max(shape[d], 1)
    misaligned = draw(st.sampled_from([0, 0, 0, 1]))
    return _strided(shape, dtype, tuple(strides), _gaps(2 * step + 1), misaligned)


def _gaps(count: int) -> bytearray:
    return bytearray(b"\xa5" * count)


def _strided(
    shape: Shape, dtype: np.dtype[Any], strides: Shape, memory: bytearray, start: int
) -> Array:
    """An array in memory whose lowest byte is the start-th."""
    lowest = sum(min(0, (n - 1) * s) for n, s in zip(shape, strides, strict=True) if 0 not in shape)
    return np.ndarray(shape, dtype, memory, start - lowest, strides)


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
    array = draw(_laid_out(np.dtype(dtype), shape, True))
    if shape and array.strides[-1] == 0:
        limits = [min(limits)]  # the coordinates of a tuple share their memory
    pools = [values.index_pool(array.dtype, limit, in_range) for limit in limits]
    assume(array.size == 0 or all(len(pool) for pool in pools))
    chosen = draw(st.binary(min_size=array.size, max_size=array.size))
    picked = [pools[i % len(pools)][b % len(pools[i % len(pools)])] for i, b in enumerate(chosen)]
    array[...] = np.array(picked, array.dtype).reshape(shape)
    return array


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
    dtype = draw(_any_dtype() if dtypes is None else dtypes)
    if not is_reducible(dtype, reduction):
        reduction = "none"
        assume("none" in reductions)
    mode = draw(st.sampled_from(modes or (SCATTER_MODES if scatter else GATHER_MODES)))
    integer = draw(_any_index_dtype() if index_dtypes is None else index_dtypes)
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
def weak_updates(draw: st.DrawFn, dtype: np.dtype[Any], shape: Shape) -> Any:
    """Python's own numbers that go into a dtype: one for all, or a list of the shape.

    A scalar of the dtype, which is for all too, where there are none or the list would lose its
    shape.
    """
    numbers = values.weak_values(dtype)
    if not numbers:
        return draw(arrays(dtype, ()))
    if 0 in shape or not shape or draw(st.booleans()):
        return draw(st.sampled_from(numbers))
    chosen = draw(st.binary(min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    flat = np.empty(len(chosen), object)
    flat[:] = [numbers[byte % len(numbers)] for byte in chosen]
    return flat.reshape(shape).tolist()


def fill_values(dtype: np.dtype[Any]) -> st.SearchStrategy[Any]:
    """Values that go into the dtype."""
    fitting = values.fill_values(dtype)
    return st.integers(0, len(fitting) - 1).map(fitting.__getitem__)  # not all can be hashed


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
    memory = _gaps(max(high - low, out_high - out_low) + abs(shift) + 1)
    moved_out = _strided(out.shape, out.dtype, out.strides, memory, max(shift, 0))
    moved = _strided(array.shape, array.dtype, array.strides, memory, max(-shift, 0))
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
