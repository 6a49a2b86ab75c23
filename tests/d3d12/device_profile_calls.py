"""The calls of test_device_profile.py, each of which some threshold has to do with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dmlindex
from dmlindex import Device
from tests.d3d12.device_kernel_calls import tuples, values


def gather(elements: int, positions: int) -> Callable[[str], Any]:
    x, places = values((elements,), "u4"), tuples((elements,), "i4", positions)[:, 0]
    return lambda device: dmlindex.gather(x, places, device=device)


def lines(device: str, dtype: str = "u4", size: int = 64, positions: int = 16) -> Any:
    x = values((3, size), dtype)
    return dmlindex.gather(x, tuples((size,), "i4", positions)[:, 0], axis=1, device=device)


def columns(device: str) -> Any:
    x = values((7, 260), "u4")
    places = tuples((7,), "i4", 11 * 260)[:, 0].reshape(11, 260)
    return dmlindex.gather_elements(x, places, axis=0, device=device)


def rows(device: str) -> Any:
    return dmlindex.gather(values((9, 5), "u4"), [8, 0, -2], device=device)


def rows_of_eights(device: str) -> Any:
    return dmlindex.gather(values((9, 10), "u4"), [8, 0, -2], device=device)


def scatter(device: str) -> Any:
    x = values((64,), "u4")
    return dmlindex.scatter_nd(x, tuples((64,), "i4", 4), x[:4] + np.uint32(3), device=device)


def scatter_in_place(device: str) -> Any:
    x = values((64,), "u4")
    places, updates = tuples((64,), "i4", 4), x[:4] + np.uint32(3)
    if device == "cpu":
        return dmlindex.scatter_nd(x, places, updates)
    table = Device(device).tensor(x)
    dmlindex.scatter_nd(table, places, updates, out=table)
    return table.numpy()


def scatter_rows(device: str) -> Any:
    x = values((64, 5), "u4")
    return dmlindex.scatter_nd(x, tuples((64,), "i4", 4), x[:4] + np.uint32(3), device=device)


def scatter_in_lines(device: str) -> Any:
    x = values((3, 1200), "u2")
    places = tuples((1200,), "i4", 3 * 2100)[:, 0].reshape(3, 2100)
    updates = values(places.shape, "u2")
    return dmlindex.scatter_elements(x, places, updates, axis=1, device=device)


def scatter_many(device: str) -> Any:
    x = values((3000,), "u4")
    places = tuples((3000,), "i4", 2500)[:, 0]
    places[::5] = places[1::5]
    return dmlindex.scatter_elements(x, places, x[:2500] + np.uint32(3), device=device)


def scatter_ordered(device: str) -> Any:
    x, places = values((3000,), "u4"), np.sort(tuples((3000,), "u4", 2500), 0).astype("i4")
    updates = x[:2500] + np.uint32(3)
    if device == "cpu":
        return dmlindex.scatter_nd(x, places, updates)
    table = Device(device).tensor(x)
    dmlindex.scatter_nd(table, places, updates, out=table)
    return table.numpy()


def scatter_columns(device: str) -> Any:
    x = values((4, 600), "u4")
    places = tuples((4,), "i4", 3 * 600)[:, 0].reshape(3, 600)
    return dmlindex.scatter_elements(x, places, x[:3] + np.uint32(3), axis=0, device=device)


def scatter_few_columns(device: str) -> Any:
    x = values((40, 300), "u4")
    places = tuples((40,), "i4", 30 * 300)[:, 0].reshape(30, 300)
    return dmlindex.scatter_elements(x, places, x[:30] + np.uint32(3), axis=0, device=device)


def scatter_rows_apart(device: str, columns: int = 3) -> Any:
    x = values((600, 4), "u4")
    places = tuples((4,), "i4", columns * 600)[:, 0].reshape(600, columns)
    updates = values(places.shape, "u4") + np.uint32(3)
    return dmlindex.scatter_elements(x, places, updates, axis=1, device=device)


def sums(
    targets: int, updates: int, width: int = 1, dtype: str = "f4", **options: Any
) -> Callable[[str], Any]:
    """Of numbers so small that no order changes them."""
    x = np.zeros((targets, width), dtype)
    places = tuples((targets,), "i4", updates)
    added = (values((updates, width), "u1") % 16).astype(dtype)
    options["reduction"] = "add"
    return lambda device: dmlindex.scatter_nd(x, places, added, **options, device=device)


def sums_in_lines(device: str, per_line: int = 5, ordered: bool = True, size: int = 7) -> Any:
    x = values((300, size), "u1").astype("f4")
    places = tuples((size,), "i4", 300 * per_line)[:, 0].reshape(300, per_line)
    updates = values(places.shape, "u1").astype("f4")
    options: dict[str, Any] = {"axis": 1, "reduction": "add", "ordered": ordered}
    return dmlindex.scatter_elements(x, places, updates, **options, device=device)


def sums_in_columns(device: str, per_line: int, size: int) -> Any:
    x = values((size, 300), "u1").astype("f4")
    places = tuples((size,), "i4", 300 * per_line)[:, 0].reshape(per_line, 300)
    updates = values(places.shape, "u1").astype("f4")
    options: dict[str, Any] = {"axis": 0, "reduction": "add", "ordered": False}
    return dmlindex.scatter_elements(x, places, updates, **options, device=device)
