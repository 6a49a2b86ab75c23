"""Many indices out of range: wrapped, filled, dropped as Python's own arithmetic says, in every ISA
and index dtype, up to the extremes."""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any, Literal

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

FAR = [0, 1, 2**15, 2**30, 2**31 - 1, 2**31, 2**45, 2**50 - 1, 2**50, 2**51, 2**52 + 1, 2**62]


def far_indices(dtype: str, limit: int) -> Any:
    """What the dtype has around each of FAR, multiples of limit, and both signs."""
    info = np.iinfo(dtype)
    around = [
        sign * (at + step) for at in FAR for step in (-limit, -1, 0, 1, limit) for sign in (1, -1)
    ]
    multiples = [limit * 2**k + step for k in range(0, 62, 3) for step in (-1, 0, 1)]
    wanted = [*around, *multiples, *(-index for index in multiples), info.min, info.max]
    kept = [index for index in wanted if info.min <= index <= info.max]
    return np.array(kept, dtype)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 64, 997, 65536, 1_000_003])
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_wrap_is_the_remainder_of_every_index(dtype: str, limit: int) -> None:
    x = np.arange(limit, dtype="u4")
    indices = far_indices(dtype, limit)
    remainders = [int(index) % limit for index in indices]
    found = dmlindex.gather(x, indices, mode="wrap")
    assert found.tolist() == remainders
    for first in range(0, len(indices), 11):  # a few among others that are in range
        some = np.resize(np.arange(min(limit, 100)), 96).astype(dtype)
        some[5::9] = np.resize(indices[first:], some[5::9].shape)
        expected = [int(index) % limit for index in some]
        assert dmlindex.gather(x, some, mode="wrap").tolist() == expected


