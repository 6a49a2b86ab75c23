"""Real workers: two processes that talk to each other, die, and have little memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dask.array
import distributed
import numpy as np
import pytest
import zarr
from dask.utils import key_split

import dmlindex
import dmlindex.dask

da: Any = dask.array  # which is only partly typed
workers: Any = distributed

MIB = 1 << 20
MEMORY_LIMIT = 400 * MIB
CONFIG: Any = {
    "distributed.admin.low-level-log-length": 100_000,
    "distributed.scheduler.work-stealing": False,  # which moves chunks for its own reasons
    "distributed.scheduler.worker-saturation": 1.0,  # no chunk is read ahead
    # Else one goes to the other worker sooner than wait for tasks that none has run yet.
    "distributed.scheduler.unknown-task-duration": "1ms",
    # A limit that is held lets no worker spill, pause or die.
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": 1.0,
}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with (
        dask.config.set(CONFIG),
        workers.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            memory_limit=MEMORY_LIMIT,
            dashboard_address=":0",  # any port: others may run this, too
        ) as cluster,
        workers.Client(cluster) as client,
    ):
        yield client


def received_bytes(dask_worker: Any) -> int:
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


def peak_bytes() -> int:
    """Of this process alone: getrusage's also counts the one that started it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (kilobytes,) = re.findall(r"VmHWM:\s+(\d+) kB", status)
    return int(kilobytes) * 1024


def warm_up() -> None:
    """Imports, and starts threads, so that these do not count."""
    da.compute(dmlindex.dask.gather(np.zeros(9), [0]), scheduler="sync")
    dmlindex.gather(np.zeros(1 << 16), np.zeros(1 << 16, int))


def persisted(client: Any, *arrays: Any) -> list[Any]:
    kept = list(client.persist(arrays))
    workers.wait(kept, timeout=60)
    return kept


def part(path: str, block_info: Any = None) -> Any:
    """A block of an .npy file: each opens it, as a memory map would be sent as a whole."""
    where = block_info[None]["array-location"]
    return np.array(np.load(path, mmap_mode="r")[tuple(slice(*edges) for edges in where)])


def test_chunks_from_files_in_bounded_memory(client: Any, tmp_path: Path) -> None:
    """Input has more bytes than both workers may take; they take a few chunks more than nothing.

    Sooner or later: a chunk that was read before its indices came, or that the scheduler lets go of
    late, counts on top, and when these happen is up to Dask and the machine's load.
    """
    shape, chunk = (1024, 1024, 128), (64, 512, 128)  # 1 GiB in chunks of 32 MiB
    path = tmp_path / "table.npy"
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=shape)
    table[:, :, 0] = np.arange(1024 * 1024).reshape(1024, 1024)
    table.flush()
    assert table.nbytes > 2 * MEMORY_LIMIT
    chunks = da.core.normalize_chunks(chunk, shape)
    x = da.map_blocks(part, str(path), chunks=chunks, dtype=table.dtype)
    tuples = np.random.default_rng(0).integers(0, 1024, (20_000, 2))
    places = da.from_array(tuples, chunks=(5000, 2))
    result = dmlindex.dask.gather_nd(x, places)  # 20 MB

    kept = 48 * MIB  # by Python and the system
    bound = 3 * 32 * MIB + places.nbytes + result.nbytes + kept
    grown: list[int] = []
    while len(grown) < 3 and min(grown, default=bound + 1) > bound:
        if grown:
            client.restart()  # workers whose peak is yet to come
        client.run(warm_up)
        start = max(client.run(peak_bytes).values())
        found = client.compute(result[:, :2]).result(timeout=120)
        np.testing.assert_array_equal(found[:, 0], tuples[:, 0] * 1024.0 + tuples[:, 1])
        peak = max(client.run(peak_bytes).values())
        print(f"peak {peak / MIB:.0f} MiB, {start / MIB:.0f} before, limit {MEMORY_LIMIT / MIB}")
        assert peak < MEMORY_LIMIT
        grown.append(peak - start)
    assert min(grown) <= bound


