"""dmlindex fuzz on the command line: exit codes, the script, the file that replays."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest

from dmlindex.testing.call import Call
from dmlindex.testing.replay import to_json
from tests.project.command_line import refused, run

pytestmark = pytest.mark.usefixtures("folder")

BROKEN = """
from dmlindex import reference

def my_gather(input, indices, axis=0, *, mode="raise"):
    answer = reference.gather(input, indices, axis, mode=mode)
    return answer[::-1] if mode == "wrap" and answer.ndim else answer
"""


@pytest.fixture
def broken(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (folder / "broken_module.py").write_text(BROKEN)
    monkeypatch.syspath_prepend(folder)
    sys.modules.pop("broken_module", None)
    return "broken_module:my_gather"


def test_no_difference(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fuzz --against numpy --examples 300") == 0
    told = capsys.readouterr().out
    assert "no difference in 300 calls" in told
    assert "rule nan-bits" in told
    assert not Path("dmlindex-fuzz.json").exists()


def test_rules_take_out_what_a_library_cannot_do(capsys: pytest.CaptureFixture[str]) -> None:
    """ONNX's reference gathers by numpy.choose, which takes so many arrays only."""
    pytest.importorskip("onnx.reference")
    gathers = "fuzz --operator gather_elements --against onnx-reference --examples 400 --seed 4"
    assert run(gathers) == 0
    assert "rule long-axes" in capsys.readouterr().out


def test_a_difference_is_shown_written_and_replayed(
    broken: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(f"fuzz --operator gather --against {broken} --examples 3000 -o found.json") == 1
    told = capsys.readouterr().out
    assert "1 difference in" in told
    assert "from broken_module import my_gather" in told
    assert "print(my_gather(input, indices" in told
    assert f"dmlindex fuzz --replay found.json --against {broken}" in told
    assert run(f"fuzz --replay found.json --against {broken}") == 1
    again = capsys.readouterr().out
    assert "wrong elements of" in again
    assert "mode='wrap'" in again
    Path("broken_module.py").write_text(BROKEN.replace("[::-1]", ""))
    sys.modules.pop("broken_module", None)
    assert run(f"fuzz --replay found.json --against {broken}") == 0
    assert "the same on both sides" in capsys.readouterr().out


def test_a_file_alone_calls_no_function_of_its_choice(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "evil_module.py").write_text("open('was_here', 'w')\ndef f(*a): return 0\n")
    monkeypatch.syspath_prepend(folder)
    call = Call("gather", ("text",))
    Path("found.json").write_text(to_json(call, against="evil_module:f"))
    for command in ("fuzz --replay found.json", "fuzz --replay found.json --against numpy"):
        told = refused(command, capsys)
        assert "calls evil_module:f, which may do anything" in told
    assert not Path("was_here").exists()


def test_mistakes_by_name(broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = f"fuzz --operator gather --against {broken} --examples 60 --keep-going --mistakes "
    run(command + "index_out_of_range")
    assert "mistake: index out of range" in capsys.readouterr().out
    run(command + "none")
    assert "mistake:" not in capsys.readouterr().out
    assert "mistakes has 'typo', expected any of" in refused(command + "typo", capsys)


def test_a_crash_in_a_worker_is_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    modules = folder / "modules"
    modules.mkdir()
    (modules / "crashing.py").write_text("import os\ndef f(*a, **k): os._exit(9)\n")
    monkeypatch.setenv("PYTHONPATH", str(modules), prepend=os.pathsep)
    monkeypatch.syspath_prepend(modules)
    told = refused("fuzz --operator gather --against crashing:f --workers 2 --examples 9", capsys)
    assert "a worker ended in the middle of a call" in told


@pytest.mark.usefixtures("d3d12")
def test_a_call_on_a_device_is_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    call = Call("gather", (np.arange(3), np.array([2])), {"device": "d3d12"})
    Path("found.json").write_text(to_json(call, against="numpy", device="d3d12"))
    assert run("fuzz --replay found.json") == 0
    assert "the same on both sides" in capsys.readouterr().out


def test_the_environment_stays_as_it_is() -> None:
    before = dict(os.environ)
    assert run("fuzz --examples 9") == 0
    assert os.environ == before


def test_workers_share_the_work(broken: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("fuzz --against numpy --examples 200 --workers 2 --operator scatter_nd") == 0
    assert "no difference in 200 calls" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("fuzz --against cupy", "against is 'cupy', expected one of reference, numpy, torch"),
        ("fuzz --against os:nothing --operator gather", "no MODULE:FUNCTION"),
        ("fuzz --against numpy:take", "needs --operator"),
        ("fuzz --examples 0", "not between 0 and"),
        ("fuzz --seconds x", "invalid number value"),
        ("fuzz --seed -1", "expected 0 or more"),
        ("fuzz --device abacus", "abacus"),
        ("fuzz --replay missing.json", "cannot be read: No such file"),
        ("fuzz --replay i.npy", "i.npy"),
        ("fuzz --replay wrong.json", "not a call"),
    ],
)
def test_refusals(line: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    np.save("i.npy", [0])
    Path("wrong.json").write_text("[]")
    assert reason in refused(line, capsys)
