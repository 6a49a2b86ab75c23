"""Another thread writes to the arguments of calls: no access is out of bounds. docs/threads.md."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from dmlindex import _core
from tests.children import EFFORT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="takes Linux's memory maps")

SECONDS = str(1.5 * EFFORT)  # of each instruction set


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("isa", _core.cpu_isas())
def test_indices_that_change_reach_nothing_else(isa: str) -> None:
    done = run("-X", "faulthandler", "-m", "tests.faults.racing", SECONDS, DMLINDEX_CPU=isa)
    assert (done.returncode, done.stderr) == (0, "")
    made, errors = map(int, done.stdout.split())
    assert made > errors > 0


@pytest.mark.parametrize("far", [-1, "size"])
def test_the_fences_hold(far: int | str) -> None:
    """Else the test above proves nothing."""
    code = f"""
import ctypes
from tests.faults.racing import Fenced
memory = Fenced(4096)
size = 4096
array = memory.array((size,), "u1", True)
print(array.sum(), flush=True)
ctypes.string_at(array.ctypes.data + {far}, 1)
"""
    done = run("-c", code)
    assert done.stdout == "0\n"
    assert done.returncode == -signal.SIGSEGV
