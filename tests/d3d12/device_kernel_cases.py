"""For every GPU kernel the smallest call that runs it, by the kernel's name in kernels.txt.

A case takes the kernel's variant, and checks that the device does what the CPU does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import DataType, Device, _core
from tests.d3d12.device_kernel_calls import (
    DTYPES,
    INDICES,
    OTHER_INDEX,
    SQUARE,
    agree,
    once,
    same,
    scatter,
    shape_of,
    tuples,
    values,
)
from tests.descriptors.descs import data, gather, index

Case = Callable[..., None]  # takes the device, then the kernel's variant

CASES: dict[str, Case] = {}


def case(function: Case) -> Case:
    """The case of the kernels that are called as the function is."""
    CASES[function.__name__] = function
    return function


# ---- any plan -----------------------------------------------------------------------------------
@case
def check_indices(device: Device) -> None:
    """A tensor that is to stay as it was, should an index be bad, in more than one group."""
    x, out = device.tensor(values((5, 1204), "u1")), device.tensor(values((1, 1204), "u1"))
    dmlindex.gather(x, np.array([2], OTHER_INDEX), out=out)
    same(out, values((5, 1204), "u1")[2:3])
    dmlindex.gather(x, np.array([5], OTHER_INDEX), out=out)
    with pytest.raises(IndexError, match="= 5 is out of range"):
        out.numpy()
    same(out, values((5, 1204), "u1")[2:3])


@case
def keep_bad_index(device: Device) -> None:
    result = dmlindex.gather(device.tensor(values((5,), "u4")), [1, 7])
    with pytest.raises(IndexError, match=r"indices\[1\] = 7 is out of range"):
        result.numpy()
    result = dmlindex.gather_nd(device.tensor(values((3, 4), "u4")), [[0, 1], [2, 3], [1, 9]])
    with pytest.raises(IndexError, match=r"indices\[2, 1\] = 9 is out of range"):
        result.numpy()


@case
def inherit_failures(device: Device) -> None:
    x = values((5,), "u4")
    table = device.tensor(x)
    for places in ([3, 4], [3, 9]):
        updates = dmlindex.gather(device.tensor(x + 1), places)
        dmlindex.scatter_nd(table, [[0], [1]], updates, out=table)
    with pytest.raises(IndexError, match="= 9 is out of range"):
        table.numpy()
    same(table, np.concatenate([x[3:5] + np.uint32(1), x[2:]]))


@case
def wrap_indices(device: Device) -> None:
    """Enough positions of every index dtype, tuples too; numbers of all sizes, of either sign."""
    rng = np.random.default_rng(4)
    count = 1 << 16
    x, three = values((1000,), "u4"), values((11, 7, 5), "u2")
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        info = np.iinfo(dtype)
        places = rng.integers(info.min, info.max, (count + 3, 3), dtype, endpoint=True)
        places[::3] %= np.array(7, dtype)
        places[:2], places[2:4] = info.min, info.max
        agree(device, dmlindex.gather, x, places[:, 0], mode="wrap")
        agree(device, dmlindex.gather_nd, three, places, mode="wrap")
    many = rng.integers(-(10**12), 10**12, (4 * count + 1, 1))
    for reduction, dtype in (("none", "u4"), ("add", "i8"), ("none", "f2")):
        options = {"mode": "wrap", "reduction": reduction}
        table, updates = values((1000,), dtype), values((len(many),), dtype)
        agree(device, dmlindex.scatter_nd, table, many, updates, **options)
    _core.d3d12_kernels(device.name)
    dmlindex.gather(device.tensor(x), np.arange(-9, count - 10), mode="wrap")
    assert "wrap_indices" not in _core.d3d12_kernels(device.name)
    dmlindex.gather(device.tensor(x), np.arange(-9, count - 9), mode="wrap")
    assert "wrap_indices" in _core.d3d12_kernels(device.name)
    nowhere = dmlindex.gather(device.tensor(values((0,), "u4")), np.zeros(count, "i8"), mode="wrap")
    with pytest.raises(IndexError, match="size 0"):
        nowhere.numpy()
    # Several positions share an index.
    agree(device, dmlindex.gather, values((30, 3), "u1"), places[:23_000, 0], mode="wrap")
    lines = rng.integers(-99, 99, (2, 5))
    agree(device, dmlindex.gather, values((7000, 4, 2), "i8"), lines, 1, mode="wrap")


@case
def copy_pieces(device: Device) -> None:
    scatter(device, (5, 4), once((5,), "i4"), "u4", unique_indices=True)


@case
def gather_units(device: Device, unit: int) -> None:
    """Items with gaps between them."""
    kind = {1: DataType.UINT8, 2: DataType.UINT16, 4: DataType.UINT32}[unit]
    output = data(2, 3, data_type=kind, strides=(5, 1))
    desc = gather(data(5, 3, data_type=kind), index(1, 2), output, 0, 1)
    operands = values((5, 3), DTYPES[unit]), np.array([[3, -5]])
    same(device.compile(desc)(*operands), Device().compile(desc)(*operands))
    # Slices that end behind a line, of elements that may have two units.
    x = values((2,), "u2")
    line, found = (
        data(1, 2, data_type=DataType.UINT16, strides=(1, 1)),
        data(1, 2, data_type=DataType.UINT16),
    )
    desc = gather(line, index(1, 1), found, 0, 1)
    for operands in ((x, np.array([[1]])), (x, np.array([[3]]))):
        found_there = device.compile(desc, mode="directml")(*operands)
        same(found_there, Device().compile(desc, mode="directml")(*operands))


def dtypes_of(element: int) -> list[str]:
    """Those of the elements that a kernel for so many bytes takes."""
    return [DTYPES[bytes_] for bytes_ in ((1, 2, 4) if element == 4 else (element,))]


@case
def gather_any(device: Device, element: int) -> None:
    for dtype in dtypes_of(element):
        gather_any_of(device, dtype)


def gather_any_of(device: Device, dtype: str) -> None:
    """Lines shorter than four and longer, of indices that repeat and do not; tuples of four."""
    fill = {"mode": "fill", "fill_value": 7}
    for size, count in ((5, 1), (3, 7)):
        x = values((4, size, 3), dtype)
        places = np.arange(4 * count * 3).reshape(4, count, 3) % (2 * size) - size
        for dtype_of_index in ("i4", "i8", "i2"):
            agree(device, dmlindex.gather_elements, x, places.astype(dtype_of_index), axis=1)
        agree(device, dmlindex.gather_elements, x, places + 1, axis=1, **fill)
        lines = values((6, size), dtype)
        agree(device, dmlindex.gather, lines, np.arange(count) % size, axis=1)
        agree(device, dmlindex.gather, lines, np.arange(count) - 2, axis=1, **fill)
    places = tuples((2, 3, 4, 5), "i4", 9)
    agree(device, dmlindex.gather_nd, values((2, 3, 4, 5), dtype), places)
    bad = places.copy()
    bad[7, 2] = 4
    with pytest.raises(IndexError, match=r"indices\[7, 2\] = 4 is out of range"):
        dmlindex.gather_nd(device.tensor(values((2, 3, 4, 5), dtype)), bad).numpy()


@case
def gather_bytes(device: Device) -> None:
    """Slices that begin and end anywhere in a piece of 16 bytes, and cover several."""
    for width in (3, 5, 7, 13, 20, 31, 33, 63, 100):
        for count in (1, 2, 9):
            x = values((7, width), "u1")
            agree(device, dmlindex.gather, x, np.arange(count) * 3 % 7 - 3)
    x = values((3, 5, 13), "u1")
    agree(device, dmlindex.gather, x, [4, 0, 9, -8], axis=1, mode="wrap")
    agree(device, dmlindex.gather, x, [4, 0, 5, -6], axis=1, mode="fill")
    for dtype in DTYPES.values():
        x = values((7, 5, 3), dtype)
        fill = {"mode": "fill", "fill_value": 0x7B}
        agree(device, dmlindex.gather, x, [9, 0, 5, 5, 2, -9, 5], axis=1, **fill)
    x = values((3, 5, 13), "u1")
    agree(device, dmlindex.gather_nd, x, [[2, 4], [0, 0], [1, -1]])
    with pytest.raises(IndexError, match=r"indices\[2\] = 5 is out of range"):
        dmlindex.gather(device.tensor(x), [4, 0, 5], axis=1).numpy()


# ---- rows ---------------------------------------------------------------------------------------
def row_of(unit: int) -> tuple[int]:
    return (unit // 4 * 3,)


@case
def gather_rows(device: Device) -> None:
    agree(device, dmlindex.gather_nd, values((*SQUARE, 12), "u4"), tuples(SQUARE, "i4"))


@case
def gather_rows_simple(device: Device, unit: int) -> None:
    agree(device, dmlindex.gather_nd, values((8, *row_of(unit)), "u4"), tuples((8,), "i4"))


# ---- single elements ----------------------------------------------------------------------------
@case
def gather_singles(device: Device, element: int, index_bytes: int, coordinates: int) -> None:
    shape = shape_of(coordinates)
    places = tuples(shape, INDICES[index_bytes])
    bad = places.copy()
    bad[5:7] = 100
    for dtype in dtypes_of(element):
        x = values(shape, dtype)
        agree(device, dmlindex.gather_nd, x, places)
        agree(device, dmlindex.gather_nd, x, bad, mode="fill", fill_value=77)


def gather_many(device: Device, elements: int, dtype: str, index_bytes: int, power: int) -> None:
    """From a small table, so many elements that it gets a place of its own."""
    x = values((elements,), dtype)
    places = np.arange(1 << power, dtype="u4") * np.uint32(2654435761) >> np.uint32(8)
    places = (places % np.uint32(elements)).astype(INDICES[index_bytes])
    same(dmlindex.gather(x, places, device=device.name), x[places])


@case
def gather_table(device: Device, held_kib: int, element: int, index_bytes: int) -> None:
    elements = {4: 200, 16: 2000, 32: 8000}[held_kib]
    gather_many(device, elements, DTYPES[element], index_bytes, 21)
    if held_kib == 16 and element == 2:
        gather_many(device, 4001, "u1", index_bytes, 21)
    if held_kib == 16 and element == 4:
        gather_lines(device, values((3, 4092), "u4"), index_bytes)
    if held_kib == 32:
        gather_many(device, 4097, "u2", index_bytes, 21)
        gather_many(device, 32_767, "u1", index_bytes, 21)
        gather_lines(device, values((3, 8160), "u2"), index_bytes)


def gather_lines(device: Device, x: np.ndarray[Any, Any], index_bytes: int) -> None:
    """From several lines, with something to fill."""
    places = np.arange(1 << 20, dtype="u4") * np.uint32(2654435761) >> np.uint32(16)
    places = (places % np.uint32(x.shape[1] + 10)).astype(INDICES[index_bytes])
    agree(device, dmlindex.gather, x, places, 1, mode="fill", fill_value=77)


@case
def gather_table_buffer(device: Device, index_bytes: int) -> None:
    gather_many(device, 20_000, "u4", index_bytes, 23)


@case
def gather_table_textured(device: Device, index_bytes: int) -> None:
    gather_many(device, 50_000, "u4", index_bytes, 23)


@case
def gather_textured(device: Device, index_bytes: int) -> None:
    gather_many(device, 100_000, "u4", index_bytes, 23)


@case
def copy_to_texture(device: Device) -> None:
    gather_many(device, 50_000, "u4", 4, 23)
