"""The same for the kernels of sums that the hardware adds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import NEVER, NO_BLOCKS, Array, agree
from tests.d3d12.device_kernel_cases import case
from tests.d3d12.device_reduction_cases import reduce_along

SINGLY = NO_BLOCKS | {"least_lanes": NEVER}
DENORMAL = np.float32(2.0**-149)


def add(device: Device, places: Array, x: Array, updates: Array, mode: str = "drop") -> None:
    options = {"reduction": "add", "ordered": False, "mode": mode}
    agree(device, dmlindex.scatter_nd, x, places, updates, **options)


def hot_and_cold(many: int) -> Iterator[Array]:
    """Targets of groups that go on with lists, that stop at once, and that stop after a look."""
    rng = np.random.default_rng(7)
    yield np.where(np.arange(many) % 3 == 0, 7, rng.integers(0, many, many))
    yield rng.permutation(many)
    yield np.sort(rng.integers(0, many // 9 + 1, many))
    yield np.full(many, 5)
    mixed = np.arange(many)
    mixed[: many // 2] = 3
    yield mixed


@case
def accumulate_sums(device: Device, adds: int) -> None:
    """Numbers that any order sums to the same bits: a group's rounds, slices, and tiny ones."""
    _core.d3d12_set_profile(
        device.name, NO_BLOCKS | {"least_lanes": NEVER, "paired_positions": NEVER}
    )
    rng = np.random.default_rng(8)
    dtype = f"f{adds}"
    for many in (5, 300, 5000, 5 * 256 * 512 - 77):
        for places in hot_and_cold(many):
            updates = (rng.random(many) < min(1 / 16, 400 / many)).astype(dtype)
            add(device, places[:, np.newaxis], np.arange(many).astype("i1").astype(dtype), updates)
    for width in (3, 7, 20, 300):
        places = np.repeat(rng.integers(-600, 601, (700, 1)), 3, 0)
        updates = rng.integers(-3, 4, (len(places), width)).astype(dtype)
        add(device, places, np.ones((600, width), dtype), updates)
    reduce_along(device, "add", dtype)
    if adds == 2:
        beside_halves(device)
    else:
        complex_ones = rng.integers(-3, 4, (900, 2)).astype("f4").view("c8")[:, 0]
        add(device, rng.integers(0, 99, (900, 1)), complex_ones[:99].copy(), complex_ones)
        tiny_numbers(device)


@case
def accumulate_whole(device: Device) -> None:
    """Integers of a word and of two, with carries; and many, of which some targets are hot."""
    _core.d3d12_set_profile(device.name, {"paired_positions": NEVER})
    rng = np.random.default_rng(12)
    for dtype in ("i4", "u4", "i8", "u8"):
        for many, limit in ((5, 1 << 7), (3000, 1 << 31), ((1 << 20) + 5, 1 << 31)):
            for places in hot_and_cold(many):
                x = rng.integers(0, limit, many).astype(dtype)
                updates = rng.integers(-limit, limit, many).astype(dtype)
                add(device, places[:, np.newaxis], x, updates << 20 if dtype == "i8" else updates)
        reduce_along(device, "add", dtype)


def add_rows(device: Device, dtype: str) -> None:
    """Slices that threads share: of one position a thread and of four, and of several units."""
    rng = np.random.default_rng(15)
    rows = ((8, 33_000), (9, 120_000), (31, 40_000), (63, 9000), (65, 5000), (700, 900))
    for width, many in rows:
        x = rng.integers(-3, 4, (7, 90, width)).astype(dtype)
        updates = rng.integers(-2, 3, (many, width)).astype(dtype)
        for index in ("i4", "i8"):
            places = np.stack([rng.integers(-7, 7, many), rng.integers(-90, 90, many)], -1)
            places[rng.integers(0, many, 9), 1] = 90
            places[-1] = (7, 0)
            add(device, places.astype(index), x, updates)
        add(device, np.sort(places, 0), x, updates, mode="clamp")


@case
def add_slices(device: Device, adds: int) -> None:
    """Rows, and some whose sums are denormals."""
    _core.d3d12_set_profile(device.name, NO_BLOCKS)
    add_rows(device, f"f{adds}")
    tiny = np.full((30_000, 9), DENORMAL)
    add(device, np.arange(30_000)[:, np.newaxis] % 7000, tiny[:7000].copy(), tiny)


@case
def add_whole_slices(device: Device) -> None:
    """The same of integers of a word and of two, with carries."""
    for dtype in ("i4", "u4", "i8", "u8"):
        add_rows(device, dtype)


