"""What the tests of D3D12 share: here `device` is a D3D12 device."""

from collections.abc import Iterator

import pytest

import dmlindex
from dmlindex import Device


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
