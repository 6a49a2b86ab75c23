"""Work that nobody waits for: it is sent all the same, and a process ends well meanwhile."""

from __future__ import annotations

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core
from tests.children import in_child


def submitted(device: Device, calls: int) -> bool:
    """Whether some of so many calls were sent before anybody waited."""
    x, indices = device.tensor(np.zeros(16, "f4")), device.tensor(np.zeros(16, "i4"))
    device.synchronize()
    _core.d3d12_measure_laps(True)
    for _ in range(calls):
        dmlindex.gather(x, indices, mode="clamp")
    found = _core.d3d12_measure_laps(False)["submit"] > 0
    device.synchronize()
    return found


def test_a_long_chain_is_sent_before_somebody_waits(device: Device) -> None:
    assert submitted(device, 100)
    assert not submitted(device, 10)  # a submission of its own costs more than it gains


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
def test_a_process_ends_well_with_work_on_its_way(dtype: str) -> None:
    """Software adapters compile and run kernels in threads, which need their libraries."""
    code = f"""
import numpy as np
import dmlindex
device = dmlindex.Device("d3d12")
x, updates = device.tensor(np.zeros(100, "{dtype}")), device.tensor(np.ones(5000, "{dtype}"))
indices = device.tensor(np.arange(5000)[:, np.newaxis] % 100)
for _ in range(30):
    dmlindex.scatter_nd(x, indices, updates, reduction="mul", out=x)
print("queued")
"""
    assert in_child(code) == "queued"
