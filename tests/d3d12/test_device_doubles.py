"""Reductions of float64 and complex numbers have the reference's bits, under each binding."""

from __future__ import annotations

import functools
import json

import pytest

from tests.children import in_child
from tests.d3d12.device_doubles import CALLS


@functools.cache
def outcomes(binding: str) -> dict[str, str | None]:
    """What went wrong with each dtype and reduction, in a process with the binding."""
    code = "from tests.d3d12 import device_doubles; device_doubles.main()"
    found: dict[str, str | None] = json.loads(in_child(code, 900, DMLINDEX_D3D12_BINDING=binding))
    return found


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", ["root", "table"])
@pytest.mark.parametrize(("dtype", "reduction"), CALLS)
def test_extremes(dtype: str, reduction: str, binding: str) -> None:
    outcome = outcomes(binding)[f"{dtype} {reduction}"]
    assert outcome is None, outcome
