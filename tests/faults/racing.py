"""Calls whose arguments another thread writes to: `python -m tests.faults.racing SECONDS`.

Every table, out, updates and indices lies between gigabytes of pages that nobody may touch, far
enough to catch most offsets that wild indices would have: who uses one of them unchecked ends the
process. What a call answers is anybody's guess; it may be an IndexError only in mode="raise".
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import mmap
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex import Device
from tests.descriptors import descs
from tests.descriptors.descs import data, index

Array = npt.NDArray[Any]

_FENCE = 1 << 36  # bytes on each side, of which none is there
_READ_WRITE = mmap.PROT_READ | mmap.PROT_WRITE
_mmap = ctypes.CDLL(None, use_errno=True).mmap
_mmap.restype = ctypes.c_void_p
_mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]

INDEX_TYPES = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
DTYPES = ("u1", "f2", "f4", "f8", "c16", "V3")
REDUCTIONS = ("none", "add", "mul", "min", "max")
ROWS, COLUMNS, COUNT = 40, 24, 2000  # of a table; how many of its rows are indexed


class Fenced:
    """Memory that ends, or begins, at a page that is not there."""

    def __init__(self, size: int) -> None:
        self._size = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | getattr(mmap, "MAP_NORESERVE", 0x4000)
        begin = _mmap(None, 2 * _FENCE + self._size, 0, flags, -1, 0)
        fixed = 0x10  # MAP_FIXED
        self._address = _mmap(begin + _FENCE, self._size, _READ_WRITE, flags | fixed, -1, 0)
        assert self._address == begin + _FENCE

    def array(self, shape: tuple[int, ...], dtype: Any, at_end: bool) -> Array:
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        assert size <= self._size
        whole = (ctypes.c_char * self._size).from_address(self._address)
        return np.ndarray(shape, dtype, memoryview(whole), self._size - size if at_end else 0)


class Writers:
    """Threads that fill arrays with what is right and what is wild, in turn, until the end."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._threads: list[threading.Thread] = []

    def hammer(self, array: Array, contents: list[Array]) -> None:
        def work() -> None:
            while not self._done.is_set():
                for content in contents:
                    np.copyto(array, content)

        self._threads.append(threading.Thread(target=work))

    def __enter__(self) -> None:
        for thread in self._threads:
            thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join()


def wild(rng: np.random.Generator, array: Array) -> Array:
    """Just out of range, far out, and with any bits: in each of its bytes, torn ones too."""
    info = np.iinfo(array.dtype)
    numbers = (ROWS, -ROWS - 1, 2**20, -(2**20), info.max, info.min, 2**31, 2**32)
    some = [number for number in numbers if info.min <= number <= info.max]
    return rng.choice(np.array(some, array.dtype), array.shape)


def calls(rng: np.random.Generator, memory: list[Fenced]) -> list[tuple[str, Callable[[], Any]]]:
    """Calls of every operator, mode and reduction, by arrays in the memory, each with its own."""
    at_end = bool(rng.integers(2))
    dtype = np.dtype(str(rng.choice(DTYPES)))
    kind = np.dtype(str(rng.choice(INDEX_TYPES)))
    table = memory[0].array((ROWS, COLUMNS), dtype, at_end)
    indices = memory[1].array((COUNT, 1), kind, at_end)
    spread = memory[2].array((COUNT, COLUMNS), kind, at_end)
    items = memory[3].array((COUNT, COLUMNS), dtype, at_end)
    pairs = memory[4].array((COUNT, COLUMNS, 2), kind, at_end)
    expanded = np.broadcast_to(indices, (COUNT, COLUMNS))
    found: list[tuple[str, Callable[[], Any]]] = []

    def add(mode: str, name: str, *arguments: Any, **options: Any) -> None:
        function = getattr(dmlindex, name)
        found.append((mode, lambda: function(*arguments, mode=mode, **options)))

    for mode in ("raise", "clamp", "wrap", "fill"):
        for out in ({}, {"out": items}):
            add(mode, "gather", table, indices[:, 0], **out)
            add(mode, "gather_elements", table, spread, **out)
            add(mode, "gather_elements", table, expanded, **out)
            add(mode, "gather_nd", table, indices, **out)
            add(mode, "gather_nd", table, pairs, **out)
        add(mode, "gather", table.T, indices[:, 0], 1)
        add(mode, "gather_elements", table[::-1, ::-1], spread[:, ::-1])
    able = [one for one in REDUCTIONS if dtype.kind in "uf" or one in ("none", "add", "mul")]
    for mode in ("raise", "clamp", "wrap", "drop"):
        for reduction in able if dtype.kind != "V" else ["none"]:
            how: dict[str, Any] = {"reduction": reduction}
            for out in ({}, {"out": table}):
                add(mode, "scatter_elements", table, spread, items, **how, **out)
                add(mode, "scatter_elements", table, expanded, items, **how, **out)
                add(mode, "scatter_nd", table, indices, items, **how, **out)
                add(mode, "scatter_nd", table, pairs, items, **how, **out)
            add(mode, "scatter_nd", table, indices, items, **how, unique_indices=True)
        add(mode, "find_duplicates", (ROWS,), indices)
    if dtype == np.float32 and kind.itemsize >= 4:
        places = index(COUNT, 1, data_type=getattr(dmlindex.DataType, kind.name.upper()))
        row, whole = data(COUNT, COLUMNS), data(ROWS, COLUMNS)
        for desc, arguments in (
            (descs.gather_nd(whole, places, row, 2, 2), (table, indices)),
            (descs.scatter_nd(whole, places, row, whole, 2, 2), (table, indices, items)),
        ):
            operator = Device().compile(desc)
            found.append(("directml", functools.partial(operator, *arguments)))
    return found


def reshaping(table: Array, indices: Array) -> None:
    """Gathers from an array whose shape, and whose own, another thread sets meanwhile."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            for array in (table, indices):
                shape = array.shape
                array.shape = (array.size,)
                array.shape = shape[::-1]

    thread = threading.Thread(target=work)
    thread.start()
    for _ in range(2000):
        with contextlib.suppress(ValueError, IndexError):
            dmlindex.gather(table, indices)
        with contextlib.suppress(ValueError, IndexError):
            dmlindex.scatter_nd(table, indices, 0, mode="drop", out=table)
    done.set()
    thread.join()


def main(seconds: float) -> None:
    rng = np.random.default_rng()
    sizes = (ROWS * COLUMNS * 16, COUNT * 8, COUNT * COLUMNS * 8, COUNT * COLUMNS * 16)
    memory = [Fenced(size) for size in (*sizes, COUNT * COLUMNS * 16)]
    made, errors, end = 0, 0, time.monotonic() + seconds
    while made == 0 or time.monotonic() < end:
        dmlindex.set_num_threads(int(rng.integers(1, 3)))
        todo = calls(rng, memory)
        writers = Writers()
        for number in (1, 2, 4):
            some = memory[number].array((memory[number]._size // 8,), "i8", False)
            kind = str(rng.choice(INDEX_TYPES))
            good = rng.integers(0, COLUMNS, some.nbytes // np.dtype(kind).itemsize).astype(kind)
            writers.hammer(some, [good.view("i8"), wild(rng, good).view("i8")])
        with writers, np.errstate(all="ignore"):
            for mode, call in todo:
                made += 1
                try:
                    call()
                except IndexError:
                    errors += 1
                    assert mode == "raise", mode
    reshaping(memory[0].array((ROWS, COLUMNS), "f8", True), memory[1].array((COUNT, 1), "i8", True))
    print(made, errors)


if __name__ == "__main__":
    main(float(sys.argv[1]))
