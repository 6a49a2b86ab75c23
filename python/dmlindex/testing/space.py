"""Which calls may be drawn: what `calls`, `invalid_calls` and `fuzz` take, checked by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

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
    modes: Sequence[str] = (),
    reductions: Sequence[str] = REDUCTIONS,
    in_range: bool = False,
    with_out: bool = True,
    with_lists: bool = True,
    max_dims: int = 4,
    batch_dims: bool = True,
    negative: bool = True,
    duplicates: bool = True,
    ordered: Sequence[bool] = (True, False),
    layouts: str = "any",
    max_rank: int | None = None,
    max_side: int = LONGEST_SIDE,
    arguments: Collection[str] | None = None,
    function: Callable[..., Any] | None = None,
) -> Space:
    """The space that these restrictions leave; ValueError that lists the right names for a typo."""
    operators = (_one_of("operator", operator, OPERATORS),) if operator else OPERATORS
    all_modes = tuple(dict.fromkeys(m for name in operators for m in _modes_of(name)))
    modes = tuple(_one_of("modes", mode, all_modes) for mode in modes) or all_modes
    taken = frozenset(
        _one_of("arguments", name, (*OPTIONAL, "input", "indices", "updates"))
        for name in (_parameters(function) if arguments is None else arguments)
    )
    found = Space(
        operators,
        values.all_dtypes(values.DTYPE_CLASSES) if dtypes is None else _dtypes(dtypes),
        values.index_dtypes(True) if index_dtypes is None else _dtypes(index_dtypes),
        modes,
        tuple(_one_of("reductions", name, REDUCTIONS) for name in reductions)
        if "reduction" in taken
        else ("none",),
        in_range,
        with_out and "out" in taken,
        with_lists,
        batch_dims and "batch_dims" in taken,
        negative,
        duplicates,
        tuple(bool(value) for value in ordered) if "ordered" in taken else (True,),
        _one_of("layouts", layouts, LAYOUTS),
        _at_least_one("max_rank", max_dims if max_rank is None else max_rank),
        _at_least_one("max_side", max_side),
        taken,
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


def _at_least_one(name: str, value: int) -> int:
    if value < 1:
        raise ValueError(f"{name} is {value}, expected at least 1")
    return value


def _dtypes(given: Any) -> Any:
    """A strategy as it is; anything else as dtypes."""
    return [np.dtype(one) for one in given] if isinstance(given, (list, tuple, set)) else given


def _parameters(function: Callable[..., Any] | None) -> list[str]:
    """Which of the optional arguments a function has; all of them where it does not say."""
    try:
        parameters = inspect.signature(function).parameters if function else None
    except (TypeError, ValueError):
        parameters = None
    if parameters is None or any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return list(OPTIONAL)
    return [name for name in OPTIONAL if name in parameters]
