"""Which calls may be drawn: what `calls`, `invalid_calls` and `fuzz` take, checked by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis.strategies import SearchStrategy

from dmlindex.reference.checks import GATHER_MODES, REDUCTIONS, SCATTER_MODES
from dmlindex.testing import values
from dmlindex.testing.call import PARAMETERS

OPERATORS = tuple(PARAMETERS)
LAYOUTS = ("any", "packed")
# What a call may leave out, and a function may lack.
OPTIONAL = (
    "axis",
    "batch_dims",
    "mode",
    "fill_value",
    "reduction",
    "unique_indices",
    "ordered",
    "out",
)
LONGEST_SIDE = 140
MOST_DIMS = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32  # of a NumPy array


@dataclass(frozen=True)
class Space:
    """The calls that may be drawn. Every name in it is right."""

    operators: tuple[str, ...]
    dtypes: Any  # a sequence, or a strategy
    index_dtypes: Any
    modes: tuple[str, ...]
    reductions: tuple[str, ...]
    in_range: bool
    with_out: bool
    with_lists: bool
    batch_dims: bool
    negative: bool
    duplicates: bool
    ordered: tuple[bool, ...]
    layouts: str
    max_rank: int
    max_side: int
    arguments: frozenset[str]
    by_keyword: bool  # axis and batch_dims are never given by their place
    most_dims: int  # of any array, max_rank where that was given

    def modes_of(self, operator: str) -> list[str]:
        """Those of the operator that are wanted, raise alone where it takes no mode."""
        modes = _modes_of(operator) if "mode" in self.arguments else ("raise",)
        return [mode for mode in modes if mode in self.modes]

    def takes(self, call: Any) -> bool:
        """Whether the function under test has all the arguments of a call."""
        return all(name in self.arguments for name in call.options if name in OPTIONAL)


def space(
    operator: str = "",
    *,
    dtypes: Any = None,
    index_dtypes: Any = None,
    modes: str | Sequence[str] = (),
    reductions: str | Sequence[str] = REDUCTIONS,
    in_range: bool = False,
    with_out: bool = True,
    with_lists: bool = True,
    max_dims: int = 4,
    batch_dims: bool = True,
    negative: bool = True,
    duplicates: bool = True,
    ordered: bool | Sequence[bool] = (True, False),
    layouts: str = "any",
    max_rank: int | None = None,
    max_side: int = LONGEST_SIDE,
    arguments: str | Collection[str] | None = None,
    function: Callable[..., Any] | None = None,
    **unknown: Any,
) -> Space:
    """The space that these restrictions leave; ValueError that lists the right names for a typo."""
    if unknown:
        expected = ", ".join(_RESTRICTIONS)
        raise TypeError(f"there is no restriction {', '.join(unknown)}; expected any of {expected}")
    if function is not None and not callable(function):
        raise TypeError(f"function is a {type(function).__name__}, expected a function")
    operators = (_one_of("operator", operator, OPERATORS),) if operator else OPERATORS
    all_modes = tuple(dict.fromkeys(m for name in operators for m in _modes_of(name)))
    modes = _some_of("modes", modes, all_modes) or all_modes
    named = _parameters(function) if arguments is None else arguments
    taken = frozenset(_some_of("arguments", named, (*OPTIONAL, "input", "indices", "updates")))
    found = Space(
        operators,
        values.all_dtypes(values.DTYPE_CLASSES) if dtypes is None else _dtypes("dtypes", dtypes),
        values.index_dtypes(True)
        if index_dtypes is None
        else _dtypes("index_dtypes", index_dtypes, "iu"),
        modes,
        _some_of("reductions", reductions, REDUCTIONS) or REDUCTIONS
        if "reduction" in taken
        else ("none",),
        in_range,
        with_out and "out" in taken,
        with_lists,
        batch_dims and "batch_dims" in taken,
        negative,
        duplicates,
        _flags(ordered) if "ordered" in taken else (True,),
        _one_of("layouts", layouts, LAYOUTS),
        _within("max_rank", max_dims if max_rank is None else max_rank, MOST_DIMS),
        _within("max_side", max_side),
        taken,
        any(not _takes_place(function, name) for name in operators),
        MOST_DIMS if max_rank is None else max_rank,
    )
    able = tuple(name for name in operators if found.modes_of(name))
    if not able:
        raise ValueError(
            f"modes is {', '.join(modes)}, but the function takes no mode; expected raise"
        )
    return Space(**{**vars(found), "operators": able})


def _modes_of(operator: str) -> tuple[str, ...]:
    return SCATTER_MODES if operator.startswith("scatter") else GATHER_MODES


def _one_of(name: str, value: Any, choices: Sequence[str]) -> str:
    if value not in choices:
        raise ValueError(f"{name} is {value!r}, expected one of {', '.join(choices)}")
    return str(value)


def _some_of(name: str, given: str | Collection[str], choices: Sequence[str]) -> tuple[str, ...]:
    """The names given, of which a single one may stand by itself."""
    names = [given] if isinstance(given, str) else given
    return tuple(_one_of(name, one, choices) for one in names)


def _flags(given: bool | Sequence[bool]) -> tuple[bool, ...]:
    return (given,) if isinstance(given, bool) else tuple(map(bool, given)) or (True, False)


def _within(name: str, value: int, most: int = 10**9) -> int:
    if not isinstance(value, (int, np.integer)) or not 1 <= value <= most:
        raise ValueError(f"{name} is {value!r}, expected an integer from 1 to {most}")
    return int(value)


def _dtypes(name: str, given: Any, kinds: str = "") -> Any:
    """A strategy as it is; anything else as dtypes."""
    if isinstance(given, SearchStrategy):
        return given
    found = []
    for one in given if isinstance(given, (list, tuple, set, frozenset)) else [given]:
        try:
            dtype = np.dtype(one)
        except TypeError as error:
            raise ValueError(f"{name} has {one!r}, which is no dtype: {error}") from None
        if dtype.hasobject or (kinds and dtype.kind not in kinds):
            expected = "integers" if kinds else "dtypes without Python objects"
            raise ValueError(f"{name} has {dtype}, expected {expected}")
        found.append(dtype)
    if not found:
        raise ValueError(f"{name} is empty, expected a dtype or more")
    return found


def _signature(function: Callable[..., Any] | None) -> list[inspect.Parameter] | None:
    """None where a function does not say what it takes."""
    try:
        return list(inspect.signature(function).parameters.values()) if function else None
    except (TypeError, ValueError):
        return None


def _parameters(function: Callable[..., Any] | None) -> list[str]:
    """Which of the optional arguments a function has; all of them where it does not say."""
    parameters = _signature(function)
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters):
        return list(OPTIONAL)
    return [name for name in OPTIONAL if any(p.name == name for p in parameters)]


def _takes_place(function: Callable[..., Any] | None, operator: str) -> bool:
    """Whether a function takes axis or batch_dims behind the arrays, as the operator does."""
    ours, theirs = PARAMETERS[operator], _signature(function)
    if theirs is None or ours[-1] not in ("axis", "batch_dims"):
        return True
    if any(p.kind is p.VAR_POSITIONAL for p in theirs):
        return True
    places = [p.name for p in theirs if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return places[len(ours) - 1 : len(ours)] == [ours[-1]]


_RESTRICTIONS = sorted(set(inspect.signature(space).parameters) - {"operator", "unknown"})
