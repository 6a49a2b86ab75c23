"""The demo on a corner of its photos (script/demo runs all of it), and its figures on the whole."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import dmlindex
from dmlindex import demo
from dmlindex.cli import main


@pytest.fixture(scope="module")
def whole() -> demo.Scene:
    return demo.load_scene()


@pytest.fixture
def corner(whole: demo.Scene, monkeypatch: pytest.MonkeyPatch) -> demo.Scene:
    """A corner small enough for the reference; the command line finds it too."""
    scene = whole.crop(60, 90)
    monkeypatch.setattr(demo, "load_scene", lambda: scene)
    return scene


def test_every_operator_takes_part(corner: demo.Scene) -> None:
    assert {step.operator for step in demo.steps(corner)} == {
        "gather",
        "gather_elements",
        "gather_nd",
        "scatter_elements",
        "scatter_nd",
    }


def test_the_results_on_the_whole_photos(whole: demo.Scene) -> None:
    """Against NumPy, which is quick; demo.run holds both to the reference."""
    for step in demo.steps(whole):
        output = getattr(dmlindex, step.operator)(*step.arguments.values(), **step.options)
        np.testing.assert_array_equal(output, step.numpy(), strict=True, err_msg=step.call)
        picture = step.picture(output)
        assert picture.dtype == np.uint8
        assert picture.shape == (500, 741, 3)


def test_the_right_photo_comes_nearer(whole: demo.Scene) -> None:
    moved = next(s for s in demo.steps(whole) if s.operator == "gather_elements").numpy()
    assert demo.mean_difference(whole.right, whole.left) == pytest.approx(39.5, abs=0.05)
    assert demo.mean_difference(moved, whole.left) == pytest.approx(11.4, abs=0.05)


def test_a_wrong_result_is_found(corner: demo.Scene) -> None:
    step = demo.steps(corner)[0]

    def wrong() -> demo.Array:
        output = step.numpy()
        output[3, 4, 1] ^= 1
        return output

    with pytest.raises(demo.DemoError, match=r"1 elements; the first is \(3, 4, 1\)"):
        demo.run(dataclasses.replace(step, numpy=wrong), repeats=1)


def test_the_command_draws_a_sheet(
    device: str, corner: demo.Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "sheet.png"
    assert main(["demo", "--out", str(out), "--device", device]) == 0
    with Image.open(out) as sheet:
        sheet.load()
        assert sheet.format == "PNG"
        assert sheet.width > 3 * 741
    printed = capsys.readouterr().out
    for step in demo.steps(corner):
        assert step.moved in printed
    assert "Mean difference" in printed
    assert [path.name for path in tmp_path.iterdir()] == ["sheet.png"]


def test_a_failed_check_is_exit_code_1(
    corner: demo.Scene,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(dmlindex, "gather", lambda *_, **__: np.zeros((60, 90, 3), np.uint8))
    assert main(["demo", "--out", str(tmp_path / "sheet.png")]) == 1
    assert "gather(colours, levels) on cpu differs from the reference" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


def test_an_unknown_device(
    corner: demo.Scene, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--out", str(tmp_path / "sheet.png"), "--device", "abacus"]) == 2
    assert "abacus" in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["skimage", "PIL"])
def test_what_is_not_installed_is_named(
    missing: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "dmlindex.demo.sheet", raising=False)
    assert main(["demo"]) == 2
    error = capsys.readouterr().err
    assert missing in error
    assert "pip install 'dmlindex[demo]'" in error
