"""Device tensors: what they are, how work on them is queued, and how its errors come back."""

import doctest
import gc
import inspect
import os
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, DeviceError, _core
from tests.children import in_child

TABLE: npt.NDArray[Any] = np.arange(24, dtype=np.float32).reshape(6, 4)


def test_round_trip(device: Device) -> None:
    for array in (TABLE, TABLE[::-2, 1:], TABLE.T, np.array(3, "u1"), np.zeros((0, 3)), TABLE > 5):
        tensor = device.tensor(array)
        assert tensor.shape == array.shape
        assert tensor.dtype == array.dtype
        assert tensor.nbytes == array.nbytes
        assert tensor.size == array.size
        assert tensor.ndim == array.ndim
        found = tensor.numpy()
        assert found.dtype == array.dtype
        np.testing.assert_array_equal(found, array)


def test_large_round_trip(device: Device) -> None:
    array = np.arange(17 << 20, dtype=np.uint32)  # more than the staging ring holds
    np.testing.assert_array_equal(device.tensor(array).numpy(), array)


def test_repr(device: Device) -> None:
    tensor = device.tensor(TABLE)
    assert repr(tensor) == f"DeviceTensor(shape=(6, 4), dtype=float32, device='{tensor.device}')"


def test_notebooks_show_values(device: Device) -> None:
    tensor = device.tensor(TABLE)
    assert f">{TABLE[5, 3]:g}<" in tensor._repr_html_()
    large = device.tensor(np.arange(1 << 20, dtype=np.uint32).reshape(-1, 4))
    assert "its first rows" in large._repr_html_()
    assert ">31<" in large._repr_html_()
    wide = device.tensor(np.zeros((2, 1 << 20), np.uint32))
    assert "its first elements[11] = " in wide._repr_html_()
    tensor.release()
    assert "released" in tensor._repr_html_()


def test_objects_are_refused(device: Device) -> None:
    with pytest.raises(TypeError, match="array has dtype object"):
        device.tensor(np.array([None]))


def test_the_cpu_has_no_tensors() -> None:
    with pytest.raises(DeviceError, match="the CPU has no memory of its own"):
        Device("cpu").tensor(TABLE)
    Device("cpu").synchronize()


def test_tensors_in_tensor_out(device: Device) -> None:
    table, rows = device.tensor(TABLE), device.tensor(np.array([4, -1]))
    result = dmlindex.gather(table, rows)
    chained = dmlindex.scatter_nd(result, [[0]], TABLE[:1], reduction="add")
    assert type(chained) is type(table)
    np.testing.assert_array_equal(result.numpy(), TABLE[[4, 5]])
    np.testing.assert_array_equal(chained.numpy(), TABLE[[4, 5]] + [TABLE[0], np.zeros(4)])


def test_arrays_and_tensors_mixed(device: Device) -> None:
    for table in (TABLE, device.tensor(TABLE)):
        for rows in ([1, 1], device.tensor(np.array([1, 1]))):
            found = dmlindex.gather(table, rows, device=device)
            if not isinstance(found, np.ndarray):
                found = found.numpy()
            np.testing.assert_array_equal(found, TABLE[[1, 1]])


def test_out_is_a_tensor(device: Device) -> None:
    out = device.tensor(np.zeros((2, 4), np.float32))
    assert dmlindex.gather(TABLE, [1, 2], out=out) is out
    np.testing.assert_array_equal(out.numpy(), TABLE[1:3])


def test_tensors_into_an_array(device: Device) -> None:
    out = np.zeros((2, 4), np.float32, order="F")
    assert dmlindex.gather(device.tensor(TABLE), [1, 2], out=out) is out
    np.testing.assert_array_equal(out, TABLE[1:3])


def test_in_place(device: Device) -> None:
    table = device.tensor(TABLE)
    assert dmlindex.scatter_nd(table, [[1], [1]], TABLE[:2] + 9, out=table) is table
    expected = TABLE.copy()
    expected[1] = TABLE[1] + 9
    np.testing.assert_array_equal(table.numpy(), expected)


def test_out_is_another_operand(device: Device) -> None:
    indices = np.array([2, 0, 1, 1])
    both = device.tensor(indices)
    dmlindex.gather(both, both, out=both)
    np.testing.assert_array_equal(both.numpy(), indices[indices])
    both = device.tensor(indices)
    dmlindex.scatter_elements(np.zeros(4, int), both, both, out=both)
    np.testing.assert_array_equal(both.numpy(), [2 - 2, 1, 2, 0])


def test_operands_must_fit(device: Device) -> None:
    table = device.tensor(TABLE)
    with pytest.raises(TypeError, match=r"indices is a DeviceTensor of dtype float32"):
        dmlindex.gather(table, table)
    with pytest.raises(TypeError, match=r"out has dtype float32, expected input's dtype int64"):
        dmlindex.gather([1, 2], [0], out=table)
    with pytest.raises(ValueError, match=r"out has shape \(6, 4\), expected \(1, 4\)"):
        dmlindex.gather(table, [0], out=table)
    with pytest.raises(ValueError, match="but the call runs on cpu"):
        dmlindex.gather(table, [0], device="cpu")


