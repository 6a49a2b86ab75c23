"""A few huge slices: the threads share the bytes of one, even where it is a single element.

tests/cpp/few_slices_test.cpp goes through all sizes; this is from Python, at the default settings
and with more threads. tests/functions/test_isa.py runs it with every instruction set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex

Threads = Callable[[int], None]
IMAGE = np.dtype([("image", "u1", (6000, 6000))])  # one element has 36 MB


@pytest.fixture(scope="module")
def frames() -> npt.NDArray[Any]:
    frames = np.zeros(3, IMAGE)
    for i, frame in enumerate(frames["image"]):
        frame[...] = np.arange(6000, dtype=np.uint8)
        frame[::7] += np.uint8(i + 1)
    return frames


@pytest.mark.parametrize("count", [None, 1, 2, 3, 16])
def test_elements_larger_than_the_caches(
    frames: npt.NDArray[Any], threads: Threads, count: int | None
) -> None:
    if count is not None:
        threads(count)
    for _ in range(3):
        taken = dmlindex.gather(frames, 1)
        assert taken["image"].tobytes() == frames["image"][1].tobytes()
    taken = dmlindex.gather(frames, [2, 0])
    assert taken["image"].tobytes() == frames["image"][[2, 0]].tobytes()
    given = dmlindex.scatter_nd(frames, [[1]], frames[2:])
    assert given["image"].tobytes() == frames["image"][[0, 2, 2]].tobytes()
    del taken, given


def test_a_fill_value_larger_than_the_caches(frames: npt.NDArray[Any], threads: Threads) -> None:
    threads(4)
    filled = dmlindex.gather(frames, [7, 1], mode="fill", fill_value=frames[2])
    assert filled["image"].tobytes() == frames["image"][[2, 1]].tobytes()
