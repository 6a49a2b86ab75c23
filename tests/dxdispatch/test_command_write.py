"""`dmlindex dxdispatch write` and `compare`: whole folders or none, one line for what is wrong."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlindex import GatherElementsOperatorDesc
from dmlindex.cli import files
from dmlindex.cli.errors import FileError
from tests.dxdispatch.command import refused, run

DESC = GatherElementsOperatorDesc.infer((2, 3), (2, 2), axis=1)
WRITE = "write case --desc desc.json --input x.npy --indices i.npy"

FUNCTION = "write case --function gather --input x.npy --indices i.npy"


@pytest.fixture
def arrays() -> None:
    Path("desc.json").write_text(DESC.to_json(), encoding="utf-8")
    np.save("x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    np.save("i.npy", np.array([[2, 0], [1, 3]]))


def names(path: str) -> list[str]:
    return sorted(
        each.relative_to(path).as_posix() for each in Path(path).rglob("*") if each.is_file()
    )


def test_write_run_compare(arrays: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(WRITE) == 0
    assert capsys.readouterr().out == "case: 1 output of 1 model; see its README.md\n"
    assert names("case") == [
        "README.md",
        "expected/gather_elements.npy",
        "inputs/gather_elements.indices.npy",
        "inputs/gather_elements.input.npy",
        "model.json",
    ]
    assert run("compare case") == 1
    assert "1 output: 1 missing: first run the command" in capsys.readouterr().out
    assert run("run case/model.json --output-path case") == 0
    capsys.readouterr()
    assert run("compare case") == 0
    assert capsys.readouterr().out == "1 output: 1 the same, bit for bit\n"


def test_an_output_that_differs(arrays: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(WRITE) == 0
    shutil.copytree("case/expected", "case/actual")
    output = np.load("case/actual/gather_elements.npy")
    output[1, 1] = 0
    np.save("case/actual/gather_elements.npy", output)
    capsys.readouterr()
    assert run("compare case") == 1
    found, summary = capsys.readouterr().out.splitlines()
    assert found.startswith("model.json: gather_elements.npy: 1 of 4 elements differ")
    assert "output[1, 1]: expected 5.0" in found
    assert "an index past its axis: 3, for axis 1 of size 3" in found
    assert summary == "1 output: 1 differ"
    assert run("compare case --json") == 1
    (data,) = json.loads(capsys.readouterr().out)
    assert {**data, "words": ""} == {
        "model": "model.json",
        "output": "gather_elements.npy",
        "outcome": "differs",
        "words": "",
        "about": "",
    }


def test_the_conformance_pack(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("write made/pack --conformance") == 0
    told = f"{Path('made/pack')}: 350 outputs of 66 models; see its README.md\n"
    assert capsys.readouterr().out == told
    assert len(list(Path("made/pack").glob("*.json"))) == 66
    assert "run.cmd" in Path("made/pack/README.md").read_text(encoding="utf-8")


def test_random_cases(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("write drawn --random 5 --seed 4") == 0
    assert [path.name for path in sorted(Path().iterdir())] == ["drawn"]
    assert "of 5 models; see its README.md" in capsys.readouterr().out
    assert run("run drawn --output-path drawn") == 0
    capsys.readouterr()
    assert run("compare drawn") == 0
    assert run("write again --random 5 --seed 4") == 0
    drawn = {name for name in names("drawn") if not name.startswith("actual/")}
    assert drawn == set(names("again"))
    assert all(Path("drawn", n).read_bytes() == Path("again", n).read_bytes() for n in drawn)


def test_a_function_as_a_program(arrays: None, capsys: pytest.CaptureFixture[str]) -> None:
    options = "--axis -1 --mode wrap --feature-level 4_1"
    line = f"write case --function gather {options} --input x.npy --indices i.npy"
    assert run(line) == 0
    assert "of 1 model;" in capsys.readouterr().out
    found = np.load("case/expected/gather.npy").view(np.float32)[:8].reshape(2, 2, 2)
    np.testing.assert_array_equal(found, [[[2, 0], [1, 0]], [[5, 3], [4, 3]]])


def test_a_folder_that_is_empty_is_filled(arrays: None) -> None:
    Path("case").mkdir()
    assert run(WRITE) == 0
    assert "model.json" in names("case")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("write case", "--desc --function --conformance --random"),
        ("write case --conformance --desc desc.json", "not allowed with"),
        ("write case --conformance --input x.npy", "--input goes with --desc and --function"),
        ("write case --desc desc.json", "0 arrays, expected 2: InputTensor, IndicesTensor"),
        (f"{WRITE} --updates x.npy", "3 arrays, expected 2"),
        ("write case --desc desc.json --input i.npy --indices i.npy", "expected float32"),
        ("write case --desc desc.json --input none.npy --indices i.npy", "none.npy: no such file"),
        ("write case --desc x.npy --input x.npy --indices i.npy", "x.npy: not UTF-8"),
        ("write case --desc none.json --input x.npy --indices i.npy", "No such file"),
        ("write case --random 0", "--random is 0, expected 1 to 1000"),
        ("write case --random many", "--random"),
        ("write case --function gather --input x.npy", "1 shapes for gather"),
        (f"{FUNCTION} --axis 1 --mode never", "mode is"),
        (f"{FUNCTION} --axis 1", "out of range for axis 1"),
        (f"{FUNCTION} --batch-dims 1", "--batch-dims is no option of gather"),
        (f"{FUNCTION} --feature-level 9_9", "--feature-level is 9_9, expected one of 1_0"),
        (f"{WRITE} --axis 1", "it goes with --function"),
        (WRITE.replace("case", "full"), "full: a folder that is not empty"),
        (WRITE.replace("case", "x.npy"), "x.npy: not a folder"),
        (WRITE.replace("case", "x.npy/below"), f"{Path('x.npy/below')}: cannot be written"),
        ("compare none", "none: No such file"),
        ("compare empty", "empty: a folder without a model"),
        ("compare full", "writes nothing to actual"),
        ("compare text", f"{Path('text/model.json')}: not JSON"),
    ],
)
def test_what_is_refused(
    line: str, reason: str, arrays: None, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("full").mkdir()
    model: dict[str, Any] = {"resources": {}, "dispatchables": {}, "commands": []}
    Path("full/model.json").write_text(json.dumps(model), encoding="utf-8")
    Path("text").mkdir()
    Path("text/model.json").write_text("text", encoding="utf-8")
    Path("empty").mkdir()
    assert reason in refused(line, capsys)


def test_a_desc_that_is_not_valid(arrays: None, capsys: pytest.CaptureFixture[str]) -> None:
    Path("desc.json").write_text(DESC.to_json().replace('"axis": 1', '"axis": 7'), "utf-8")
    assert "axis is 7, expected" in refused(WRITE, capsys)


def test_expected_outputs_that_are_gone(arrays: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(WRITE) == 0
    shutil.rmtree("case/expected")
    capsys.readouterr()
    assert "expected/gather_elements.npy: no such file" in refused("compare case", capsys)


def test_ctrl_c_while_writing_leaves_nothing(
    arrays: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = names(".")

    def interrupted(path: Path, content: bytes) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    assert run(WRITE) == 130
    assert names(".") == before
    assert not [path for path in Path().iterdir() if path.is_dir()]


def test_a_folder_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def fill() -> None:
        with files.new_folder(tmp_path / "a") as made:
            (made / "file").write_text("half", encoding="utf-8")
            raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        fill()
    assert list(tmp_path.iterdir()) == []
