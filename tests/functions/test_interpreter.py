"""The interpreter's end, and other interpreters: each in a process of its own."""

from __future__ import annotations

import subprocess
import sys

import pytest

RUNS = 3  # of what goes wrong now and then


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


START = """
import threading, time
import numpy as np
import dmlindex
from dmlindex import DataType, Device, GatherOperatorDesc, TensorDesc

X = np.zeros((1 << 10, 1 << 8), np.float32)
I = np.arange(1 << 8)
desc = GatherOperatorDesc(
    TensorDesc(DataType.FLOAT32, X.shape),
    TensorDesc(DataType.INT64, [1, len(I)]),
    TensorDesc(DataType.FLOAT32, [len(I), X.shape[1]]),
    0,
    1,
)

class Slow:  # Python code that runs within a call
    def __array__(self, dtype=None, copy=None):
        return np.array([sum(range(1000)) % 2])

def work(call):
    while True:
        try:
            call()
        except IndexError:
            pass
        started.set()

def end_while_in(call):
    for _ in range(4):
        threading.Thread(target=work, args=(call,), daemon=True).start()
    started.wait()
    time.sleep(0.1)

started = threading.Event()
"""
CALLS = {
    "a function": "lambda: dmlindex.gather(X, I, mode='wrap')",
    "Python within a function": "lambda: dmlindex.gather([[1, 2], [3, 4]], Slow())",
    "out": "lambda: dmlindex.gather(X, I, out=X[: len(I)].copy())",
    "a mistake": "lambda: dmlindex.gather(X, I + len(X))",
    "a compiled operator": "lambda op=Device().compile(desc): op(X, I[None])",
    "find_duplicates": "lambda: dmlindex.find_duplicates(X.shape, I[:, None])",
}
DEVICE_CALLS = {
    "a tensor": "lambda: device.tensor(X).numpy()",
    "a function": "lambda: dmlindex.gather(tensor, I, mode='wrap').numpy()",
    "waiting": "lambda: [dmlindex.gather(tensor, I), device.synchronize()]",
    "a compiled operator": "lambda op=device.compile(desc): op(tensor, I[None]).numpy()",
}


@pytest.mark.parametrize("call", CALLS)
def test_the_end_comes_while_daemon_threads_are_in_calls(call: str) -> None:
    for _ in range(RUNS):
        result = run(f"{START}\nend_while_in({CALLS[call]})")
        assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("call", DEVICE_CALLS)
@pytest.mark.usefixtures("d3d12")
def test_the_end_comes_while_daemon_threads_are_in_calls_of_a_device(call: str) -> None:
    open_device = "device = Device('d3d12'); tensor = device.tensor(X)"
    for _ in range(RUNS):
        result = run(f"{START}\n{open_device}\nend_while_in({DEVICE_CALLS[call]})")
        assert (result.returncode, result.stderr) == (0, "")


def test_other_interpreters_are_refused() -> None:
    module = "_xxsubinterpreters" if sys.version_info < (3, 13) else "_interpreters"
    for first in ("", "import dmlindex"):  # in the main interpreter
        result = run(f"""
{first}
import {module} as interpreters
interpreters.run_string(interpreters.create(), '''
try:
    import dmlindex
except ImportError as error:
    print(error)
''')
""")
        assert result.returncode == 0, result.stderr
        assert "subinterpreter" in result.stdout
