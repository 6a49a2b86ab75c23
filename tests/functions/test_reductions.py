"""Reductions to the bit: rounding at every step, NaN, both zeros, the order of duplicates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference, testing

Array = npt.NDArray[Any]

ORDERED = ["add", "mul", "min", "max"]


def require(device: str, dtype: Any, reduction: Any) -> None:
    """Skips a reduction that the device says it lacks; test_device_tensors.py holds it to that."""
    if not dmlindex.Device(device).has_reduction(dtype, reduction):
        pytest.skip(f"{device} has no {reduction!r} on {np.dtype(dtype)}")


def reduce_all(device: str, reduction: Any, old: Any, updates: Any, dtype: Any) -> Array:
    """One element reduced with updates one after the other; the reference agrees to the bit."""
    require(device, dtype, reduction)
    x, items = np.array([old], dtype), np.array(updates, dtype)
    indices = np.zeros((items.size, 1), int)
    call = testing.Call("scatter_nd", (x, indices, items), {"reduction": reduction})
    testing.check_same(partial(dmlindex.scatter_nd, device=device), reference.scatter_nd, call)
    answer: Array = dmlindex.scatter_nd(x, indices, items, reduction=reduction, device=device)
    return answer


def bits(array: Array) -> int:
    return int(array.view(f"u{array.dtype.itemsize}")[0])


def test_float16_rounds_every_step(device: str) -> None:
    """2048 + 1 + 1 + 1: each sum lies between two float16 and goes to the even one. The exact sum,
    rounded once, is 2052."""
    assert reduce_all(device, "add", 2048, [1, 1, 1], "f2")[0] == 2048
    assert reduce_all(device, "add", 2050, [1], "f2")[0] == 2052  # half way, up to even
    assert reduce_all(device, "mul", 0.1, [0.1, 10, 10], "f2")[0] == np.float16(
        np.float16(np.float16(np.float16(0.1) * np.float16(0.1)) * 10) * 10
    )


def test_float16_past_its_ends(device: str) -> None:
    assert reduce_all(device, "add", 65504, [15], "f2")[0] == 65504
    assert reduce_all(device, "add", 65504, [16], "f2")[0] == np.inf
    assert bits(reduce_all(device, "mul", 2.0**-24, [0.5], "f2")) == 0  # half way to 0, to even
    assert bits(reduce_all(device, "mul", 3 * 2.0**-24, [0.5], "f2")) == 2
    assert bits(reduce_all(device, "mul", -(2.0**-24), [0.25], "f2")) == 0x8000


def test_bfloat16_rounds_every_step(device: str) -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    assert reduce_all(device, "add", 256, [1, 1, 1], bfloat16)[0] == 256
    assert reduce_all(device, "add", 258, [1], bfloat16)[0] == 260
    assert reduce_all(device, "mul", 3e38, [10], bfloat16)[0] == np.inf


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("reduction", ORDERED)
def test_a_nan_propagates_quiet_with_its_payload(device: str, reduction: Any, dtype: str) -> None:
    size = np.dtype(dtype).itemsize
    mantissa = np.finfo(dtype).nmant
    infinity = bits(np.array([np.inf], dtype))
    sign, quiet = 1 << (8 * size - 1), 1 << (mantissa - 1)
    signaling: Array = np.array([sign | infinity | 5], f"u{size}").view(dtype)
    other: Array = np.array([infinity | quiet | 3], f"u{size}").view(dtype)
    one = np.ones(1, dtype)
    there = sign | infinity | quiet | 5
    assert bits(_reduced(device, reduction, signaling, one)) == there
    assert bits(_reduced(device, reduction, one, signaling)) == there
    assert bits(_reduced(device, reduction, signaling, other)) == there
    assert bits(_reduced(device, reduction, other, signaling)) == infinity | quiet | 3


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_a_nan_that_the_step_makes(device: str, dtype: str) -> None:
    """x86's: quiet, its sign set, no payload; on every processor and device."""
    size, mantissa = np.dtype(dtype).itemsize, np.finfo(dtype).nmant
    made = (1 << (8 * size - 1)) | bits(np.array([np.inf], dtype)) | (1 << (mantissa - 1))
    assert bits(reduce_all(device, "add", np.inf, [-np.inf], dtype)) == made
    assert bits(reduce_all(device, "mul", 0, [np.inf], dtype)) == made


def _reduced(device: str, reduction: Any, old: Array, update: Array) -> Array:
    require(device, old.dtype, reduction)
    return dmlindex.scatter_nd(old, [[0]], update, reduction=reduction, device=device)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", np.longdouble])
