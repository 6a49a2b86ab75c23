"""The sweep of random calls: the draws, the record of one, the report. No test looks at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlindex
from benchmarks.call import Buffers, Call, Idiom
from benchmarks.measure import Effort
from benchmarks.peers.numpy_idioms import expected
from benchmarks.sweep.draw import draw
from benchmarks.sweep.measure import measure
from benchmarks.sweep.report import compare_sweeps, summary
from benchmarks.worker import load_peers

EFFORT = Effort(seconds=0.0, rounds=(1, 1))


@pytest.fixture(scope="module")
def drawn() -> list[Any]:
    return [draw(7, number) for number in range(150)]


def test_a_draw_depends_on_seed_and_number_alone() -> None:
    first, again, other = draw(3, 5), draw(3, 5), draw(4, 5)
    assert str(first) == str(again)
    assert first.call.input.tobytes() == again.call.input.tobytes()
    assert first.call.indices.tobytes() == again.call.indices.tobytes()
    assert str(first) != str(other)


def test_draws_cover_what_the_readme_says(drawn: list[Any]) -> None:
    calls = [one.call for one in drawn]
    assert {call.operator for call in calls} == {
        "gather",
        "gather_elements",
        "gather_nd",
        "scatter_elements",
        "scatter_nd",
    }
    assert {call.input.ndim for call in calls} == {1, 2, 3, 4}
    assert {call.input.itemsize for call in calls} == {1, 2, 3, 4, 8, 12}
    assert {call.indices.dtype.name for call in calls} == {"int32", "int64"}
    assert {one.kind for one in drawn} == {"uniform", "sorted", "skewed", "runs", "constant"}
    assert {call.reduction for call in calls} == {"none", "add", "mul", "min", "max"}
    assert any(call.batch_dims for call in calls)
    assert 0.1 < np.mean([call.has_negative_indices for call in calls]) < 0.4
    short = [call.input.shape[-1] <= 50 for call in calls if call.input.ndim > 1]
    assert 0.35 < np.mean(short) < 0.8
    assert all(call.input.size <= 2**23 for call in calls)
    outputs = [np.prod(call.output_shape) for call in calls if not call.is_scatter]
    assert max(outputs) <= 2**22


def test_the_order_of_equal_places_does_not_matter() -> None:
    """Peers promise none; so without a reduction such updates are equal."""
    tried = 0
    for number in count():
        call = draw(11, number).call
        if call.reduction != "none" or not call.is_scatter or call.indices.size > 10_000:
            continue
        turned = call.indices[::-1].copy(), call.updates[::-1].copy()  # type: ignore[index]
        backwards = Call(call.operator, call.input, *turned, axis=call.axis)
        if call.operator == "scatter_elements" and call.axis != 0:
            continue
        np.testing.assert_array_equal(expected(call), expected(backwards))
        tried += 1
        if tried == 5:
            return


def test_a_drawn_call_is_checked_and_timed() -> None:
    peers, missing = load_peers(["dmlindex", "numpy"], dmlindex.get_num_threads())
    assert not missing
    one = next(draw(7, number) for number in count() if draw(7, number).call.input.size < 10_000)
    record = measure(one, peers, EFFORT, time.perf_counter_ns)
    assert {timed["peer"] for timed in record["times"]} == {"dmlindex", "numpy"}
    assert record["ratio"] > 0
    assert len(record["ratios"]) == (4 if record["ratios"][0] < 1 else 1)


def test_a_wrong_answer_of_ours_stops_the_sweep() -> None:
    class Wrong:
        version = "1"

        def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
            return [self.plain(call, buffers)]

        def plain(self, call: Call, buffers: Buffers) -> Idiom:
            return Idiom("dmlindex", "x.copy()", {"x": buffers.input}, False, True)

    with pytest.raises(AssertionError, match="gave"):
        measure(draw(7, 1), {"dmlindex": Wrong()}, EFFORT, time.perf_counter_ns)


def sweep_of(*calls: tuple[float, float], seed: int = 1) -> dict[str, Any]:
    """Calls by dmlindex's time and the best peer's."""
    records = [
        {
            "number": number,
            "text": f"call {number}",
            "operator": "gather" if number % 2 else "gather_nd",
            "ratio": rival / ours,
            "times": [
                {"peer": "dmlindex", "code": "ours", "median_ns": ours},
                {"peer": "numpy", "code": "x[i]", "median_ns": rival},
            ],
        }
        for number, (ours, rival) in enumerate(calls)
    ]
    head = {"seed": seed, "threads": 1, "clock": "wall", "versions": {}, "missing": {}}
    return head | {"records": records}


def test_the_three_numbers() -> None:
    text = summary(sweep_of((100, 400), (100, 100), (100, 50), (100, 800)))
    assert "| all | 4 | 2.00 | 0.50 | 0.50 | 1 |" in text
    assert "| gather | 2 | 2.83 | 1.00 | 1.00 | 0 |" in text
    assert "| 0.50 | 0.10 µs | 0.05 µs numpy `x[i]` | 2 | call 2 |" in text


def test_two_sweeps_compared() -> None:
    old, new = sweep_of((100, 200), (100, 200)), sweep_of((125, 200), (105, 200))
    text = compare_sweeps(old, new)
    assert "| 1.25 slower | 0.10 µs | 0.12 µs | 1.60 | 0 | call 0 |" in text
    assert "call 1" not in text
    assert "no call in common" in compare_sweeps(old, sweep_of((1, 1), seed=2))


def test_a_sweep_goes_on_with_its_file(tmp_path: Path) -> None:
    path = tmp_path / "sweep.json"
    command = [sys.executable, "-m", "benchmarks.run", "--sweep", "2", "--seed", "7", "--quick"]
    command += ["--threads", "1", "--peers", "dmlindex", "numpy", "--json", str(path)]
    for first in ("0", "1"):
        subprocess.run([*command, "--first", first], check=True, capture_output=True)
    assert [record["number"] for record in json.loads(path.read_text())["records"]] == [0, 1, 2]
    other = subprocess.run([*command, "--seed", "8"], check=False, capture_output=True, text=True)
    assert other.returncode == 1
    assert "holds another run" in other.stderr


def test_curves_are_measured_and_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    command = [sys.executable, "-m", "benchmarks.curves", "--points", "2", "--largest", "1"]
    command += ["--only", "length", "--output", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    curves = json.loads((tmp_path / "curves.json").read_text())
    assert set(curves["length of the axis"]) == {"gather_elements", "scatter_elements"}
    assert [x for x, _ in curves["length of the axis"]["gather_elements"]] == [1, 4096]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")
