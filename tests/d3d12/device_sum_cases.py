"""The same for the kernel of sums that the hardware adds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import NO_BLOCKS, Array, agree
from tests.d3d12.device_kernel_cases import case

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
def accumulate_sums(device: Device) -> None:
    """Numbers that any order sums to the same bits: a group's rounds, slices, and tiny ones."""
    _core.d3d12_set_profile(device.name, NO_BLOCKS)
    rng = np.random.default_rng(8)
    for many in (5, 300, 5000, 5 * 256 * 512 - 77):
        for places in hot_and_cold(many):
            updates = (rng.random(many) < 1 / 16).astype("f4")
            add(device, places[:, np.newaxis], np.arange(many, dtype="f4") % 50, updates)
    for width in (3, 7, 20, 300):
        places = np.repeat(rng.integers(-600, 601, (700, 1)), 3, 0)
        updates = rng.integers(-3, 4, (len(places), width)).astype("f4")
        add(device, places, np.ones((600, width), "f4"), updates)
    middle = rng.integers(-9, 10, (4, 70, 33))
    updates = rng.integers(-3, 4, middle.shape).astype("f4")
    options = {"axis": 1, "reduction": "add", "ordered": False, "mode": "drop"}
    agree(device, dmlindex.scatter_elements, np.ones((4, 9, 33), "f4"), middle, updates, **options)
    complex_ones = rng.integers(-3, 4, (900, 2)).astype("f4").view("c8")[:, 0]
    add(device, rng.integers(0, 99, (900, 1)), complex_ones[:99].copy(), complex_ones)
    tiny_numbers(device)


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
