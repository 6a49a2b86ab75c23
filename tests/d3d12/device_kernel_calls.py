"""What the calls of device_kernel_cases.py are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex import Device

Array = npt.NDArray[Any]

DTYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}
INDICES = {1: "u1", 4: "i4", 8: "i8"}
OTHER_INDEX = "i2"  # has general kernels only
VALUES = {
    "integers": "i2",
    "whole": "i2",
    "wide": "i8",
    "floats": "f4",
    "bytes": "float8_e4m3fn",
    "doubles": "f8",
}
# A profile's thresholds: no kernel does a whole scatter or reduction of few positions.
NO_BLOCKS = {
    "few_positions": 0,
    "block_positions": 0,
    "compared_positions": 0,
    "claimed_positions": 0,
    "held_targets": 0,
}
NEVER = 1 << 40  # a threshold that nothing reaches
EXCHANGES = {"added_updates": NEVER}  # floats are summed as on devices that add none by atomics
TARGETS = 64  # as a cube or a square, too
SQUARE, CUBE = (8, 8), (4, 4, 4)


def values(shape: tuple[int, ...], dtype: Any) -> Array:
    count = int(np.prod(shape))
    return (np.arange(count, dtype="u8") * 0x9E3779B97F4A7C15 >> 40).astype(dtype).reshape(shape)


def numbers(count: int, values_of: str) -> Array:
    """Updates that a reduction can be exact about, one of them negative."""
    if values_of == "bytes":
        import ml_dtypes

        return np.linspace(-1, 3, count).astype(ml_dtypes.float8_e4m3fn)
    return np.linspace(-2, 9, count).astype(VALUES[values_of])


def shape_of(coordinates: int) -> tuple[int, ...]:
    return {1: (TARGETS,), 2: SQUARE, 3: CUBE}[coordinates]


def tuples(shape: tuple[int, ...], dtype: str, count: int = TARGETS) -> Array:
    """Places in a table; some of them twice, and negative ones where numbers have a sign."""
    columns = np.random.default_rng(count).integers(0, shape, (count, len(shape)))
    if np.issubdtype(np.dtype(dtype), np.signedinteger):
        columns[::2] -= shape
    return columns.astype(dtype)


def once(shape: tuple[int, ...], dtype: str) -> Array:
    """Some places of a table, each once."""
    flat = np.random.default_rng(1).permutation(int(np.prod(shape)))[: int(np.prod(shape)) // 2]
    return np.stack(np.unravel_index(flat, shape), -1).astype(dtype)


def same(found: Any, expected: Array) -> None:
    array = np.asarray(found if isinstance(found, np.ndarray) else found.numpy())
    assert array.dtype == expected.dtype
    assert array.tobytes() == expected.tobytes()


def agree(device: Device, function: Callable[..., Any], *arguments: Any, **options: Any) -> None:
    """The device does what the CPU does."""
    found = function(*arguments, device=device.name, **options)
    same(found, function(*arguments, **options))


def scatter(device: Device, shape: tuple[int, ...], indices: Array, dtype: str, **o: Any) -> None:
    """A scatter of slices behind the coordinates into a new result."""
    rest = shape[indices.shape[-1] :]
    updates = values((len(indices), *rest), dtype)
    agree(device, dmlindex.scatter_nd, values(shape, dtype) + 1, indices, updates, **o)
