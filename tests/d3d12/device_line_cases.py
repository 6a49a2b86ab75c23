"""The same for the kernels of lines of the table."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import EXCHANGES, agree, same, values
from tests.d3d12.device_kernel_cases import case

SHORT_LINE = 8  # elements of a line of add_lines


def integers_along_lines(device: Device) -> None:
    """Those of 4 bytes, in rows and columns, if a line has as many positions as elements."""
    rng = np.random.default_rng(12)
    _core.d3d12_set_profile(device.name, {"few_positions": 0, "least_lanes": 2})
    for dtype, (shape, axis, count), how in product(
        ("i4", "u4"),
        (((301, 7), 1, 9), ((3, 5, 150), 1, 40), ((31, 40), 1, 160), ((31, 40), 1, 39)),
        ("add", "mul", "min", "max"),
    ):
        size = (*shape[:axis], count, *shape[axis + 1 :])
        places = rng.integers(-shape[axis], shape[axis], size)
        ends = np.iinfo(dtype)
        x = rng.integers(ends.min, ends.max, shape, dtype, endpoint=True)
        updates = rng.integers(ends.min, ends.max, size, dtype, endpoint=True)
        _core.d3d12_kernels(device.name)
        agree(
            device,
            dmlindex.scatter_elements,
            x,
            places,
            updates,
            axis=axis,
            reduction=how,
        )
        ran = _core.d3d12_kernels(device.name)
        kernel = "add_lines" if how == "add" and shape[axis] <= SHORT_LINE else "reduce_lines"
        assert (kernel in ran) == (count >= shape[axis]), (dtype, shape, count, how, ran)


@case
def reduce_lines(device: Device) -> None:
    """Rows and columns of several groups: a thread a line in order, and lanes in any order."""
    before = _core.d3d12_profile(device.name)
    rng = np.random.default_rng(11)
    integers_along_lines(device)
    for dtype, (shape, axis), count in product(
        ("f4", "f2"), (((301, 7), 1), ((3, 5, 150), 1), ((31, 40), 1)), (9, 150)
    ):
        many = 460 if len(shape) == 3 and count == 150 else 2  # more than columns: they are shared
        lanes = {"few_positions": 0, "least_lanes": many}
        _core.d3d12_set_profile(device.name, lanes | EXCHANGES)
        places = rng.integers(-shape[axis], shape[axis], (*shape[:axis], count, *shape[axis + 1 :]))
        inner = tuple(
            slice(0, size - 1) if d != axis else slice(None) for d, size in enumerate(shape)
        )
        x = rng.choice([-0.0, 0.5, 1, 2], shape).astype(dtype)
        updates = rng.choice([-0.0, 0.5, 1, 1, 2, -1], places.shape).astype(dtype)
        for how, mode in product(("add", "mul", "min", "max"), ("raise", "drop")):
            some = places.copy()
            if mode == "drop":
                some[..., 0] = 99
            options: dict[str, Any] = {"axis": axis, "reduction": how, "mode": mode}
            options["ordered"] = count < 10
            if how in ("min", "max"):  # zeros of both signs are equal: the first would stay
                x, updates = np.abs(x), np.abs(updates)
            for where in (some, some[inner].copy()):
                of_them = updates[inner].copy() if where is not some else updates
                agree(device, dmlindex.scatter_elements, x, where, of_them, **options)
                table = device.tensor(x)
                dmlindex.scatter_elements(table, where, of_them, out=table, **options)
                same(table.numpy(), dmlindex.scatter_elements(x, where, of_them, **options))
    _core.d3d12_set_profile(device.name, {"few_positions": 0, "least_lanes": 2} | EXCHANGES)
    x = np.arange(302 * 7, dtype="f2").reshape(302, 7) % 64
    for rows in (300, 301):  # behind an odd number of halves a word's other half is not theirs
        places = rng.integers(0, 7, (rows, 150))
        table, updates = device.tensor(x), np.ones(places.shape, "f2")
        options = {"axis": 1, "reduction": "add", "ordered": False}
        dmlindex.scatter_elements(table, places, updates, out=table, **options)
        same(table.numpy(), dmlindex.scatter_elements(x, places, updates, **options))
    x, nan = np.full((200, 3), -0.0, "f4"), np.array(0x7FA00001, "u4").view("f4")
    updates = np.full((200, 40), np.float32(0.1))  # in order, rounded each time
    updates[5] = nan
    for ordered in (True, False):
        places = np.arange(40, dtype="i8")[np.newaxis] % 3 + np.zeros((200, 1), "i8")
        these = updates if ordered else updates * 10
        agree(
            device,
            dmlindex.scatter_elements,
            x,
            places,
            these,
            axis=1,
            reduction="add",
            ordered=ordered,
        )
    _core.d3d12_set_profile(device.name, before)


@case
def add_lines(device: Device) -> None:
    """The longest lines that it takes, and longer ones, rows and columns, in order and by lanes."""
    before = _core.d3d12_profile(device.name)
    lanes = {"few_positions": 0, "least_lanes": 2, "held_targets": 1}
    _core.d3d12_set_profile(device.name, lanes | EXCHANGES)
    rng = np.random.default_rng(14)
    for dtype, elements, in_rows, (count, ordered) in product(
        ("f4", "f2", "i4"),
        (SHORT_LINE + 1, 1, SHORT_LINE),
        (True, False),
        ((11, True), (70, False), (1100, False)),
    ):
        axis = 1 if in_rows else 0
        shape = (139, elements) if in_rows else (elements, 139)
        places = rng.integers(-elements, elements, (139, count) if in_rows else (count, 139))
        x, updates = rng.integers(0, 8, shape).astype(dtype), rng.integers(0, 2, places.shape)
        options: dict[str, Any] = {"axis": axis, "reduction": "add", "ordered": ordered}
        given = x, places, updates.astype(dtype)
        _core.d3d12_kernels(device.name)
        agree(device, dmlindex.scatter_elements, *given, **options)
        ran = _core.d3d12_kernels(device.name)
        kernels = ("add_lines", "reduce_lines")
        assert [name in ran for name in kernels] == [elements <= SHORT_LINE, elements > SHORT_LINE]
        table = device.tensor(x)
        dmlindex.scatter_elements(table, *given[1:], out=table, **options)
        same(table.numpy(), dmlindex.scatter_elements(*given, **options))
    _core.d3d12_set_profile(device.name, before)


@case
def hold_lines(device: Device) -> None:
    """Columns and rows of several groups, the last of them not full, and the table in part."""
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, {"held_targets": 2048})
    rng = np.random.default_rng(13)
    for dtype, (shape, axis, count), how in product(
        ("i1", "u2", "i4", "i8", "f8"),
        (((3, 11, 300), 1, 70), ((200, 310), 0, 400), ((90, 65), 0, 120), ((700, 9), 1, 90)),
        ("none", "add"),
    ):
        sums = how == "add"
        if (sums and dtype == "f8") or (axis == len(shape) - 1 and not sums):
            continue
        size = (*shape[:axis], count, *shape[axis + 1 :])
        places = rng.integers(-shape[axis], shape[axis], size)
        places[..., : size[-1] // 3] %= 2  # many meet
        x = values(shape, dtype)
        updates = values(size, dtype) * x.dtype.type(1 if dtype == "f8" else 0x5B)
        inner = tuple(slice(0, n - 1) if d != axis else slice(None) for d, n in enumerate(shape))
        whole = tuple(slice(None) for _ in shape)
        for index, mode, where in product(("i4", "i8"), ("raise", "drop"), (whole, inner)):
            some, of_them = places[where].astype(index), updates[where].copy()
            if mode == "drop":
                some[..., 1] = 999
            options: dict[str, Any] = {"axis": axis, "reduction": how, "mode": mode}
            _core.d3d12_kernels(device.name)
            agree(device, dmlindex.scatter_elements, x, some, of_them, **options)
            ran = _core.d3d12_kernels(device.name)
            assert "hold_lines" in ran, (dtype, shape, axis, how, ran)
            table = device.tensor(x)
            dmlindex.scatter_elements(table, some, of_them, out=table, **options)
            same(table.numpy(), dmlindex.scatter_elements(x, some, of_them, **options))
    x, places = values((700, 9), "i4"), rng.integers(0, 9, (700, 90))
    places[5, 7] = 9
    table, updates = device.tensor(x), places.astype("i4")
    found = dmlindex.scatter_elements(table, places, updates, axis=1, reduction="add")
    with pytest.raises(IndexError, match=r"indices\[5, 7\] = 9 is out of range"):
        found.numpy()
    _core.d3d12_set_profile(device.name, before)
