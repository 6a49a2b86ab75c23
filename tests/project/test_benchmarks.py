"""The benchmarks' harness works. Nothing here looks at how long anything takes."""

from __future__ import annotations

import os
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlindex
from benchmarks import peers
from benchmarks.call import Buffers, Call, Idiom
from benchmarks.cases import Case, all_cases, growth_cases
from benchmarks.figures import rows, targets
from benchmarks.layouts import LAYOUTS, laid, timed
from benchmarks.measure import Effort, run_case
from benchmarks.modes import measured
from benchmarks.package import import_times, size
from benchmarks.report import compare, markdown
from benchmarks.stream_copy import StreamCopy
from benchmarks.summary import summary
from benchmarks.worker import load_peers
from benchmarks.workloads import gather_nd, scatter_elements

EFFORT = Effort(seconds=0.001, every_mode=True)
TINY = Case("a tiny gather", "tiny", gather_nd((4, 5, 2), (3, 2)))


def run_of(*records: dict[str, Any], **changes: Any) -> dict[str, Any]:
    machine = {"processor": "any", "processors": 1, "memory_gib": 1, "system": "any"}
    run = {"date": "today", "machine": machine, "seconds": 0.0, "versions": {}, "missing": {}}
    return run | {"records": list(records)} | changes


def record_of(**changes: Any) -> dict[str, Any]:
    record = {"case": "any", "group": "any", "plain": "", "threads": 1, "not_run": []}
    return record | {"moved_bytes": 4000, "elements": 1000, "times": []} | changes


def time_of(peer: str, median_ns: float, mode: str = "") -> dict[str, Any]:
    how = {"code": f"{peer}()", "into_out": True, "raises": mode != "clamp", "mode": mode}
    return {"peer": peer, "median_ns": median_ns} | how


def test_every_target_is_one_of_the_cases() -> None:
    names = [case.name for case in all_cases() + growth_cases()]
    assert len(set(names)) == len(names)
    assert set(targets()) <= set(names)
    assert {case.plain for case in all_cases()} - {""} <= set(names)


@pytest.mark.parametrize(
    "case",
    [
        TINY,
        Case("a tiny scatter", "tiny", scatter_elements((3, 5), (2, 5), 0)),
        Case("a tiny reduction", "tiny", scatter_elements((3, 5), (4, 5), 0, reduction="add")),
        Case("in place", "tiny", scatter_elements((3, 5), (2, 5), 0, in_place=True)),
    ],
    ids=lambda case: case.name,
)
def test_a_case_is_checked_timed_and_shown(case: Case) -> None:
    loaded, missing = load_peers(["dmlindex", "numpy"], dmlindex.get_num_threads())
    assert not missing
    record = run_case(case, loaded, None, EFFORT) | {"threads": 1}
    assert not record["not_run"]
    assert {time["peer"] for time in record["times"]} == {"dmlindex", "numpy"}
    (row,) = rows([record])
    assert None not in (row.ours_ns, row.clamp, row.checked, row.modes)
    text = markdown(run_of(record))
    assert case.name in text
    assert "out=" in text


def test_a_missing_peer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.MODULES, "absent", "benchmarks.peers.absent")
    loaded, missing = load_peers(["numpy", "absent"], threads=1)
    assert list(loaded) == ["numpy"]
    assert "**absent is missing**: No module named" in markdown(run_of(missing=missing))


def test_a_wrong_answer_is_said_and_not_timed() -> None:
    class Wrong:
        version = "1"

        def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
            zeros = {"zeros": np.zeros_like(buffers.out)}
            return [Idiom("wrong", "zeros", zeros, into_out=False, raises=False)]

    record = run_case(TINY, {"wrong": Wrong()}, None, EFFORT)
    assert record["times"] == []
    (said,) = record["not_run"]
    assert "wrong answer in 6 of 6 places" in said["reason"]


def test_figures_are_ratios_to_the_best_peer_and_to_memcpy() -> None:
    times = [
        time_of("dmlindex", 100, "clamp"),
        time_of("dmlindex", 200, "raise"),
        time_of("numpy", 160),
        time_of("torch", 130),
        time_of("memcpy", 50),
    ]
    (row,) = rows([record_of(case="rows of 128 float32", times=times)])
    assert row.best_peer.startswith("torch")
    assert str(row.clamp) == "**1.30** (≥ 1.5)"
    assert str(row.memory) == "2.00 (≤ 2)"
    assert str(row.checked) == "**0.65** (≥ 1)"
    assert row.reached == pytest.approx(0.65)


