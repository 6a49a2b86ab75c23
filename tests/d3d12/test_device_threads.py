"""Threads at one device: who waits for it does so without the GIL."""

from __future__ import annotations

import subprocess
import sys

import pytest

CALLS = {
    "functions": [
        "dmlindex.gather(tensor, [0])",
        "dmlindex.gather(X, [0], device='d3d12')",
        "dmlindex.gather(X, [0, 1, 2], out=tensor)",
        "dmlindex.gather(tensor, [0, 1], out=X[:2].copy())",
        "dmlindex.gather(tensor, tensor.numpy().astype(int)[0])",
        "dmlindex.scatter_nd(tensor, [[0]], X[:1])",
        "dmlindex.scatter_nd(tensor, [[0]], X[:1], out=tensor)",
        "dmlindex.scatter_nd(X, [[0], [1], [2]], tensor, out=tensor)",
        "dmlindex.find_duplicates((3,), numbers)",
    ],
    "operators": ["operator(tensor, [[0]])", "operator(X, [[0]])", "operator(X, [[0]], out=row)"],
    "devices": [
        "device.tensor(X)",
        "tensor.numpy()",
        "device.synchronize()",
        "device.compile(desc)",
        "Device('d3d12:0')",
        "dmlindex.devices()",
        "repr(tensor)",
        "device.tensor(X).release()",
    ],
    "tools": [
        "_core.d3d12_used_bytes('d3d12')",
        "_core.d3d12_mark_time('d3d12')",
        "_core.d3d12_take_times('d3d12')",
        "_core.d3d12_binding('d3d12')",
        "_core.d3d12_fail_allocations('d3d12', 0, 0)",
        "_core.d3d12_hold('d3d12', int)",
    ],
}


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.usefixtures("d3d12")
def test_waiting_for_the_device_stops_no_other_thread(kind: str) -> None:
    """While one has the device, another calls; with the GIL held there, this ends for neither."""
    code = f"""
import threading, time
import numpy as np
import dmlindex
from dmlindex import DataType, Device, GatherOperatorDesc, TensorDesc, _core

X = np.arange(6, dtype=np.float32).reshape(3, 2)
x, i = TensorDesc(DataType.FLOAT32, [3, 2]), TensorDesc(DataType.INT64, [1, 1])
desc = GatherOperatorDesc(x, i, TensorDesc(DataType.FLOAT32, [1, 2]), 0, 1)
device = Device("d3d12")
tensor, numbers = device.tensor(X), device.tensor(np.zeros((3, 1), np.int64))
operator, row = device.compile(desc), X[:1].copy()
for call in {CALLS[kind]!r}:
    thread = threading.Thread(target=lambda: eval(call))

    def meanwhile():
        thread.start()
        time.sleep(0.05)  # it gets as far as it can
        tensor.device, tensor.shape, repr(tensor)

    print(call, flush=True)
    _core.d3d12_hold("d3d12", meanwhile)
    thread.join()
print("done")
"""
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert found.stdout.endswith("done\n")
    assert found.stderr == ""


@pytest.mark.usefixtures("d3d12")
def test_letting_go_of_a_tensor_does_not_wait_at_all() -> None:
    code = """
import numpy as np
from dmlindex import Device, _core

device = Device("d3d12")
released, dropped = device.tensor(np.ones(9)), [device.tensor(np.ones(9))]
_core.d3d12_hold("d3d12", lambda: [released.release(), dropped.clear()])
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
