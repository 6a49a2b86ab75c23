"""Index tuples as columns, which torch and CuPy want."""

import numpy as np

from benchmarks.call import Array, Call


def columns_of(call: Call) -> dict[str, Array]:
    """The tuples' numbers, each contiguous, behind those of the batch: c0, c1, …"""
    arrays = [np.ascontiguousarray(call.indices[..., k]) for k in range(call.indices.shape[-1])]
    if call.batch_dims == 1:
        shape = call.indices.shape[:-1]
        batch = np.arange(shape[0]).reshape(-1, *(1,) * (len(shape) - 1))
        arrays.insert(0, np.ascontiguousarray(np.broadcast_to(batch, shape)))
    return {f"c{k}": array for k, array in enumerate(arrays)}
