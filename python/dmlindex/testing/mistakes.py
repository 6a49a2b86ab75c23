"""Mistakes to make in a call of an operator, for `dmlindex.testing.invalid_calls`.

Each takes a Call in which all is as it should be, and gives one with one thing wrong, or None where
it cannot make that mistake in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.checks import overlaps_itself
from dmlindex.reference.reductions import is_reducible
from dmlindex.testing.call import PARAMETERS, Call
from dmlindex.testing.space import MOST_DIMS

Array = npt.NDArray[Any]
Mistake = Callable[[Call, int], Call | None]

MISTAKES: dict[str, Mistake] = {}


def _mistake(function: Mistake) -> Mistake:
    MISTAKES[function.__name__] = function
    return function


def named_mistakes(names: str | Sequence[str] = ()) -> list[str]:
    """The mistakes of these names, all where there are none; ValueError that lists them for a typo.

    >>> named_mistakes("index_out_of_range")
    ['index_out_of_range']
    """
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in MISTAKES:
            expected = ", ".join(sorted(MISTAKES))
            raise ValueError(f"mistakes has {name!r}, expected any of {expected}")
    return sorted(chosen or MISTAKES)


def _with(call: Call, **changes: Any) -> Call:
    given = call.given() | changes
    arrays = [name for name in ("input", "indices", "updates") if name in given]
    options = {name: value for name, value in given.items() if name not in arrays}
    return Call(call.operator, tuple(given[name] for name in arrays), options, call.note)


def _pick(choices: list[Any], choice: int) -> Any:
    return choices[choice % len(choices)]


def _position(call: Call) -> str | None:
    names = [name for name in PARAMETERS[call.operator] if name in ("axis", "batch_dims")]
    return names[0] if names else None


@_mistake
def position_out_of_range(call: Call, choice: int) -> Call | None:
    name = _position(call)
    if name is None:
        return None
    rank = call.given()["input"].ndim
    below = [-rank - 1] if name == "axis" else [-1]
    beyond = [rank, rank + 1, 2**31, 2**63, 2**64, -(2**63), -(2**63) - 1, 10**40]
    return _with(call, **{name: _pick([*below, *beyond], choice)})


@_mistake
def position_of_a_wrong_type(call: Call, choice: int) -> Call | None:
    name = _position(call)
    wrong = _pick([0.0, "0", None, [0], np.float32(0), np.array([0, 0]), 0j], choice)
    return None if name is None else _with(call, **{name: wrong})


@_mistake
def mode_unknown(call: Call, choice: int) -> Call:
    other = "fill" if call.operator.startswith("scatter") else "drop"
    return _with(
        call, mode=_pick([other, "", "RAISE", "raise ", "reflect", "ra\0ise", "é"], choice)
    )


@_mistake
def mode_of_a_wrong_type(call: Call, choice: int) -> Call:
    return _with(call, mode=_pick([None, 0, b"raise", ["raise"]], choice))


@_mistake
def fill_value_not_exact(call: Call, choice: int) -> Call | None:
    if call.operator.startswith("scatter"):
        return None
    dtype = call.given()["input"].dtype
    kind = dtype.kind
    wrong: list[Any] = [[1, 2], np.zeros(2), object(), 10**400, None]
    if kind in "biu":
        wrong += [0.5, np.nan, np.inf, 2**64, -(2**63) - 1, 1j, "1"]
    if kind == "b":
        wrong += [1, 1.0]
    if kind == "f":
        wrong += [1j, "1"]
        third = np.longdouble(1) / 3 + 2**-60
        if third != dtype.type(third):
            wrong.append(third)
    if kind in "mM":
        wrong += [1, "1", 1.5]
    return _with(call, mode="fill", fill_value=_pick(wrong, choice))


@_mistake
def input_of_a_wrong_type(call: Call, choice: int) -> Call | None:
    shape = call.given()["input"].shape
    record = np.zeros(shape, [("a", "i4"), ("b", object)])
    wrong = [np.zeros(shape, object), record, None, {}, {1: 2}, object(), np.ma.zeros(shape, "i4")]
    if hasattr(np.dtypes, "StringDType"):
        wrong.append(np.full(shape, "text", np.dtypes.StringDType()))
    given = _with(call, input=_pick(wrong, choice))
    given.options.pop("out", None)
    return given


@_mistake
def indices_of_a_wrong_type(call: Call, choice: int) -> Call:
    places = np.asarray(call.given()["indices"])
    types = ["f8", "f4", "?", "c8", "m8[s]", "M8[s]", "U3", "V8", object]
    wrong: list[Any] = [np.zeros(places.shape, t) for t in types]
    wrong += [
        np.ma.zeros(places.shape, "i8"),
        np.full(places.shape, np.nan),
        None,
        "0",
        0.0,
        True,
        [0.5],
        [True],
        np.array([]),
    ]
    return _with(call, indices=_pick(wrong, choice))


@_mistake
def indices_of_a_wrong_shape(call: Call, choice: int) -> Call | None:
    given = call.given()
    places, source = np.asarray(given["indices"]), given["input"]
    dtype = places.dtype
    if call.operator == "gather":
        return None
    wrong: list[Any] = [0, np.zeros((), dtype)]
    if call.operator.endswith("nd"):
        wrong += [np.zeros((*places.shape[:-1], 0), dtype)]
        wrong += [np.zeros((*places.shape[:-1], source.ndim + 1), dtype)]
        batch = given.get("batch_dims", 0)
        if batch:
            shape = (source.shape[0] + 1, *places.shape[1:])
            wrong += [np.zeros(shape, dtype), np.zeros((*places.shape[:batch], 99), dtype)]
    else:
        wrong += [np.zeros((*places.shape, 1), dtype), np.zeros(places.shape[1:], dtype)]
        off = [d for d in range(source.ndim) if d != given.get("axis", 0) % source.ndim]
        for d in off:
            shape = (*places.shape[:d], source.shape[d] + 1, *places.shape[d + 1 :])
            wrong.append(np.zeros(shape, dtype))
    return _with(call, indices=_pick(wrong, choice))


@_mistake
def input_without_dims(call: Call, choice: int) -> Call:
    return _with(call, input=np.zeros((), call.given()["input"].dtype))


@_mistake
def updates_of_a_wrong_type(call: Call, choice: int) -> Call | None:
    if not call.operator.startswith("scatter"):
        return None
    given = call.given()
    dtype, shape = given["input"].dtype, given["updates"].shape
    wrong: list[Any] = [np.zeros(shape, t) for t in ("i2", "f4", "V7", object) if dtype != t]
    wrong += [np.ma.zeros(shape, dtype), [None], ["1"] if dtype.kind != "U" else [b"1"]]
    if dtype.newbyteorder() != dtype:
        wrong.append(np.zeros(shape, dtype.newbyteorder()))
    if dtype.kind in "mM":
        wrong.append(np.zeros(shape, f"{dtype.kind}8[Y]"))
    return _with(call, updates=_pick([*wrong, None], choice))


@_mistake
def updates_of_a_wrong_shape(call: Call, choice: int) -> Call | None:
    if not call.operator.startswith("scatter"):
        return None
    given = call.given()
    dtype, shape = given["input"].dtype, given["updates"].shape
    longer = (*shape[:-1], shape[-1] + 1) if shape else (2,)
    wrong = [(*shape, 1), (1, *shape), longer, shape[:-1] or (1, 1)]
    wrong = [s for s in wrong if s not in (shape, ()) and len(s) <= MOST_DIMS]
    return _with(call, updates=np.zeros(_pick(wrong, choice), dtype))


@_mistake
def reduction_unknown(call: Call, choice: int) -> Call | None:
    if not call.operator.startswith("scatter"):
        return None
    wrong = ["", "sum", "ADD", "mean", None, 1]
    return _with(call, reduction=_pick(wrong, choice))


@_mistake
def reduction_of_a_dtype_without(call: Call, choice: int) -> Call | None:
    dtype = call.given()["input"].dtype
    wrong = [r for r in ("add", "mul", "min", "max") if not is_reducible(dtype, r)]
    if not call.operator.startswith("scatter") or not wrong:
        return None
    return _with(call, reduction=_pick(wrong, choice))


@_mistake
def out_unfit(call: Call, choice: int) -> Call | None:
    out = call.given().get("out")
    if out is None:
        return None
    other = "i2" if out.dtype != "i2" else "i4"
    wrong: list[Any] = [np.zeros((*out.shape, 1), out.dtype), np.zeros(out.shape, other), []]
    wrong += [np.ma.zeros(out.shape, out.dtype)]
    wrong.append(np.zeros((*out.shape[:-1], out.shape[-1] + 1) if out.ndim else (2,), out.dtype))
    if out.dtype.newbyteorder() != out.dtype:
        wrong.append(np.zeros(out.shape, out.dtype.newbyteorder()))
    read_only = np.zeros(out.shape, out.dtype)
    read_only.flags.writeable = False
    wrong.append(read_only)
    return _with(call, out=_pick(wrong, choice))


@_mistake
def out_meets_itself(call: Call, choice: int) -> Call | None:
    out = call.given().get("out")
    if out is None or out.size == 0 or out.dtype.itemsize == 0 or max(out.shape, default=1) == 1:
        return None
    memory = np.zeros(out.size * out.dtype.itemsize, np.uint8)
    strides = list(np.zeros(out.shape, out.dtype).strides)
    d = int(np.argmax(out.shape))
    # The longest dim stays where it is, or walks on by less than an element or by another dim's
    # step.
    strides[d] = _pick(
        [0, out.dtype.itemsize - 1, strides[-1] if d != len(strides) - 1 else 0], choice
    )
    wrong: Array = np.ndarray(out.shape, out.dtype, memory, 0, tuple(strides))
    return _with(call, out=wrong) if overlaps_itself(wrong) else None


@_mistake
def index_out_of_range(call: Call, choice: int) -> Call | None:
    given = call.given()
    places = np.array(given["indices"], order="C")
    if places.size == 0:
        return None
    info = np.iinfo(places.dtype)
    most = max(given["input"].shape)
    wrong = [i for i in (most, -most - 1, info.max, info.min, 2**63) if info.min <= i <= info.max]
    wrong = [i for i in wrong if not -most <= i < most]
    if not wrong:
        return None
    places.reshape(-1)[choice % places.size] = _pick(wrong, choice // places.size)
    mode = {"mode": "raise"} if "mode" in given else {}
    return _with(call, indices=places, **mode)


@_mistake
def arguments_unknown_or_missing(call: Call, choice: int) -> Call:
    if choice % 3 == 0:
        return Call(call.operator, call.arguments[:1], call.options)
    if choice % 3 == 1:
        return _with(call, **{_pick(["axes", "Mode", "dtype"], choice // 3): 0})
    return Call(call.operator, (*_with(call).arguments, 0, 0), {})
