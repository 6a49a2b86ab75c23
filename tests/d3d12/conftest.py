"""What the tests of D3D12 share: here `device` is a D3D12 device."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import dmlindex
from dmlindex import Device
from tests.children import preloaded


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


@pytest.fixture(scope="session")
def failing_results(tmp_path_factory: pytest.TempPathFactory, is_vkd3d: bool) -> dict[str, str]:
    """The environment of a child whose results of D3D12 and Vulkan fail as it says."""
    if not is_vkd3d:
        pytest.skip("stands between D3D12 and vkd3d, which is not here")
    source = Path(__file__).with_name("failing_results.c")
    return preloaded(source, tmp_path_factory.mktemp("preload"))
