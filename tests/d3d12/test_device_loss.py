"""What comes when a device goes away: by removal, and by a fork; each in a process of its own.

No driver can be made to crash on demand. `_core.d3d12_remove` removes the device by
ID3D12Device5::RemoveDevice where D3D12 has that. libvkd3d has not: there the one function that asks
why a device was removed says from then on that it was. That a driver's own loss is noticed, too, is
tested on Linux with failing_results.c, which has Vulkan say so.
"""

import pytest

from tests.d3d12.own_process import lines

pytestmark = pytest.mark.usefixtures("d3d12")


def test_everything_on_a_removed_device_is_a_device_error() -> None:
    found = lines("""
queued = dmlindex.gather(tensor, [0])
_core.d3d12_remove("d3d12")
say(
    tensor.numpy,
    queued.numpy,
    lambda: dmlindex.gather(tensor, [0]),
    lambda: dmlindex.gather(X, [0, 1, 2], out=tensor),
    lambda: operator(tensor, [[0]]),
    lambda: operator(X, [[0]]),
    lambda: device.tensor(X),
    device.synchronize,
    lambda: dmlindex.gather(X, [0], device="d3d12"),
    lambda: device.compile(desc),
)
print(tensor.shape)
""")
    for line in found[:-1]:
        assert line.startswith("DeviceError "), line
        assert "was removed" in line
        assert "open a new Device" in line
    assert found[-1] == "(3, 2)"


def test_a_new_device_works() -> None:
    found = lines("""
_core.d3d12_remove("d3d12")
again = Device("d3d12")
fresh = again.tensor(X)
say(
    lambda: fresh.numpy().tolist() == X.tolist(),
    lambda: dmlindex.gather(fresh, [2], device=again).numpy().tolist(),
    lambda: again.compile(desc)(fresh, [[1]]).numpy().tolist(),
    again.synchronize,
    tensor.numpy,
    lambda: dmlindex.gather(tensor, [0], device=again),
    lambda: dmlindex.gather(fresh, tensor),
    lambda: operator(fresh, [[1]]),
)
del tensor, operator
say(lambda: dmlindex.gather(fresh, [0]).numpy().tolist())
""")
    assert found[:4] == ["ok True", "ok [[4.0, 5.0]]", "ok [[2.0, 3.0]]", "ok None"]
    for line in found[4:-1]:
        assert line.startswith("DeviceError "), line
        assert "was removed" in line
    assert found[-1] == "ok [[0.0, 1.0]]"


@pytest.mark.parametrize("function", ["Fence", "vkQueueSubmit"])
def test_a_loss_that_vulkan_tells_of(function: str, failing_results: dict[str, str]) -> None:
    """vkd3d, when it is asked, goes on to say that the device is there."""
    found = lines(
        f"""
from tests.d3d12.failing_results import fail, stop

queued = dmlindex.gather(tensor, [0])
fail("vulkan", -4, 0, 1 << 30, {function!r})
say(queued.numpy)
stop()
say(
    queued.numpy,
    tensor.numpy,
    device.synchronize,
    lambda: dmlindex.gather(tensor, [0]),
    lambda: device.tensor(X),
)
again = Device("d3d12")
say(lambda: again.tensor(X).numpy().tolist() == X.tolist(), tensor.numpy)
""",
        **failing_results,
    )
    assert len(found) == 8
    assert "VkResult -4" in found[0]
    for line in [*found[:6], found[7]]:
        assert line.startswith("DeviceError "), line
        assert "was removed" in line
        assert "open a new Device" in line
    assert found[6] == "ok True"


def test_a_list_and_its_fence_are_submitted_at_once(failing_results: dict[str, str]) -> None:
    found = lines(
        """
from tests.d3d12.failing_results import fail, stop

queued = dmlindex.gather(tensor, [0], mode="clamp")
fail("vulkan", -4, 1, 1 << 30, "vkQueueSubmit")
say(device.synchronize)
stop()
say(lambda: queued.numpy().tolist())
""",
        **failing_results,
    )
    assert found == ["ok None", "ok [[0.0, 1.0]]"]


