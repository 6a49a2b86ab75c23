"""Where arrays lie: blocks of memory that they share, and their elements as bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.memory import as_bytes

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Block:
    """Memory [low, high) that one or more arrays lie in."""

    low: int
    high: int

    def read(self) -> bytes:
        """Its bytes, behind zeros that keep its alignment in memory aligned to 16."""
        return bytes(self.low % 16) + ctypes.string_at(self.low, self.high - self.low)


def extent(array: Array) -> tuple[int, int]:
    """The addresses [low, high) between which the array's elements lie."""
    low = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, low
    high = low + array.dtype.itemsize
    for size, stride in zip(array.shape, array.strides, strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    return low, high


def has_block(array: Array) -> bool:
    """Whether bytes make the array: not of references, which mean nothing in another place, nor
    of a masked one."""
    return type(array) is np.ndarray and not array.dtype.hasobject


def blocks_of(arrays: Iterable[Array]) -> list[Block]:
    """The memory of all arrays that have a block; those that overlap share one."""
    blocks: list[Block] = []
    for low, high in sorted(extent(array) for array in arrays if has_block(array)):
        if blocks and low < blocks[-1].high:
            blocks[-1] = Block(blocks[-1].low, max(high, blocks[-1].high))
        else:
            blocks.append(Block(low, high))
    return blocks


def place(array: Array, blocks: list[Block]) -> tuple[int, int]:
    """Which block an array lies in, and how far behind its beginning the first element is."""
    low, high = extent(array)
    first = array.__array_interface__["data"][0]
    for i, block in enumerate(blocks):
        if block.low <= low and high <= block.high:
            return i, first - block.low + block.low % 16
    raise AssertionError("every array lies in a block")


def bits(array: Array) -> npt.NDArray[np.uint8]:
    """The bytes of each element, as rows; those that mean nothing are 0."""
    size = array.dtype.itemsize
    rows = np.frombuffer(bytearray(as_bytes(array).tobytes()), np.uint8).reshape(array.size, size)
    if padding := _padding(array.dtype):
        rows[:, padding] = 0
    return rows


def same_elements(a: Array, b: Array) -> bool:
    if a.dtype.hasobject:
        return bool(a.tolist() == b.tolist())
    if not has_block(a):
        return _same_fields(np.asarray(a), np.asarray(b))
    return np.array_equal(bits(a), bits(b))


def _same_fields(a: Array, b: Array) -> bool:
    """Without the bytes between fields, which the copy of a masked array does not have."""
    if a.dtype.names is None:
        return np.array_equal(bits(a), bits(b))
    return all(_same_fields(a[name], b[name]) for name in a.dtype.names)


def clear_padding(array: Array) -> None:
    padding = _padding(array.dtype)
    if padding and array.flags.writeable:
        np.asarray(array)[..., np.newaxis].view(np.uint8)[..., padding] = 0


def _padding(dtype: np.dtype[Any]) -> list[int]:
    """Which bytes of an element mean nothing: x87's long double has 10 bytes in 12 or 16."""
    if dtype.type not in (np.longdouble, np.clongdouble) or np.finfo(dtype).nmant != 63:
        return []
    part = np.dtype(np.longdouble).itemsize
    return [i for i in range(dtype.itemsize) if i % part >= 10]