def add_tuples(device: Device, dtype: str) -> None:
    """Tuples and lines of many positions: pairs at their ends, bad indices, of 4 and 8 bytes."""
    rng = np.random.default_rng(13)
    many = 70_003
    for shape in ((many // 3,), (300, 1001), (7, 301, 55), (5, 61, 3, 55)):
        x = rng.integers(-3, 4, shape).astype(dtype)
        updates = (rng.random(many) < 1 / 64).astype(dtype)
        for index in ("i4", "u4", "i8"):
            ends = [(-s if index[0] == "i" else 0, s) for s in shape]
            places = np.stack([rng.integers(*end, many) for end in ends], -1)
            places[rng.integers(0, many, 99), -1] = shape[-1]
            add(device, places.astype(index), x, updates, mode="drop")
        if x[:1].ndim == 1:
            add(device, places[:, -1:] * 0, x, updates, mode="clamp")
    lines = rng.integers(-3, 4, (37, 901)).astype(dtype)
    along = rng.integers(0, 901, (37, 7777)).astype("i4")
    updates = (rng.random(along.shape) < 1 / 64).astype(dtype)
    options = {"axis": 1, "reduction": "add", "ordered": False}
    agree(device, dmlindex.scatter_elements, lines, along, updates, **options)
    # Columns, of which a pair's two may be the last of one row and the first of the next.
    columns = rng.integers(-3, 4, (99, 901)).astype(dtype)
    along, updates = rng.integers(0, 99, (61, 901)), (rng.random((61, 901)) < 1 / 4).astype(dtype)
    along[7, 3] = 99
    options |= {"axis": 0, "mode": "drop"}
    for index in ("i4", "i8"):
        agree(device, dmlindex.scatter_elements, columns, along.astype(index), updates, **options)


@case
def accumulate_pairs(device: Device, adds: int) -> None:
    """Many single elements: groups with lists and without, and tuples."""
    _core.d3d12_set_profile(device.name, SINGLY | {"paired_positions": 0})
    rng = np.random.default_rng(14)
    dtype = f"f{adds}"
    for many in (5, 300, 5 * 256 * 512 - 77):
        for places in hot_and_cold(many):
            updates = (rng.random(many) < min(1 / 16, 400 / many)).astype(dtype)
            add(device, places[:, np.newaxis], np.arange(many).astype("i1").astype(dtype), updates)
    add_tuples(device, dtype)
    if adds == 2:
        beside_halves(device)
    else:
        tiny_numbers(device)


@case
def accumulate_whole_pairs(device: Device) -> None:
    """Many integers of a word, of which some targets are hot; and tuples."""
    _core.d3d12_set_profile(device.name, SINGLY | {"paired_positions": 0})
    rng = np.random.default_rng(15)
    for many, places in ((n, p) for n in (5, 3000, (1 << 20) + 5) for p in hot_and_cold(n)):
        x, updates = (rng.integers(-(1 << 31), 1 << 31, many).astype("i4") for _ in range(2))
        add(device, places[:, np.newaxis], x, updates)
    add_tuples(device, "i4")


def beside_halves(device: Device) -> None:
    """Denormals; and every NaN that is no target, beside halves of its word that are."""
    rng = np.random.default_rng(10)
    for many in (900, 70_000):
        x = rng.integers(0x7C01, 0x8000, 2001).astype("u2") | np.uint16(0x8000) * (many < 1000)
        x[1::2] = 3
        places = 2 * rng.integers(0, 1000, (many, 1)) + 1
        updates = rng.integers(0, 3, many).astype("u2")
        add(device, places, x.view("f2"), updates.view("f2"))
    some = np.array([np.nan, np.inf, -np.inf, -0.0, 6e-8, 65504], "f2")
    found = dmlindex.scatter_nd(
        np.ones(7, "f2"),
        np.arange(6)[:, np.newaxis],
        some,
        reduction="add",
        ordered=False,
        device=device.name,
    )
    expected = [np.nan, np.inf, -np.inf, 1, 1, 65504, 1]
    np.testing.assert_array_equal(np.asarray(found), np.array(expected, "f2"))


def tiny_numbers(device: Device) -> None:
    """What the hardware may take for zeros; and numbers beside which that makes no difference."""
    rng = np.random.default_rng(9)
    tiny = rng.integers(0, 20, 3000).astype("i4")
    signs = np.where(np.arange(3000) % 3 == 0, -1, 1).astype("f4")
    few, each = rng.integers(0, 40, (3000, 1)), rng.permutation(3000)[:, np.newaxis]
    add(device, few, np.arange(40, dtype="i4").view("f4"), tiny.view("f4") * signs)
    ends = (tiny + 0x00800000 - 10).view("f4")  # on both sides of the least normal number
    add(device, each, tiny.view("f4"), ends * signs)
    large = np.repeat(np.array([2.0**-90, 2.0**-101], "f4"), 1500)
    add(device, few % 7, np.zeros(7, "f4"), large)
    some = np.array([np.nan, np.inf, -np.inf, 3 * DENORMAL, -0.0, 2.0**-101, 5], "f4")
    found = dmlindex.scatter_nd(
        np.full(8, DENORMAL),
        np.arange(7)[:, np.newaxis],
        some,
        reduction="add",
        ordered=False,
        device=device.name,
    )
    expected = [np.nan, np.inf, -np.inf, 4 * DENORMAL, DENORMAL, 2.0**-101, 5, DENORMAL]
    np.testing.assert_array_equal(np.asarray(found), np.array(expected, "f4"))
