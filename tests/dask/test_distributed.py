"""Real workers: two processes that talk to each other, die, and have little memory."""

from __future__ import annotations

import os
import resource
import signal
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
            dashboard_address=None,
        ) as cluster,
        workers.Client(cluster) as client,
    ):
        yield client


def received_bytes(dask_worker: Any) -> int:
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)


def peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


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
    """Input has more bytes than both workers may take; they take a few chunks more than nothing."""
    shape, chunk = (1024, 1024, 128), (64, 512, 128)  # 1 GiB in chunks of 32 MiB
    path = tmp_path / "table.npy"
    table = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=shape)
    table[:, :, 0] = np.arange(1024 * 1024).reshape(1024, 1024)
    table.flush()
    assert table.nbytes > 2 * MEMORY_LIMIT
    chunks = da.core.normalize_chunks(chunk, shape)
    x = da.map_blocks(part, str(path), chunks=chunks, dtype=table.dtype)
    client.run(warm_up)
    start = max(client.run(peak_bytes).values())

    rng = np.random.default_rng(0)
    tuples = rng.integers(0, 1024, (20_000, 2))
    places = da.from_array(tuples, chunks=(5000, 2))
    result = dmlindex.dask.gather_nd(x, places)  # 20 MB
    found = client.compute(result[:, :2]).result(timeout=120)
    np.testing.assert_array_equal(found[:, 0], tuples[:, 0] * 1024.0 + tuples[:, 1])

    peak = max(client.run(peak_bytes).values())
    share = places.nbytes + result.nbytes
    print(f"peak {peak / MIB:.0f} MiB, {start / MIB:.0f} MiB before, limit {MEMORY_LIMIT / MIB}")
    assert peak - start <= 3 * 32 * MIB + share + 48 * MIB  # what Python and the system keep
    assert peak < MEMORY_LIMIT


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
    """A scatter of stored chunks is stored chunk by chunk."""
    source = zarr.create_array(
        tmp_path / "in.zarr", shape=(4000, 200), chunks=(500, 200), dtype="f8", fill_value=1.0
    )
    x = da.from_zarr(source)
    tuples = np.array([[3999], [0], [2000], [0]])
    updates = np.arange(800.0).reshape(4, 200)
    result = dmlindex.dask.scatter_nd(x, tuples, updates, reduction="add")
    target = zarr.create_array(
        tmp_path / "out.zarr", shape=x.shape, chunks=x.chunksize, dtype=x.dtype
    )
    da.store(result, target)
    expected = dmlindex.scatter_nd(np.ones(x.shape), tuples, updates, reduction="add")
    np.testing.assert_array_equal(target[:], expected)


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
    future = client.compute(gathered)
    scheduler = client.cluster.scheduler
    deadline = time.monotonic() + 60
    while finished(scheduler, "scatter-nd-merge") < 4 and time.monotonic() < deadline:
        time.sleep(0.01)
    victims = client.run(os.getpid)
    os.kill(next(iter(victims.values())), signal.SIGKILL)

    expected = dmlindex.scatter_nd(x, tuples, updates, reduction="add")
    np.testing.assert_array_equal(future.result(timeout=120), dmlindex.gather_nd(expected, tuples))
    runs = Counter(key for key, _, finish, *_ in scheduler.transition_log if finish == "memory")
    again = Counter(key_split(key) for key, n in runs.items() if n > 1)
    print(f"computed again: {dict(again)} of {len(runs)} tasks")
    assert again


def finished(scheduler: Any, name: str) -> int:
    """How many tasks of the name have been computed."""
    log = list(scheduler.transition_log)
    return sum(finish == "memory" and key_split(key) == name for key, _, finish, *_ in log)
