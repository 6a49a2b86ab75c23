"""What a call leaves behind that fails for want of memory: nothing, wherever it fails.

`_core.d3d12_fail_allocations` has any allocation on the device fail, and says how many of those it
was last asked for have not failed.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import DataType, Device, GatherOperatorDesc, TensorDesc, _core

Array = npt.NDArray[Any]

RNG = np.random.default_rng(1)
TABLE = RNG.integers(0, 100, 4000).astype(np.float32)
INDICES = RNG.integers(-4000, 4000, 3000)
UPDATES = RNG.integers(0, 100, 3000).astype(np.float32)
ROWS = RNG.integers(0, 1 << 32, (500, 12), np.uint32)

DESC = GatherOperatorDesc(
    TensorDesc(DataType.FLOAT32, (4000,)),
    TensorDesc(DataType.INT64, (4000,)),
    TensorDesc(DataType.FLOAT32, (4000,)),
    0,
    1,
)


def compiled(out: Any, x: Any, i: Any) -> object:
    device = "cpu" if isinstance(out, np.ndarray) else "d3d12"
    return Device(device).compile(DESC)(x, i, out=out)


# The operands, and a call of them and of out, which holds TABLE.
CALLS: dict[str, tuple[list[Array], Callable[..., Any]]] = {
    "gather": (
        [TABLE + 1, np.resize(INDICES, 4000)],
        lambda out, x, i: dmlindex.gather(x, i, out=out),
    ),
    "gather rows": ([ROWS], lambda out, x: dmlindex.gather(x, [3, -4], mode="clamp")),
    "gather to new memory": ([INDICES], lambda out, i: dmlindex.gather(out, i)),
    "scatter": (
        [TABLE + 1, INDICES, UPDATES],
        lambda out, x, i, u: dmlindex.scatter_elements(x, i, u, out=out),
    ),
    "scatter in place": (
        [INDICES, UPDATES],
        lambda out, i, u: dmlindex.scatter_elements(out, i, u, out=out),
    ),
    "a few updates": (
        [TABLE + 1, INDICES[:9, None], UPDATES[:9]],
        lambda out, x, i, u: dmlindex.scatter_nd(x, i, u, mode="drop", out=out),
    ),
    "sums by lists": (
        [TABLE + 1, INDICES, UPDATES],
        lambda out, x, i, u: dmlindex.scatter_elements(x, i, u, reduction="add", out=out),
    ),
    "sums by sorting": (
        [INDICES % 5, UPDATES],
        lambda out, i, u: dmlindex.scatter_elements(out, i, u, reduction="add", out=out),
    ),
    "one operand is out": (
        [TABLE + 1, np.arange(4000)[::-1].copy()],
        lambda out, x, i: dmlindex.scatter_elements(x, i, out, out=out),
    ),
    "operands are arrays": (
        [],
        lambda out: dmlindex.scatter_elements(
            TABLE + 1, INDICES, UPDATES, out=out, device="d3d12" if _is_tensor(out) else "cpu"
        ),
    ),
    "a compiled operator": ([TABLE + 1, np.resize(INDICES, 4000)], compiled),
}
# Once their pipelines are there, and the memory that scatters keep:
TAKE_NO_MEMORY = {"gather", "scatter", "scatter in place", "a few updates", "a compiled operator"}


def _is_tensor(object_: object) -> bool:
    return isinstance(object_, dmlindex.DeviceTensor)


@pytest.mark.parametrize("failing", [1, 2, 1000])
@pytest.mark.parametrize("call", CALLS)
def test_each_allocation_fails_in_turn(d3d12: Device, call: str, failing: int) -> None:
    """Where there is no memory the device asks twice: if one fails alone, the call goes on."""
    arrays, function = CALLS[call]
    expected_out = TABLE.copy()
    expected = function(expected_out, *arrays)
    operands = [d3d12.tensor(array) for array in arrays]
    gc.collect()  # what other tests have left
    for passing in itertools.count():
        out = d3d12.tensor(TABLE)
        d3d12.synchronize()  # then no call holds its indices any more
        before = _core.d3d12_used_bytes(d3d12.name)
        _core.d3d12_fail_allocations(d3d12.name, passing, failing)
        try:
            result = function(out, *operands)
        except MemoryError:
            left = _core.d3d12_fail_allocations(d3d12.name, 0, 0)
            d3d12.synchronize()  # nothing of it is left to be told
            assert _core.d3d12_used_bytes(d3d12.name) == before
            np.testing.assert_array_equal(out.numpy(), TABLE)
            result = function(out, *operands)
        else:
            left = _core.d3d12_fail_allocations(d3d12.name, 0, 0)
        np.testing.assert_array_equal(out.numpy(), expected_out)
        np.testing.assert_array_equal(result.numpy(), expected)
        if left == failing:  # there are no more than `passing`
            break
        result = None
    assert passing > 0 or call in TAKE_NO_MEMORY


def test_errors_of_calls_before_are_told(d3d12: Device) -> None:
    """Also where a call that fails has to settle them, and they are of its own operands."""
    table, indices, updates = (d3d12.tensor(array) for array in (TABLE, INDICES, UPDATES))
    for passing, failing in itertools.product(range(6), (1, 2)):
        bad = dmlindex.gather(table, [0, 4000])
        out = d3d12.tensor(TABLE)
        _core.d3d12_fail_allocations(d3d12.name, passing, failing)
        with contextlib.suppress(MemoryError):
            dmlindex.scatter_elements(out, indices, updates, out=out)
        with contextlib.suppress(MemoryError, IndexError):
            dmlindex.scatter_elements(out, [0, 1], bad, out=out)
        _core.d3d12_fail_allocations(d3d12.name, 0, 0)
        with pytest.raises(IndexError, match=r"^gather: indices\[1\] = 4000"):
            bad.numpy()
        with contextlib.suppress(IndexError):
            out.numpy()
        found = out.numpy()  # what it was, or what the first of the two calls made of it
        changed = TABLE.copy()
        changed[INDICES] = UPDATES
        assert any(np.array_equal(found, expected) for expected in (TABLE, changed))
        d3d12.synchronize()
