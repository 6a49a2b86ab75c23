"""The smallest calls that run the kernels of scatters without a reduction."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import DataType, Device, _core
from tests.d3d12.device_kernel_calls import (
    CUBE,
    DTYPES,
    INDICES,
    NO_BLOCKS,
    OTHER_INDEX,
    SQUARE,
    TARGETS,
    Array,
    agree,
    once,
    same,
    scatter,
    shape_of,
    tuples,
    values,
)
from tests.d3d12.device_kernel_cases import case, row_of
from tests.descriptors.descs import data, index, scatter_nd


def scatter_in_place(device: Device, x: Array, places: Array) -> None:
    """What is beside the slices stays."""
    rest = x.shape[places.shape[-1] :]
    updates = values((len(places), *rest), x.dtype) + x.dtype.type(5)
    table = device.tensor(x)
    dmlindex.scatter_nd(table, places, updates, out=table)
    same(table, dmlindex.scatter_nd(x, places, updates))


@case
def scatter_units(device: Device, unit: int) -> None:
    """Rows on a line."""
    kind = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32}[unit]
    table, items = data(2, 5, 3, data_type=kind), data(1, 3, 3, data_type=kind)
    desc = scatter_nd(table, index(1, 3, 2), items, table, 3, 2)
    places = np.array([[[1, 3], [0, 0], [1, 3]]])
    operands = values((2, 5, 3), DTYPES[unit]), places, values((1, 3, 3), DTYPES[unit])
    found = device.compile(desc, mode="directml")(*operands)
    same(found, Device().compile(desc, mode="directml")(*operands))


@case
def find_winners(device: Device) -> None:
    scatter(device, (TARGETS, 3), tuples((TARGETS,), OTHER_INDEX), "u1", mode="wrap")


@case
def scatter_in_order(device: Device, unit: int) -> None:
    """Rows between rows, where an address wraps: 2^32 is no multiple of three units."""
    kind = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32, 16: DataType.UINT32}[unit]
    row = max(unit // 4, 1) * 3
    table, items = data(5, row, data_type=kind), data(8, row, data_type=kind)
    desc = scatter_nd(table, index(8, 1), items, table, 2, 2)
    once_more = 2**32 // row + 1
    places = np.array([0, once_more, 1, once_more + 1, 3, 2, once_more, 4])[:, np.newaxis]
    dtype = DTYPES[min(unit, 4)]
    operands = values((5, row), dtype), places, values((8, row), dtype)
    same(
        device.compile(desc, mode="directml")(*operands),
        Device().compile(desc, mode="directml")(*operands),
    )


@case
def scatter_bytes(device: Device) -> None:
    """Slices that begin and end anywhere in a piece of 16 bytes, in place."""
    _core.d3d12_set_profile(device.name, NO_BLOCKS | {"slices_copied": 0})
    for dtype, width in product(("u1", "u2"), (2, 3, 5, 7, 13, 20, 31, 33, 63, 100)):
        scatter_in_place(device, values((40, width), dtype), tuples((40,), "i4", 30))
    _core.d3d12_set_profile(device.name, {"compared_positions": 256})
    for count, width in product((2, 127, 129, 256), (1, 7, 400)):
        scatter_in_place(device, values((150, width), "u1"), tuples((150,), "i8", count))
    _core.d3d12_set_profile(device.name, {"compared_positions": 0})
    scatter(device, (40, 33), once((40,), "i4"), "u1", unique_indices=True)
    scatter(device, (7, 40, 9), tuples((7, 40), "i8", 5), "u1", mode="drop")
    scatter(device, (7, 40, 9), tuples((7, 40), "i2", 5) * 3, "u1", mode="wrap")
    table, bad = device.tensor(values((40, 3), "u1")), np.array([[1], [40], [2]])
    dmlindex.scatter_nd(table, bad, values((3, 3), "u1") + np.uint8(9), out=table)
    with pytest.raises(IndexError, match=r"indices\[1, 0\] = 40 is out of range"):
        table.numpy()
    same(table, values((40, 3), "u1"))


@case
def scatter_slices(device: Device) -> None:
    """As many positions as targets, or a few less; slices of a multiple of 16 bytes, too."""
    for dtype, width in product(("u1", "u4"), (3, 5, 7, 20, 32, 33, 100)):
        for count in (4, 30, 90):
            scatter(device, (40, width), tuples((40,), "i4", count), dtype)
        scatter(device, (40, width), tuples((60,), "i8", 30), dtype, mode="drop")
        for count in (20, 40, 90):
            scatter_in_place(device, values((40, width), dtype), tuples((40,), "i8", count))


@case
def scatter_rows(device: Device) -> None:
    scatter(device, (*SQUARE, 12), once(SQUARE, "i4"), "u4", unique_indices=True)


@case
def scatter_rows_simple(device: Device, unit: int) -> None:
    scatter(device, (8, *row_of(unit)), once((8,), "i4"), "u4", unique_indices=True)


@case
def find_single_winners(device: Device, index_bytes: int, coordinates: int) -> None:
    shape = shape_of(coordinates)
    places = tuples(shape, INDICES[index_bytes], 8 * TARGETS)
    scatter(device, shape, places, "u4")
    scatter(device, shape, places[:TARGETS], "u4")  # whose positions are below the last one's
    claim_at_once(device, INDICES[index_bytes], coordinates)
    claim_in_ranges(device, INDICES[index_bytes], coordinates)


def claim_in_ranges(device: Device, index: str, coordinates: int) -> None:
    """Groups of positions near each other claim targets of all ranges at once, beside others."""
    before = _core.d3d12_profile(device.name)
    ranges = {"range_bytes": 4096, "targets_in_ranges": 64}
    _core.d3d12_set_profile(device.name, NO_BLOCKS | ranges)
    rng = np.random.default_rng(21)
    anywhere = rng.integers(0, 5003, 9001)
    begins, along = rng.integers(0, 4980, 600)[:, None], np.arange(15)
    runs, ordered = (begins + along).reshape(-1), np.sort(anywhere)
    mixed = np.concatenate((ordered[:3000], anywhere[:3000], runs[:3000]))
    table = values((5003,) + (1,) * (coordinates - 1), "u2")
    for places in (anywhere, runs, ordered, ordered[::-1], mixed):
        tuples_of = np.pad(places[:, None], ((0, 0), (0, coordinates - 1))).astype(index)
        updates = values((len(places),), "u2") + np.uint16(1)
        agree(device, dmlindex.scatter_nd, table, tuples_of, updates)
        scatter_in_place(device, table, tuples_of)
    _core.d3d12_set_profile(device.name, before)


def claim_at_once(device: Device, index: str, coordinates: int) -> None:
    """As many targets as positions: each named once, or few of them by all of some group's."""
    rng = np.random.default_rng(20)
    for named in (3000, 700, 3):
        places = rng.integers(0, named, (3000, 1)).astype(index)
        places[1000:1500] = 7
        table = np.broadcast_to(0, (3000,) + (1,) * (coordinates - 1)).astype("u4")
        tuples_of = np.pad(places, ((0, 0), (0, coordinates - 1)))
        agree(device, dmlindex.scatter_nd, table, tuples_of, values((3000,), "u4"))
    claim_runs(device, index, coordinates)


