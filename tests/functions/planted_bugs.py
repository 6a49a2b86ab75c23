"""Ten bugs in a copy of the reference, each by the name of what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dmlindex import reference

Function = Callable[..., Any]
BUGS: dict[str, tuple[str, Function]] = {}


def bug(operator: str) -> Callable[[Function], Function]:
    def plant(function: Function) -> Function:
        BUGS[function.__name__] = operator, function
        return function

    return plant


@bug("scatter_elements")
def minus_zero_in_max(*arguments: Any, **options: Any) -> Any:
    """-0.0 beside 0.0: the value already there should stay."""
    answer = reference.scatter_elements(*arguments, **options)
    if options.get("reduction") == "max" and answer.dtype.kind == "f":
        answer[answer == 0] = 0.0
    return answer


@bug("gather")
def uint64_past_63_bits(input: Any, indices: Any, *arguments: Any, **options: Any) -> Any:
    """Read as signed, so that it counts from the end."""
    if getattr(indices, "dtype", None) == np.uint64:
        indices = indices.astype(np.int64)
    return reference.gather(input, indices, *arguments, **options)


@bug("gather_elements")
def zero_stride_indices(input: Any, indices: Any, *arguments: Any, **options: Any) -> Any:
    """Walks on where it should stay."""
    if isinstance(indices, np.ndarray) and indices.strides and indices.strides[-1] == 0:
        indices = np.roll(indices, 1, axis=0) if indices.shape[-1] > 1 else indices
    return reference.gather_elements(input, indices, *arguments, **options)


@bug("scatter_nd")
def last_wins_within_4096(input: Any, indices: Any, updates: Any, **options: Any) -> Any:
    """Of two updates of a target more than 4,096 apart, the first one wins."""
    places = np.asarray(indices)
    if places.ndim == 2 and len(places) > 4096 and options.get("reduction", "none") == "none":
        first = {tuple(target): k for k, target in reversed(list(enumerate(places.tolist())))}
        last = {tuple(target): k for k, target in enumerate(places.tolist())}
        far = [t for t, k in first.items() if last[t] - k > 4096]
        if far and isinstance(updates, np.ndarray) and updates.ndim:
            updates = updates.copy()
            for target in far:
                updates[last[target]] = updates[first[target]]
    return reference.scatter_nd(input, indices, updates, **options)


@bug("gather_nd")
def error_writes_out(*arguments: Any, out: Any = None, **options: Any) -> Any:
    """An index out of range is told only after out was written."""
    try:
        return reference.gather_nd(*arguments, out=out, **options)
    except IndexError:
        if out is not None and out.flags.writeable and out.size and out.dtype.kind == "f":
            out.flat[0] = 7
        raise


@bug("scatter_elements")
def wrap_is_remainder(*arguments: Any, **options: Any) -> Any:
    """The sign of a remainder as C has it: a negative index far out lands elsewhere."""
    source, places, *rest = arguments
    if options.get("mode") == "wrap" and getattr(places, "dtype", np.dtype("u1")).kind == "i":
        axis = options.get("axis", rest[1] if len(rest) > 1 else 0)
        n = np.shape(source)[axis] if np.ndim(source) else 0
        if n:
            wide = places.astype(object)
            far = wide < -n
            places = np.where(far, 0, places).astype(places.dtype)
    return reference.scatter_elements(source, places, *rest, **options)


@bug("gather")
def nan_payload_lost(*arguments: Any, **options: Any) -> Any:
    """Moves values where it should move bits: a signalling NaN comes out quiet."""
    answer = reference.gather(*arguments, **options)
    if answer.dtype == np.float32:
        answer[np.isnan(answer)] = np.nan
    return answer


@bug("gather_nd")
def clamp_of_a_coordinate_lost(*arguments: Any, mode: str = "raise", **options: Any) -> Any:
    """With three coordinates the third wraps where it should be clamped."""
    source, places, *rest = arguments
    if mode == "clamp" and np.ndim(places) and np.shape(places)[-1] == 3:
        mode = "wrap"
    return reference.gather_nd(source, places, *rest, mode=mode, **options)


@bug("scatter_nd")
def int8_sum_saturates(input: Any, indices: Any, updates: Any, **options: Any) -> Any:
    """A sum past the largest value stays there."""
    answer = reference.scatter_nd(input, indices, updates, **options)
    items = np.asarray(updates)
    if options.get("reduction") == "add" and answer.dtype == np.int8 and items.dtype == np.int8:
        wide = reference.scatter_nd(
            np.asarray(input).astype(np.int64), indices, items.astype(np.int64),
            **{name: value for name, value in options.items() if name != "out"},
        )  # fmt: skip
        answer[...] = np.clip(wide, -128, 127)
    return answer


@bug("gather_elements")
def out_over_input_read_late(*arguments: Any, out: Any = None, **options: Any) -> Any:
    """Writes to out while it still reads from an input that overlaps it."""
    source, places, *rest = arguments
    if out is None or not np.may_share_memory(out, source):
        return reference.gather_elements(source, places, *rest, out=out, **options)
    answer = reference.gather_elements(source, places, *rest, **options)
    if answer.size > 1 and answer.dtype.kind in "iuf" and out.flags.writeable:
        half = answer.size // 2
        flat = answer.reshape(-1)
        out.flat[:half] = flat[:half]
        late = reference.gather_elements(source, places, *rest, mode="wrap")
        out.flat[half:] = late.reshape(-1)[half:]
        return out
    return reference.gather_elements(source, places, *rest, out=out, **options)
