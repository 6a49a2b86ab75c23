"""Strategies for whole calls, right ones and ones with exactly one mistake."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st

from dmlindex.testing.call import Call
from dmlindex.testing.choices import Choices, HypothesisChoices, UnfitError
from dmlindex.testing.drawing import draw_call
from dmlindex.testing.mistakes import MISTAKES, named_mistakes
from dmlindex.testing.space import Space, space


def calls(operator: str = "", **restrictions: Any) -> st.SearchStrategy[Call]:
    """Calls of an operator (of any, if none is named) whose arguments are as they should be.

    The restrictions describe what the function under test takes:

    - `function`: the function itself; arguments that its signature lacks are left out. Or
      `arguments=("input", "indices")` names those that it has.
    - `dtypes`, `index_dtypes`: lists, or strategies such as `dmlindex.testing.dtypes()`.
    - `modes`, `reductions`: lists of names; all of the operator's where none is given.
    - `in_range=True`: no index is out of range; else one may be, which mode="raise" answers with
      IndexError. `negative=False`: none is negative.
    - `duplicates=False`: no two updates of a scatter have the same target.
    - `ordered`: which values of a scatter's `ordered` are drawn, both by default.
    - `batch_dims=False`: gather_nd without any.
    - `with_out=False`: never with out, which else may be a scatter's input itself or overlap an
      argument in any way. `with_lists=False`: indices are never lists, and updates never Python's
      own numbers.
    - `layouts="packed"`: arrays are C-contiguous; else they have any strides.
    - `max_rank`: how many dims an array has at most, results included; by default input has up to
      4 (`max_dims` says it of input alone). `max_side`: the longest dim.

    A name that there is not is a ValueError that lists those that there are.

    >>> strategy = calls("gather", arguments=("input", "indices"), dtypes=["f4"], negative=False)
    >>> calls("gather", modes=["rase"])
    Traceback (most recent call last):
    ...
    ValueError: modes is 'rase', expected one of raise, clamp, wrap, fill
    """
    return _calls(space(operator, **restrictions))


def invalid_calls(
    operator: str = "", *, mistakes: str | Sequence[str] = (), **restrictions: Any
) -> st.SearchStrategy[Call]:
    """Calls of an operator with exactly one mistake, which the note names; all of them are errors.

    `mistakes` names those wanted, all by default; the restrictions are those of `calls`.

    >>> strategy = invalid_calls("gather", mistakes=["index_out_of_range"])
    """
    return _invalid_calls(space(operator, **restrictions), named_mistakes(mistakes))


@st.composite
def _calls(draw: st.DrawFn, space: Space) -> Call:
    try:
        return draw_call(HypothesisChoices(draw), space)
    except UnfitError:
        reject()


@st.composite
def _invalid_calls(draw: st.DrawFn, space: Space, mistakes: list[str]) -> Call:
    try:
        return draw_mistake(HypothesisChoices(draw), space, mistakes)
    except UnfitError:
        reject()


def draw_mistake(c: Choices, space: Space, mistakes: Sequence[str]) -> Call:
    """A call of the space with one of the mistakes; UnfitError where the choices make none."""
    mistake = c.pick(mistakes)
    call = draw_call(c, replace(space, in_range=True, with_lists=False))
    wrong = MISTAKES[mistake](call, c.integer(0, 1000))
    if wrong is None or not space.takes(wrong):
        raise UnfitError
    if not space.with_lists and not all(isinstance(one, np.ndarray) for one in wrong.arguments[:2]):
        raise UnfitError
    if not space.negative and mistake == "index_out_of_range" and (wrong.arguments[1] < 0).any():
        raise UnfitError
    mode = wrong.options.get("mode", "raise")
    if not mistake.startswith("mode") and mode not in space.modes_of(call.operator):
        raise UnfitError
    return replace(wrong, note=mistake.replace("_", " "))
