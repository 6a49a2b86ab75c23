"""Device tensors: how errors come back, with a result or with synchronize."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, _core

TABLE: npt.NDArray[Any] = np.arange(24, dtype=np.float32).reshape(6, 4)


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


def test_out_of_memory_leaves_the_device_usable(device: Device) -> None:
    row = device.tensor(np.zeros((1, 1 << 20), np.uint8))
    with pytest.raises(MemoryError, match="no room for"):
        dmlindex.gather(row, np.zeros(1 << 22, np.int8))
    before = _core.d3d12_used_bytes(device.name)
    with pytest.raises(MemoryError, match="no room for"):
        dmlindex.gather(row, np.zeros(1 << 22, np.int8), mode="clamp")
    assert _core.d3d12_used_bytes(device.name) == before
    np.testing.assert_array_equal(dmlindex.gather(row, [0]).numpy(), np.zeros((1, 1 << 20)))
