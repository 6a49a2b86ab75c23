"""How the tests run: Hypothesis profiles, and the devices that the parity tests go through.

DMLINDEX_HYPOTHESIS_PROFILE chooses a profile:

- `quick` (the default): what script/test runs, new examples each time.
- `ci`: the same examples on every run, so that a red run is red again.
- `brief`: a third of that, for each instruction set (tests/functions/test_isa.py).
- `thorough`: 50 times as many, for a night or a new kernel.

DMLINDEX_TEST_DEVICES lists the devices, "cpu,d3d12" by default. One that is not there is skipped,
and says why.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import dmlindex

if sys.platform == "win32":
    from tests.windows import (  # noqa: F401
        collect_ignore,
        pytest_collection_modifyitems,
        pytest_runtest_logreport,
        pytest_sessionfinish,
        pytest_terminal_summary,
    )

_COMMON: dict[str, Any] = {
    "deadline": None,  # a device's first call compiles shaders
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
    "print_blob": True,
}
settings.register_profile("quick", max_examples=60, **_COMMON)
settings.register_profile("ci", max_examples=60, derandomize=True, database=None, **_COMMON)
settings.register_profile("brief", max_examples=20, **_COMMON)
settings.register_profile("thorough", max_examples=3000, **_COMMON)
settings.load_profile(os.environ.get("DMLINDEX_HYPOTHESIS_PROFILE", "quick"))

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell script
    signal.signal(signal.SIGINT, signal.default_int_handler)

_DEVICES = os.environ.get("DMLINDEX_TEST_DEVICES", "cpu,d3d12").split(",")


@pytest.fixture(scope="session", params=_DEVICES)
def device(request: pytest.FixtureRequest) -> str:
    """The name of each device in turn."""
    wanted: str = request.param
    for info in dmlindex.devices():
        if wanted in (info.name, info.kind):
            if not info.available:
                pytest.skip(f"{wanted} is not available: {info.reason}")
            return info.name
    pytest.skip(f"{wanted} is not among dmlindex.devices()")


@pytest.fixture(scope="module")
def d3d12() -> dmlindex.Device:
    """The D3D12 device that is preferred here."""
    info = next(info for info in dmlindex.devices() if info.kind == "d3d12")
    if not info.available:
        pytest.skip(f"d3d12 is not available: {info.reason}")
    device = dmlindex.Device("d3d12")
    dmlindex._core.d3d12_set_profile(device.name, {})  # whatever somebody has measured here
    return device


@pytest.fixture(scope="session")
def is_vkd3d() -> bool:
    """Whether D3D12 is libvkd3d's here."""
    dmlindex.devices()  # loads it
    maps = Path("/proc/self/maps")
    return maps.exists() and "libvkd3d.so" in maps.read_text()


@pytest.fixture
def threads() -> Any:
    """set_num_threads, for one test."""
    before = dmlindex.get_num_threads()
    yield dmlindex.set_num_threads
    dmlindex.set_num_threads(before)