def claim_runs(device: Device, index: str, coordinates: int) -> None:
    """Long and short runs of positions that name one target, some broken by an index out of range.

    That is clamped to the last target: whoever names it before has to stay.
    """
    table = np.broadcast_to(0, (40,) + (1,) * (coordinates - 1)).astype("u4")
    for run in (3, 400):
        places = (np.arange(4000) // run % 40)[:, None].astype(index)
        places[3500:] = 39
        for bad in (0, 1, 2, 3, 9, 500):
            places[3999 - bad] = 40
        tuples_of = np.pad(places, ((0, 0), (0, coordinates - 1)))
        for order in (tuples_of, tuples_of[::-1].copy()):
            agree(device, dmlindex.scatter_nd, table, order, values((4000,), "u4"), mode="drop")


@case
def scatter_singles(device: Device, index_bytes: int, coordinates: int) -> None:
    shape = shape_of(coordinates)
    for dtype in DTYPES.values():
        scatter(device, shape, once(shape, INDICES[index_bytes]), dtype, unique_indices=True)
        scatter_in_place(device, values(shape, dtype), tuples(shape, INDICES[index_bytes], 7))


@case
def scatter_lines(device: Device) -> None:
    """Along any axis, some shorter than the table's; bytes to words of 64 bits; forth and back."""
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, {**NO_BLOCKS, "least_lines": 1, "named_positions": 0})
    rng = np.random.default_rng(7)
    for dtype, axis, mode, per_line in product(
        DTYPES.values(), (0, 1, 2), ("raise", "clamp", "drop", "wrap"), (9, 121)
    ):
        x = values((5, 6, 7), dtype)
        shape = (*x.shape[:axis], per_line, *x.shape[axis + 1 :])
        places = rng.integers(-x.shape[axis], x.shape[axis], shape).astype("i4")
        if mode != "raise":
            places[0, 0, 0] = 99
        updates = values(shape, dtype) + np.array(9, dtype)
        options: dict[str, Any] = {"axis": axis, "mode": mode}
        agree(device, dmlindex.scatter_elements, x, places, updates, **options)
        inner = tuple(
            slice(0, size - 1) if d != axis else slice(None) for d, size in enumerate(shape)
        )
        few, fewer = places[inner].copy(), updates[inner].copy()
        agree(device, dmlindex.scatter_elements, x, few, fewer, **options)
        table = device.tensor(x)
        dmlindex.scatter_elements(table, places, updates, out=table, **options)
        same(table.numpy(), dmlindex.scatter_elements(x, places, updates, **options))
    for targets in (1, 31, 32, 33):
        x = values((40, targets), "u2")
        places = np.sort(rng.integers(0, targets, (40, 16 * targets + 9)), 1)
        places[::2] = places[::2, ::-1]
        agree(device, dmlindex.scatter_elements, x, places, values(places.shape, "u2"), axis=1)
        places[3, 0] = targets  # the last that is looked at
        with pytest.raises(IndexError, match=rf"indices\[3, 0\] = {targets} is out of range"):
            dmlindex.scatter_elements(
                device.tensor(x), places, values(places.shape, "u2"), axis=1
            ).numpy()
    _core.d3d12_set_profile(device.name, before)


