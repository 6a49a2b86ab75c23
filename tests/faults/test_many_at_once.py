"""Processes and threads, many at once: every way in which Python starts processes, 16 threads on
the same arrays, and one compiled operator and one tensor on a device for all of them."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device
from tests.descriptors import descs

Array = npt.NDArray[Any]

RNG = np.random.default_rng(0)
X = RNG.standard_normal((3000, 16)).astype(np.float32)
ROWS = RNG.integers(-3000, 3000, 9000)
UPDATES = RNG.integers(0, 9, (9000, 16)).astype(np.float32)
TAKEN = X[ROWS]
WRITTEN, ADDED = X.copy(), X.copy()
WRITTEN[ROWS] = UPDATES
np.add.at(ADDED, ROWS, UPDATES)

THREADS, ROUNDS = 16, 12


def at_once(work: Callable[[int], None]) -> None:
    """THREADS threads begin together; the first thing that goes wrong in one is raised."""
    wrong: list[BaseException] = []
    barrier = threading.Barrier(THREADS)

    def run(number: int) -> None:
        try:
            barrier.wait(60)
            for _ in range(ROUNDS):
                work(number)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        raise wrong[0]


def test_threads_on_the_same_arrays() -> None:
    """Some of them with an out or a table of their own, and some with mistakes."""
    outs = [np.empty_like(TAKEN) for _ in range(THREADS)]

    def work(number: int) -> None:
        if number % 4 == 0:
            assert np.array_equal(dmlindex.gather(X, ROWS, out=outs[number]), TAKEN)
        elif number % 4 == 1:
            assert np.array_equal(dmlindex.scatter_nd(X, ROWS[:, None], UPDATES), WRITTEN)
        elif number % 4 == 2:
            added = dmlindex.scatter_nd(X, ROWS[:, None], UPDATES, reduction="add")
            assert np.array_equal(added, ADDED)
        else:
            with pytest.raises(IndexError, match="= 3000 is out of range"):
                dmlindex.gather(X, [0, 3000], out=outs[number][:2])
            assert len(dmlindex.find_duplicates(X, ROWS[:, None])) > 0

    at_once(work)


@pytest.mark.parametrize("device", ["cpu", "d3d12"])
def test_one_compiled_operator_for_all(device: str, request: pytest.FixtureRequest) -> None:
    if device == "d3d12":
        request.getfixturevalue("d3d12")
    operator = Device(device).compile(
        descs.gather_nd(X.shape, (9000, 1), (9000, 16), 2, 2), mode="raise"
    )
    outs = [np.empty_like(TAKEN) for _ in range(THREADS)]

    def work(number: int) -> None:
        if number % 2:
            assert np.array_equal(operator(X, ROWS[:, None]), TAKEN)
        else:
            assert operator(X, ROWS[:, None], out=outs[number]) is outs[number]
            assert np.array_equal(outs[number], TAKEN)

    at_once(work)


def test_one_tensor_on_a_device_for_all(d3d12: Device) -> None:
    tensor, rows = d3d12.tensor(X), d3d12.tensor(ROWS)

    def work(number: int) -> None:
        taken = dmlindex.gather(tensor, rows if number % 2 else ROWS)
        if number % 4 == 0:
            written = dmlindex.scatter_nd(tensor, ROWS[:, None], UPDATES)
            assert np.array_equal(written.numpy(), WRITTEN)
        if number % 4 == 3:
            assert np.array_equal(tensor.numpy(), X)
        assert np.array_equal(taken.numpy(), TAKEN)

    at_once(work)


PROCESSES = """
import multiprocessing, sys
import numpy as np
import dmlindex

x = np.arange(400_000).reshape(-1, 4)
rows = np.arange(len(x))[::-1].copy()

def work(device):
    try:
        taken = dmlindex.gather(x, rows, device=device)
        added = dmlindex.scatter_nd(x, rows[:, None], x, reduction="add", device=device)
        return bool((taken == x[::-1]).all() and (added == x + x[::-1]).all())
    except dmlindex.DeviceError as error:
        return "before a fork" in str(error) and "refused"

if __name__ == "__main__":
    method, device, used = sys.argv[1:]
    if used == "used":
        work(device)
    with multiprocessing.get_context(method).Pool(3) as pool:
        print(*pool.map(work, [device] * 6))
"""


# Only a child by fork is another one where the parent has used something before.
@pytest.mark.parametrize(
    ("method", "used"),
    [("fork", "used"), ("fork", "fresh"), ("forkserver", "used"), ("spawn", "used")],
)
@pytest.mark.parametrize("device", ["cpu", "d3d12"])
def test_processes(
    device: str, method: str, used: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A device that was opened before a fork is refused in the child; all else is right."""
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("Windows has only spawn")
    if device == "d3d12":
        request.getfixturevalue("d3d12")
    script = tmp_path / "processes.py"
    script.write_text(PROCESSES)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, method, device, used],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    refused = device == "d3d12" and method == "fork" and used == "used"
    assert done.stdout.split() == ["refused" if refused else "True"] * 6
