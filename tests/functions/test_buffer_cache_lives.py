"""Recycled output buffers: threads, forks, the interpreter's end, and memory that runs out."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import _core

Array = npt.NDArray[Any]

MIB = 1 << 20
OURS = "dmlindex_buffer_cache"


pytestmark = pytest.mark.usefixtures("cache")


def fresh(size: int, value: int = 7) -> Array:
    """A new array of so many bytes from an operator, each the value."""
    return dmlindex.gather(np.full((1, size), value, np.uint8), 0)


def address(array: Array) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def test_threads_make_and_drop_arrays() -> None:
    wrong: list[str] = []
    handed_on: list[Array] = []  # dropped by another thread than the one that made them

    def work(value: int) -> None:
        for step in range(60):
            array = fresh(MIB + step % 5 * 100_000, value)
            handed_on.append(array)
            if step % 3 == 0:
                dmlindex.set_buffer_cache((1 + step % 4) * 4 * MIB)
            if not (array == value).all():
                wrong.append("bytes of another array")
            del array
            if len(handed_on) > 8:
                handed_on.pop(0)

    workers = [threading.Thread(target=work, args=(value,)) for value in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []
    handed_on.clear()
    assert _core.buffer_cache_held() <= 16 * MIB


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_after_fork_has_a_cache_of_its_own() -> None:
    parents = fresh(2 * MIB, 1)
    fresh(2 * MIB, 2)
    child = os.fork()
    if child == 0:
        childs = [fresh(2 * MIB, 3) for _ in range(3)]
        right = (parents == 1).all() and all((array == 3).all() for array in childs)
        del parents, childs
        dmlindex.set_buffer_cache(0)
        os._exit(0 if right and _core.buffer_cache_held() == 0 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert (parents == 1).all()
    assert _core.buffer_cache_held() >= 2 * MIB


@pytest.mark.parametrize(
    "keeper",
    ["builtins.kept = array", "threading.Thread(target=lambda: time.sleep(0.2) or array).start()"],
)
def test_arrays_may_outlive_the_interpreter(keeper: str) -> None:
    code = (
        "import builtins, threading, time, numpy as np, dmlindex\n"
        "dmlindex.set_buffer_cache(1 << 28)\n"
        "array = dmlindex.gather(np.zeros((1, 1 << 22)), 0)\n"
        f"{keeper}\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits the address space")
def test_held_buffers_go_before_memory_runs_out() -> None:
    code = (
        "import resource, numpy as np, dmlindex\n"
        "from dmlindex import _core\n"
        "source = np.zeros((1, 1), np.uint8)\n"
        "indices = np.zeros(160 << 20, np.uint8)\n"
        "dmlindex.set_num_threads(1)\n"
        "dmlindex.set_buffer_cache(1 << 30)\n"
        "dmlindex.gather(source, indices[: 100 << 20])\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize()\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20),) * 2)\n"
        "array = dmlindex.gather(source, indices)\n"
        "assert array.nbytes == 160 << 20 and _core.buffer_cache_held() == 0\n"
        "try: dmlindex.gather(source, np.broadcast_to(indices, (9, 160 << 20)))\n"
        "except MemoryError: print('MemoryError')\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (run.stdout.strip(), run.stderr) == ("MemoryError", "")
