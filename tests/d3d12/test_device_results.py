"""Every HRESULT of D3D12 and every VkResult of Vulkan fails once: a DeviceError or a MemoryError,
nothing half-written, and the next time all is right. failing_results.py says what is called.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.children import EFFORT

pytestmark = pytest.mark.usefixtures("d3d12")

# Out of memory, removed, failed, and an argument that D3D12 does not like; each in turn.
RESULTS = {
    "d3d12": ["0x8007000E", "0x887A0005", "0x80004005", "0x80070057"],
    "vulkan": ["-1", "-2", "-4", "-13"],  # the host's memory, the device's, lost, unknown
}
STAGES = ("open", "record", "wait", "read", "arrays", "end")  # where some fail


def fail_each(
    failing_results: dict[str, str], kind: str, when: str, results: list[str], first: int, last: int
) -> list[list[str]]:
    """The number, name, stage and outcome of each failure."""
    child = [sys.executable, "-X", "faulthandler", "-m", "tests.d3d12.failing_results"]
    done = subprocess.run(
        [*child, kind, when, ",".join(results), str(first), str(last)],
        env=os.environ | failing_results,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    *lines, end = done.stdout.splitlines()
    assert end.endswith("in all"), done.stdout
    assert len(lines) == int(end.split()[0])
    return [line.split(maxsplit=3) for line in lines]


@pytest.mark.parametrize("shift", range(min(EFFORT, 4)))
@pytest.mark.parametrize(("kind", "when"), [("d3d12", "open"), ("vulkan", "later")])
def test_each_result_fails_once(
    failing_results: dict[str, str], kind: str, when: str, shift: int
) -> None:
    results = RESULTS[kind][shift:] + RESULTS[kind][:shift]
    first = 1 if when == "open" else 0  # without an instance there is nothing to go on with
    found = fail_each(failing_results, kind, when, results, first, 500)
    outcomes = {outcome for *_, outcome in found}
    assert {"DeviceError", "MemoryError"} <= outcomes <= {"DeviceError", "MemoryError", "went on"}
    assert {stage for *_, stage, _ in found} <= {*STAGES, "upload"}
    assert len(found) > 20


@pytest.mark.parametrize(
    ("kind", "result", "outcome"),
    [("d3d12", "0x8007000E", "MemoryError"), ("vulkan", "-1", "MemoryError")],
)
def test_no_memory_to_start_with_is_not_for_ever(
    failing_results: dict[str, str], kind: str, result: str, outcome: str
) -> None:
    """What is missing is kept, as devices() says it; want of memory is not."""
    child = f"""
from tests.d3d12.failing_results import Run, fail
for number in range(4 if {kind!r} == "vulkan" else 1):
    run = Run(lambda: fail({kind!r}, {result}, number), "open")
    print(run.stage, run.outcome)
print(Run(lambda: None, "open").outcome)
"""
    done = subprocess.run(
        [sys.executable, "-c", child],
        env=os.environ | failing_results,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    *failed, last = done.stdout.splitlines()
    assert set(failed) == {f"open {outcome}"}
    assert last == "went on"