def test_the_worst_comes_first() -> None:
    def one(name: str, peer_ns: float) -> dict[str, Any]:
        times = [time_of("dmlindex", 100, "clamp"), time_of("numpy", peer_ns)]
        return record_of(case=name, times=times)

    found = rows([one("good", 300), one("bad", 50), one("fair", 120)], worst_first=True)
    assert [row.record["case"] for row in found] == ["bad", "fair", "good"]


def test_two_runs_compared() -> None:
    old = run_of(record_of(times=[time_of("dmlindex", 100, "clamp")]), record_of(case="gone"))
    new = run_of(record_of(times=[time_of("dmlindex", 250, "clamp")]))
    text = compare(old, new)
    assert "| any | 1 | clamp | 0.10 µs | 0.25 µs | 2.50 slower |" in text
    assert "Only in the old run: gone" in text


def test_a_summary_has_the_shortest_time_of_all_runs() -> None:
    def times(ours: float, numpy: float) -> list[dict[str, Any]]:
        found = [time_of("dmlindex", ours, "clamp"), time_of("dmlindex", 1, "raise")]
        return [one | {"fastest_ns": one["median_ns"]} for one in (*found, time_of("numpy", numpy))]

    runs = [run_of(record_of(times=times(30, 50))), run_of(record_of(times=times(20, 60)))]
    (workload,) = summary(runs)["workloads"]
    assert workload == {"case": "any", "threads": 1, "ns": {"dmlindex": 20, "numpy": 50}}


def test_stream_copy_copies() -> None:
    if shutil.which(os.environ.get("CC", "cc")) is None:
        pytest.skip("there is no C compiler here")
    idiom = StreamCopy().idiom(1000)
    source, target = idiom.names["kept"]
    source[...] = np.arange(1000) % 251
    exec(idiom.code, idiom.names)
    np.testing.assert_array_equal(target, source)


def test_a_case_on_a_gpu_is_checked_timed_and_shown() -> None:
    """On whatever D3D12 device there is; torch and CuPy are not needed."""
    if not any(info.kind == "d3d12" and info.available for info in dmlindex.devices()):
        pytest.skip("d3d12 is not available")
    from benchmarks.gpu import peers as gpu_peers
    from benchmarks.gpu import report
    from benchmarks.gpu.cases import gpu_cases
    from benchmarks.gpu.measure import run_case as run_gpu_case

    cases = gpu_cases(quick=True)
    assert len({case.name for case in cases}) == len(cases)
    case = next(case for case in cases if case.group == "tuples")
    record = run_gpu_case(case, {"dmlindex": gpu_peers.Dmlindex("d3d12")}, 5)
    assert not record["not_run"]
    assert {time["mode"] for time in record["times"]} == {"clamp", "raise"}
    run = run_of(record, device="a GPU", samples=5, missing={"torch": "none here"}, wall=[])
    text = report.markdown(run)
    assert case.name in text
    assert "**torch is missing**: none here" in text


def test_the_package_is_measured(tmp_path: Path) -> None:
    wheel = tmp_path / "any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("small", b"a")
        archive.writestr("large", bytes(2_000_000))
    assert size(wheel) == "any.whl: 2.00 MB (at most 3.0); large 2.00, small 0.00"
    found = re.fullmatch(
        r"import numpy (\S+) ms, import dmlindex (\S+) ms: (\S+) x .* medians of 1\)",
        import_times(1),
    )
    assert found is not None
    numpy, ours, ratio = map(float, found.groups())
    assert ratio == pytest.approx(ours / numpy, abs=0.02)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("in_place", [False, True])
def test_a_call_on_arrays_of_any_layout(layout: str, in_place: bool) -> None:
    """They keep their values, and every contestant gives the right answer."""
    rng = np.random.default_rng(0)
    call = (scatter_elements((6, 5), (2, 5), 0) if in_place else gather_nd((4, 5, 2), (3, 2)))(rng)
    x = laid(rng, call.input, "columns first" if in_place else layout)
    if layout != "one row":
        np.testing.assert_array_equal(laid(rng, call.indices, layout), call.indices)
    call = replace(call, input=x, in_place=in_place)
    assert timed(call, layout).ratio > 0


@pytest.mark.parametrize("scatters", [False, True])
def test_a_call_in_every_mode(scatters: bool) -> None:
    rng = np.random.default_rng(0)
    call = (scatter_elements((6, 5), (2, 5), 0) if scatters else gather_nd((4, 5, 2), (3, 2)))(rng)
    ratios = measured(call, 0.5, [0])
    assert list(ratios) == ["clamp", "wrap", "drop" if scatters else "fill"]
    assert all(ratio > 0 for ratio in ratios.values())
