"""What a bug report should say about a machine."""

from __future__ import annotations

import ctypes
import importlib.metadata
import os
import platform
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dmlindex import _core
from dmlindex._devices import devices
from dmlindex._libraries import loaded

_OTHER_PACKAGES = ("ml_dtypes", "dask", "hypothesis", "tbb")
# Of the environment only what reaches this package or the libraries under it: no secrets.
_VARIABLES = re.compile(
    r"(DMLINDEX_|VKD3D_|TBB_|VK_(ICD_FILENAMES$|DRIVER_FILES$|ADD_DRIVER_FILES$|LOADER_|LAYER_PATH$"
    r"|INSTANCE_LAYERS$)|(GLIBC_TUNABLES|LD_LIBRARY_PATH|LD_PRELOAD|LP_NUM_THREADS"
    r"|NPY_DISABLE_CPU_FEATURES)$).*"
)


def show_versions() -> None:
    """Prints what a bug report should say: versions, kernels, threads, devices, environment.

    The same as `python -m dmlindex versions`. It never raises: what cannot be found out is told in
    its place.

    >>> show_versions()
    dmlindex ...
    Python ...
    """
    print(in_words(versions()))


def versions() -> dict[str, Any]:
    """The same as plain data for JSON."""
    # The devices first: they load D3D12's library.
    found = _told(lambda: [vars(info) for info in devices()])
    return {
        "dmlindex": _core.__version__,
        "folder": str(Path(__file__).parent),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": f"{platform.platform()}, {os.cpu_count()} processors",
        "numpy": np.__version__,
        "packages": {name: version for name in _OTHER_PACKAGES if (version := _version_of(name))},
        "kernels": _told(_core.cpu_isa),
        "all_kernels": _told(_core.cpu_isas),
        "threads": _told(_core.get_num_threads),
        "thread_library": _thread_library(),
        "d3d12_libraries": loaded("vkd3d", "d3d12"),
        "devices": found,
        "environment": {
            name: value for name, value in sorted(os.environ.items()) if _VARIABLES.match(name)
        },
    }


def in_words(report: dict[str, Any]) -> str:
    """What `versions` found, for people."""
    packages = ", ".join(f"{name} {version}" for name, version in report["packages"].items())
    rows = [
        ("dmlindex", f"{report['dmlindex']}, in {report['folder']}"),
        ("Python", f"{report['python']} on {report['platform']}"),
        ("NumPy", ", ".join(filter(None, [report["numpy"], packages]))),
        ("kernels", f"{report['kernels']}, of {_listed(report['all_kernels'])}"),
        ("threads", f"{report['threads']}, {report['thread_library']}"),
        ("D3D12", _listed(report["d3d12_libraries"]) or "no library loaded"),
    ]
    if isinstance(report["devices"], str):
        rows.append(("devices", report["devices"]))
    else:
        for info in report["devices"]:
            told = "description" if info["available"] else "reason"
            rows.append((info["name"], info[told]))
    environment = [f"{name}={value}" for name, value in report["environment"].items()]
    rows.append(("environment", "  ".join(environment) or "nothing set that matters here"))
    return "\n".join(f"{name:12}{words}" for name, words in rows)


def _listed(words: Any) -> str:
    return ", ".join(words) if isinstance(words, list) else str(words)


def _told(find: Callable[[], Any]) -> Any:
    """What is found, or why it cannot be: a wrong environment variable, say."""
    try:
        return find()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _version_of(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _thread_library() -> str:
    library = _core.thread_library()
    if library != "oneTBB":
        return library
    for path in loaded("libtbb."):
        try:
            version = ctypes.CDLL(path).TBB_runtime_version
        except (OSError, AttributeError):
            continue
        version.restype = ctypes.c_char_p
        return f"oneTBB {version().decode()} ({path})"
    return library