def test_release(device: Device) -> None:
    with device.tensor(TABLE) as tensor:
        assert tensor.shape == (6, 4)
    assert "released" in repr(tensor)
    with pytest.raises(ValueError, match="was released"):
        tensor.numpy()
    with pytest.raises(ValueError, match="input is a DeviceTensor that was released"):
        dmlindex.gather(tensor, [0])


def test_memory_comes_back(device: Device) -> None:
    """With the last reference, from the garbage collector, with release() and with the block."""
    gc.collect()  # what other tests have left
    before = _core.d3d12_used_bytes(device.name)
    kept = [device.tensor(np.zeros(1 << 20, np.uint8)) for _ in range(4)]
    assert _core.d3d12_used_bytes(device.name) == before + (4 << 20)
    kept.pop()
    kept.pop().release()
    with kept[0]:
        pass
    assert _core.d3d12_used_bytes(device.name) == before + (1 << 20)
    cycle: list[object] = [kept.pop()]
    cycle.append(cycle)
    kept.clear()
    del cycle
    gc.collect()
    assert _core.d3d12_used_bytes(device.name) == before


def test_many_more_tensors_than_fit(device: Device) -> None:
    """One after the other: each takes the place of the last one."""
    for _ in range(50):
        device.tensor(np.zeros(64 << 20, np.uint8))


def test_the_type_is_public(device: Device) -> None:
    tensor = device.tensor(TABLE)
    assert isinstance(tensor, dmlindex.DeviceTensor)
    assert isinstance(dmlindex.gather(tensor, [0]), dmlindex.DeviceTensor)
    assert not isinstance(TABLE, dmlindex.DeviceTensor)
    with pytest.raises(TypeError):
        dmlindex.DeviceTensor()


@pytest.mark.usefixtures("device")
def test_the_example_of_the_type() -> None:
    test = doctest.DocTestParser().get_doctest(
        inspect.getdoc(dmlindex.DeviceTensor) or "", {}, "DeviceTensor", None, None
    )
    assert test.examples
    assert doctest.DocTestRunner().run(test).failed == 0


def test_letting_go_does_not_wait_for_the_device(device: Device) -> None:
    """Tensors are dropped by threads while others upload, run and read."""
    stop = threading.Event()

    def drop() -> None:
        while not stop.is_set():
            device.tensor(TABLE)

    threads = [threading.Thread(target=drop) for _ in range(2)]
    for thread in threads:
        thread.start()
    array = np.arange(1 << 22, dtype=np.uint32)
    for _ in range(3):
        np.testing.assert_array_equal(device.tensor(array).numpy(), array)
    stop.set()
    for thread in threads:
        thread.join()


def test_threads_share_a_device(device: Device) -> None:
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            rng = np.random.default_rng(seed)
            table = rng.integers(0, 256, (64, 16), np.uint8)
            tensor = device.tensor(table)
            for _ in range(20):
                rows = rng.integers(-64, 64, 30)
                np.testing.assert_array_equal(dmlindex.gather(tensor, rows).numpy(), table[rows])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


@pytest.mark.usefixtures("device")
@pytest.mark.parametrize("binding", ["root", "table"])
def test_bindings(binding: str) -> None:
    """Rows of 16-byte pieces are what the two ways of binding differ in."""
    code = """
import dmlindex, numpy as np
from dmlindex import _core
rng = np.random.default_rng(1)
table = rng.integers(0, 1 << 32, (50, 12), np.uint32)
rows = rng.integers(-50, 50, 40)
assert (dmlindex.gather(table, rows, device="d3d12") == table[rows]).all()
filled = dmlindex.gather(table, [1, 50], mode="fill", fill_value=7, device="d3d12")
assert (filled == [table[1], np.full(12, 7)]).all()
updates = rng.integers(0, 1 << 32, (40, 12), np.uint32)
found = dmlindex.scatter_nd(table, rows[:, None], updates, device="d3d12")
assert (found == dmlindex.scatter_nd(table, rows[:, None], updates)).all()
print(_core.d3d12_binding("d3d12"))
"""
    assert in_child(code, DMLINDEX_D3D12_BINDING=binding) == binding


@pytest.mark.usefixtures("device")
def test_a_binding_that_there_is_not() -> None:
    code = """
import dmlindex
for _ in range(2):
    try:
        dmlindex.Device("d3d12")
    except ValueError as error:
        print(error)
"""
    said = in_child(code, DMLINDEX_D3D12_BINDING="foo").split("\n")
    assert len(said) == 2
    for line in said:
        assert line.startswith('DMLINDEX_D3D12_BINDING is "foo", expected "table" or "root"')


@pytest.mark.usefixtures("device")
def test_quiet_unless_asked(is_vkd3d: bool) -> None:
    """vkd3d has something to say of every device; a debug layer is not everywhere, and only speaks
    of mistakes."""
    code = 'import dmlindex; dmlindex.gather([1, 2], [1], device="d3d12")'
    said = {}
    for debug in ("0", "1"):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("VKD3D_")}
        said[debug] = subprocess.run(
            [sys.executable, "-c", code],
            env=environment | {"DMLINDEX_D3D12_DEBUG": debug},
            capture_output=True,
            text=True,
            check=True,
        ).stderr
    assert said["0"] == ""
    if is_vkd3d:
        assert "warn:" in said["1"]
    else:
        assert all(line.startswith("d3d12: ") for line in said["1"].splitlines())
