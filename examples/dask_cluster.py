"""A histogram and a look-up over chunks on two worker processes: python examples/dask_cluster.py

It makes 16 MB of random keys, counts them by a scatter that adds, looks the counts up again by a
gather, and checks both. Open the address it prints in a browser to see the tasks (with bokeh).
"""

from __future__ import annotations

from typing import Any

import dask.array
import distributed
import numpy as np

import dmlindex.dask

da: Any = dask.array  # which is only partly typed
workers: Any = distributed

KEYS, COUNTS = 2_000_000, 200_000


def main() -> None:
    with (
        workers.LocalCluster(n_workers=2, threads_per_worker=1) as cluster,
        workers.Client(cluster) as client,
    ):
        print("dashboard:", client.dashboard_link)
        keys = da.random.default_rng(0).integers(0, COUNTS, KEYS, chunks=KEYS // 10)
        zeros = da.zeros(COUNTS, chunks=COUNTS // 5, dtype=np.int64)
        ones = da.ones(KEYS, chunks=keys.chunks, dtype=np.int64)
        counts = dmlindex.dask.scatter_elements(zeros, keys, ones, reduction="add", ordered=False)
        seen = dmlindex.dask.gather(counts, keys)
        total, squares, same = client.gather(
            client.compute([counts.sum(), (counts.astype(float) ** 2).sum(), seen.sum()])
        )
    assert total == KEYS
    assert same == squares
    print(f"{total:,} keys counted; a key has been seen {same / KEYS:.2f} times on average")


if __name__ == "__main__":
    main()
