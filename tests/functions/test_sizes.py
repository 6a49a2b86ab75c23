"""Sizes and strides at the ends of 64 bits, 64 dims, and gigabytes that are few pages mapped over
and over: slices, results and offsets past 4 GiB and 2^40."""

from __future__ import annotations

import ctypes
import mmap
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numpy.lib.stride_tricks import as_strided

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]

linux = pytest.mark.skipif(sys.platform != "linux", reason="takes Linux's memory maps")

PIECE = 1 << 23  # bytes, of which a whole map is made
FAR = 2**32 + PIECE
HUGE = 2**62


def _map(address: int | None, size: int, protection: int, flags: int, file: int) -> int:
    function = ctypes.CDLL(None, use_errno=True).mmap
    function.restype = ctypes.c_void_p
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    found = function(address, size, protection, flags, file, 0)
    if found == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(found)


@contextmanager
def over_and_over(size: int) -> Iterator[Array]:
    """So many bytes, of which PIECE are there: what is written to one place is read in each."""
    file = os.memfd_create("piece")
    os.ftruncate(file, PIECE)
    nothing = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    begin = _map(None, size, 0, nothing, -1)
    fixed = mmap.MAP_SHARED | 0x10  # MAP_FIXED
    for offset in range(0, size, PIECE):
        _map(begin + offset, PIECE, mmap.PROT_READ | mmap.PROT_WRITE, fixed, file)
    os.close(file)
    try:
        yield np.frombuffer(memoryview((ctypes.c_char * size).from_address(begin)), np.uint8)
    finally:
        ctypes.CDLL(None).munmap(ctypes.c_void_p(begin), ctypes.c_size_t(size))


@linux
def test_slices_and_results_past_4_gib() -> None:
    """One slice of 4 GiB and some, to an out of as many bytes."""
    with over_and_over(2 * FAR) as table, over_and_over(FAR) as out:
        table[:PIECE] = np.arange(PIECE) % 251
        x = table.reshape(2, FAR)
        assert dmlindex.gather(x, [-1], out=out[np.newaxis]).nbytes > 2**32
        for place in (0, 2**32, FAR - 4096):
            np.testing.assert_array_equal(out[place : place + 4096], x[1, place : place + 4096])


@linux
def test_a_scatter_of_a_slice_past_4_gib() -> None:
    with over_and_over(FAR) as table, over_and_over(FAR) as items:
        items[:PIECE] = np.arange(PIECE) % 241
        x = table[np.newaxis]
        dmlindex.scatter_nd(x, [[0]], items[np.newaxis], out=x)
        np.testing.assert_array_equal(table[-PIECE:], items[:PIECE])


