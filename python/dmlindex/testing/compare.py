"""Whether two functions treat a call the same, and in which words they do not."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.bounds import within_bounds
from dmlindex.testing.call import Call
from dmlindex.testing.memory import bits, clear_padding, has_block, same_elements

Array = npt.NDArray[Any]


def check_same(function: Callable[..., Any], reference: Callable[..., Any], call: Call) -> None:
    """Checks that function and reference do the same on copies of a call.

    The same is: the same answer (dtype, shape and every bit) or an exception of reference's type;
    `out` is returned where it is given; and all memory of all arguments, gaps between elements
    included, is the same afterwards. Where a call says ordered=False, sums may differ by what
    another order of additions may change. Raises AssertionError that says what differs, with a
    script that calls the function again.

    >>> import numpy as np
    >>> from dmlindex import reference
    >>> call = Call("gather", (np.arange(3), np.array([0, -1])))
    >>> check_same(np.take, reference.gather, call)
    """
    __tracebackhide__ = True  # pytest shows the caller's line, not ours
    if problem := difference(function, reference, call):
        name = getattr(function, "__name__", call.operator)
        raise AssertionError(f"{name} {problem}\n\n{call.script(function)}") from None


def difference(
    function: Callable[..., Any],
    reference: Callable[..., Any],
    call: Call,
    *,
    any_order: bool = False,
) -> str:
    """What function does otherwise than reference, in words; "" if nothing.

    With any_order sums may differ as where a call says ordered=False.
    """
    any_order |= call.options.get("ordered") is False
    ours, our_memory = call.copied()
    theirs, their_memory = call.copied()
    found, expected = outcome(function, ours), outcome(reference, theirs)
    if problem := _difference(found, expected, call, any_order):
        return problem
    out = ours.options.get("out")
    if isinstance(out, np.ndarray) and not isinstance(found, BaseException) and found is not out:
        return "returned another array than the out it was given"
    for copy in (ours, theirs):
        for array in copy.arrays():
            clear_padding(array)
    if isinstance(out, np.ndarray) and any_order:
        our_memory = their_memory = []  # out was compared above, and may differ within the bound
    if our_memory != their_memory or not _same_objects(ours, theirs):
        return "left other bytes in the memory of its arguments: " + _changed(ours, theirs)
    return ""


def outcome(function: Callable[..., Any], call: Call) -> Any:
    """The answer, or the exception."""
    from hypothesis.errors import UnsatisfiedAssumption

    try:
        if not call.note:
            return call.run(function)
        with warnings.catch_warnings():  # of what is wrong, before it is refused
            warnings.simplefilter("ignore", DeprecationWarning)
            return call.run(function)
    except UnsatisfiedAssumption:  # the function says that the call is no example for it
        raise
    except (Exception, SystemExit) as error:
        return error


def _difference(found: Any, expected: Any, call: Call, any_order: bool) -> str:
    """What is wrong with an answer or exception; "" if nothing is."""
    if isinstance(expected, BaseException):
        wanted = f"expected {type(expected).__name__}: {expected}"
        if not isinstance(found, BaseException):
            return f"gave an answer, {wanted}"
        same = isinstance(found, type(expected))
        return "" if same else f"raised {type(found).__name__}: {found}, {wanted}"
    if isinstance(found, BaseException):
        return f"raised {type(found).__name__}: {found}, expected an answer"
    kind, expected = type(found).__name__, np.asarray(expected)
    try:
        found = np.asarray(found)
    except Exception as error:
        return f"gave a {kind} that is no array ({error}), expected {expected.dtype!r}"
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return (
            f"gave {found.dtype!r} of shape {found.shape}, "
            f"expected {expected.dtype!r} of shape {expected.shape}"
        )
    ours, theirs = bits(found), bits(expected)
    different = (ours != theirs).any(axis=1)
    if not different.any():
        return ""
    if any_order:
        different &= ~within_bounds(found, expected, call)
    wrong = np.flatnonzero(different)
    if wrong.size == 0:
        return ""
    first = int(wrong[0])
    where = tuple(int(i) for i in np.unravel_index(first, found.shape))
    return (
        f"gave {wrong.size} wrong elements of {found.size}, the first at {where}: "
        f"{_element(found, first)}, expected {_element(expected, first)}"
    )


def _element(array: Array, position: int) -> str:
    """A value beside its bytes."""
    element = array.reshape(-1)[position : position + 1]
    return f"{element.tolist()[0]!r} (bytes {bits(element).tobytes().hex()})"


def _changed(ours: Call, theirs: Call) -> str:
    theirs_by_name = theirs.given()
    changed = [
        name
        for name, array in ours.given().items()
        if isinstance(array, np.ndarray) and not same_elements(array, theirs_by_name[name])
    ]
    return ", ".join(changed) or "in the gaps between elements"


def _same_objects(ours: Call, theirs: Call) -> bool:
    """Whether the arrays that no block holds agree."""
    pairs = zip(ours.arrays(), theirs.arrays(), strict=True)
    return all(same_elements(a, b) for a, b in pairs if not has_block(a))
