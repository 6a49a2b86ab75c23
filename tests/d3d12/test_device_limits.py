"""What shaders do not take, sizes past 32 bits, and large tensors on real GPUs."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, DeviceError, _core

TABLE: npt.NDArray[Any] = np.arange(24, dtype=np.float32).reshape(6, 4)


def test_reductions_that_shaders_lack(device: Device) -> None:
    for name in ("longdouble", "clongdouble"):
        assert not device.has_reduction(name, "add")
        assert Device("cpu").has_reduction(name, "add")
        table = np.zeros(2, name)
        with pytest.raises(DeviceError, match=rf'on dtype {table.dtype}.*use device="cpu"'):
            dmlindex.scatter_elements(table, [0], table[:1], reduction="add", device=device)


@pytest.mark.parametrize("name", ["bool", *"bBhHiIqQ", "float16", "float32", "float64"])
def test_reductions_that_shaders_have(device: Device, name: str) -> None:
    for reduction in ("add", "mul", "min", "max"):
        assert device.has_reduction(name, reduction)


@pytest.mark.parametrize("name", ["complex64", "complex128"])
def test_complex_numbers_have_no_order(device: Device, name: str) -> None:
    for reduction in ("add", "mul", "min", "max"):
        assert device.has_reduction(name, reduction) == (reduction in ("add", "mul"))


def test_more_dims_than_shaders_take(device: Device) -> None:
    table = np.zeros((2,) * 10, np.uint8)
    indices = np.zeros((1,) * 9, np.int64)
    with pytest.raises(DeviceError, match=r'10 numbers, at most 8 are supported; use device="cpu"'):
        dmlindex.gather_nd(table, np.zeros((1, 10), np.int64), device=device)
    assert dmlindex.gather(table, indices, device=device).shape == (1,) * 9 + (2,) * 9


def test_sizes_past_32_bits(device: Device) -> None:
    """No index in range is called out of range: such a size is not known to shaders."""
    rows = (1 << 32) + 5
    table = np.empty((rows, 0), np.uint8)
    there = device.tensor(table)
    index = np.array([(1 << 32) + 2, 3])
    for indices in (index, device.tensor(index)):
        with pytest.raises(
            DeviceError, match=rf'axis 0 of input has size {rows}.*use device="cpu"'
        ):
            dmlindex.gather(there, indices)
        with pytest.raises(DeviceError, match=rf"axis 0 of input has size {rows}"):
            dmlindex.scatter_nd(there, index[:, None], np.empty((2, 0), "u1"))
        for mode in ("clamp", "wrap", "fill"):  # no index is an error: nothing to know
            assert dmlindex.gather(there, indices, mode=mode).shape == (2, 0)
    assert dmlindex.gather(there, index[:0]).shape == (0, 0)
    edge = device.tensor(np.empty(((1 << 32) - 1, 0), np.uint8))
    for last in ([(1 << 32) - 2], np.array([(1 << 32) - 2], np.uint32), [-(1 << 32) + 1]):
        assert dmlindex.gather(edge, last).numpy().shape == (1, 0)
    for past in ([(1 << 32) - 1], np.array([(1 << 32) - 1], np.uint32), [-(1 << 32)]):
        with pytest.raises(IndexError, match=f"which has size {(1 << 32) - 1}"):
            dmlindex.gather(edge, past).numpy()


@pytest.mark.hardware
@pytest.mark.parametrize("name", ["u1", "u2", "u4", "u8", "V16"])
def test_duplicates_do_not_tear(gpu: Device, name: str) -> None:
    """Without the pass that finds the last writer, two stores of 4 bytes mix on a real GPU."""
    rng = np.random.default_rng(1)
    table = np.zeros(1 << 12, name)
    updates = rng.integers(0, 256, (1 << 20) * table.itemsize, np.uint8).view(name)
    indices = rng.integers(0, table.size, 1 << 20)
    expected = dmlindex.scatter_elements(table, indices, updates)
    for _ in range(5):
        found = dmlindex.scatter_elements(table, indices, updates, device=gpu)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.hardware
def test_tensors_past_half_a_gigabyte(gpu: Device) -> None:
    """Views by pieces of 16 bytes reach 2 GiB, others 512 MiB: then the limit is named."""
    table = np.arange(1 << 28, dtype=np.uint32).reshape(1 << 20, 256)
    rows = np.random.default_rng(1).integers(0, 1 << 20, 1 << 10)
    tensor = gpu.tensor(table)
    if _core.d3d12_binding(gpu.name) == "root":  # has the others alone
        with pytest.raises(DeviceError, match=r"input has 1073741824 bytes.*2\^27 texels"):
            dmlindex.gather(tensor, rows)
        return
    np.testing.assert_array_equal(dmlindex.gather(tensor, rows).numpy(), table[rows])
    found = dmlindex.gather_nd(tensor, [[0, 1], [1 << 20, 0], [-1, -1]], mode="fill", fill_value=7)
    assert found.numpy().tolist() == [1, 7, (1 << 28) - 1]
    wide = gpu.tensor(np.zeros((1 << 26, 1), "V12"))
    with pytest.raises(DeviceError, match=r"input has 805306368 bytes.*2\^27 texels"):
        dmlindex.gather(wide, [5], mode="fill", fill_value=np.zeros((), "V12"))