@linux
def test_more_than_2_to_the_31_elements_into_out() -> None:
    """Of one byte, each by an index of its own: those are one index, with a stride of 0."""
    count = 2**31 + PIECE
    with over_and_over(count) as out:
        table = np.arange(3, dtype=np.uint8) + 7
        index = np.broadcast_to(np.int8(-1), (count // 4096, 4096))
        dmlindex.gather(table, index, mode="clamp", out=out.reshape(index.shape))
        assert (out[-PIECE:] == 9).all()


@linux
@pytest.mark.parametrize("direction", [1, -1])
def test_offsets_past_2_to_the_40(direction: int) -> None:
    """Two rows, 2^41 bytes apart, in memory of which no more is there than these."""
    apart, page = 1 << 41, mmap.PAGESIZE
    nothing = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE
    try:
        begin = _map(None, apart + page, 0, nothing, -1)
    except OSError as error:
        pytest.skip(f"no 2 TiB of addresses: {error}")
    for offset in (0, apart):
        _map(begin + offset, page, mmap.PROT_READ | mmap.PROT_WRITE, nothing | 0x10, -1)
    try:
        first = np.frombuffer(memoryview((ctypes.c_char * 64).from_address(begin)), np.float64)
        x = as_strided(first, (2, 8), (apart, 8))[::direction]
        x[...] = np.arange(16).reshape(2, 8)
        expected = x.copy()
        np.testing.assert_array_equal(dmlindex.gather(x, [1, 0, -1]), expected[[1, 0, 1]])
        np.testing.assert_array_equal(dmlindex.gather_nd(x, [[1, 7], [0, 3]]), [15, 3])
        down = np.array([[1] * 8])
        np.testing.assert_array_equal(dmlindex.gather_elements(x, down), expected[1:])
        dmlindex.scatter_nd(x, [[1], [0]], expected, out=x)
        np.testing.assert_array_equal(x, expected[::-1])
        dmlindex.scatter_elements(x, down, expected[:1], reduction="add", out=x)
        np.testing.assert_array_equal(x, [expected[1], 2 * expected[0]])
    finally:
        ctypes.CDLL(None).munmap(ctypes.c_void_p(begin), ctypes.c_size_t(apart + page))


def test_strides_of_0_reach_past_2_to_the_40() -> None:
    x = np.broadcast_to(np.arange(4.0), (2**50, 4))
    far = [2**50 - 1, -(2**50), 2**40]
    assert dmlindex.gather(x, far).tolist() == [[0, 1, 2, 3]] * 3
    assert dmlindex.gather(x[::-1, ::-1], far).tolist() == [[3, 2, 1, 0]] * 3
    assert dmlindex.gather_nd(x, [[place, 2] for place in far]).tolist() == [2] * 3
    assert dmlindex.gather_elements(x, [[far[0]] * 4], mode="clamp").tolist() == [[0, 1, 2, 3]]
    with pytest.raises(IndexError, match=rf"\[1\] = {2**50} .* axis 0 .* size {2**50}"):
        dmlindex.gather(x, [0, 2**50])
    assert dmlindex.gather(x.T, far, axis=1).tolist() == [[k] * 3 for k in range(4)]


A, B, ONE = np.arange(12.0), np.arange(4.0), np.array([2, 0])
LAST = (1,) * 63

CALLS: dict[str, Callable[[Any], Any]] = {
    "stride of input": lambda m: m.gather(as_strided(A, (1, 4), (HUGE, 8)), [0, -1]),
    "stride of input, size 0": lambda m: m.gather(as_strided(A, (0, 4), (HUGE, -HUGE)), ONE[:0]),
    "stride of indices": lambda m: m.gather(A, as_strided(ONE, (1, 2), (-HUGE, 8))),
    "stride of tuples": lambda m: m.gather_nd(A, as_strided(ONE, (2, 1), (8, HUGE))),
    "stride of updates": lambda m: m.scatter_nd(
        A, [[[1], [2]]], as_strided(B, (1, 2), (-HUGE, 8)), reduction="add"
    ),
    "stride of out": lambda m: m.gather(A, [[1, 2]], out=as_strided(B, (1, 2), (HUGE, 8))),
    "stride of out, size 0": lambda m: m.gather(A, [[], []], out=as_strided(B, (2, 0), (8, HUGE))),
    "stride of a scatter's out": lambda m: m.scatter_elements(
        B[np.newaxis], [[1]], [[9.0]], 1, out=as_strided(B, (1, 4), (-HUGE, 8))
    ),
    "strides past 64 bits": lambda m: m.gather_nd(as_strided(A, (4, 4), (HUGE, HUGE)), [[0, 0]]),
    "64 dims, gather": lambda m: m.gather(B.reshape(*LAST, 4), ONE, 63),
    "64 dims, gather to 65": lambda m: m.gather(B.reshape(*LAST, 4), ONE.reshape(1, 2), 63),
    "64 dims, elements": lambda m: m.gather_elements(
        B.reshape(*LAST, 4), ONE.reshape(*LAST, 2), -1
    ),
    "64 coordinates": lambda m: m.gather_nd(B.reshape(*LAST, 4), [[0] * 63 + [-1]]),
    "64 dims of indices": lambda m: m.gather_nd(A, np.full((*LAST, 1), 5)),
    "64 dims, batches": lambda m: m.gather_nd(B.reshape(*LAST, 4), ONE[:1].reshape(*LAST, 1), 63),
    "64 dims, scatter": lambda m: m.scatter_nd(B.reshape(*LAST, 4), [[0] * 63 + [1]], [7.0]),
    "64 dims, scattered elements": lambda m: m.scatter_elements(
        B.reshape(*LAST, 4), ONE.reshape(*LAST, 2), B[:2].reshape(*LAST, 2), 63, reduction="max"
    ),
}


@pytest.mark.parametrize("case", CALLS)
def test_at_the_end_of_64_bits(case: str) -> None:
    """The same bits as the reference, or refused as it does."""
    if case.startswith("64") and int(np.__version__.split(".")[0]) < 2:
        pytest.skip("NumPy 1 has 32 dims")

    def answer(module: Any) -> Any:
        A[:], B[:] = np.arange(12.0), np.arange(4.0)
        try:
            found = CALLS[case](module)
        except ValueError:
            return "refused"
        return found.shape, found.tobytes(), A.tobytes(), B.tobytes()

    assert answer(dmlindex) == answer(reference)


def test_huge_products() -> None:
    """With a zero among them they are nothing, however much the others are."""
    nothing = dmlindex.gather(np.zeros((2**30, 0)), np.broadcast_to(0, (2**58,)))
    assert nothing.shape == (2**58, 0)
    places = np.broadcast_to([[[0], [2**30]]], (2**20, 2, 2**20))
    with pytest.raises(IndexError, match=rf"\[0, 1, 0\] = {2**30} is out of range"):
        dmlindex.gather(np.zeros((2**30, 0)), places)
    assert dmlindex.gather(np.zeros((2**20, 0, 2**30)), ONE[:0], 2).shape == (2**20, 0, 0)
    with pytest.raises(IndexError, match=rf"= {2**30} is out of range"):
        dmlindex.gather(np.zeros((2**30, 0)), [2**30])
    with pytest.raises(MemoryError):
        dmlindex.gather(A, np.broadcast_to(1, (2**58,)))
    with pytest.raises(MemoryError):
        dmlindex.gather_nd(np.broadcast_to(1.0, (2, 2**30, 2**8)), np.broadcast_to(1, (2**20, 1)))
    for indices in (np.broadcast_to(1, (2**30, 2**29)), np.zeros((0, 2**30, 2**29), np.int8)):
        with pytest.raises(ValueError, match="too large"):
            dmlindex.gather(np.broadcast_to(1.0, (4, 2**6)), indices)
