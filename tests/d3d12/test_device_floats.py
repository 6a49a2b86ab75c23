"""Floats of any bits, added and multiplied on a D3D12 device as on the CPU: where the hardware may
flush a denormal, or its result overflows, the shader reckons in integers."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.d3d12.device_kernel_calls import NO_BLOCKS, Array, same

COUNT = 6000
EDGES = {  # magnitudes about which rules change, by the dtype's bits
    "float16": [0, 1, 0x3FF, 0x400, 0x1400, 0x3C00, 0x7BFF, 0x7C00, 0x7C01, 0x7E00],
    "bfloat16": [0, 1, 0x7F, 0x80, 0x0D80, 0x3F80, 0x7F7F, 0x7F80, 0x7F81, 0x7FC0],
    "float32": [
        *(0, 1, 0x7FFFFF, 0x800000, 0x0D7FFFFF, 0x0D800000, 0x20000000, 0x3F800000, 0x7F7FFFFF),
        *(0x7F800000, 0x7F800001, 0x7FC00000),
    ],
}


def pairs(name: str) -> tuple[Array, Array]:
    """Numbers of any bits, and of nearly the same magnitude, each edge with each in front."""
    unsigned = np.dtype("u4" if name == "float32" else "u2")
    sign = 1 << (8 * unsigned.itemsize - 1)
    edges = [edge | s for edge in EDGES[name] for s in (0, sign)]
    rng = np.random.default_rng(len(name))
    left, right = rng.integers(0, 2 * sign, (2, COUNT)).astype(unsigned)
    near = rng.integers(0, COUNT, COUNT // 2)
    right[near] = left[near] ^ rng.integers(0, sign >> 3, len(near)).astype(unsigned) ^ sign
    small = rng.integers(0, COUNT, COUNT // 4)
    left[small] &= (sign - 1) >> 4  # whose products are denormal, or zero
    first = np.array(list(product(edges, edges)), unsigned)
    left[: len(first)], right[: len(first)] = first.T
    return left, right


@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
@pytest.mark.parametrize("name", EDGES)
def test_floats_of_any_bits(device: Device, name: str, reduction: str) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    left, right = (bits.view(dtype) for bits in pairs(name))
    options: dict[str, Any] = {"reduction": reduction}
    places = np.arange(COUNT)[:, np.newaxis]
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, NO_BLOCKS)
    found = dmlindex.scatter_nd(left, places, right, **options, device=device.name)
    _core.d3d12_set_profile(device.name, before)
    same(found, dmlindex.scatter_nd(left, places, right, **options))


@pytest.mark.parametrize("reduction", ["add", "mul", "max"])
@pytest.mark.parametrize("length", [33, 64, 65, 300, 2100])
@pytest.mark.parametrize("name", EDGES)
def test_long_chains(device: Device, name: str, length: int, reduction: str) -> None:
    """Many updates of one target, in C order: the hardware adds some at once where it is sure to be
    right about all of them, and the shader one by one where it is not."""
    ml_dtypes = pytest.importorskip("ml_dtypes")
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    rng = np.random.default_rng(length)
    sign = 1 << (8 * dtype.itemsize - 1)
    edges = np.array([edge | s for edge in EDGES[name] for s in (0, sign)], f"u{dtype.itemsize}")
    options: dict[str, Any] = {"reduction": reduction}
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, NO_BLOCKS)
    for width, rare in product((1, 3, 300 if length < 400 else 45), (1, 0.02, 0)):
        updates = rng.normal(size=(length + 40, width)).astype(dtype)
        chosen = rng.random(updates.shape) < rare
        updates[chosen] = rng.choice(edges, np.count_nonzero(chosen)).view(dtype)
        places = rng.permutation(np.minimum(np.arange(length + 40), 40))[:, np.newaxis]
        table = np.zeros((50, width), dtype)
        found = dmlindex.scatter_nd(table, places, updates, **options, device=device.name)
        with np.errstate(all="ignore"):
            same(found, dmlindex.scatter_nd(table, places, updates, **options))
    _core.d3d12_set_profile(device.name, before)
