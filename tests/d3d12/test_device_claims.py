"""Scatters in place whose only kernel finds out who is last while others store."""

from __future__ import annotations

import pytest

from tests.children import in_child

CODE = """
import numpy as np
import dmlindex
from dmlindex import _core

device = dmlindex.Device("d3d12")
rng = np.random.default_rng(3)
for number in range(300):
    targets, count = int(rng.integers(1, 3000)), int(rng.integers(5000, 40_000))
    places = rng.integers(0, targets, (count, 1))
    if number % 2:
        places = np.sort(places, 0)[::-1].copy()
    table, updates = np.zeros(targets, "u4"), np.arange(count, dtype="u4")
    found = device.tensor(table)
    dmlindex.scatter_nd(found, places, updates, out=found, mode="drop")
    dmlindex.scatter_nd(table, places, updates, out=table)
    assert found.numpy().tobytes() == table.tobytes(), (number, targets, count)
if _core.d3d12_binding(device.name) == "table":
    assert "claim_targets" in _core.d3d12_kernels(device.name)
"""


@pytest.mark.usefixtures("d3d12")
def test_the_last_write_wins_among_groups_that_run_at_once() -> None:
    in_child(CODE, 300, LP_NUM_THREADS="4")  # those of llvmpipe
