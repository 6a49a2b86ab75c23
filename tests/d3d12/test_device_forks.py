"""A device and fork: opened before, and while another thread opens one; each in its own process."""

import subprocess
import sys

import pytest

from tests.d3d12.own_process import lines

pytestmark = pytest.mark.usefixtures("d3d12")


def test_a_device_opened_before_a_fork() -> None:
    found = lines("""
numbers = device.tensor(np.zeros((3, 1), np.int64))
child = os.fork()
if child == 0:
    say(
        tensor.numpy,
        lambda: dmlindex.gather(tensor, [0]),
        lambda: operator(tensor, [[0]]),
        lambda: device.tensor(X),
        device.synchronize,
        lambda: dmlindex.gather(X, [0], device="d3d12"),
        lambda: dmlindex.gather(X, [0, 1, 2], out=tensor),
        lambda: dmlindex.find_duplicates((3,), numbers),
        lambda: device.compile(desc),
        lambda: Device("d3d12"),
        lambda: Device("d3d12:0"),
        lambda: _core.d3d12_used_bytes("d3d12"),
        lambda: _core.d3d12_remove("d3d12"),
        lambda: _core.d3d12_mark_time("d3d12"),
        lambda: _core.d3d12_take_times("d3d12"),
        lambda: _core.d3d12_binding("d3d12"),
    )
    print("DeviceError", dmlindex.devices()[1].reason, flush=True)
    del tensor, operator
    os._exit(0)
os.waitpid(child, 0)
print(operator(tensor, [[2]]).numpy().tolist(), flush=True)
""")
    assert len(found) == 18
    for line in found[:-1]:
        assert line.startswith("DeviceError "), line
        assert "opened before a fork" in line
    assert found[-1] == "[[4.0, 5.0]]"


@pytest.mark.parametrize("known", [True, False], ids=["adapters are known", "nothing is loaded"])
def test_a_fork_while_another_thread_opens_a_device(known: bool) -> None:
    """Children have an answer, whatever the thread was at: none waits for it."""
    code = f"""
import os, signal, threading, time
import dmlindex

if {known}:
    dmlindex.devices()
thread = threading.Thread(target=dmlindex.Device, args=("d3d12",))
thread.start()
children = []
while thread.is_alive() and len(children) < 30:
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # what hangs ends
        try:
            dmlindex.Device("d3d12").tensor([1]).numpy()
        except dmlindex.DeviceError as error:
            os._exit(0 if "before a fork" in str(error) else 2)
        os._exit(3 if {known} else 0)  # else it was the first to ask
    children.append(child)
    time.sleep(0.005)
thread.join()
print(len(children), {{os.waitpid(child, 0)[1] for child in children}})
"""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=200,
    )
    count, codes = result.stdout.split(maxsplit=1)
    assert int(count) > 0
    assert codes.strip() == "{0}"
