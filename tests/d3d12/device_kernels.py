"""Runs the case of every GPU kernel that the binding in DMLINDEX_D3D12_BINDING has."""

from __future__ import annotations

import json
import os
import traceback
from typing import Any

from dmlindex import Device, _core
from tests.d3d12 import (  # register their cases
    device_block_cases,  # noqa: F401
    device_line_cases,  # noqa: F401
    device_reduction_cases,  # noqa: F401
    device_scatter_cases,  # noqa: F401
    device_sum_cases,  # noqa: F401
)
from tests.d3d12.device_kernel_calls import EXCHANGES, NO_BLOCKS
from tests.d3d12.device_kernel_cases import CASES
from tests.d3d12.test_shaders import KERNELS

# Kernels whose work the typed ones do where there are descriptor tables.
ROOT_ONLY = {
    "fill_words",
    "gather_units_4",
}


def run(device: Device, kernel: Any) -> None:
    """The kernel's case; it must have run the kernel, and done what the CPU does."""
    by_blocks = kernel.family.endswith("_blocks")
    _core.d3d12_set_profile(device.name, EXCHANGES | ({} if by_blocks else NO_BLOCKS))
    variant = [int(value) if value.isdigit() else value for _, value in kernel.variant]
    _core.d3d12_kernels(device.name)
    CASES[kernel.family](device, *variant)
    ran = _core.d3d12_kernels(device.name)
    assert kernel.name in ran, f"{kernel.name} did not run, but {', '.join(ran)}"


def is_lacking(device: Device, kernel: Any) -> bool:
    """Whether the device has not what the kernel takes."""
    added = dict(kernel.variant).get("ADDS")
    return added is not None and int(added) not in _core.d3d12_adds(device.name)


def is_in(kernel: Any, binding: str) -> bool:
    if binding == "root":
        return "TYPED=1" not in kernel.fixed
    return kernel.name not in ROOT_ONLY


def main() -> None:
    """Prints as JSON what went wrong with each kernel, or null."""
    device = Device("d3d12")
    binding = _core.d3d12_binding(device.name)
    assert binding == os.environ.get("DMLINDEX_D3D12_BINDING", binding)
    # So that dispatches are folded into rows, whose last has groups left over: else only past 8
    # million threads. (Not those of sort_scan: it has 256 groups.)
    _core.d3d12_limit_rows(device.name, 4)
    found: dict[str, str | None] = {}
    for kernel in KERNELS:
        if is_in(kernel, binding) and not is_lacking(device, kernel):
            try:
                run(device, kernel)
                found[kernel.name] = None
            except Exception:
                found[kernel.name] = traceback.format_exc()
    print(json.dumps(found))
