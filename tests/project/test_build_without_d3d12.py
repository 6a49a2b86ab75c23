"""A build that found no DirectX-Headers: whole but for D3D12, and it says why."""

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, DeviceError

_D3D12 = dmlindex.devices()[-1]
pytestmark = pytest.mark.skipif(
    "this build has no D3D12" not in _D3D12.reason, reason="this build has D3D12"
)
REASON = r"this build has no D3D12; install DirectX-Headers \(Debian: directx-headers-dev\)"


def test_devices_name_the_reason() -> None:
    assert (_D3D12.name, _D3D12.kind, _D3D12.available) == ("d3d12", "d3d12", False)
    for use in (lambda: Device("d3d12"), lambda: dmlindex.gather([1], [0], device="d3d12:1")):
        with pytest.raises(DeviceError, match=REASON):
            use()


def test_the_type_of_tensors_can_be_named() -> None:
    assert not isinstance(np.zeros(1), dmlindex.DeviceTensor)
    with pytest.raises(TypeError):
        dmlindex.DeviceTensor()
    with pytest.raises(DeviceError, match="the CPU has no memory of its own"):
        Device().tensor([1])


def test_the_cpu_is_whole() -> None:
    x = np.arange(6.0).reshape(3, 2)
    np.testing.assert_array_equal(dmlindex.gather(x, [2], device=Device("cpu")), x[[2]])
