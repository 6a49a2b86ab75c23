"""Scatters along many lines of few positions: who makes the copy, and who needs none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import same, values

BLOCKS, LINES, COMPARED, HELD, SINGLES = (
    "scatter_blocks",
    "scatter_lines",
    "compare_lines",
    "hold_lines",
    "scatter_singles_4_1",
)


@pytest.fixture(autouse=True)
def own_profile(device: Device) -> Iterator[None]:
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, {"least_lines": 1, "few_positions": 0, "named_targets": 0})
    yield
    _core.d3d12_set_profile(device.name, before)


@pytest.mark.parametrize(
    ("shape", "axis", "positions", "dtype", "copied", "in_place"),
    [
        pytest.param((900, 7), 1, 3, "u4", BLOCKS, LINES, id="rows"),
        pytest.param((901, 7), 1, 3, "u1", BLOCKS, LINES, id="bytes in rows"),
        pytest.param((900, 25), 1, 3, "u4", COMPARED, COMPARED, id="few in rows"),
        pytest.param((900, 9), 1, 7, "u4", BLOCKS, COMPARED, id="many in short rows"),
        pytest.param((900, 4), 1, 4, "u8", BLOCKS, COMPARED, id="as many as targets"),
        pytest.param((900, 5, 2), 1, 3, "u8", LINES, LINES, id="close in rows"),
        pytest.param((900, 7, 3), 1, 3, "u8", COMPARED, COMPARED, id="apart in rows"),
        pytest.param((6, 900), 0, 3, "u8", HELD, LINES, id="columns"),
        pytest.param((7, 900), 0, 3, "u8", LINES, LINES, id="few in columns"),
        pytest.param((9, 5, 101), 1, 1, "u1", SINGLES, SINGLES, id="bytes apart"),
        pytest.param((300, 17), 1, 1, "u2", SINGLES, SINGLES, id="halves apart"),
        pytest.param((9, 5, 101), 1, 1, "u4", LINES, LINES, id="words apart"),
    ],
)
@pytest.mark.parametrize("index", ["i4", "i8"])
def test_who_makes_the_copy(
    device: Device,
    shape: tuple[int, ...],
    axis: int,
    positions: int,
    dtype: str,
    index: str,
    copied: str,
    in_place: str,
) -> None:
    x = values(shape, dtype)
    of_positions = (*shape[:axis], positions, *shape[axis + 1 :])
    places = np.random.default_rng(3).integers(-shape[axis], shape[axis], of_positions, index)
    places.flat[5] = shape[axis]  # dropped
    updates = values(of_positions, dtype) + np.dtype(dtype).type(3)
    options: dict[str, Any] = {"axis": axis, "mode": "drop"}
    want = dmlindex.scatter_elements(x, places, updates, **options)
    for kernel, out in ((copied, None), (in_place, device.tensor(x))):
        table = device.tensor(x) if out is None else out
        _core.d3d12_kernels(device.name)
        same(dmlindex.scatter_elements(table, places, updates, out=out, **options), want)
        if _core.d3d12_binding(device.name) == "table":
            wanted = kernel if index == "i4" else kernel.replace("_4_1", "_8_1")
            assert wanted in _core.d3d12_kernels(device.name)
