"""The libraries that this process has loaded."""

from __future__ import annotations

import ctypes
import re
import sys
from pathlib import Path


def loaded(*names: str) -> list[str]:
    """The files of libraries in this process whose names begin so, or so after "lib"."""
    return sorted(
        path
        for path in (_modules() if sys.platform == "win32" else _mapped())
        if Path(path).name.startswith((*names, *(f"lib{name}" for name in names)))
    )


def _mapped() -> set[str]:
    """The files in Linux's memory map; elsewhere none."""
    maps = Path("/proc/self/maps")
    if not maps.exists():
        return set()
    mapped = {line.split(maxsplit=5)[5] for line in maps.read_text().splitlines() if "/" in line}
    copied = re.compile(r"^/memfd:(.*) \(deleted\)$")  # some are opened as copies
    return {copied.sub(r"\1 (a copy in memory)", path) for path in mapped}


def _modules() -> set[str]:
    """The files of Windows' modules."""
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    modules, size = (ctypes.c_void_p * 1024)(), ctypes.c_uint32()
    process = ctypes.c_void_p(kernel.GetCurrentProcess())
    if not kernel.K32EnumProcessModules(
        process, modules, ctypes.sizeof(modules), ctypes.byref(size)
    ):
        return set()
    path, found = ctypes.create_unicode_buffer(1 << 15), set()
    for module in modules[: size.value // ctypes.sizeof(ctypes.c_void_p)]:
        if kernel.GetModuleFileNameW(ctypes.c_void_p(module), path, len(path)):
            found.add(path.value)
    return found
