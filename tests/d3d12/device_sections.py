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
def short_views(device: Device, texels: int = TEXELS) -> Iterator[None]:
    _core.d3d12_limit_views(device.name, texels)
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


def many_targets(device: Device) -> None:
    """More places than a view has winners for: the last update stays, in order."""
    for dtype, size in (("u1", 4000), ("i2", 1999)):
        x, updates = np.arange(size).astype(dtype), np.arange(90).astype(dtype)
        for mode in ("raise", "clamp", "wrap", "drop"):
            indices = places((90, 1), 20 if mode == "raise" else size + 30)
            agree(device, dmlindex.scatter_nd, x, indices, updates, mode=mode)
        lines, rows = x[: size // 5 * 5].reshape(5, -1), places((3, 40), 5)
        values = (updates[:40] + rows).astype(dtype)
        agree(device, dmlindex.scatter_elements, lines, rows, values, axis=0)
        table, bad = device.tensor(x), places((90, 1), size)
        bad[30] = size + 1
        with short_views(device):
            result = dmlindex.scatter_nd(table, bad, device.tensor(updates), out=table)
        with pytest.raises(IndexError, match=rf"indices\[30, 0\] = {size + 1} is out of range"):
            result.numpy()
        assert table.numpy().tobytes() == x.tobytes()


def many_in_order(device: Device) -> None:
    """lavapipe ends the loops of a thread after 65535 rounds in all."""
    table, indices = np.zeros((16, 1200), "u1"), places((9, 1200), 16)
    updates = np.arange(indices.size).astype("u1").reshape(indices.shape)
    with short_views(device, indices.size):
        found = dmlindex.scatter_elements(table, indices, updates, axis=0, device=device)
        assert "scatter_in_order_1" in _core.d3d12_kernels(device.name)
    assert found.tobytes() == dmlindex.scatter_elements(table, indices, updates, axis=0).tobytes()


def more_targets_than_before(device: Device) -> None:
    """A section may have more than the one before it, and need more memory for winners."""
    lines, indices = np.zeros((5, 110_000), "f4"), places((5, 110_000), 110_000, "i8")
    updates = np.arange(lines.size, dtype="f4").reshape(lines.shape)
    with short_views(device, 1 << 20):
        found = dmlindex.scatter_elements(lines, indices, updates, axis=1, device=device)
    assert found.tobytes() == dmlindex.scatter_elements(lines, indices, updates, axis=1).tobytes()


def no_room_between_sections(device: Device) -> None:
    """What the first section has let go of, a chunk of its own, is not given back before it ran."""
    length = 17 << 20
    lines, indices = np.zeros((3, length), "u1"), places((3, 16), length, "i8")
    indices[:, 3] = indices[:, 5]
    updates = np.arange(1, 49, dtype="u1").reshape(3, 16)
    expected = dmlindex.scatter_elements(lines, indices, updates, axis=1)
    table, out = device.tensor(lines), device.tensor(lines)
    for passing in range(4):
        with short_views(device, 2 * length):
            _core.d3d12_fail_allocations(device.name, passing, 1)
            dmlindex.scatter_elements(table, indices, updates, axis=1, out=out)
        assert out.numpy().tobytes() == expected.tobytes()
    _core.d3d12_fail_allocations(device.name, 0, 0)


def reductions(device: Device) -> None:
    """More updates than pairs fit into a view, in C order."""
    for dtype in ("i4", "i8", "f2", "f4", "f8", "c8", "c16", ml_dtypes.float8_e4m3fn):
        for targets in (7, 250):
            x, values = np.ones(targets, dtype), np.linspace(-1, 2, 3001).astype(dtype)
            options = {"reduction": "mul" if dtype == "i8" else "add"}
            indices = places((3001, 1), targets)
            agree(device, dmlindex.scatter_nd, x, indices, values, **options)


def long_sums(device: Device) -> None:
    """lavapipe ends the loops of a thread after 65535 rounds in all."""
    for dtype, how in (("f4", "add"), ("i8", "max"), ("f8", "add"), ("c16", "mul")):
        values = np.linspace(0.99, 1.01, 70_001).astype(dtype)
        x, ones = np.ones(3, dtype), np.ones((values.size, 1), "i4")
        options: dict[str, Any] = {"reduction": how}
        found = dmlindex.scatter_nd(x, ones, values, device=device, **options)
        assert found.tobytes() == dmlindex.scatter_nd(x, ones, values, **options).tobytes()


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
