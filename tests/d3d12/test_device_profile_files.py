"""The files that profiles are kept in: sound ones are used, others are told of and left alone."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device, _core, _profiles, _tuning
from dmlindex.cli import main
from tests.children import in_child

VARIABLE = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
TUNED = {"striped_line": 4, "held_bytes": 4096}
# Opens a device, and says what it takes and whether it computes.
OPEN = """
import json, warnings, dmlindex
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    name = dmlindex.Device("d3d12:0").name
right = dmlindex.gather([5, 6, 7], [2, 0], device=name).tolist() == [7, 5]
print(json.dumps([dmlindex._core.d3d12_profile(name), [str(one.message) for one in told], right]))
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, which is empty."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path / "dmlindex" / "profiles"


@pytest.fixture
def stack(device: Device) -> _profiles.Stack:
    assert device.name.startswith("d3d12:")
    adapter, driver, _, _ = _core.d3d12_adapters()[0][0]
    return _profiles.stack_of(adapter, driver)


def written(stack: _profiles.Stack, text: str | bytes) -> Path:
    path = stack.path
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def opened() -> tuple[dict[str, int], list[str], bool]:
    thresholds, warnings, right = json.loads(in_child(OPEN))
    return thresholds, warnings, right


def defaults() -> dict[str, int]:
    return {name: limits[0] for name, limits in _core.d3d12_thresholds().items()}


def test_a_device_takes_its_profile(stack: _profiles.Stack) -> None:
    path = written(stack, _profiles.text_of(stack, TUNED, []))
    assert opened() == (defaults() | TUNED, [], True)
    assert dmlindex.devices()[1].profile == f"thresholds of {path}"


def test_none_is_written_unasked(stack: _profiles.Stack, folder: Path) -> None:
    assert opened() == (defaults(), [], True)
    assert dmlindex.devices()[1].profile == "default thresholds"
    assert stack.path is not None
    assert stack.path.parent == folder
    assert not folder.exists()


def sound(stack: _profiles.Stack, **changes: Any) -> str:
    return json.dumps(json.loads(_profiles.text_of(stack, TUNED, [])) | changes)


