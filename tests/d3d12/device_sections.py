"""Calls that reach further than views: with views of 4 KiB (16 KiB by pieces of 16 bytes), in the
binding that DMLINDEX_D3D12_BINDING says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, _core

Array = npt.NDArray[Any]
TEXELS = 1 << 10


@contextlib.contextmanager
def short_views(device: Device) -> Iterator[None]:
    _core.d3d12_limit_views(device.name, TEXELS)
    try:
        yield
    finally:
        _core.d3d12_limit_views(device.name, 1 << 27)


def agree(device: Device, function: Any, *arguments: Any, **options: Any) -> None:
    """The device does what the CPU does."""
    with short_views(device):
        found = function(*arguments, device=device.name, **options)
    assert found.tobytes() == function(*arguments, **options).tobytes()


def places(shape: tuple[int, ...], size: int, dtype: str = "i4") -> Array:
    found = np.random.default_rng(size).integers(-size, size, shape)
    return (found % size if dtype[0] == "u" else found).astype(dtype)


def gathers(device: Device) -> None:
    x = np.arange(600, dtype="f4")
    for dtype in ("i4", "i8", "u2"):
        for mode in ("raise", "clamp", "wrap", "fill"):
            indices = places((5003,), 600, dtype)
            agree(device, dmlindex.gather, x, indices, mode=mode)
    rows = np.arange(2000, dtype="u2").reshape(50, 40)
    agree(device, dmlindex.gather, rows, places((501,), 50))
    lines = np.arange(40 * 100, dtype="f4").reshape(40, 100)
    agree(device, dmlindex.gather_elements, lines, places((40, 70), 100), axis=1)
    agree(device, dmlindex.gather, lines, places((70,), 100), axis=1)
    agree(device, dmlindex.gather_nd, lines[:, :9], places((40, 33, 1), 9), 1)
    few = np.arange(48, dtype="f4").reshape(3, 16)  # lines, each of which is more than a section
    agree(device, dmlindex.gather, few, places((5000,), 16), axis=1)


def scatters(device: Device) -> None:
    lines = np.arange(40 * 100, dtype="f4").reshape(40, 100)
    indices = places((40, 70), 100)
    updates = -np.arange(2800, dtype="f4").reshape(40, 70)
    for mode in ("raise", "clamp", "wrap", "drop"):
        options = {"axis": 1, "mode": mode}
        agree(device, dmlindex.scatter_elements, lines, indices, updates, **options)
    x, rows = np.zeros((50, 6), "i2"), np.arange(3000 * 6, dtype="i2").reshape(3000, 6)
    agree(device, dmlindex.scatter_nd, x, places((3000, 1), 50, "i8"), rows)


def reductions(device: Device) -> None:
    """More updates than pairs fit into a view, in C order."""
    for dtype in ("i4", "i8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.float8_e4m3fn):
        for targets in (7, 250):
            x, values = np.ones(targets, dtype), np.linspace(-1, 2, 3001).astype(dtype)
            options = {"reduction": "mul" if dtype == "i8" else "add"}
            indices = places((3001, 1), targets)
            agree(device, dmlindex.scatter_nd, x, indices, values, **options)


def bad_indices(device: Device) -> None:
    """The first is named, wherever it lies; what was there before stays."""
    x = np.arange(60, dtype="f4")
    for dtype in ("i2", "i4", "i8"):
        for bad in (3, 4321):
            indices = places((5000,), 60, dtype)
            indices[bad] = 60
            indices[4700] = -61
            out = np.zeros(5000, "f4")
            table, result = device.tensor(x), device.tensor(out)
            message = rf"indices\[{bad}(, 0)?\] = 60 is out of range"
            with short_views(device):
                for found in (
                    dmlindex.gather(table, indices),
                    dmlindex.gather(table, indices, out=result),
                    dmlindex.scatter_nd(table, indices[:, np.newaxis], result, out=table),
                    dmlindex.scatter_nd(
                        table, indices[:, np.newaxis], device.tensor(out), reduction="add"
                    ),
                ):
                    with pytest.raises(IndexError, match=message):
                        found.numpy()
            assert not result.numpy().any()
            assert table.numpy().tobytes() == x.tobytes()


def far_tables(device: Device, binding: str) -> None:
    """Any slice of a table of 16 KiB can be gathered by pieces; one along an axis that is further
    than that is refused, with nothing written."""
    for dtype in ("u1", "u2", "f4", "f8", "c16"):
        x = np.arange(15000 // np.dtype(dtype).itemsize).astype(dtype)
        indices = places((900,), len(x))
        if binding == "table":
            agree(device, dmlindex.gather, x, indices)
        table, result = device.tensor(x), device.tensor(np.zeros(900, dtype))
        with short_views(device):
            if binding == "root":
                with pytest.raises(dmlindex.DeviceError, match=r"input has .* bytes, and a view"):
                    dmlindex.gather(table, indices, out=result)
            for reduction in ("none", "add") if dtype != "c16" else ("add",):
                with pytest.raises(dmlindex.DeviceError, match=r"output has .* use device=\"cpu\""):
                    dmlindex.scatter_nd(
                        table, indices[:, np.newaxis], result, reduction=reduction, out=table
                    )
        assert not result.numpy().any()
        assert table.numpy().tobytes() == x.tobytes()
