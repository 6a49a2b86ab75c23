"""Device tensors: how errors come back, with a result or with synchronize."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.children import in_child

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


FAMILIES: dict[str, tuple[tuple[int, ...], str]] = {  # shape of the table, dtype: one a kernel
    "single words": ((256,), "f4"),
    "single words of two": ((256,), "u8"),
    "single bytes": ((256,), "u1"),
    "pieces of 4 bytes": ((64, 3), "f4"),
    "pieces of 16 bytes": ((64, 8), "f4"),
    "odd bytes": ((64, 5), "u1"),
    "records": ((64, 2), "V12"),
}


SCATTERS = [  # a family and a reduction that has kernels
    (family, reduction)
    for family, (_, dtype) in FAMILIES.items()
    for reduction in ("none", "add", "max")
    if reduction == "none" or np.dtype(dtype).kind in "uf"
]


@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize(("family", "reduction"), SCATTERS)
def test_a_failed_scatter_in_place_writes_nothing(
    device: Device, family: str, reduction: str, unique: bool
) -> None:
    """Whichever kernel moves, and however many positions are right before the wrong one."""
    shape, dtype = FAMILIES[family]
    rng = np.random.default_rng(3)
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    table, updates = (np.frombuffer(rng.bytes(size), dtype).reshape(shape) for _ in range(2))
    indices = rng.permutation(shape[0])[:, np.newaxis].astype(np.int32)
    right = int(indices[-1, 0])
    indices[-1] = shape[0]
    out = device.tensor(table)
    options: Any = {"reduction": reduction, "unique_indices": unique}
    dmlindex.scatter_nd(out, indices, updates, out=out, **options)
    with pytest.raises(IndexError, match=f"= {shape[0]} is out of range"):
        out.numpy()
    assert out.numpy().tobytes() == table.tobytes()
    indices[-1] = right
    dmlindex.scatter_nd(out, indices, updates, out=out, **options)
    assert (
        out.numpy().tobytes() == dmlindex.scatter_nd(table, indices, updates, **options).tobytes()
    )


@pytest.mark.parametrize("family", FAMILIES)
def test_a_failed_gather_leaves_out_alone(device: Device, family: str) -> None:
    shape, dtype = FAMILIES[family]
    table = np.zeros(shape, dtype)
    before = np.frombuffer(b"\xa5" * table.nbytes, dtype).reshape(shape)
    indices = np.arange(shape[0], dtype=np.int64)
    indices[-1] = -shape[0] - 1
    out = device.tensor(before)
    dmlindex.gather(device.tensor(table), indices, out=out)
    with pytest.raises(IndexError, match="is out of range"):
        out.numpy()
    assert out.numpy().tobytes() == before.tobytes()


@pytest.mark.usefixtures("d3d12")
def test_a_failure_of_the_first_call_of_a_device_goes_on() -> None:
    """Its slot of errors is the very first one."""
    code = """
import dmlindex, numpy as np
device = dmlindex.Device("d3d12")
table = device.tensor(np.arange(6.0, dtype=np.float32).reshape(3, 2))
bad = dmlindex.gather(table, [0, 3])
later = dmlindex.gather(bad, [1])
try:
    later.numpy()
except IndexError as error:
    print("indices[1] = 3" in str(error))
"""
    assert in_child(code) == "True"


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
