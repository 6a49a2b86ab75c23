"""Ctrl-C while a call waits for a device: at once where nothing is written, else when it ends.

Fences that are not done for a minute, by failing_results.c, stand for a long wait: what gives up
before them has been interrupted.
"""

from __future__ import annotations

import pytest

from tests.d3d12.own_process import lines

pytestmark = pytest.mark.usefixtures("d3d12")

START = """
import ctypes, signal, threading, time

BUSY = ctypes.c_long.in_dll(ctypes.CDLL(None), "faults_busy")
busy_until = 0

def be_busy(milliseconds):
    global busy_until
    busy_until = time.monotonic() + milliseconds / 1000
    BUSY.value = milliseconds

def interrupted(call):
    thread = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])
    thread.start()
    try:
        call()
    except KeyboardInterrupt:
        print("interrupted", "early" if time.monotonic() < busy_until else "late")
    thread.join()
"""


@pytest.mark.parametrize(
    "wait",
    [
        "queued.numpy",
        "device.synchronize",
        "lambda: dmlindex.gather(X, [0], device=device)",
        "lambda: operator(X, [[0]])",
    ],
)
def test_what_writes_nothing_ends_at_once(failing_results: dict[str, str], wait: str) -> None:
    found = lines(
        f"""{START}
queued = dmlindex.gather(tensor, [2])
be_busy(60_000)
interrupted({wait})
be_busy(1)
time.sleep(0.01)
print(queued.numpy().tolist(), operator(X, [[1]]).tolist(), device.synchronize())
""",
        **failing_results,
    )
    assert found == ["interrupted early", "[[4.0, 5.0]] [[2.0, 3.0]] None"]


@pytest.mark.parametrize(
    "call",
    [
        "dmlindex.gather(X, [2, 0], device=device, out=out)",
        "dmlindex.scatter_nd(X[:2], [[0]], X[2:], device=device, out=out)",
        "operator(X, [[2]], out=out[:1])",
    ],
)
def test_a_call_that_writes_is_never_cut_short(failing_results: dict[str, str], call: str) -> None:
    found = lines(
        f"""{START}
out = np.full((2, 2), 7, np.float32)
be_busy(1500)
interrupted(lambda: {call})
print(out[0].tolist())
""",
        **failing_results,
    )
    assert found == ["interrupted late", "[4.0, 5.0]"]


def test_waiting_for_another_thread_at_the_device() -> None:
    found = lines("""
import signal, threading

held, done = threading.Event(), threading.Event()

def hold():
    held.set()
    done.wait(60)

threading.Thread(target=_core.d3d12_hold, args=("d3d12", hold)).start()
held.wait()
threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
try:
    tensor.numpy()
except KeyboardInterrupt:
    print("interrupted", not done.is_set())
done.set()
print(tensor.numpy().shape)
""")
    assert found == ["interrupted True", "(3, 2)"]


def test_a_handler_that_does_not_raise_ends_no_wait(failing_results: dict[str, str]) -> None:
    found = lines(
        f"""{START}
queued = dmlindex.gather(tensor, [2])
seen = []
signal.signal(signal.SIGINT, lambda *_: seen.append(time.monotonic() < busy_until))
be_busy(1500)
interrupted(queued.numpy)
print(seen, queued.numpy().tolist())
""",
        **failing_results,
    )
    assert found == ["[True] [[4.0, 5.0]]"]
