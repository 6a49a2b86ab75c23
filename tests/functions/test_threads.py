"""Threads: the answer never depends on them, calls may run at once, and a fork may come between."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from tests.children import in_child

Array = npt.NDArray[Any]
Threads = Callable[[int], None]

N = 400_000  # elements: far past where a call is split


def with_counts(threads: Threads, call: Callable[[], Array]) -> Array:
    """The answer on one thread, which those on more equal to the bit."""
    threads(1)
    answer = call()
    for count in (2, 3, 8):
        threads(count)
        assert call().tobytes() == answer.tobytes(), f"{count} threads"
    return answer


@pytest.mark.parametrize("targets", [1, 7, 1000, N])
@pytest.mark.parametrize("item_bytes", [1, 2, 4, 8, 16, 48, 300])
def test_the_last_write_wins(threads: Threads, item_bytes: int, targets: int) -> None:
    rng = np.random.default_rng(targets)
    indices = rng.integers(-targets, targets, N // 4)
    updates = rng.integers(0, 256, (indices.size, item_bytes), np.uint8)
    x = np.zeros((targets, item_bytes), np.uint8)
    expected = x.copy()
    expected[indices] = updates  # NumPy too writes them one after the other
    found = with_counts(threads, lambda: dmlindex.scatter_nd(x, indices[:, np.newaxis], updates))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", [(600, 500), (60, 5000)])
def test_the_last_write_wins_in_scatter_elements(
    threads: Threads, shape: tuple[int, int], axis: int
) -> None:
    rng = np.random.default_rng(axis)
    x = np.zeros(shape, np.float32)
    indices = rng.integers(0, 40, x.shape)
    updates = rng.random(x.shape, np.float32)
    expected = x.copy()
    np.put_along_axis(expected, indices, updates, axis)
    found = with_counts(threads, lambda: dmlindex.scatter_elements(x, indices, updates, axis))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", ["f4", "f2", "u1", "i8", "c16", "?"])
@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
@pytest.mark.parametrize("targets", [3, 5000])
def test_reductions_keep_their_order(
    threads: Threads, targets: int, reduction: Any, dtype: str
) -> None:
    if dtype == "c16" and reduction in ("min", "max"):
        return
    rng = np.random.default_rng(7)
    indices = rng.integers(-targets, targets, N)
    updates = (rng.random(N) * 100 + 0.01).astype(dtype)
    x = np.ones(targets, dtype)
    call = lambda: dmlindex.scatter_elements(x, indices, updates, reduction=reduction)  # noqa: E731
    found = with_counts(threads, call)
    if dtype in ("u1", "i8", "?"):
        ufuncs: dict[str, Any] = {"add": np.add, "mul": np.multiply, "min": np.minimum}
        expected = x.copy()
        ufuncs.get(reduction, np.maximum).at(expected, indices, updates)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("row_bytes", [8, 48, 256, 600, 4096, 40000])
def test_rows_are_added_once(threads: Threads, row_bytes: int) -> None:
    """However threads share them: by row of the table, or by part of a row."""
    rng = np.random.default_rng(row_bytes)
    x = np.zeros((50, row_bytes // 8), np.int64)
    indices = rng.integers(-50, 50, (4_000_000 // row_bytes, 1))
    updates = rng.integers(0, 100, (len(indices), row_bytes // 8))
    expected = x.copy()
    np.add.at(expected, indices[:, 0], updates)
    call = lambda: dmlindex.scatter_nd(x, indices, updates, reduction="add")  # noqa: E731
    np.testing.assert_array_equal(with_counts(threads, call), expected)


@pytest.mark.parametrize("axis", [0, 1])
def test_elements_are_added_once(threads: Threads, axis: int) -> None:
    rng = np.random.default_rng(axis)
    x = np.zeros((600, 500), np.int64)
    indices = rng.integers(0, 40, x.shape)
    places = list(np.indices(x.shape, sparse=True))
    places[axis] = indices
    updates = rng.integers(0, 100, x.shape)
    expected = x.copy()
    np.add.at(expected, tuple(places), updates)

    def call() -> Array:
        return dmlindex.scatter_elements(x, indices, updates, axis, reduction="add")

    np.testing.assert_array_equal(with_counts(threads, call), expected)


@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap", "fill"])
def test_gathers(threads: Threads, mode: Any) -> None:
    rng = np.random.default_rng(3)
    x = rng.random((5000, 3), np.float32)
    span = 5000 if mode == "raise" else 12_000
    indices = rng.integers(-span, span, N)
    out = np.zeros((N, 3), np.float32)

    def call() -> Array:
        given = dmlindex.gather(x, indices, mode=mode, out=out)
        assert given.tobytes() == dmlindex.gather(x, indices, mode=mode).tobytes()
        return given

    found = with_counts(threads, call)
    if mode == "wrap":
        np.testing.assert_array_equal(found, x[indices % 5000])
    strided = np.zeros((N, 6), np.float32)[:, ::2]
    assert dmlindex.gather(x, indices, mode=mode, out=strided).tobytes() == found.tobytes()


def test_the_number_of_threads() -> None:
    before = dmlindex.get_num_threads()
    try:
        dmlindex.set_num_threads(3)
        assert dmlindex.get_num_threads() == 3
        for wrong in (0, -1, 2**40, 10**30):
            with pytest.raises(ValueError, match=r"^set_num_threads: n is .*, expected .*$"):
                dmlindex.set_num_threads(wrong)
        for no_integer in ("2", 1.5, None):
            with pytest.raises(TypeError, match=r"^set_num_threads: n is .*, expected an integer$"):
                dmlindex.set_num_threads(no_integer)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"^set_num_threads: missing required argument 'n'$"):
            dmlindex.set_num_threads()  # type: ignore[call-arg]
        with pytest.raises(TypeError, match=r"^get_num_threads: takes 0 positional arguments .*$"):
            dmlindex.get_num_threads(1)  # type: ignore[call-arg]
        assert dmlindex.get_num_threads() == 3
    finally:
        dmlindex.set_num_threads(before)


@pytest.mark.parametrize(("value", "expected"), [("1", "1"), ("5", "5")])
def test_the_environment_sets_the_number(value: str, expected: str) -> None:
    code = "import dmlindex; print(dmlindex.get_num_threads())"
    environment = {**os.environ, "DMLINDEX_NUM_THREADS": value}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, check=True
    )
    assert run.stdout.decode().strip() == expected


def test_many_python_threads_call_at_once() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((2000, 8))
    indices = rng.integers(0, 2000, 50_000)
    expected = x[indices]
    wrong: list[Any] = []

    def work() -> None:
        out = np.zeros_like(expected)
        for _ in range(20):
            if not (dmlindex.gather(x, indices, out=out) == expected).all():
                wrong.append("a wrong answer")
            try:
                dmlindex.gather(x, [0, 2000], out=out[:2])
                wrong.append("no error")
            except IndexError:
                pass

    workers = [threading.Thread(target=work) for _ in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert wrong == []


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("mode", ["raise", "clamp", "drop"])
def test_indices_that_change_during_calls_reach_nothing_else(mode: Any, in_place: bool) -> None:
    """One thread writes wild indices while others scatter and gather through them: any answer or
    IndexError will do, but no other memory is touched. The guards lie around every target."""
    rng = np.random.default_rng(0)
    size, count = 1000, 60_000
    memory = np.zeros(size + 200_000)
    table = memory[100_000:-100_000]
    good = rng.integers(-size, size, (count, 1))
    indices = good.copy()
    updates = np.ones(count)
    done = threading.Event()

    def mutate() -> None:
        wild = rng.integers(-90_000, 90_000, count)
        while not done.is_set():
            indices[:, 0] = wild
            indices[:, 0] = good[:, 0]

    mutator = threading.Thread(target=mutate)
    mutator.start()
    try:
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            try:
                if in_place:
                    dmlindex.scatter_nd(table, indices, updates, out=table, mode=mode)
                else:
                    dmlindex.scatter_nd(table, indices, updates, mode=mode)
                dmlindex.gather_nd(table, indices, mode="fill" if mode == "drop" else mode)
            except IndexError:
                assert mode == "raise"
    finally:
        done.set()
        mutator.join()
    assert not memory[:100_000].any()
    assert not memory[-100_000:].any()


def test_without_onetbb_the_standard_library_has_threads(tmp_path: Path) -> None:
    """As after `pip install --target`, which drops libtbb."""
    package = Path(dmlindex.__file__).parent
    shutil.copytree(package, tmp_path / "dmlindex", ignore=shutil.ignore_patterns("_one_tbb*"))
    code = f"""
import numpy as np, dmlindex
dmlindex.set_num_threads(2)
x = np.arange({N})
assert (dmlindex.gather(x, x[::-1]) == x[::-1]).all()
print(dmlindex._core.thread_library(), dmlindex.__file__)
"""
    library, file = in_child(code, PYTHONPATH=str(tmp_path)).split(maxsplit=1)
    assert library == "std::thread"
    assert Path(file).parents[1] == tmp_path


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_after_fork_computes(threads: Threads) -> None:
    """The workers are gone in a child; calls there must neither hang nor fail."""
    threads(2)
    x, indices = np.arange(N), np.arange(N)[::-1].copy()
    expected = dmlindex.gather(x, indices)  # the workers run now
    child = os.fork()
    if child == 0:
        same = (dmlindex.gather(x, indices) == expected).all()
        scattered = dmlindex.scatter_elements(x, indices, x)
        os._exit(0 if same and (scattered == expected).all() else 1)
    end = time.monotonic() + 60
    status: tuple[int, int] = (0, 0)
    while status[0] == 0 and time.monotonic() < end:
        status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if status[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child hangs")
    assert os.waitstatus_to_exitcode(status[1]) == 0
