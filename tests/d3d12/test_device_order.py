"""Scatters that first look whether their targets are in order of positions, and of targets that
are all different."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import DTYPES, NO_BLOCKS, Array, same, values

LOOKS = NO_BLOCKS | {
    "ordered_positions": 0,
    "range_bytes": 4096,  # of 1,024 targets
    "least_lines": 1 << 40,
}
GROUP = 4 * 128  # places of a group, of which its next has the last four, too
BORDERS = (4 * 127, GROUP, GROUP + 4 * 127)  # from the last position on


@pytest.fixture(autouse=True)
def own_profile(device: Device) -> Iterator[None]:
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, LOOKS)
    yield
    _core.d3d12_set_profile(device.name, before)


def check(device: Device, x: Array, places: Array, updates: Array, **options: Any) -> None:
    """With a copy, and in place."""
    function = options.pop("function", dmlindex.scatter_nd)
    want = function(x, places, updates, **options)
    same(function(x, places, updates, device=device.name, **options), want)
    table = device.tensor(x)
    function(table, places, updates, out=table, **options)
    same(table, want)


def orders(count: int, targets: int) -> Iterator[Array]:
    """Targets in order, each once or several times; and with one that is out of it."""
    ordered = np.sort(np.random.default_rng(count).integers(0, targets, count))
    yield ordered
    yield np.minimum(np.arange(count), targets - 1)
    for run in (2, 3, 5, 127, 508, 511, 512, 513):  # across threads' and groups' borders
        yield np.arange(count) // run
        yield (count - 1) // run - np.arange(count)[::-1] // run
    yield np.full(count, targets - 1)
    for border in BORDERS:
        for at in range(max(count - border - 2, 1), min(count - border + 3, count)):
            broken = ordered.copy()
            broken[[at - 1, -1]] = targets - 1  # the last must win, whoever stores last
            yield broken
    for at in (1, count - 1):
        broken = ordered.copy()
        broken[at - 1], broken[at] = 7, 6
        yield broken


def test_ordered_targets(device: Device) -> None:
    for count in (2, 5, 508, 512, 513, 1600):
        x, updates = values((1999,), "u4"), values((count,), "u4") + np.uint32(3)
        for places in orders(count, 1999):
            check(device, x, places[:, None], updates)


def test_every_element(device: Device) -> None:
    """Bytes to words of 64 bits, by every kind of index, and tuples; with what a call left."""
    rng = np.random.default_rng(1)
    for dtype, index, shape in product(
        DTYPES.values(), ("i4", "i8", "u2"), ((1501,), (15, 103), (7, 3, 8, 9))
    ):
        x, updates = values(shape, dtype), values((1300,), dtype) + np.array(5, dtype)
        anywhere = rng.integers(0, x.size, 1300)
        for flat in (anywhere, np.sort(anywhere), anywhere[::-1], np.sort(anywhere)):
            places = np.stack(np.unravel_index(flat, shape), -1)
            check(device, x, places.astype(index), updates)
            if index != "u2":
                check(device, x, (places - shape).astype(index), updates, mode="clamp")


def test_lines(device: Device) -> None:
    """Along the last axis lines in order are in order together, along others they are not."""
    x = values((6, 7, 31), "u2")
    for axis in (0, 1, 2):
        shape = (*x.shape[:axis], 50, *x.shape[axis + 1 :])
        places = np.sort(np.random.default_rng(2).integers(0, x.shape[axis], shape), axis)
        options = {"axis": axis, "function": dmlindex.scatter_elements}
        check(device, x, places, values(shape, "u2") + np.uint16(9), **options)


def test_dropped_updates(device: Device) -> None:
    """Between equal targets, at the ends, at borders of groups, and all."""
    x, updates = values((1040,), "u4"), values((1100,), "u4") + np.uint32(3)
    ordered = np.arange(1100) // 30
    cuts = [slice(a, a + n) for a in (0, 45, 588, 592, 1080, 1099) for n in (1, 3, 700)]
    for cut, bad in product(cuts, (1040, -1041)):
        places = ordered.copy()
        places[cut] = bad
        for mode in ("drop", "clamp"):
            check(device, x, places[:, None], updates, mode=mode)
    for bad in (1040, 1 << 40):
        check(device, x, np.full((1100, 1), bad), updates, mode="drop")


def test_bad_indices(device: Device) -> None:
    """The first one is told, and nothing is written in place."""
    x, updates = values((1500,), "u4"), values((2000,), "u4") + np.uint32(3)
    for at, order in product((0, 1, 1000, 1999), (1, -1)):
        places = (np.arange(2000) // 4)[::order, None].copy()
        places[at:, 0] = np.where(np.arange(at, 2000) % 3 == at % 3, 1500, places[at:, 0])
        with pytest.raises(IndexError, match=rf"indices\[{at}, 0\] = 1500 is out of range"):
            dmlindex.scatter_nd(device.tensor(x), places, updates).numpy()
        table = device.tensor(x)
        dmlindex.scatter_nd(table, places, updates, out=table)
        with pytest.raises(IndexError, match=rf"indices\[{at}, 0\] = 1500 is out of range"):
            table.numpy()
        same(table.numpy(), x)


def test_notes_of_other_calls(device: Device) -> None:
    """What calls of other sizes, in order or not, leave behind the winners."""
    _core.d3d12_set_profile(device.name, LOOKS | {"targets_in_ranges": 64})
    rng = np.random.default_rng(8)
    for targets in (5003, 64, 5002, 5001, 1025, 5000, 1200):
        x, updates = values((targets,), "u2"), values((3000,), "u2") + np.uint16(1)
        for kind in rng.permutation(4):
            places = rng.integers(0, targets, 3000)
            if kind % 2:
                places.sort()
            check(device, x, places[:, None].astype("i4"), updates)


def test_unique_targets(device: Device) -> None:
    """Spread, in order and in runs; with ranges, up to 12 bytes a position, and without."""
    rng = np.random.default_rng(5)
    for dtype, index, (size, count) in product(
        DTYPES.values(), ("i4", "i8", "u2"), ((5003, 700), (5003, 4400), (17_001, 13_000))
    ):
        x, updates = values((size,), dtype), values((count,), dtype) + np.array(1, dtype)
        runs = rng.permutation(size // 16)[: count // 16, None] * 16 + np.arange(3, 19)
        _core.d3d12_kernels(device.name)
        for flat in (anywhere := rng.permutation(size)[:count], np.sort(anywhere), runs.ravel()):
            places = (flat % size).astype(index)[:, None]
            check(device, x, places, updates[: len(flat)], unique_indices=True)
            places[rng.random(len(places)) < 0.1] = size + 9
            check(device, x, places, updates[: len(flat)], unique_indices=True, mode="drop")
        ran = _core.d3d12_kernels(device.name)
        assert ("find_any_winners" in ran) == (x.nbytes > LOOKS["range_bytes"]), ran


def test_unique_tuples(device: Device) -> None:
    """Of every number of coordinates, and lines whose positions follow; a bad index stops all."""
    rng = np.random.default_rng(6)
    for shape in ((40, 41), (12, 13, 14), (6, 7, 8, 9)):
        x = values(shape, "u8")
        flat = rng.permutation(x.size)[: x.size - 5]
        places = np.stack(np.unravel_index(flat, shape), -1)
        updates = values(flat.shape, "u8") + np.uint64(3)
        check(device, x, places.astype("i4"), updates, unique_indices=True)
        check(device, x, places - shape, updates, unique_indices=True)
        table, bad = device.tensor(x), places.copy()
        bad[-1, -1] = shape[-1]
        dmlindex.scatter_nd(table, bad, updates, out=table, unique_indices=True)
        with pytest.raises(IndexError, match="is out of range"):
            table.numpy()
        same(table.numpy(), x)
    x, order = values((9, 700), "u4"), rng.permuted(np.tile(np.arange(700), (9, 1)), axis=1)
    options = {"axis": 1, "function": dmlindex.scatter_elements, "unique_indices": True}
    check(device, x, order[:, :633], values((9, 633), "u4"), **options)
