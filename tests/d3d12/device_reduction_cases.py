"""The same for the kernels of reductions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import (
    EXCHANGES,
    INDICES,
    NEVER,
    OTHER_INDEX,
    TARGETS,
    Array,
    agree,
    numbers,
    tuples,
    values,
)
from tests.d3d12.device_kernel_cases import CASES, case


def add(device: Device, places: Array, x: Array, updates: Array) -> None:
    reduce(device, "add", places, x, updates)


def reduce(
    device: Device, how: str, places: Array, x: Array, updates: Array, **options: Any
) -> None:
    agree(device, dmlindex.scatter_nd, x, places, updates, reduction=how, **options)


def drawn(values_of: str) -> Iterator[tuple[str, Array]]:
    """Updates for kernels that combine in C order, and how."""
    updates = numbers(TARGETS, values_of)
    yield "max" if values_of == "wide" else "add", updates  # whose sums take atomics
    if values_of == "doubles":
        yield "mul", updates
        yield "mul", (updates + 1j * updates[::-1] / 3).astype("c8")
        yield "mul", updates / 7 - 1j * updates[::-1]


@case
def accumulate(device: Device, values_of: str) -> None:
    """Numbers whose sums have the same bits in any order; what meets in a group, and does not."""
    for how in ("add", "mul", "min", "max"):
        updates = numbers(TARGETS, values_of)
        if how in ("add", "mul") and values_of == "floats":
            updates = (updates > 2.5).astype(updates.dtype)
        for places in (tuples((TARGETS,), OTHER_INDEX), np.full((TARGETS, 1), 3)):
            reduce(device, how, places, updates[::-1].copy(), updates, ordered=False)
    ones = np.ones(5000).astype(updates.dtype)
    how = "add"
    places = tuples((3000,), "i4", len(ones))  # of several groups
    reduce(device, how, places, np.zeros(3000, ones.dtype), ones, ordered=False)
    many = 3 * 256 * 1024 - 5  # for rounds: what stays, leaves, or is met once
    hot = np.where(np.arange(many) % 3 == 0, 7, np.sort(tuples((1000,), "i4", many).ravel()))
    hot[many // 2 :] = np.arange(many - many // 2)
    some = (np.arange(many) % 64 == 0).astype(ones.dtype)
    reduce(device, how, hot[:, np.newaxis], np.zeros(many, ones.dtype), some, ordered=False)
    accumulate_along(device, how, ones.dtype)
    few = tuples(
        (7,), "i4", 1 << 15
    )  # groups that meet at few words, with what these hold meanwhile
    signs = np.where(np.arange(len(few)) % 3 == 0, -1, 1).astype(ones.dtype)
    for how in ("mul", "min", "max"):
        extremes = signs if how == "mul" else np.repeat(updates[::-1][:32], len(few) // 32)
        if values_of == "floats" and how != "mul":
            extremes[77] = -np.inf if how == "min" else np.inf
        reduce(device, how, few, np.ones(9, ones.dtype), extremes, ordered=False)
    if values_of == "integers":
        for dtype in ("i4", "u4", "?"):
            x = values((TARGETS,), "u4").astype(dtype)
            for how in ("add", "mul", "min", "max"):
                reduce(device, how, tuples((TARGETS,), OTHER_INDEX), x[::-1].copy(), x)
    if values_of == "floats":
        x = ((updates > 1) * (1 + 2j)).astype("c8")  # summed as floats
        reduce(device, "add", tuples((TARGETS,), "i4"), x[::-1].copy(), x, ordered=False)
        # A NaN becomes a quiet one, also beside what changes no number.
        nan = np.array([0x7FA00001], "u4").view("f4")
        for how, number in (("add", -0.0), ("mul", 1.0), ("min", np.inf), ("max", -np.inf)):
            fixed = np.array([number], "f4")
            for old, new in ((fixed, nan), (nan, fixed)):
                x, update = np.repeat(old, 5), np.repeat(new, 1)
                reduce(device, how, np.array([[2]]), x, update, ordered=False)


def by_buckets(device: Device, places: Array, width: int, dtype: str) -> None:
    """Rows of numbers that any order sums to the same bits."""
    rng = np.random.default_rng(len(places))
    updates = (rng.random((len(places), width)) < 600 / len(places)).astype(dtype)
    updates[:5] = np.inf
    targets = places.max() + 1
    x = (np.arange(targets * width) % 50).reshape(targets, width).astype(dtype)
    for how in ("add", "max", "mul", "min"):
        these = np.where(updates != 0, -1, 1).astype(dtype) if how == "mul" else updates
        these = -1 - these if how == "min" else these
        reduce(device, how, places[:, np.newaxis], x, these, ordered=False)


def accumulate_along(device: Device, how: Any, dtype: Any) -> None:
    """A thread goes through positions that are neighbours, or apart; slices share words."""
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, before | {"least_lanes": NEVER, "bucket_updates": NEVER})
    dtypes = [dtype]
    if dtype == np.float32:
        dtypes = ["f4", "f2"]
    if dtype == np.int16:
        dtypes = ["i2", "i1"]
    for one in dtypes:
        reduce_along(device, how, one)
    _core.d3d12_set_profile(device.name, before)


def reduce_along(device: Device, how: str, dtype: Any) -> None:
    rng = np.random.default_rng(11)
    for shape, axis, count in (((2, 7, 300), 1, 1501), ((40, 9, 3), 1, 700), ((5, 90), 0, 9001)):
        drawn = (*shape[:axis], count, *shape[axis + 1 :])
        places = np.sort(rng.integers(-shape[axis], shape[axis] + 1, drawn), axis)
        updates = (rng.random(drawn) < 1 / 64).astype(dtype)
        options: dict[str, Any] = {"axis": axis, "mode": "drop", "reduction": how}
        x = np.zeros(shape, dtype)
        agree(device, dmlindex.scatter_elements, x, places, updates, ordered=False, **options)
    for width in (3, 5):
        places = np.repeat(rng.integers(0, 3001, (30_000, 1)), 4, 0)
        updates = (rng.random((len(places), width)) < 1 / 16).astype(dtype)
        x = np.zeros((3000, width), dtype)
        reduce(device, how, places, x, updates, mode="drop", ordered=False)


@case
def accumulate_buckets(device: Device) -> None:
    """Updates in runs, drawn, skewed, and all at one place; many of a bucket, and few."""
    _core.d3d12_set_profile(device.name, EXCHANGES | {"bucket_updates": 1})
    rng = np.random.default_rng(3)
    runs = np.repeat(rng.integers(100, size=900), 7)
    several = rng.integers(3000, size=30001)  # buckets have several groups
    skewed = (rng.random(20001) ** 9 * 20000).astype(np.int64)  # groups have many buckets
    for dtype, width in (("f4", 1), ("f2", 1), ("f2", 3), ("f4", 2)):
        for places in (runs, several, np.full(20000, 99)):
            by_buckets(device, places, width, dtype)
    for dtype in ("f4", "f2"):
        by_buckets(device, skewed, 1, dtype)
        by_buckets(device, np.sort(skewed), 1, dtype)
    places, ones = np.arange(10000)[:, np.newaxis] % 100, np.ones(10000, "f4")
    # A NaN becomes a quiet one, also where nothing else is added.
    ones[77:79] = np.array(0x7FA00001, "u4").view("f4")
    places[77] = 100
    reduce(device, "add", places, np.full(101, -0.0, "f4"), ones, ordered=False)
    places, ones = np.arange(10000)[:, np.newaxis] % 100, np.ones(10000, "f4")
    places[5] = 100  # out of range
    places[6:9] = -100
    for mode, dtype in product(("clamp", "wrap", "drop"), ("i2", "i4", "i8")):
        ones, zeros = np.ones(10000, "f4"), np.zeros(100, "f4")
        reduce(device, "add", places.astype(dtype), zeros, ones, mode=mode, ordered=False)
    with pytest.raises(IndexError, match=r"indices\[5, 0\] = 100 is out of range"):
        reduce(device, "add", places, np.zeros(100, "f4"), np.ones(10000, "f4"), ordered=False)


@case
def move_to_buckets(device: Device) -> None:
    """More than the least words of a bucket, and the rounds of a group."""
    _core.d3d12_set_profile(device.name, EXCHANGES | {"bucket_updates": 1})
    places = np.arange(1_100_000) * 7919 % 600_011
    updates = (np.arange(len(places)) % 3).astype("f4")
    reduce(device, "add", places[:, np.newaxis], np.zeros(600_011, "f4"), updates, ordered=False)


@case
def count_buckets(device: Device) -> None:
    _core.d3d12_set_profile(device.name, EXCHANGES | {"bucket_updates": 1})
    by_buckets(device, np.arange(9000) % 4000, 1, "f4")


@case
def list_updates(device: Device) -> None:
    updates = numbers(TARGETS, "floats")
    add(device, tuples((TARGETS,), OTHER_INDEX), np.ones(TARGETS, "f4"), updates)


@case
def list_single_updates(device: Device, index_bytes: int) -> None:
    places = tuples((TARGETS,), INDICES[index_bytes])
    add(device, places, np.ones(TARGETS, "f4"), numbers(TARGETS, "floats"))


@case
def reduce_lists(device: Device, values_of: str) -> None:
    for how, updates in drawn(values_of):
        reduce(device, how, tuples((TARGETS,), "i4"), updates[::-1].copy(), updates)


@case
def reduce_sorted(device: Device, values_of: str) -> None:
    """Many updates for each target."""
    for how, updates in drawn(values_of):
        reduce(device, how, tuples((4,), "i4"), updates[:4].copy(), updates)


@case
def mark_starts(device: Device) -> None:
    reduce_sorted(device, "floats")


@case
def reduce_long(device: Device, values_of: str) -> None:
    """Runs of all lengths about the longest that are not long, some of slices for two groups."""
    before = _core.d3d12_profile(device.name)
    reduce_runs(device, values_of, [1, 63, 64, 65, 66, 128, 1, 200, 3000])
    _core.d3d12_set_profile(device.name, before | {"walked_updates": 0})
    reduce_runs(device, values_of, [1, 64, 255, 256, 257, 258, 1, 600])
    # So few for each target that there are lists first: what these leave is walked, or is not.
    runs = [1, 31, 32, 33, 34, *[0] * 400, 255, 256, 257, 258, 0, 600]
    reduce_runs(device, values_of, runs)
    _core.d3d12_set_profile(device.name, before)
    reduce_runs(device, values_of, runs)


def reduce_runs(device: Device, values_of: str, lengths: list[int]) -> None:
    places = np.repeat(np.arange(len(lengths)), lengths)
    places = np.random.default_rng(2).permutation(places)[:, np.newaxis]
    for rest in ((), (3,), (300,)):
        for how, few in drawn(values_of):
            updates = np.resize(few, (len(places), *rest))
            reduce(device, how, places, updates[: len(lengths)].copy(), updates)
    if values_of == "floats":  # too many for atomics, in any order: groups share a run
        for dtype, width in (("f4", 300), ("f2", 600)):
            x = np.ones((len(lengths), width), dtype)
            updates = np.zeros((len(places), width), dtype)
            updates[::3] = np.arange(width) % 2
            for how in ("add", "min", "max"):
                reduce(device, how, places, x, updates, ordered=False)
            signs = np.where(updates == 1, -1, 1).astype(dtype)
            reduce(device, "mul", places, x, signs, ordered=False)


for name in ("sort_keys", "sort_count", "sort_scan", "sort_move"):
    CASES[name] = lambda device: reduce_sorted(device, "floats")


@case
def fill_words(device: Device) -> None:
    """The heads of a reduction's lists."""
    list_updates(device)


@case
def fill_pieces(device: Device) -> None:
    list_updates(device)
