"""What a device keeps of failures: no more and more where a program never synchronizes."""

from __future__ import annotations

import numpy as np
import pytest

import dmlindex
from tests.d3d12.own_process import lines
from tests.leaks import growth, leaks
from tests.sanitizers import without_sanitizer

pytestmark = without_sanitizer

CALLS = 4096  # a device forgets operators that many at a time


def test_failures_that_were_told_are_forgotten(d3d12: dmlindex.Device) -> None:
    tensor, bad = d3d12.tensor(np.zeros(4, np.float32)), np.array([9])

    def fail() -> None:
        with pytest.raises(IndexError):
            dmlindex.gather(tensor, bad).numpy()

    assert not leaks(found := growth(fail, CALLS, 2), 2 * CALLS), found
    d3d12.synchronize()  # nothing is left to tell


@pytest.mark.usefixtures("d3d12")
def test_failures_that_nobody_asks_for_are_forgotten_but_the_first() -> None:
    """In a process of its own: what other tests left may come and go by megabytes."""
    leaked, *told = lines(f"""
from tests.leaks import growth, leaks

bad = np.array([9])
dmlindex.gather(tensor, bad - 2)

def many():
    for _ in range({CALLS}):
        dmlindex.gather(tensor, bad)
    tensor.numpy()  # waits, as what is on its way has memory; and asks for no failure

found = growth(many, 1, 8)
print(leaks(found, 8 * {CALLS}), found)
say(device.synchronize, device.synchronize)
""")
    assert leaked.startswith("False"), leaked
    assert "indices[0] = 7 is out of range" in told[0]
    assert told[1:] == ["ok None"]
