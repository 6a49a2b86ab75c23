"""The same for the kernels whose groups have a block of the table each."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import (
    DTYPES,
    OTHER_INDEX,
    TARGETS,
    Array,
    agree,
    numbers,
    same,
    tuples,
    values,
)
from tests.d3d12.device_kernel_cases import case
from tests.d3d12.device_reduction_cases import drawn, reduce


@case
def scatter_blocks(device: Device) -> None:
    """Few positions: slices of any size, several blocks, in place, and a bad index."""
    scatter_lines(device)
    for rest in ((), (3,), (4,), (5, 7)):
        for dtype in DTYPES.values():
            x = values((TARGETS * 101, *rest), dtype)
            places = tuples(x.shape[:1], OTHER_INDEX, 70)
            updates = x[:70] + x.dtype.type(5)
            agree(device, dmlindex.scatter_nd, x, places, updates)
            table: Any = device.tensor(x)
            dmlindex.scatter_nd(table, places, updates, out=table)
            expected = dmlindex.scatter_nd(x, places, updates)
            same(table, expected)
            places[[3, 5]] = len(x)
            agree(device, dmlindex.scatter_nd, x, places, updates, mode="drop")
            agree(device, dmlindex.scatter_nd, x, places + 7, updates, mode="wrap")
            dmlindex.scatter_nd(table, places, updates, out=table)
            with pytest.raises(IndexError, match=rf"indices\[3, 0\] = {len(x)} is out of range"):
                table.numpy()
            same(table, expected)


def scatter_lines(device: Device) -> None:
    """Lines with positions of their own, several in a block and one alone, and planes. The last
    block has fewer."""
    _core.d3d12_set_profile(device.name, {"few_positions": 0})
    _core.d3d12_kernels(device.name)
    for lines, length, count, dtype in (
        (650, 37, 41, "u1"),
        (70, 3, 300, "u2"),
        (65, 700, 701, "u8"),
        (6, 4000, 4001, "u4"),
    ):
        x = values((lines, length), dtype)
        places = np.random.default_rng(lines).integers(-length, length + 2, (lines, count))
        updates = values(places.shape, dtype) + x.dtype.type(3)
        options: dict[str, Any] = {"axis": 1, "mode": "drop"}
        agree(device, dmlindex.scatter_elements, x, places, updates, **options)
        table: Any = device.tensor(x)
        dmlindex.scatter_elements(table, places, updates, out=table, **options)
        same(table, dmlindex.scatter_elements(x, places, updates, **options))
    x = values((70, 9, 5), "u4")
    places = np.random.default_rng(9).integers(0, 9, (70, 13, 5), "i4")
    updates = values(places.shape, "u4")
    agree(device, dmlindex.scatter_elements, x, places, updates, axis=1)
    assert _core.d3d12_kernels(device.name) == ["scatter_blocks"]
    _core.d3d12_set_profile(device.name, {})


@case
def reduce_blocks(device: Device, values_of: str) -> None:
    """Few updates: of single elements and more, many of one target, in place, and a bad index."""
    calls: list[tuple[Any, Array]] = [("add", numbers(TARGETS, values_of)), *drawn(values_of)]
    if values_of == "whole":
        calls += [("max", numbers(TARGETS, "wide")), ("mul", numbers(TARGETS, "wide"))]
    for how, few in calls:
        for rest in ((), (3,)):
            updates = np.resize(few, (TARGETS, *rest))
            x = np.resize(updates[::-1], (5000, *rest))
            for places in (tuples((5000,), OTHER_INDEX), tuples((3,), "i8")):
                reduce(device, how, places, x, updates)
            table: Any = device.tensor(x)
            dmlindex.scatter_nd(table, places, updates, out=table, reduction=how)
            expected = dmlindex.scatter_nd(x, places, updates, reduction=how)
            same(table, expected)
            places[TARGETS - 1] = 5000
            reduce(device, how, places, x, updates, mode="drop")
            dmlindex.scatter_nd(table, places, updates, out=table, reduction=how)
            with pytest.raises(IndexError, match=rf"\[{TARGETS - 1}, 0\] = 5000 is out of range"):
                table.numpy()
            same(table, expected)


@case
def compare_lines(device: Device) -> None:
    """Lines of any size, several in a group and one alone; apart, and with others between; indices
    of any size, bad ones, and all of a line's the same."""
    _core.d3d12_set_profile(device.name, {"least_lines": 1, "named_targets": 0})
    rng = np.random.default_rng(7)
    for (shape, count), dtype, kind in product(
        (((700, 32), 2), ((130, 300), 128), ((9, 64, 7), 5), ((5, 70, 2), 33)),
        DTYPES.values(),
        ("i1", "i4", "i8", "u4"),
    ):
        x = values(shape, dtype)
        size = min(shape[1], 100)
        lowest = 0 if kind == "u4" else -size
        places = rng.integers(lowest, size, (shape[0], count, *shape[2:])).astype(kind)
        places[3] = 7
        updates = values(places.shape, dtype) + np.array(9, dtype)
        for mode in ("raise", "clamp", "drop", "wrap"):
            table = device.tensor(x)
            dmlindex.scatter_elements(table, places, updates, axis=1, out=table, mode=mode)
            same(table, dmlindex.scatter_elements(x, places, updates, axis=1, mode=mode))
            if mode == "raise":
                places.reshape(-1)[[0, 5, -1]] = (127, -128 if lowest else 126, 127)
        table = device.tensor(x)
        dmlindex.scatter_elements(table, places, updates, axis=1, out=table)
        if shape[1] < 127:
            with pytest.raises(IndexError, match="= 127 is out of range"):
                table.numpy()
            same(table, x)
