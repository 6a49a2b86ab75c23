"""Device tensors: what they are, how work on them is queued, and how its errors come back."""

import doctest
import gc
import inspect
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, DeviceError, _core
from tests.children import in_child


@pytest.fixture(scope="module", name="device")
def d3d12_device(d3d12: Device) -> Device:
    return d3d12


@pytest.fixture
def gpu(device: Device) -> Device:
    """The same, if it is no software adapter."""
    infos = [info for info in dmlindex.devices() if info.kind == "d3d12"]
    if not any("(hardware)" in info.description for info in infos):
        pytest.skip("every D3D12 adapter here is software")
    return device


@pytest.fixture(autouse=True)
def no_error_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test sees to its own errors."""
    yield
    if "device" in request.fixturenames:
        request.getfixturevalue("device").synchronize()


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


MESSAGE = (
    r"gather: indices\[1\] = {} is out of range for axis 0 of input, which has size 6 "
    r"\(expected -6 <= index < 6\); pass mode"
)


def test_an_error_comes_with_the_result(device: Device) -> None:
    result = dmlindex.gather(device.tensor(TABLE), [0, 6, 7])
    for _ in range(2):  # there is nothing in it, however often one asks
        with pytest.raises(IndexError, match=MESSAGE.format(6)):
            result.numpy()
    device.synchronize()  # nothing new to tell


def test_an_error_comes_with_synchronize(device: Device) -> None:
    table = device.tensor(TABLE)
    kept = dmlindex.gather(table, [0, -7]), dmlindex.gather(table, [0, 99])
    with pytest.raises(IndexError, match=MESSAGE.format(-7)):
        device.synchronize()
    device.synchronize()
    del kept


def test_the_first_error_goes_on(device: Device) -> None:
    bad = dmlindex.gather(device.tensor(TABLE), [0, 6])
    later = dmlindex.gather(bad, [5])  # out of range too, but skipped
    last = dmlindex.scatter_nd(TABLE[:1], [[0]], later, reduction="add")
    with pytest.raises(IndexError, match=MESSAGE.format(6)):
        last.numpy()
    with pytest.raises(IndexError, match=MESSAGE.format(6)):
        dmlindex.gather(bad, [0])  # known to have failed by now
    device.synchronize()


def test_a_failed_call_leaves_out_alone(device: Device) -> None:
    calls: list[Callable[[Any], object]] = [
        lambda out: dmlindex.gather(TABLE, [0, 6, 1, 2, 3, 4], out=out),
        lambda out: dmlindex.scatter_nd(out, [[0], [6]], TABLE[:2] + 1, out=out),
        lambda out: dmlindex.scatter_nd(TABLE + 1, [[0], [6]], TABLE[:2], out=out),
        lambda out: dmlindex.scatter_nd(out, [[0], [6]], TABLE[:2], reduction="mul", out=out),
    ]
    for call in calls:
        out = device.tensor(TABLE)
        call(out)
        with pytest.raises(IndexError):
            out.numpy()
        np.testing.assert_array_equal(out.numpy(), TABLE)


def test_the_value_named_is_the_one_that_was_there(device: Device) -> None:
    indices = device.tensor(np.array([0, 6]))
    result = dmlindex.gather(TABLE, indices)
    dmlindex.gather([1, 2], [0, 0], out=indices)  # the queue goes on
    with pytest.raises(IndexError, match=MESSAGE.format(6)):
        result.numpy()


def test_more_operators_than_error_slots(device: Device) -> None:
    table = device.tensor(TABLE)
    first = result = dmlindex.gather(table, [5, 4, 3, 2, 1, 0])
    for _ in range(4200):
        result = dmlindex.gather(result, [1, 2, 3, 4, 5, 0], out=result)
    np.testing.assert_array_equal(first.numpy(), np.roll(TABLE[::-1], -4200 % 6, axis=0))


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


def test_out_of_memory_leaves_the_device_usable(device: Device) -> None:
    row = device.tensor(np.zeros((1, 1 << 20), np.uint8))
    with pytest.raises(MemoryError, match="no room for"):
        dmlindex.gather(row, np.zeros(1 << 22, np.int8))
    before = _core.d3d12_used_bytes(device.name)
    with pytest.raises(MemoryError, match="no room for"):
        dmlindex.gather(row, np.zeros(1 << 22, np.int8), mode="clamp")
    assert _core.d3d12_used_bytes(device.name) == before
    np.testing.assert_array_equal(dmlindex.gather(row, [0]).numpy(), np.zeros((1, 1 << 20)))


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


def test_reductions_that_shaders_lack(device: Device) -> None:
    for name in ("float64", "longdouble", "complex64", "complex128", "clongdouble"):
        assert not device.has_reduction(name, "add")
        assert Device("cpu").has_reduction(name, "add")
        table = np.zeros(2, name)
        with pytest.raises(DeviceError, match=rf'on dtype {table.dtype}.*use device="cpu"'):
            dmlindex.scatter_elements(table, [0], table[:1], reduction="add", device=device)


@pytest.mark.parametrize("name", ["bool", *"bBhHiIqQ", "float16", "float32"])
def test_reductions_that_shaders_have(device: Device, name: str) -> None:
    for reduction in ("add", "mul", "min", "max"):
        assert device.has_reduction(name, reduction)


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
    """Typed views reach 2 GiB, raw ones 512 MiB: then the limit is named."""
    table = np.arange(1 << 28, dtype=np.uint32).reshape(1 << 20, 256)
    rows = np.random.default_rng(1).integers(0, 1 << 20, 1 << 10)
    tensor = gpu.tensor(table)
    np.testing.assert_array_equal(dmlindex.gather(tensor, rows).numpy(), table[rows])
    with pytest.raises(DeviceError, match=r"input has 1073741824 bytes.*2\^27 texels"):
        dmlindex.gather_nd(tensor, [[0, 1]])