@pytest.mark.parametrize("kind", ["random", "sorted"])
def test_bytes_moved(client: Any, kind: str) -> None:
    """At most three times the bytes of indices and result go from one worker to the other."""
    rng = np.random.default_rng(0)
    places = rng.integers(-(1 << 20), 1 << 20, 1 << 20)
    places = np.sort(places) if kind == "sorted" else places
    table = np.arange(1 << 20, dtype=np.float64)
    x, indices = persisted(
        client,
        da.arange(1 << 20, dtype=np.float64, chunks=1 << 15),
        da.from_array(places, chunks=1 << 15),
    )
    before = sum(client.run(received_bytes).values())
    (result,) = persisted(client, dmlindex.dask.gather(x, indices))
    moved = sum(client.run(received_bytes).values()) - before
    assert moved <= 3 * (places.nbytes + result.nbytes)
    np.testing.assert_array_equal(result.compute(), table[places])

    before = sum(client.run(received_bytes).values())
    (result,) = persisted(client, dmlindex.dask.scatter_elements(x, indices, result))
    moved = sum(client.run(received_bytes).values()) - before
    assert moved <= 3 * (places.nbytes + 2 * result.nbytes)
    np.testing.assert_array_equal(result.compute(), table)


def test_writing_back_to_zarr(client: Any, tmp_path: Path) -> None:
    """A scatter of stored chunks, more than both workers may hold, is stored chunk by chunk."""
    shape, chunks = (1 << 16, 1 << 11), (1 << 11, 1 << 11)  # 1 GiB in chunks of 32 MiB
    source = zarr.create_array(
        tmp_path / "in.zarr", shape=shape, chunks=chunks, dtype="f8", fill_value=1.0
    )
    assert source.nbytes > 2 * MEMORY_LIMIT
    tuples = np.random.default_rng(0).integers(0, shape, (1000, 2))
    result = dmlindex.dask.scatter_nd(da.from_zarr(source), tuples, 2.0, reduction="add")
    target = zarr.create_array(tmp_path / "out.zarr", shape=shape, chunks=chunks, dtype="f8")
    da.store(result, target)
    peak = max(client.run(peak_bytes).values())
    print(f"peak {peak / MIB:.0f} MiB, limit {MEMORY_LIMIT / MIB}")
    assert peak < MEMORY_LIMIT
    rows = chunks[0]
    for start in (0, shape[0] - rows):
        inside = tuples[(tuples[:, 0] >= start) & (tuples[:, 0] < start + rows)] - [start, 0]
        expected = np.ones(chunks)
        np.add.at(expected, tuple(inside.T), 2.0)
        np.testing.assert_array_equal(target[start : start + rows], expected)


def test_a_new_store(client: Any, tmp_path: Path) -> None:
    x = da.zeros((60, 20), chunks=(7, 20))
    result: Any = dmlindex.dask.scatter_nd(x, np.array([[59], [3]]), np.ones((2, 20)))
    result.rechunk((10, 20)).to_zarr(tmp_path / "new.zarr")
    stored = zarr.open_array(tmp_path / "new.zarr", mode="r")[:]
    np.testing.assert_array_equal(np.flatnonzero(np.asarray(stored)[:, 0]), [3, 59])


def test_the_example() -> None:
    script = Path(__file__).parents[2] / "examples" / "dask_cluster.py"
    ran = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "2,000,000 keys counted" in ran.stdout


def slowly(block: Any) -> Any:
    time.sleep(0.05)
    return block


def test_a_worker_dies(client: Any) -> None:
    """What it held is computed again; the result is right. (The last test: it is the module's.)"""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 1000))
    tuples = rng.integers(0, (64, 1000), (4000, 2))
    updates = rng.standard_normal(4000)
    lazy = da.from_array(x, chunks=(4, 500)).map_blocks(slowly, dtype=x.dtype)
    places = da.from_array(tuples, chunks=(400, 2))
    scattered = dmlindex.dask.scatter_nd(
        lazy, places, da.from_array(updates, chunks=400), reduction="add"
    )
    gathered = dmlindex.dask.gather_nd(scattered, places)
    since = time.time()
    future = client.compute(gathered)
    scheduler = client.cluster.scheduler
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        merged = [key for key in computed(scheduler, since) if key_split(key) == "scatter-nd-merge"]
        if len(merged) >= 4:
            break
        time.sleep(0.01)
    assert not future.done()
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    expected = dmlindex.scatter_nd(x, tuples, updates, reduction="add")
    np.testing.assert_array_equal(future.result(timeout=120), dmlindex.gather_nd(expected, tuples))
    runs = Counter(computed(scheduler, since))
    again = Counter(key_split(key) for key, n in runs.items() if n > 1)
    print(f"computed again: {dict(again)} of {len(runs)} tasks")
    assert again["scatter-nd-merge"] >= 1


def computed(scheduler: Any, since: float) -> list[Any]:
    """The keys of all tasks that gave a result since then, once for each time."""
    log = list(scheduler.transition_log)
    return [key for key, _, finish, *_, at in log if finish == "memory" and at >= since]
