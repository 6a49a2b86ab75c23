"""The sweep of random calls on a device: no test looks at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.gpu import sweep
from benchmarks.gpu.sweep_peers import DETERMINISTIC, Ours
from benchmarks.peers import OURS
from dmlindex import Device


@pytest.fixture(autouse=True)
def no_time_is_spent(monkeypatch: pytest.MonkeyPatch) -> None:
    def once(call: Callable[[], object], wait: Callable[[], object]) -> float:
        call()
        wait()
        return 1.0

    monkeypatch.setattr(sweep, "chain_ns", once)


def test_calls_are_checked_and_timed(device: Device) -> None:
    ours = Ours(device.name)
    ours.kernels()
    seen = set()
    for one in sweep.problems(3, list(range(24)), sweep.space_of(quick=True)):
        record = sweep.measure(ours, one)
        assert record["kernels"]
        assert record["times"][0]["peer"] == OURS
        seen.add(one.drawn.call.operator)
    assert len(seen) == 5


def test_a_wrong_answer_of_ours_stops_the_sweep(device: Device) -> None:
    one = sweep.problem(3, 0, sweep.space_of(quick=True))
    wrong = replace(one, want=one.want + np.ones(1, one.want.dtype))
    with pytest.raises(AssertionError, match="a wrong answer"):
        sweep.measure(Ours(device.name), wrong)


@pytest.mark.parametrize(
    ("operator", "ratio"), [("gather", 0.5), ("sum in order", 3.0), ("sum in any order", 0.5)]
)
def test_a_sum_in_order_has_a_rival_of_its_own(operator: str, ratio: float) -> None:
    def time(peer: str, ns: float) -> dict[str, Any]:
        return {"peer": peer, "code": peer, "median_ns": ns}

    times = [time(OURS, 2e5), time("torch", 1e5), time("cupy", 4e5), time(DETERMINISTIC, 6e5)]
    record = sweep.with_ratio({"operator": operator, "times": times})
    assert record["ratio"] == ratio
    assert record["is_large"]