@case
def scatter_winners(device: Device, element: int) -> None:
    """With a copy, and in place, where pieces keep what is not named; bytes of a piece in part."""
    scatter(device, (TARGETS,), tuples((TARGETS,), "i4"), DTYPES[element])
    for targets in (TARGETS + 1, 3 * TARGETS + 3):
        scatter_in_place(device, values((targets,), DTYPES[element]), tuples((targets,), "i4"))


@case
def find_any_winners(device: Device) -> None:
    """Lines shorter than four and longer; tuples of four; slices of several elements."""
    for size in (3, 7):
        x = values((4, 5, size), "u4")
        places = tuples((5,), "i8", 4 * 11 * size).reshape(4, 11, size)
        updates = values(places.shape, "u4") + np.uint32(9)
        agree(device, dmlindex.scatter_elements, x, places, updates, axis=1)
        bad = places.copy()
        bad[2, 3, 1] = 5
        agree(device, dmlindex.scatter_elements, x, bad, updates, axis=1, mode="drop")
    places = tuples((2, 3, 4, 2), "i4", 30)
    scatter(device, (2, 3, 4, 2), places, "u2")
    for of, coordinates in product(("i4", "i8"), (2, 3)):
        scatter(device, shape_of(coordinates), tuples(shape_of(coordinates), of, 99), "u4")
        claim_at_once(device, of, coordinates)
    scatter(device, (2, 3, 4, 2, 3), places, "u1")


def claim_what_many_name(device: Device) -> None:
    """More positions than that: groups in which some meet look before they claim."""
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, before | {"claimed_positions": 6000})
    rng = np.random.default_rng(22)
    for targets in (20, 9_000, 300_000):
        skewed = (targets * rng.random((11_000, 1)) ** 6.6).astype("i4")
        few = rng.permutation(np.where(np.arange(11_000) % 9 == 0, 5, np.arange(11_000) % targets))
        for places in (skewed, np.sort(skewed, 0), few[:, None]):
            for dtype in ("u1", "u4", "u8"):
                scatter_in_place(device, values((targets,), dtype), places)
    ran = _core.d3d12_kernels(device.name)
    _core.d3d12_set_profile(device.name, before)
    assert not any("scatter" in kernel for kernel in ran), ran


@case
def claim_targets(device: Device) -> None:
    """Elements of all sizes, and slices of several; targets of few positions, or of many."""
    _core.d3d12_set_profile(device.name, {**NO_BLOCKS, "claimed_positions": 1 << 20})
    _core.d3d12_kernels(device.name)
    for dtype in (*DTYPES.values(), "c16"):
        for shape in ((TARGETS,), SQUARE, CUBE, (2, 4, 4, 2)):
            places = tuples(shape, OTHER_INDEX if len(shape) == 1 else "i8", 99)
            scatter_in_place(device, values(shape, dtype), places)
        for targets, count in ((7, 40_000), (9_000, 30_000), (1 << 17, 5_000)):
            drawn = np.random.default_rng(count).integers(0, targets, (count, 1))
            for places in (drawn, np.sort(drawn, 0), np.sort(drawn, 0)[::-1].copy()):
                scatter_in_place(device, values((targets,), dtype), places)
    for dtype, width in (("u1", 3), ("u2", 5), ("u4", 3), ("u4", 4), ("u8", 3), ("u8", 6)):
        scatter_in_place(device, values((50, width), dtype), tuples((50,), "i4", 300))
        scatter_in_place(device, values((8, 8, 2, width), dtype), tuples(SQUARE, "i8", 30))
    claim_what_many_name(device)
    x = values((6, 5, 7), "u4")
    places = np.random.default_rng(4).integers(-5, 5, (6, 40, 7))
    updates = values(places.shape, "u4") + np.uint32(9)
    assert not any("scatter" in ran for ran in _core.d3d12_kernels(device.name))
    for mode in ("clamp", "drop", "raise"):
        bad = places.copy()
        bad[3, 5:9, 1] = 5
        given = places if mode == "raise" else bad
        table = device.tensor(x)
        dmlindex.scatter_elements(table, given, updates, axis=1, mode=mode, out=table)
        same(table.numpy(), dmlindex.scatter_elements(x, given, updates, axis=1, mode=mode))
    table = device.tensor(x)
    dmlindex.scatter_elements(table, bad, updates, axis=1, out=table)
    with pytest.raises(IndexError, match="is out of range"):
        table.numpy()
    same(table.numpy(), x)
