"""Every allocation of a call fails in turn: in a process whose allocator is failing_memory.c's."""

from __future__ import annotations

import ctypes
import gc
import itertools
import re
import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np

import dmlindex
from tests.faults.tally import Tally

_LIBRARY = ctypes.CDLL(None)
_PASSING = ctypes.c_long.in_dll(_LIBRARY, "faults_passing")
_FAILING = ctypes.c_long.in_dll(_LIBRARY, "faults_failing")
_FAILED = ctypes.c_long.in_dll(_LIBRARY, "faults_failed")
_BLOCKS = ctypes.c_long.in_dll(_LIBRARY, "faults_blocks")
_OWNERS = (ctypes.c_char * 256).in_dll(_LIBRARY, "faults_owners")
MANY = (
    16  # more than that in a row, and Python itself may give up: "Cannot recover from MemoryErrors"
)

_PYTHONS = re.compile(
    r"error return without exception set|<function .*> returned NULL without setting an exception"
)


def is_pythons(found: Any, right: Any) -> bool:
    """Whether it is Python's own end of an error, not the call's. [].pop() loses its error, too,
    when there is no memory for the traceback, and so does a function written in Python. Of an error
    without memory for its text PyErr_SetString makes, up to some Python 3.11, the same without."""
    lost = found[0] is SystemError and _PYTHONS.fullmatch(found[1]) is not None
    return lost or (isinstance(right, tuple) and found == (right[0], ""))


Outcome = Literal["errors", "went_on", "pythons"]  # what Tally counts


class Trial(NamedTuple):
    """A call that can be made once, and the bytes that it may write to, as they are now."""

    call: Callable[[], Any]
    written: Callable[[], list[bytes]]


class Right(NamedTuple):
    """What is right: the answer, and what is written before and after the call."""

    answer: Any
    before: list[bytes]
    after: list[bytes]


def only_ours() -> None:
    """From now on only allocations fail that dmlindex asks for. From Python 3.12 on those of its
    Python code are not among them: where there is no memory for a function that is made there (a
    lambda, a generator), CPython lets go of its code twice, and the heap is ruined later."""
    _OWNERS.value = b"_core." if sys.version_info >= (3, 12) else b"_core. PYTHON"


def blocks_in_use() -> int:
    gc.collect()
    sys._clear_type_cache()  # which keeps names that were looked for
    return _BLOCKS.value


def answer(call: Callable[[], Any], passing: int = 0, failing: int = 0) -> tuple[Any, int]:
    """What the call gives, its bytes or its error; and how many allocations failed in it."""
    _FAILED.value = 0
    _PASSING.value = passing
    found: Any = None
    _FAILING.value = failing  # from here on
    try:
        result = call()
        _FAILING.value = 0
    except Exception as error:
        _FAILING.value = 0
        found = (type(error), str(error))
    else:
        found = result
        if isinstance(result, np.ndarray | dmlindex.DeviceTensor):
            found = (result if isinstance(result, np.ndarray) else result.numpy()).tobytes()
    return found, _FAILED.value


def sweep(trial: Callable[[], Trial]) -> Tally:
    """Fails each allocation of a call in turn, alone and with those after it."""
    call, written = trial()
    before = written()
    right = Right(answer(call)[0], before, written())
    tally = Tally(calls=1)
    for count in (1, MANY):
        for passing in itertools.count():
            outcome = fail_one(trial, passing, count, right)
            if outcome is None:
                break
            tally += Tally(tried=1, **{outcome: 1})
    return tally


def fail_one(trial: Callable[[], Trial], passing: int, count: int, right: Right) -> Outcome | None:
    """What came of it; none where the call has fewer allocations."""
    call, written = trial()
    found, failed = answer(call, passing, count)
    where = f"{count} from allocation {passing} on"
    outcome: Outcome = "errors"
    if found == right.answer:
        outcome = "went_on"
        assert written() == right.after, where
    else:
        if is_pythons(found, right.answer):
            outcome = "pythons"
        else:
            assert issubclass(found[0], MemoryError), f"{where}: {found}, expected {right.answer}"
        assert written() == right.before, f"{where}: it wrote"
    assert answer(trial().call)[0] == right.answer, f"{where}: the next call"
    return outcome if failed else None


def leaked(trial: Callable[[], Trial]) -> int:
    """How many blocks more a call leaves in use than one in which nothing fails (a device keeps
    some of every call for later), for each of dmlindex's allocations that fails in turn. Of many
    times the fewest count: Python and NumPy keep some for later, too, now and then."""
    only_ours()
    gc.freeze()  # what there is now: each look for garbage is quick then
    kept, _ = least_kept(trial, 0, 0, 0)
    total = 0
    for count in (1, MANY):
        for passing in itertools.count():
            least, failed = least_kept(trial, passing, count, kept)
            if failed == 0:
                break
            total += max(0, least - kept)
    return total


def least_kept(
    trial: Callable[[], Trial], passing: int, failing: int, enough: int
) -> tuple[int, int]:
    """How many blocks more are in use after the call than before, and how many failed."""
    least, failed = 1 << 40, 0
    for _ in range(20):
        before = blocks_in_use()
        call, written = trial()
        failed = answer(call, passing, failing)[1]
        written()  # for a device: wait
        del call, written
        least = min(least, blocks_in_use() - before)
        if least <= enough:
            break
    return max(0, least), failed
