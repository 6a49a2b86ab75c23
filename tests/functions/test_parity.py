"""Every operator on every device gives what the reference gives: the same bits or exception.

Each test is one operator, mode and class of dtype; index dtypes, layouts, values, out and where
it overlaps are drawn. tests/functions/test_isa.py runs this file again for every instruction set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference, testing
from dmlindex.reference.checks import GATHER_MODES, REDUCTIONS, SCATTER_MODES
from dmlindex.testing.space import OPERATORS
from dmlindex.testing.values import DTYPE_CLASSES, dtypes_of

GATHERS = [op for op in OPERATORS if op.startswith("gather")]
SCATTERS = [op for op in OPERATORS if op.startswith("scatter")]


def is_past_limits(device: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> bool:
    """Whether docs/d3d12.md says that the device refuses the call."""
    arrays = [a for a in arguments if isinstance(a, np.ndarray)]
    if device == "cpu" or not arrays:
        return False
    reduction = options.get("reduction", "none")
    return (
        max(a.ndim for a in arrays) > 8
        or any(a.shape[-1:] > (8,) for a in arrays[1:2])
        or (options.get("mode") == "fill" and arrays[0].itemsize > 256)
        or (reduction != "none" and not _has_reduction(device, arrays[0].dtype, reduction))
    )


def _has_reduction(device: str, dtype: Any, reduction: str) -> bool:
    return bool(dmlindex.Device(device).has_reduction(dtype, reduction))


def on(device: str, operator: str) -> Callable[..., Any]:
    """The operator on a device; a call that is past what the device has is no example."""

    def function(*arguments: Any, **options: Any) -> Any:
        try:
            return getattr(dmlindex, operator)(*arguments, device=device, **options)
        except dmlindex.DeviceError:
            if not is_past_limits(device, arguments, options):
                raise
            reject()

    function.__name__ = operator
    return function


def check(device: str, calls: st.SearchStrategy[testing.Call], share: float = 1.0) -> None:
    """check_same on as many examples as the profile has, or a share of them."""

    profile = settings.get_profile(settings.get_current_profile_name())

    @settings(max_examples=max(1, int(profile.max_examples * share)))
    @given(calls)
    def parity(call: testing.Call) -> None:
        testing.check_same(on(device, call.operator), getattr(reference, call.operator), call)

    parity()


@pytest.mark.parametrize("dtype_class", DTYPE_CLASSES)
@pytest.mark.parametrize("mode", GATHER_MODES)
@pytest.mark.parametrize("operator", GATHERS)
def test_gathers(device: str, operator: str, mode: str, dtype_class: str) -> None:
    _need(dtype_class)
    dtypes = testing.dtypes([dtype_class])
    check(device, testing.calls(operator, dtypes=dtypes, modes=[mode]), 0.25)


@pytest.mark.parametrize("dtype_class", DTYPE_CLASSES)
@pytest.mark.parametrize("mode", SCATTER_MODES)
@pytest.mark.parametrize("operator", SCATTERS)
def test_scatters(device: str, operator: str, mode: str, dtype_class: str) -> None:
    _need(dtype_class)
    dtypes = testing.dtypes([dtype_class])
    check(device, testing.calls(operator, dtypes=dtypes, modes=[mode], reductions=["none"]), 0.25)


@pytest.mark.parametrize("dtype_class", ["bool", "integer", "float", "complex", "ml_dtypes"])
@pytest.mark.parametrize("reduction", [r for r in REDUCTIONS if r != "none"])
@pytest.mark.parametrize("operator", SCATTERS)
def test_reductions(device: str, operator: str, reduction: str, dtype_class: str) -> None:
    _need(dtype_class)
    has_reduction = dmlindex.Device(device).has_reduction
    fitting = [d for d in dtypes_of(dtype_class) if has_reduction(d, reduction)]
    if not fitting:
        assert dtype_class == "complex"
        assert reduction in ("min", "max")
        return
    calls = testing.calls(operator, dtypes=st.sampled_from(fitting), reductions=[reduction])
    check(device, calls, 0.5)


@pytest.mark.parametrize("operator", OPERATORS)
def test_invalid_calls(device: str, operator: str) -> None:
    check(device, testing.invalid_calls(operator), 2)


def _need(dtype_class: str) -> None:
    if dtype_class == "ml_dtypes":
        pytest.importorskip("ml_dtypes")
