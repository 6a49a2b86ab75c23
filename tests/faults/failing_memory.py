"""Every allocation of a call fails in turn: in a process whose allocator is failing_memory.c's."""

from __future__ import annotations

import ctypes
import gc
import itertools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

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

# [].pop() is one, too, when there is no memory for the traceback: Python's own, not the call's, and so
# is the second text, where it names a function written in Python.
_PYTHONS = re.compile(
    r"error return without exception set|<function .*> returned NULL without setting an exception"
)


class Trial(NamedTuple):
    """A call that can be made once, and the bytes that it may write to, as they are now."""

    call: Callable[[], Any]
    written: Callable[[], list[bytes]]


def only_of(*libraries: str) -> None:
    """From now on only allocations fail that these libraries ask for; all, for none."""
    _OWNERS.value = " ".join(libraries).encode()


def blocks_in_use() -> int:
    gc.collect()
    return _BLOCKS.value


def answer(call: Callable[[], Any], passing: int = 0, failing: int = 0) -> tuple[Any, int]:
    """What the call gives, its bytes or its error; and how many allocations failed in it."""
    _FAILED.value = 0
    _PASSING.value = passing
    error: Exception | None = None
    result = None
    _FAILING.value = failing  # from here on
    try:
        result = call()
    except Exception as caught:
        error = caught
    _FAILING.value = 0
    failed = _FAILED.value
    if error is not None:
        return (type(error), str(error)), failed
    if isinstance(result, np.ndarray | dmlindex.DeviceTensor):
        return (result if isinstance(result, np.ndarray) else result.numpy()).tobytes(), failed
    return result, failed


def sweep(trial: Callable[[], Trial]) -> Tally:
    """Fails each allocation of a call in turn, alone and with those after it."""
    call, written = trial()
    before = written()
    expected, _ = answer(call)
    after = written()
    tally = Tally(calls=1)
    for count in (1, MANY):
        for passing in itertools.count():
            call, written = trial()
            found, failed = answer(call, passing, count)
            if failed == 0:
                assert found == expected
                break
            tally.tried += 1
            where = f"{count} from allocation {passing} on"
            if found == expected:
                tally.went_on += 1
                assert written() == after, where
            else:
                if found[0] is SystemError and _PYTHONS.fullmatch(found[1]):
                    tally.pythons += 1
                else:
                    tally.errors += 1
                    assert issubclass(found[0], MemoryError), (
                        f"{where}: {found}, expected {expected}"
                    )
                assert written() == before, f"{where}: it wrote"
            assert answer(trial().call)[0] == expected, f"{where}: the next call"
    return tally


def leaked(trial: Callable[[], Trial], *owners: str) -> int:
    """How many blocks more are in use after each sweep of the owners' allocations than before: the
    fewest of many times, as Python and NumPy keep some for later, now and then."""
    only_of(*owners)
    fewest = 1 << 40
    for _ in range(40):
        before = blocks_in_use()
        sweep(trial)
        fewest = min(fewest, blocks_in_use() - before - _OWN_BLOCKS)
        if fewest <= 0:
            return 0
    return fewest


_OWN_BLOCKS = 2  # this count's own numbers
