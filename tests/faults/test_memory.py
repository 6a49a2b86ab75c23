"""Every allocation of a call fails in turn: MemoryError, nothing written or kept, and the next
call is right. failing_memory.py says what fails, memory_calls.py what is called."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dmlindex
from tests.children import EFFORT, in_child, preloaded
from tests.faults.tally import Tally

CALLS = str(8 * EFFORT)  # drawn of each operator
_OF_GLIBC = "cannot allocate memory for thread-local data: ABORT"


@pytest.fixture(scope="module")
def preload(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    source = Path(__file__).with_name("failing_memory.c")
    return preloaded(source, tmp_path_factory.mktemp("preload"))


def run(group: str, preload: dict[str, str]) -> subprocess.CompletedProcess[str]:
    # What NumPy says of its own that fail is not for us to silence.
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.faults.memory_calls", group, CALLS],
        env=os.environ | preload | {"PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def tally_of(group: str, preload: dict[str, str]) -> Tally:
    done = run(group, preload)
    for _ in range(2):
        # glibc ends a process when a new thread has no memory for what a library keeps for each.
        # oneTBB may begin one at any time, on a busy machine in one of fifty runs.
        if group != "threads" or _OF_GLIBC not in done.stderr:
            break
        done = run(group, preload)
    assert done.returncode == 0, done.stderr[-3000:]
    print(group, done.stdout)
    return Tally(**{name: int(value) for name, _, value in map(_pair, done.stdout.split())})


def _pair(text: str) -> tuple[str, str, str]:
    return text.partition("=")


@pytest.mark.parametrize("group", ["drawn", "one_thread", "compiled", "cached"])
def test_each_allocation_fails_in_turn(group: str, preload: dict[str, str]) -> None:
    tally = tally_of(group, preload)
    assert tally.errors > tally.calls // 2
    assert tally.blocks_left == 0


@pytest.mark.skipif(dmlindex._core.thread_library() != "oneTBB", reason="there is no oneTBB here")
def test_each_allocation_of_two_threads_fails_in_turn(preload: dict[str, str]) -> None:
    assert tally_of("threads", preload).errors > 0


@pytest.mark.usefixtures("d3d12")
def test_each_allocation_of_a_devices_call_fails_in_turn(preload: dict[str, str]) -> None:
    """The driver's own are left alone."""
    tally = tally_of("device", preload)
    assert tally.errors > 0
    assert tally.blocks_left == 0


ENDS = [(0, "went on"), (1, "went on"), (1, "MemoryError")]


def test_each_allocation_of_the_first_call_fails_in_turn(preload: dict[str, str]) -> None:
    """A process's first call makes what all calls use."""
    code = """
import os
import numpy as np
import dmlindex
from tests.faults.failing_memory import answer, only_ours
only_ours()
x, indices = np.arange(6.0).reshape(3, 2).T, np.full(2000, 2)  # NumPy itself keeps small blocks
call = lambda: dmlindex.gather(x, indices, mode="wrap")
found, failed = answer(call, int(os.environ["PASSING"]), 1)
end = found[0].__name__ if isinstance(found, tuple) else "went on"
print(failed, end, call()[:1].tolist())
"""
    for passing in itertools.count():
        found = in_child(code, 60, PASSING=str(passing), PYTHONMALLOC="malloc", **preload)
        assert found in [f"{f} {end} [[0.0, 2.0, 4.0]]" for f, end in ENDS]
        if found.startswith("0"):
            break
    assert passing > 0