@pytest.mark.parametrize("rounding", [0, 0x400, 0x800, 0xC00])
def test_wrap_does_not_depend_on_how_the_caller_has_floats_rounded(rounding: int) -> None:
    """fesetround's modes, by x86's numbers for them."""
    if platform.machine() not in ("x86_64", "AMD64") or sys.platform != "linux":
        pytest.skip("fesetround is asked for by its numbers on x86-64 and Linux")
    libm = ctypes.CDLL("libm.so.6")
    for limit in (1, 7, 49, 997, 65535, 1_000_003):
        guarded = np.full(limit + 8, -1, "i8")
        x = guarded[4 : limit + 4]
        x[:] = np.arange(limit)
        most = min(2**30, 2**50 // limit)
        factors = [
            np.arange(-64, 64),
            np.arange(most - 64, most + 2),
            np.arange(-most - 2, 64 - most),
        ]
        multiples = np.concatenate(factors) * limit
        indices = np.concatenate([multiples, multiples + 1, multiples - 1])
        assert libm.fesetround(rounding) == 0
        try:
            found = dmlindex.gather(x, indices, mode="wrap")
        finally:
            assert libm.fesetround(0) == 0
        assert found.tolist() == [int(index) % limit for index in indices]


@pytest.mark.parametrize("reduction", ["none", "add"])
@pytest.mark.parametrize("dtype", ["i2", "i4", "i8", "u8"])
def test_scatters_wrap(dtype: str, reduction: Literal["none", "add"]) -> None:
    for limit in (3, 64, 1000):
        x = np.zeros((limit, 2), "i4")
        far = far_indices(dtype, limit)
        updates = np.arange(1, len(far) + 1, dtype="i4")
        columns = np.arange(len(far)) % 2
        rows = np.array([int(index) % limit for index in far])
        expected = x.copy()
        if reduction == "add":
            np.add.at(expected, (rows, columns), updates)
        else:
            for row, column, update in zip(rows, columns, updates, strict=True):
                expected[row, column] = update
        indices = np.stack([far, columns.astype(dtype)], -1)
        found = dmlindex.scatter_nd(x, indices, updates, mode="wrap", reduction=reduction)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("share", [0.01, 0.5, 1.0])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("item", ["u1", "f2", "f4", "c16", "V3", "V100"])
def test_few_indices_for_much_are_filled(threads: Any, item: str, count: int, share: float) -> None:
    rng = np.random.default_rng([len(item), count, int(100 * share)])
    threads(count)
    for shape, axis, places in [
        ((300, 40), 1, (90, 2)), ((300, 40), 1, (1,)), ((700, 15), 1, (30,)),
        ((60, 50, 9), 1, (4,)), ((40, 9, 30), 2, (33,)), ((50, 900), 0, (120,)),
        ((1, 20000), 0, (5,)),
    ]:  # fmt: skip
        bits = rng.integers(0, 256, (*shape, np.dtype(item).itemsize)).astype("u1")
        x = bits.view(item)[..., 0]
        drawn = rng.integers(-shape[axis], shape[axis], places)
        drawn[rng.random(places) < share] = shape[axis] + 2
        drawn.flat[-1] = -shape[axis] - 1
        apart = np.repeat(drawn, 2, -1)[..., ::2]  # every other one
        for table, indices in ((x, drawn), (np.asfortranarray(x), apart), (x[::-1], drawn)):
            fill = None if item.startswith("V") else 3
            options: dict[str, Any] = {} if fill is None else {"fill_value": fill}
            expected = reference.gather(table, indices, axis=axis, mode="fill", **options)
            found = dmlindex.gather(table, indices, axis=axis, mode="fill", **options)
            assert found.tobytes() == expected.tobytes()
            out = np.zeros(expected.shape[::-1], item).T
            dmlindex.gather(table, indices, axis=axis, mode="fill", out=out, **options)
            assert np.ascontiguousarray(out).tobytes() == expected.tobytes()


@pytest.mark.parametrize("share", [0.05, 0.5, 1.0])
@pytest.mark.parametrize("item", ["u1", "i2", "f4", "i8", "c16", "V3", "V24", "V40", "V64", "V65"])
def test_single_slices_are_filled_and_dropped(item: str, share: float) -> None:
    rng = np.random.default_rng(int(100 * share))
    x = rng.integers(0, 256, (500, np.dtype(item).itemsize)).astype("u1").view(item)[:, 0]
    updates = x[rng.integers(0, 500, 3000)]
    for dtype in ("i4", "i8"):
        indices = rng.integers(-500, 500, 3000).astype(dtype)
        indices[rng.random(3000) < share] = 2**30
        for table in (x, x[::-1]):
            found = dmlindex.gather(table, indices, mode="fill")
            assert found.tobytes() == reference.gather(table, indices, mode="fill").tobytes()
            found = dmlindex.scatter_elements(table, indices, updates, mode="drop")
            expected = reference.scatter_elements(table, indices, updates, mode="drop")
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_few_tuples_and_rows_of_indices_are_filled(share: float) -> None:
    rng = np.random.default_rng(int(10 * share))
    x = rng.integers(0, 100, (30, 20, 300)).astype("f4")
    tuples = rng.integers(-20, 20, (12, 15, 2))
    tuples[rng.random((12, 15)) < share] = 77
    expected = reference.gather_nd(x, tuples, mode="fill", fill_value=5)
    assert dmlindex.gather_nd(x, tuples, mode="fill", fill_value=5).tobytes() == expected.tobytes()
    rows = np.broadcast_to(rng.integers(-30, 30, (40, 1, 1)), (40, 20, 300)).copy()
    rows[rng.random(40) < share] = -31
    expected = reference.gather_elements(x, rows, mode="fill", fill_value=5)
    found = dmlindex.gather_elements(x, rows, mode="fill", fill_value=5)
    assert found.tobytes() == expected.tobytes()
    empty = dmlindex.gather(x[:, :0], [[0, 3]], axis=1, mode="fill", fill_value=5)
    assert empty.shape == (30, 1, 2, 300)
    assert (empty == 5).all()