def test_much_is_submitted_before_anybody_waits(failing_results: dict[str, str]) -> None:
    found = lines(
        """
from tests.d3d12.failing_results import fail, stop

many = device.tensor(np.arange(1 << 22, dtype=np.int32))
device.synchronize()
fail("vulkan", -4, 0, 1 << 30, "vkQueueSubmit")
little = [dmlindex.gather(tensor, [0], mode="clamp") for _ in range(3)]
much = dmlindex.gather(many, many, mode="clamp")
say(lambda: dmlindex.gather(tensor, [0], mode="clamp"))
stop()
""",
        **failing_results,
    )
    assert len(found) == 1
    assert "VkResult -4" in found[0]


def test_a_lost_device_lets_go_of_its_memory() -> None:
    """Though tensors and operators of it live on. (Where a D3D12 device is a singleton of its
    adapter, a new one could not be had otherwise.)"""
    found = lines("""
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

if not os.path.exists("/proc/self/statm"):
    print("nothing to see")
    os._exit(0)
old = [tensor, operator]
large = np.ones((48 << 20) // 8)
for round in range(5):
    old.append(device.tensor(large))
    device.synchronize()
    _core.d3d12_remove("d3d12")
    device = Device("d3d12")
    if round == 0:
        before = resident()
print(resident() - before)
say(old[-1].numpy)
old.append(device.tensor(X))
say(lambda: old[-1].numpy().tolist() == X.tolist())
del old
say(lambda: device.tensor(X).numpy().tolist() == X.tolist())
""")
    if found == ["nothing to see"]:
        pytest.skip("the memory of a process is read from Linux's /proc")
    assert int(found[0]) < 100, "MiB after four more devices with 48 MiB each"
    assert found[1].startswith("DeviceError ")
    assert "was removed" in found[1]
    assert found[2:] == ["ok True", "ok True"]


def test_threads_at_work_while_a_device_is_replaced() -> None:
    """Each of their calls works, or says that the device was removed."""
    found = lines("""
import threading

results = set()
stop = threading.Event()
def work():
    while not stop.is_set():
        try:
            mine = tensor
            results.add(str(dmlindex.gather(mine, [2]).numpy().tolist()))
            dmlindex.gather(mine, X[:, 0].astype(int) // 2)
        except DeviceError as error:
            results.add("removed" if "was removed" in str(error) else str(error))

threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads:
    thread.start()
for _ in range(4):
    device.tensor(X)
    _core.d3d12_remove("d3d12")
    device = Device("d3d12")
    tensor = device.tensor(X)
    tensor.numpy()
stop.set()
for thread in threads:
    thread.join()
print(sorted(results))
""")
    assert found in (["['[[4.0, 5.0]]', 'removed']"], ["['[[4.0, 5.0]]']"])


def test_waiting_opens_nothing() -> None:
    """A wait that signals interrupt, and some for more than a second, leave no file open."""
    found = lines("""
import signal, sys

if not os.path.exists("/proc/self/fd"):
    print("nothing to see")
    os._exit(0)
interrupts = 0
def count(*_):
    global interrupts
    interrupts += 1
signal.signal(signal.SIGALRM, count)
indices = device.tensor(np.zeros(1 << 22, np.int32))
tensor.numpy()
before = len(os.listdir("/proc/self/fd"))
signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
for _ in range(3):
    for _ in range(8):
        last = dmlindex.gather(tensor, indices)
    last.numpy()
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(os.listdir("/proc/self/fd")) - before, interrupts > 0)
""")
    if found == ["nothing to see"]:
        pytest.skip("the files of a process are read from Linux's /proc")
    opened, interrupted = found[0].split()
    assert interrupted == "True"
    assert int(opened) == 0
