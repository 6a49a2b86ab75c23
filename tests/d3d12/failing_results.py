"""Results of Vulkan or D3D12 fail, one after the other: in a process with failing_results.c.

`python -m tests.d3d12.failing_results KIND WHEN RESULTS FIRST LAST`: for every number from FIRST to
LAST, of all calls (WHEN is "open") or of those once the device is open ("later"), the one of that
number fails with one of RESULTS, each in turn. KIND is "vulkan" or "d3d12". Prints a line of each:
its number, its name, what was going on, and what came of it; and at last how many there are.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import dmlindex
from dmlindex import Device, DeviceError, _core

_LIBRARY = ctypes.CDLL(None)
_PASSING = ctypes.c_long.in_dll(_LIBRARY, "faults_passing")
_FAILING = ctypes.c_long.in_dll(_LIBRARY, "faults_failing")
_KIND = ctypes.c_long.in_dll(_LIBRARY, "faults_kind")
_RESULT = ctypes.c_int.in_dll(_LIBRARY, "faults_result")
_NAMES = (ctypes.c_char * 512).in_dll(_LIBRARY, "faults_names")
_LAST = (ctypes.c_char * 64).in_dll(_LIBRARY, "faults_last")

X = np.arange(6000, dtype=np.float32).reshape(3000, 2)
ROWS = np.array([2, 0, -1] * 500)
UPDATES = np.arange(3000, dtype=np.float32).reshape(1500, 2)
TAKEN, ADDED = X[ROWS], X.copy()
np.add.at(ADDED, ROWS, UPDATES)

# After a failure of these vkd3d 1.2 goes on with what it has not got, which ends the process.
FATAL = ("vkAllocateDescriptorSets", "vkCreateDescriptorPool")
# All others that return a VkResult and that a device uses once it is open.
VULKAN = (
    "vkAllocateCommandBuffers vkAllocateMemory vkBeginCommandBuffer vkBindBufferMemory "
    "vkCreateBuffer vkCreateComputePipelines vkCreateFence vkCreateShaderModule vkEndCommandBuffer "
    "vkMapMemory vkQueueSubmit vkResetCommandPool vkResetFences vkWaitForFences"
)


def fail(kind: str, result: int, passing: int, failing: int = 1, names: str = "") -> None:
    """From now on, until `stop`: so many of those whose name contains one of names."""
    _NAMES.value = names.encode()
    _LAST.value = b""
    _KIND.value = ["vulkan", "d3d12"].index(kind)
    _RESULT.value = result
    _PASSING.value = passing
    _FAILING.value = failing


def stop() -> str:
    """The name of what failed last, if anything did."""
    _FAILING.value = 0
    return _LAST.value.decode()


class Run:
    """All that a device is used for, once; a wrong answer is an AssertionError."""

    def __init__(self, fail_now: Callable[[], None], when: str) -> None:
        self.fail_now, self.when = fail_now, when
        self.stage = "open"
        self.outcome = "went on"
        self.failed = ""
        self.tensors: list[tuple[Any, list[Any]]] = []  # and what each may hold
        self.out = np.full_like(TAKEN, 7)
        try:
            self.use()
        except (DeviceError, MemoryError) as error:
            self.outcome = type(error).__name__
        self.failed = stop()
        if self.outcome == "went on":
            assert np.array_equal(self.out, TAKEN)
        else:
            assert (self.out == 7).all(), "out was written by a call that failed"
            for tensor, contents in self.tensors:
                check_whole(tensor, contents)

    def use(self) -> None:
        if self.when == "open":
            self.fail_now()
        device = Device("d3d12")
        if self.when == "later":
            self.fail_now()
        self.stage = "upload"
        table, kept = device.tensor(X), device.tensor(X)
        self.tensors = [(table, [X]), (kept, [X, ADDED])]
        self.stage = "record"
        taken = dmlindex.gather(table, ROWS)
        dmlindex.scatter_nd(table, ROWS[:, None], UPDATES, reduction="add", out=kept)
        self.stage = "wait"
        device.synchronize()
        self.stage = "read"
        assert np.array_equal(taken.numpy(), TAKEN)
        assert np.array_equal(kept.numpy(), ADDED)
        self.stage = "arrays"
        dmlindex.gather(X, ROWS, out=self.out, device=device)
        self.stage = "end"


def check_whole(tensor: Any, contents: list[Any]) -> None:
    """It holds what it did before a call or after it, or its device is gone."""
    try:
        found = tensor.numpy()
    except DeviceError as error:
        gone = "was removed" in str(error)
        assert gone, error  # noqa: PT017
    else:
        assert any(np.array_equal(found, one) for one in contents), "half-written"


def main(kind: str, when: str, results: list[int], first: int, last: int) -> None:
    names = VULKAN if (kind, when) == ("vulkan", "later") else ""
    for number in range(first, last):
        result = results[number % len(results)]
        run = Run(lambda n=number, r=result: fail(kind, r, n, names=names), when)  # type: ignore[misc]
        if not run.failed:
            print(number - first, "in all")
            return
        print(number, run.failed, run.stage, run.outcome, flush=True)
        again = Run(lambda: None, "later")  # the next time all is right
        assert again.outcome == "went on", again.outcome
        _core.d3d12_remove("d3d12")  # for a new one, which makes all anew


if __name__ == "__main__":
    codes = [int(code, 0) for code in sys.argv[3].split(",")]
    main(sys.argv[1], sys.argv[2], codes, int(sys.argv[4]), int(sys.argv[5]))
