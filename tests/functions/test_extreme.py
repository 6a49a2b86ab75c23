"""Arrays past 2^31 elements and byte offsets past 2^32.

Zeroed memory costs nothing until it is touched, so most of these touch a few pages only and run
always. Those that fill gigabytes run where that much memory is free, and say so where it is not.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings

import dmlindex

FAR = 2**32 + 4096


def free_bytes() -> int:
    """Memory that can be had now; 0 where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable")) * 1024


def needs(gibibytes: int) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        free_bytes() < (gibibytes + 1) * 2**30, reason=f"needs {gibibytes} GiB of free memory"
    )


@pytest.mark.parametrize("out", [False, True])
@pytest.mark.parametrize("index_type", ["i8", "u8"])
def test_gather_far_away(index_type: str, out: bool) -> None:
    x = np.zeros(FAR, np.uint8)
    indices = np.array([0, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, FAR - 1], index_type)
    x[indices] = np.arange(1, 8)
    options: dict[str, Any] = {"out": np.zeros(7, np.uint8)} if out else {}
    for mode in ("raise", "clamp", "wrap", "fill"):
        answer = dmlindex.gather(x, indices, mode=mode, **options)
        np.testing.assert_array_equal(answer, np.arange(1, 8))
    np.testing.assert_array_equal(dmlindex.gather(x[::-1], FAR - 1 - indices), np.arange(1, 8))
    with pytest.raises(IndexError, match=f"= {FAR} .* size {FAR}"):
        dmlindex.gather(x, np.full(7, FAR, index_type), **options)


def test_a_32_bit_index_does_not_wrap_at_32_bits() -> None:
    """2^32 + i must not become i: the last of 2^32 + 4096 places by a negative index."""
    x = np.zeros(FAR, np.uint8)
    x[-1], x[-4096] = 1, 2
    assert dmlindex.gather(x, np.array([-1, -4096], np.int32)).tolist() == [1, 2]


def test_gather_nd_far_away() -> None:
    """Each coordinate is small, their place is not."""
    x = np.zeros((3, 2**31 + 5, 2), np.uint8)
    x[2, -1], x[1, 2**31] = [3, 4], [5, 6]
    indices = np.array([[2, 2**31 + 4], [1, 2**31], [-1, -1]])
    assert dmlindex.gather_nd(x, indices).tolist() == [[3, 4], [5, 6], [3, 4]]


def test_elements_far_away() -> None:
    x = np.zeros((2, 2**29 + 7))  # 8 bytes each: row 1 begins past 2^32
    x[1, -1], x[1, 0] = 7, 8
    indices = np.array([[0, 0], [2**29 + 6, 0]])
    assert dmlindex.gather_elements(x, indices, axis=1).tolist() == [[0, 0], [7, 8]]
    down = np.ones((1, 3), int)
    assert dmlindex.gather_elements(x, down, axis=0).tolist() == [[8, 0, 0]]


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_scatter_in_place_far_away(reduction: Any) -> None:
    x = np.zeros(FAR, np.uint8)
    indices = np.array([2**32, 5, FAR - 1, -1, 2**31])
    updates = np.array([1, 2, 3, 4, 5], np.uint8)
    dmlindex.scatter_elements(x, indices, updates, out=x, reduction=reduction)
    last = 4 if reduction == "none" else 7
    assert x[[2**32, 5, FAR - 1, 2**31, 0]].tolist() == [1, 2, last, 5, 0]
    dmlindex.scatter_nd(x, indices[:, np.newaxis], updates, out=x, reduction="max")
    assert x[[2**32, FAR - 1]].tolist() == [1, last]


@pytest.mark.parametrize("size", [2**8, 2**16, 2**32])
@pytest.mark.parametrize("around", [-1, 0, 1])
def test_the_borders_of_packed_offsets(size: int, around: int) -> None:
    """With out and mode="raise" the offsets are kept in the narrowest type that holds the table."""
    size += around
    x = np.zeros(size, np.uint8)
    x[-1], x[0], x[size // 2] = 1, 2, 3
    indices = np.array([size - 1, 0, size // 2, -1, -size])
    out = np.zeros(5, np.uint8)
    assert dmlindex.gather(x, indices, out=out).tolist() == [1, 2, 3, 1, 2]
    updates = np.array([4, 5, 6, 7, 8], np.uint8)
    dmlindex.scatter_elements(x, indices, updates, out=x)
    assert x[[size - 1, 0, size // 2]].tolist() == [7, 8, 6]


def test_find_duplicates_far_away() -> None:
    indices = [[2**40 - 1], [0], [-1], [2**32], [0]]
    assert dmlindex.find_duplicates((2**40,), indices).tolist() == [0, 1]
    pairs = [[2**29, 2**31], [2**29, 2**31 + 1], [-1, -1], [2**30 - 1, 2**32 - 1]]
    assert dmlindex.find_duplicates((2**30, 2**32), pairs).tolist() == [2]


@needs(3)
def test_a_result_of_more_than_2_to_the_31_elements() -> None:
    rows = np.broadcast_to(np.int8(-1), (2**20 + 1,))  # takes one byte
    x = np.arange(4096).astype(np.uint8).reshape(2, 2048)
    answer = dmlindex.gather(x, rows)
    assert answer.size == 2**31 + 2048
    for row in (0, 2**20 - 1, 2**20):
        np.testing.assert_array_equal(answer[row], x[1])


@needs(3)
@pytest.mark.skipif(
    settings.get_current_profile_name() != "thorough",
    reason="takes 10 s: runs with DMLINDEX_HYPOTHESIS_PROFILE=thorough",
)
def test_a_bad_index_past_2_to_the_31_is_named() -> None:
    indices = np.zeros(2**31 + 10, np.int8)
    indices[2**31 + 3] = 5
    with pytest.raises(IndexError, match=rf"indices\[{2**31 + 3}, 0\] = 5"):
        dmlindex.gather_nd(np.zeros((5, 0)), indices[:, np.newaxis])
