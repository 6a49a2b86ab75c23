"""`dmlindex dxdispatch run`: files in and out, and that bad input is one line and exit code 2."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from tests.dxdispatch.command import refused, run, write
from tests.dxdispatch.models import GATHER, changed


def test_run_prints_and_writes(capsys: pytest.CaptureFixture[str]) -> None:
    write("model.json", GATHER)
    assert run("run model.json") == 0
    assert capsys.readouterr().out == "Resource 'out': 2, 0, 5, 5\nout.npy\n"
    np.testing.assert_array_equal(np.load("out.npy"), np.array([[2, 0], [5, 5]], np.int32))


def test_files_are_found_beside_the_model_then_here() -> None:
    write("models/model.json", changed("resources/i/initialValues", {"sourcePath": "data\\i.npy"}))
    Path("data").mkdir()
    np.save("data/i.npy", np.array([0, 0, 0, 0]))
    assert run("run models/model.json --output-path made/below") == 0
    np.testing.assert_array_equal(np.load("made/below/out.npy"), [[0, 0], [4, 4]])
    Path("models/data").mkdir()
    np.save("models/data/i.npy", np.array([1, 1, 1, 1]))
    assert run("run models/model.json") == 0
    np.testing.assert_array_equal(np.load("out.npy"), [[1, 1], [5, 5]])
    Path("other/data").mkdir(parents=True)
    np.save("other/data/i.npy", np.array([2, 2, 2, 2]))
    assert run("run models/model.json --input-path other") == 0
    np.testing.assert_array_equal(np.load("out.npy"), [[2, 2], [6, 6]])


def test_a_folder_stands_for_all_models_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    write("models/a.json", changed("commands/2/targetPath", "a.npy"))
    write("models/b.json", changed("commands/2/targetPath", "b.npy"))
    assert run("run models") == 0
    assert capsys.readouterr().out.splitlines()[1::2] == ["a.npy", "b.npy"]
    Path("empty").mkdir()
    assert "a folder without a model" in refused("run empty", capsys)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested too deep"),
        (b'{"resources": NaN}', "NaN"),
        (b"[]", "the model is an array of 0, expected an object"),
        (b"{}", "no field resources"),
    ],
)
def test_files_that_are_no_models(
    content: bytes, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("model.json").write_bytes(content)
    assert reason in refused("run model.json", capsys)


def test_missing_files(capsys: pytest.CaptureFixture[str]) -> None:
    assert "none.json: No such file" in refused("run none.json", capsys)
    write("model.json", changed("resources/i/initialValues", {"sourcePath": "i.npy"}))
    assert "sourcePath 'i.npy': no such file" in refused("run model.json", capsys)


def test_more_than_any_model_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert "more than 64 MiB" in refused("run /dev/zero", capsys)
    write("model.json", changed("resources/i/initialValues", {"sourcePath": "i.bin"}))
    with Path("i.bin").open("wb") as file:
        file.truncate(2**31)
    assert "2147483648 bytes, more than" in refused("run model.json", capsys)


@pytest.mark.parametrize("path", ["/etc/hostname", "../i.npy", "C:\\i.npy", "a/../../i.npy"])
def test_inputs_outside_of_the_folder(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("model.json", changed("resources/i/initialValues", {"sourcePath": path}))
    assert "expected a file inside of the folder" in refused("run model.json", capsys)


def test_links_that_lead_out_of_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    Path("outside").mkdir()
    np.save("outside/i.npy", np.zeros(4, int))
    write("models/model.json", changed("resources/i/initialValues", {"sourcePath": "i.npy"}))
    Path("models/i.npy").symlink_to("../outside/i.npy")
    assert "a link that leads out of 'models'" in refused("run models/model.json", capsys)

    write("model.json", changed("commands/2/targetPath", "below/out.npy"))
    Path("results").mkdir()
    Path("results/below").symlink_to("../outside")
    assert "a link" in refused("run model.json --output-path results", capsys)
    write("model.json", GATHER)
    Path("results/out.npy").symlink_to("../outside/i.npy")
    assert "a link" in refused("run model.json --output-path results", capsys)


def test_a_folder_or_a_pipe_as_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("i.npy").mkdir()
    os.mkfifo("pipe.npy")
    for name in ("i.npy", "pipe.npy"):
        write("model.json", changed("resources/i/initialValues", {"sourcePath": name}))
        assert "not a regular file" in refused("run model.json", capsys)


def test_a_model_that_fails_late_writes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    model = changed("commands/1/resource", "out")
    model["commands"].append({**model["commands"][2], "dimensions": [9, 9]})
    write("model.json", model)
    assert "need more than the 16 bytes" in refused("run model.json", capsys)


def test_devices(capsys: pytest.CaptureFixture[str]) -> None:
    write("model.json", GATHER)
    assert "tpu" in refused("run model.json --device tpu", capsys)


def test_an_output_that_is_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    write("model.json", GATHER)
    Path("out.npy").mkdir()
    assert "is a folder" in refused("run model.json", capsys)
    Path("file").write_text("x", encoding="utf-8")
    assert "cannot be written" in refused("run model.json --output-path file", capsys)
