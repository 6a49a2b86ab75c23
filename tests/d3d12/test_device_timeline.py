"""The benchmark that says where a small call's time goes: its parts make up the whole."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dmlindex
from benchmarks.gpu import timeline
from dmlindex import Device, _core


def test_parts_make_up_the_whole(device: Device) -> None:
    found = list(timeline.rows(device, [1, 3], 3))
    assert [(row.name, row.calls) for row in found] == [
        (name, calls) for name in timeline.small_calls(device) for calls in (1, 3)
    ]
    for row in found:
        assert tuple(row.parts) == timeline.PARTS
        assert all(part > 0 for part in row.parts.values()), row
        assert sum(row.parts.values()) == pytest.approx(row.whole)
        assert row.gpu > 0


def test_calls_hold_their_parts(device: Device) -> None:
    table = device.tensor(np.arange(5))
    _core.d3d12_measure_laps(True)
    dmlindex.gather(table, [4, 0])
    found = _core.d3d12_measure_laps(True)
    assert found["call"] > found["plan"] + found["run"]
    assert found["run"] > found["record"] > 0
    assert found["submit"] == found["wait"] == 0
    device.synchronize()
    found = _core.d3d12_measure_laps(False)
    assert found["call"] == found["run"] == 0
    assert found["submit"] > 0
    assert found["wait"] > 0


def test_nothing_is_measured_unasked(device: Device) -> None:
    dmlindex.gather(device.tensor(np.arange(5)), [4, 0]).numpy()
    assert not any(_core.d3d12_measure_laps(False).values())


@pytest.mark.usefixtures("device")
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "timeline.json"
    assert timeline.main(["--calls", "2", "--repeats", "2", "--json", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = json.loads(file.read_text("utf-8"))["rows"]
    assert len(lines) == len(rows) + 2
    assert {line.count("|") for line in lines} == {len(timeline.PARTS) + 5}


@pytest.mark.parametrize("wrong", [["--device", "cpu"], ["--calls", "0"], ["--calls", "x"]])
def test_what_cannot_be_measured(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        timeline.main(wrong)
    assert "expected" in capsys.readouterr().err.splitlines()[-1]
