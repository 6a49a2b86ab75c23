"""What a device keeps of failures: no more and more where a program never synchronizes."""

from __future__ import annotations

import numpy as np
import pytest

import dmlindex
from tests.leaks import growth, leaks
from tests.sanitizers import without_sanitizer

pytestmark = without_sanitizer

CALLS = 4096  # a device forgets operators that many at a time
BAD = np.array([9])


def test_failures_that_were_told_are_forgotten(d3d12: dmlindex.Device) -> None:
    tensor = d3d12.tensor(np.zeros(4, np.float32))

    def fail() -> None:
        with pytest.raises(IndexError):
            dmlindex.gather(tensor, BAD).numpy()

    assert not leaks(found := growth(fail, CALLS, 2), 2 * CALLS), found
    d3d12.synchronize()  # nothing is left to tell


def test_failures_that_nobody_asks_for_are_forgotten_but_the_first(d3d12: dmlindex.Device) -> None:
    tensor = d3d12.tensor(np.zeros(4, np.float32))
    dmlindex.gather(tensor, BAD - 2)

    def many() -> None:
        for _ in range(CALLS):
            dmlindex.gather(tensor, BAD)
        tensor.numpy()  # waits, as what is on its way has memory; and asks for no failure

    # What is kept goes up and down, by megabytes, as failures are forgotten some at a time, and
    # what ran before in the process may still be let go of. A failure takes more than 500 bytes:
    # if all were kept, those of the 4 rounds from the early ones' least to the later ones'.
    found = growth(many, 1, 8)
    assert found.malloc_bytes < 3 * 500 * CALLS, found
    assert not leaks(found._replace(malloc_bytes=0), 8 * CALLS), found
    with pytest.raises(IndexError, match=r"indices\[0\] = 7 is out of range"):
        d3d12.synchronize()
    d3d12.synchronize()
