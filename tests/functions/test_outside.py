"""Many indices out of range: wrapped, filled, dropped as Python's own arithmetic says, in every ISA
and index dtype, up to the extremes."""

from __future__ import annotations

from typing import Any

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
        indices = rng.integers(-shape[axis], shape[axis], places)
        indices[rng.random(places) < share] = shape[axis] + 2
        for table in (x, np.asfortranarray(x), x[::-1]):
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