BROKEN: dict[str, tuple[Callable[[_profiles.Stack], str | bytes], str]] = {
    "empty": (lambda _: "", "Expecting value"),
    "cut off": (lambda stack: sound(stack)[:-9], "Expecting|Unterminated|delimiter"),
    "no text": (lambda _: b"\xff\xfe\x00", "utf-8"),
    "too long": (lambda stack: sound(stack) + " " * (1 << 16), "more than 65536 bytes"),
    "too deep": (lambda _: "[" * 60_000, "."),
    "no object": (lambda _: "[]", "no thresholds"),
    "no thresholds": (lambda stack: sound(stack, thresholds=None), "no thresholds"),
    "another driver": (lambda stack: sound(stack, driver="2"), "of another adapter, driver"),
    "other libraries": (lambda stack: sound(stack, libraries=[]), "or library"),
    "an unknown key": (
        lambda stack: sound(stack, thresholds={"stripes": 1}),
        "no threshold is named 'stripes'",
    ),
    **{
        f"striped_line of {value!r:.9}": (
            lambda stack, value=value: sound(stack, thresholds={"striped_line": value}),  # type: ignore[misc]
            "striped_line is .*, expected a number from 4 to 1099511627776",
        )
        for value in (3, -1, 1 << 41, 1 << 70, 4.0, True, None, "4", [4], float("nan"))
    },
    "a bool": (
        lambda stack: sound(stack, thresholds={"held_bytes": True}),
        "held_bytes is True, expected a number from 0 to 32768",
    ),
    "a number of 5000 digits": (
        lambda stack: sound(stack, thresholds={"striped_line": 0}).replace(
            ": 0", ": " + "9" * 5000
        ),
        "digits",
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_file_is_told_of(stack: _profiles.Stack, broken: str) -> None:
    make, reason = BROKEN[broken]
    text = make(stack)
    path = written(stack, text)
    with pytest.warns(RuntimeWarning, match=reason) as told:
        assert _profiles.thresholds_of(stack.adapter, stack.driver) == {}
    assert str(path) in str(told[0].message)
    assert "\n" not in str(told[0].message)
    assert "devices --tune` measures anew" in dmlindex.devices()[1].profile
    assert path.read_bytes() == (text.encode() if isinstance(text, str) else text)


def test_a_device_opens_with_a_broken_file(stack: _profiles.Stack) -> None:
    written(stack, sound(stack, thresholds={"striped_line": -1}))
    thresholds, (warning,), right = opened()
    assert (thresholds, right) == (defaults(), True)
    assert "striped_line is -1, expected a number from 4" in warning


def test_what_is_no_file(stack: _profiles.Stack, folder: Path) -> None:
    assert stack.path is not None
    stack.path.mkdir(parents=True)
    with pytest.warns(RuntimeWarning, match="no regular file"):
        assert _profiles.thresholds_of(stack.adapter, stack.driver) == {}
    if hasattr(os, "mkfifo"):
        stack.path.rmdir()
        os.mkfifo(stack.path)
        with pytest.warns(RuntimeWarning, match="no regular file"):
            assert _profiles.thresholds_of(stack.adapter, stack.driver) == {}


@pytest.fixture
def small_trials(device: Device, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """One of each kind, of sizes that take no time."""
    trials = [
        _tuning.Trial("held_bytes", _tuning._look_up, (200, 300), (0, 4096, 4096)),
        _tuning.Trial(
            "striped_table_bytes", _tuning._columns, (1 << 16,), (1 << 40, 0), upwards=True
        ),
        _tuning.Trial("long_slice_bytes", _tuning._rows, (20,), (1 << 40, 0), upwards=True),
        _tuning.Trial("claimed_positions", _tuning._put, (40,), (0, 1 << 18)),
    ]
    monkeypatch.setattr(_tuning, "TRIALS", trials)
    monkeypatch.setattr(_tuning, "_LEAST", 1 << 10)
    monkeypatch.setattr(_tuning, "_MOST", 1 << 10)
    yield
    _core.d3d12_set_profile(device.name, {})


@pytest.mark.usefixtures("small_trials")
def test_tuning_writes_what_is_used(
    device: Device, stack: _profiles.Stack, capsys: pytest.CaptureFixture[str]
) -> None:
    if _core.d3d12_binding(device.name) == "root":
        assert main(["devices", "--tune"]) == 2
        assert "there is nothing to tune" in capsys.readouterr().err
        return
    assert main(["devices", "--tune"]) == 0
    assert f"thresholds of {stack.path}" in capsys.readouterr().out
    profile = _profiles.profile_of(stack.adapter, stack.driver)
    assert list(profile.thresholds) == [trial.threshold for trial in _tuning.TRIALS]
    assert not profile.problem
    assert _core.d3d12_profile("d3d12:0") == defaults() | profile.thresholds
    table = np.arange(200, dtype=np.float32)
    indices = np.arange(1000) * 7 % 200
    assert (dmlindex.gather(table, indices, device=device) == table[indices]).all()


@pytest.mark.usefixtures("device")
def test_a_place_that_cannot_be_written(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_tuning, "TRIALS", [])
    folder.parent.parent.joinpath("dmlindex").write_text("a file")
    if _core.d3d12_binding("d3d12:0") == "table":
        assert main(["devices", "--tune"]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("upwards", "paying", "value"),
    [
        (False, [], 0),
        (False, [10], 11),
        (False, [10, 20], 22),
        (False, [20], 22),
        (False, [10, 20, 30], 33),
        (True, [], 0),
        (True, [30], 11),
        (True, [20, 30], 22),
        (True, [10, 20, 30], 33),
    ],
)
def test_the_threshold_that_times_speak_for(
    device: Device,
    monkeypatch: pytest.MonkeyPatch,
    upwards: bool,
    paying: list[int],
    value: int,
) -> None:
    seen: list[list[int]] = []

    def times(_device: Device, call: Any, profiles: list[dict[str, int]]) -> list[float]:
        seen.append([one["striped_line"] for one in profiles])
        assert all(one["held_line"] == 5 and one["held_bytes"] == 6 for one in profiles)
        return [97.0 if call in paying else 98.5, 100.0]

    monkeypatch.setattr(_tuning, "_times", times)
    trial = _tuning.Trial(
        "striped_line",
        lambda _device, size, _positions: size,  # type: ignore[arg-type,return-value]
        (10, 20, 30),
        (0, 11, 22, 33),
        upwards,
        {"held_bytes": 6},
    )
    found = _tuning._measured(device, trial, {"held_line": 5, "held_bytes": 7}, 1)
    assert (found.threshold, found.value) == ("striped_line", value)
    assert seen == [[33, 0]] * 3
    assert list(found.microseconds) == [10, 20, 30]
