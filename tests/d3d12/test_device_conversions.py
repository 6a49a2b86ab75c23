"""A DeviceTensor becomes an array by its numpy() alone, and comes from Device.tensor alone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, DeviceTensor

X = np.arange(6, dtype=np.float32).reshape(3, 2)


@pytest.fixture(scope="module", name="tensor")
def small_tensor(d3d12: Device) -> DeviceTensor:
    return d3d12.tensor(X)


USES: dict[str, Callable[[Any], object]] = {
    "asarray": np.asarray,
    "asarray of a dtype": lambda t: np.asarray(t, dtype=np.float64),
    "array": np.array,
    "array of a list": lambda t: np.array([t, t]),
    "sum": np.sum,
    "sqrt": np.sqrt,
    "out of a ufunc": lambda t: np.add(X, X, out=t),
    "array_equal": lambda t: np.array_equal(t, X),
    "assert_array_equal": lambda t: np.testing.assert_array_equal(t, X),
    "assert_array_equal with itself": lambda t: np.testing.assert_array_equal(t, t),
    "concatenate": lambda t: np.concatenate([t, X]),
    "copyto": lambda t: np.copyto(X.copy(), t),
    "take": lambda t: np.take(X, t),
    "from_dlpack": np.from_dlpack,
    "array + tensor": lambda t: X + t,
    "scalar * tensor": lambda t: np.float32(2) * t,
    "array == tensor": lambda t: t == X,
    "tensor == array": lambda t: t == X,
    "assignment": lambda t: X.copy().__setitem__(slice(None), t),
    "index": lambda t: X[t],
    "Device.tensor": lambda t: Device(t.device).tensor(t),
}


@pytest.mark.parametrize("use", USES)
def test_no_conversion_without_being_asked(tensor: DeviceTensor, use: str) -> None:
    with pytest.raises(TypeError, match=r"numpy\(\)"):
        USES[use](tensor)


def test_duplicates_are_found_in_a_tensor(d3d12: Device) -> None:
    indices = np.array([[1], [2], [1]])
    found = dmlindex.find_duplicates((4, 5), d3d12.tensor(indices))
    np.testing.assert_array_equal(found, dmlindex.find_duplicates((4, 5), indices))
    released = d3d12.tensor(indices)
    released.release()
    with pytest.raises(ValueError, match="is a DeviceTensor that was released"):
        dmlindex.find_duplicates((4, 5), released)
    failed = dmlindex.gather(d3d12.tensor(indices), [3])
    with pytest.raises(IndexError, match=r"^gather: indices\[0\] = 3"):
        dmlindex.find_duplicates((4, 5), failed)


def test_no_tensor_without_a_device(tensor: DeviceTensor) -> None:
    kind: Any = type(tensor)
    ways: list[Callable[[], object]] = [
        kind,
        lambda: kind(X),
        lambda: kind.__new__(kind),
        lambda: kind.__new__(kind, X),
        lambda: kind.__base__.__new__(kind),
        lambda: object.__new__(kind),
        lambda: copy.copy(tensor),
        lambda: copy.deepcopy(tensor),
        lambda: pickle.dumps(tensor),
        lambda: type("Mine", (kind,), {}),
    ]
    for way in ways:
        with pytest.raises(TypeError):
            way()
    with pytest.raises(TypeError, match=r"Device\.tensor\(array\) makes one"):
        kind.__new__(kind)
    assert isinstance(dmlindex.gather(tensor, [0]), kind)  # those that calls make are whole


def test_no_object_without_its_constructor() -> None:
    """Or where Python makes one all the same, what is done with it is an error, not a crash."""
    with pytest.raises(TypeError):
        object.__new__(dmlindex.CompiledOperator)
    device = Device.__new__(Device)
    desc = dmlindex.TensorDesc.__new__(dmlindex.TensorDesc)
    uses: list[Callable[[], object]] = [
        lambda: dmlindex.CompiledOperator.__new__(dmlindex.CompiledOperator),
        lambda: dmlindex.gather(X, [0], device=device),
        lambda: device.tensor(X),
        lambda: repr(device),
        lambda: repr(desc),
        lambda: dmlindex.GatherOperatorDesc(desc, desc, desc, 0, 1).violations(),
    ]
    for use in uses:
        with pytest.raises((TypeError, ValueError, AttributeError)):
            use()


def test_names_of_one_device_are_equal(tensor: DeviceTensor) -> None:
    device, numbered = Device("d3d12"), Device(tensor.device)
    assert device.name == numbered.name == tensor.device
    assert device == numbered
    assert len({device, numbered}) == 1
    assert Device("cpu") != device
