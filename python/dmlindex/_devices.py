"""What there is to run on."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass

from dmlindex import _core


@dataclass(frozen=True)
class DeviceInfo:
    """A device that operators can run on, or could if something were installed.

    Attributes
    ----------
    name
        what `device=` takes, such as "cpu".
    kind
        "cpu" or "d3d12".
    description
        what it is, for people.
    available
        whether it can be used now.
    reason
        why not, and what to do about it; empty if it is available.
    memory_bytes
        how much memory it has, in bytes; 0 if that is not known.
    profile
        of a D3D12 adapter, where the thresholds are from by which calls take their kernels, and
        what is wrong with the file that should hold them; see docs/d3d12.md. Empty of others.
    """

    name: str
    kind: str
    description: str
    available: bool
    reason: str
    memory_bytes: int
    profile: str = ""


class DeviceList(list[DeviceInfo]):
    """A list of devices, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        from dmlindex._display.tables import devices_html

        return devices_html(self)


def devices() -> DeviceList:
    """Every device there is, the CPU first.

    >>> devices()[0].name
    'cpu'
    """
    return DeviceList([_cpu(), *_d3d12()])


def _cpu() -> DeviceInfo:
    isas = ", ".join(_core.cpu_isas())
    description = f"kernels: {_core.cpu_isa()} (of {isas}); {_core.get_num_threads()} threads"
    return DeviceInfo("cpu", "cpu", description, True, "", _memory_bytes())


def _memory_bytes() -> int:
    """The machine's memory; 0 where the system has no way to say."""
    if sys.platform == "win32":
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        found = ctypes.windll.kernel32.GlobalMemoryStatusEx(ctypes.byref(status))
        return int(status.total_bytes) if found else 0
    try:
        pages = os.sysconf("SC_PHYS_PAGES")  # -1 where it is not known
        return max(pages, 0) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


class _MemoryStatus(ctypes.Structure):
    """Windows' MEMORYSTATUSEX: two 32-bit numbers, then seven of 64 bits."""

    _fields_ = [
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total_bytes", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    ]


def _d3d12() -> list[DeviceInfo]:
    """The D3D12 adapters; if there are none, one entry that says why."""
    adapters, reason = _core.d3d12_adapters()
    if not adapters:
        return [DeviceInfo("d3d12", "d3d12", "no adapter", False, reason, 0)]
    from dmlindex._profiles import profile_of

    return [
        DeviceInfo(
            f"d3d12:{number}",
            "d3d12",
            f"{name} ({'software' if is_software else 'hardware'}), driver {driver}",
            True,
            "",
            memory_bytes,
            profile_of(name, driver).in_words,
        )
        for number, (name, driver, memory_bytes, is_software) in enumerate(adapters)
    ]
