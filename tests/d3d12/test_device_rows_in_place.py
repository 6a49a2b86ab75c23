"""Scatters in place of slices that are no whole pieces of 16 bytes: by target, or by position."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import NO_BLOCKS, same, values

SLICES, BYTES, UNITS, WORDS, PIECES = (
    "scatter_slices",
    "scatter_bytes",
    "scatter_units_1",
    "scatter_rows_simple_4",
    "scatter_rows_simple_16",
)
KINDS = ("uniform", "sorted", "skewed", "runs")


@pytest.fixture(autouse=True)
def own_profile(device: Device) -> Iterator[None]:
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, NO_BLOCKS)
    yield
    _core.d3d12_set_profile(device.name, before)


def places(kind: str, targets: int, count: int) -> Any:
    rng = np.random.default_rng(count)
    found = rng.integers(0, targets, count)
    if kind == "sorted":
        found.sort()
    elif kind == "skewed":
        found = (targets * rng.random(count) ** 4).astype("i8")
    elif kind == "runs":
        found = np.repeat(found, 16)[:count]
    return found[:, np.newaxis]


@pytest.mark.parametrize(
    ("dtype", "width", "targets", "count", "kernel"),
    [
        pytest.param("u1", 7, 300, 100, SLICES, id="short, a third as many"),
        pytest.param("u1", 7, 304, 100, UNITS, id="short, fewer"),
        pytest.param("u1", 63, 300, 100, SLICES, id="63 bytes"),
        pytest.param("u1", 65, 101, 100, BYTES, id="65 bytes, fewer than targets"),
        pytest.param("u2", 101, 100, 100, SLICES, id="halves, as many as targets"),
        pytest.param("u4", 5, 50, 100, SLICES, id="words, twice as many"),
        pytest.param("u4", 5, 51, 100, WORDS, id="words, fewer"),
        pytest.param("u4", 21, 51, 100, WORDS, id="84 bytes"),
        pytest.param("u4", 23, 51, 100, BYTES, id="92 bytes"),
        pytest.param("u8", 3, 50, 100, SLICES, id="doubles, twice as many"),
        pytest.param("u4", 4, 5, 100, PIECES, id="whole pieces"),
    ],
)
def test_who_stores(
    device: Device, dtype: str, width: int, targets: int, count: int, kernel: str
) -> None:
    table, updates = values((targets, width), dtype), values((count, width), dtype)
    updates += np.dtype(dtype).type(3)
    for kind in KINDS:
        indices = places(kind, targets, count)
        indices[count // 2] = targets  # dropped
        want = dmlindex.scatter_nd(table, indices, updates, mode="drop")
        found = device.tensor(table)
        _core.d3d12_kernels(device.name)
        dmlindex.scatter_nd(found, indices, updates, mode="drop", out=found)
        same(found, want)
        if _core.d3d12_binding(device.name) == "table":
            assert kernel in _core.d3d12_kernels(device.name)


def test_a_bad_index_leaves_all_as_it_was(device: Device) -> None:
    table, updates = values((20, 9), "u1"), values((70, 9), "u1") + np.uint8(3)
    indices = places("uniform", 20, 70)
    indices[69] = 20
    found = device.tensor(table)
    dmlindex.scatter_nd(found, indices, updates, out=found)
    with pytest.raises(IndexError, match=r"indices\[69, 0\] = 20 is out of range"):
        found.numpy()
    same(found, table)


def test_rows_of_batches_and_pairs(device: Device) -> None:
    table = values((3, 5, 11), "u1")
    rng = np.random.default_rng(5)
    for shape in ((40, 1), (40, 2)):
        coordinates = shape[1]
        indices = np.stack([rng.integers(0, n, 40) for n in table.shape[:coordinates]], -1)
        updates = rng.integers(0, 99, (40, *table.shape[coordinates:])).astype("u1")
        found = device.tensor(table)
        dmlindex.scatter_nd(found, indices, updates, out=found)
        same(found, dmlindex.scatter_nd(table, indices, updates))


@pytest.mark.parametrize(("rows", "kernel"), [(182_362, "gather_bytes"), (182_361, WORDS)])
def test_much_to_gather_goes_by_bytes_earlier(device: Device, rows: int, kernel: str) -> None:
    table = values((50, 23), "u4")
    indices = np.arange(rows) % 50
    _core.d3d12_kernels(device.name)
    found = dmlindex.gather(table, indices, device=device)
    same(found, table[indices])
    if _core.d3d12_binding(device.name) == "table":
        assert kernel.replace("scatter", "gather") in _core.d3d12_kernels(device.name)