@pytest.mark.parametrize("reduction", ["min", "max"])
def test_zeros_compare_equal_so_the_one_there_stays(
    device: str, reduction: Any, dtype: Any
) -> None:
    for old, update in ((0.0, -0.0), (-0.0, 0.0)):
        answer = reduce_all(device, reduction, old, [update], dtype)
        assert np.signbit(answer[0]) == np.signbit(old)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_wrap(device: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    assert reduce_all(device, "add", info.max, [1], dtype)[0] == info.min
    assert reduce_all(device, "mul", info.max, [info.max], dtype)[0] == 1
    assert reduce_all(device, "mul", 7, [info.max, info.max, 3], dtype)[0] == 21
    assert reduce_all(device, "min", 5, [info.max, info.min], dtype)[0] == info.min
    assert reduce_all(device, "max", 5, [info.min, info.max], dtype)[0] == info.max


def test_bool_is_or_and_and(device: str) -> None:
    for old in (False, True):
        for update in (False, True):
            for reduction in ("add", "max"):
                assert reduce_all(device, reduction, old, [update], bool)[0] == (old or update)
            for reduction in ("mul", "min"):
                assert reduce_all(device, reduction, old, [update], bool)[0] == (old and update)


def test_a_bool_of_other_bits_is_true(device: str) -> None:
    """A view can hold any byte; a result is 0 or 1, and what nothing meets keeps its bits."""
    odd = np.array([2, 3], np.uint8).view(bool)
    answer = dmlindex.scatter_nd(odd, [[0]], np.array([False]), reduction="add", device=device)
    assert answer.tobytes() == b"\1\3"


@pytest.mark.parametrize("dtype", ["c8", "c16", np.clongdouble])
def test_complex(device: str, dtype: Any) -> None:
    answer = reduce_all(device, "mul", 1 + 2j, [3 - 1j, 2j], dtype)
    assert answer[0] == (1 + 2j) * (3 - 1j) * 2j
    assert reduce_all(device, "add", 1 + 2j, [3 - 1j, 2j], dtype)[0] == 4 + 3j
    reduce_all(device, "mul", complex(np.inf, 0), [complex(0, 1)], dtype)  # no infinity is repaired


def test_duplicates_are_added_in_order(device: str) -> None:
    """In float32 the order of a sum shows: 1 is lost in 2^24, two of them are not."""
    big = 2.0**24
    assert reduce_all(device, "add", 0, [big, 1, 1, -big], "f4")[0] == 0
    assert reduce_all(device, "add", 0, [1, 1, big, -big], "f4")[0] == 2
    assert reduce_all(device, "add", 0, [big, -big, 1, 1], "f4")[0] == 2


@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("reduction", ORDERED)
@pytest.mark.parametrize("slice_size", [1, 3])
def test_targets_with_few_updates_and_with_many(
    device: str, reduction: Any, dtype: str, slice_size: int
) -> None:
    """Lists of 1 to 9 updates, just as many as a D3D12 device folds as a list, and far more."""
    counts = np.zeros(400, int)
    counts[3:12] = np.arange(1, 10)
    counts[[20, 21, 22, 399]] = 64, 65, 63, 500
    rng = np.random.default_rng(7)
    indices = rng.permutation(np.repeat(np.arange(400), counts))[:, np.newaxis]
    low, high = (-1, 2) if reduction == "mul" else (0, 2) if dtype == "?" else (-9, 9)
    x = rng.integers(low, high, (400, slice_size)).astype(dtype)
    updates = (rng.integers(low, high, (len(indices), slice_size)) * 1.5).astype(dtype)
    call = testing.Call("scatter_nd", (x, indices, updates), {"reduction": reduction})
    testing.check_same(partial(dmlindex.scatter_nd, device=device), reference.scatter_nd, call)


@pytest.mark.parametrize("dtype", ["?", "u1", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("reduction", ORDERED)
@pytest.mark.parametrize("length", [2, 9, 300])
def test_updates_that_follow_each_other_to_one_place(
    device: str, reduction: Any, dtype: str, length: int
) -> None:
    """Runs of them, of which some are dropped; of floats with zeros of both signs and NaNs."""
    rng = np.random.default_rng(length)
    indices = np.repeat(rng.integers(0, 45, 1 + 1200 // length), length)[:, np.newaxis]
    x = rng.integers(0, 2 if dtype == "?" else 9, 40).astype(dtype)
    updates = rng.integers(0, 2 if dtype == "?" else 9, len(indices)).astype(dtype)
    if np.dtype(dtype).kind == "f":
        updates[rng.random(len(updates)) < 0.3] *= -1
        updates[len(updates) // 2] = np.nan
        x[7] = np.nan
    options = {"reduction": reduction, "mode": "drop"}
    call = testing.Call("scatter_nd", (x, indices, updates), options)
    testing.check_same(partial(dmlindex.scatter_nd, device=device), reference.scatter_nd, call)


@pytest.mark.parametrize("dtype", ["u1", "i2", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("reduction", ["min", "max"])
def test_updates_that_hardly_change_anything(device: str, reduction: Any, dtype: str) -> None:
    """What is there is better than nearly all of them; of floats some are NaNs, or zeros of both
    signs that come to such."""
    rng = np.random.default_rng(3)
    indices = rng.integers(0, 30, (2000, 1))
    best, some = (5, 100) if reduction == "min" else (100, 5)
    x = np.full(30, best, dtype)
    updates = np.full(len(indices), some, dtype)
    updates[[700, 1500]] = 1 if reduction == "min" else 120
    if np.dtype(dtype).kind == "f":
        x[:4] = [-0.0, 0.0, np.nan, -0.0]
        updates[:] = np.where(rng.random(len(updates)) < 0.5, 0.0, -0.0)
        updates[indices[:, 0] >= 4] = some
        updates[[650, 1400]] = np.nan
    call = testing.Call("scatter_nd", (x, indices, updates), {"reduction": reduction})
    testing.check_same(partial(dmlindex.scatter_nd, device=device), reference.scatter_nd, call)


def test_many_in_a_row(device: str) -> None:
    """More kernels than a D3D12 device records in one list; every other call has a long run."""
    array = np.zeros(50, np.float32)
    table: Any = array if device == "cpu" else dmlindex.Device(device).tensor(array)
    indices, long_run = np.arange(100)[:, np.newaxis] % 50, np.zeros((100, 1), int)
    for i in range(60):
        where = long_run if i % 2 else indices
        dmlindex.scatter_nd(table, where, np.ones(100, np.float32), reduction="add", out=table)
    answer = array if device == "cpu" else table.numpy()
    expected = np.full(50, 60, np.float32)
    expected[0] += 3000
    np.testing.assert_array_equal(answer, expected)


@pytest.mark.parametrize("reduction", ORDERED)
def test_every_float8_pair(device: str, reduction: Any) -> None:
    """All 65,536 pairs of every 8-bit float: the table against the step."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rng = np.random.default_rng(0)
    for name in ("float8_e5m2", "float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e8m0fnu"):
        dtype = getattr(ml_dtypes, name)
        values = np.arange(256, dtype=np.uint8).view(dtype)
        old, update = np.repeat(values, 256), np.tile(values, 256)
        every = np.arange(65_536)[:, np.newaxis]
        answer = dmlindex.scatter_nd(old, every, update, reduction=reduction, device=device)
        some = rng.integers(0, 65_536, 2000)
        expected = reference.scatter_nd(
            old[some], np.arange(2000)[:, np.newaxis], update[some], reduction=reduction
        )
        assert answer[some].tobytes() == expected.tobytes(), name


def test_what_mode_drops_is_not_reduced(device: str) -> None:
    answer = dmlindex.scatter_nd(
        np.ones(3, np.float32),
        [[1], [5], [-4]],
        np.full(3, 2, np.float32),
        reduction="add",
        mode="drop",
        device=device,
    )
    assert answer.tolist() == [1, 3, 1]


@pytest.mark.parametrize("dtype", ["M8[s]", "m8[s]", "S2", "V4", [("a", "i4")], ">f4", "int4"])
def test_other_dtypes_have_none(dtype: Any) -> None:
    if dtype == "int4":
        dtype = pytest.importorskip("ml_dtypes").int4
    x = np.zeros(2, dtype)
    for module in (dmlindex, reference):
        for reduction in ORDERED:
            with pytest.raises(TypeError, match="reduction"):
                module.scatter_nd(x, [[0]], x[:1], reduction=reduction)


@pytest.mark.parametrize("row_bytes", [256, 650, 1400])
def test_rows_into_a_table_past_the_caches(threads: Callable[[int], None], row_bytes: int) -> None:
    """Rows of several cache lines, a few of which name no place: enough to time ways to fetch."""
    rng = np.random.default_rng(row_bytes)
    threads(1)  # threads that share a sum do not time it
    rows, table_rows = 6_000_000 // row_bytes, 8_000_000 // row_bytes
    table = rng.integers(0, 256, (table_rows, row_bytes), np.uint8)
    updates = rng.integers(0, 256, (rows, row_bytes), np.uint8)
    places = rng.integers(0, table_rows + 20, rows)
    result = dmlindex.scatter_nd(table, places[:, None], updates, reduction="add", mode="drop")
    inside = places < table_rows
    np.add.at(table, places[inside], updates[inside])
    assert np.array_equal(result, table)
