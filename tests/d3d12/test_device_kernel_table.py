"""Every GPU kernel is run by a call that does what the CPU does, under each binding that has it."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from tests.children import in_child
from tests.d3d12 import device_kernel_cases, device_kernels
from tests.d3d12.test_shaders import KERNELS

REACHED = [
    pytest.param(binding, kernel, id=f"{binding}-{kernel.name}")
    for binding in ("root", "table")
    for kernel in KERNELS
    if device_kernels.is_in(kernel, binding)
]


@functools.cache
def outcomes(binding: str) -> dict[str, str | None]:
    """What went wrong with each kernel's case, in a process with the binding."""
    code = "from tests.d3d12 import device_kernels; device_kernels.main()"
    found: dict[str, str | None] = json.loads(in_child(code, 900, DMLINDEX_D3D12_BINDING=binding))
    return found


def test_every_kernel_has_a_case() -> None:
    assert {kernel.family for kernel in KERNELS} == set(device_kernel_cases.CASES)
    assert {kernel.name for kernel in KERNELS} >= device_kernels.ROOT_ONLY


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize(("binding", "kernel"), REACHED)
def test_the_kernel_runs(binding: str, kernel: Any) -> None:
    if kernel.name.endswith("_bytes"):
        pytest.importorskip("ml_dtypes")  # has the types whose reductions go by a table
    if kernel.name not in outcomes(binding):
        pytest.skip("the device adds no such floats")
    assert outcomes(binding)[kernel.name] is None, outcomes(binding)[kernel.name]
