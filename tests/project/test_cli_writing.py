"""The command line: an output is whole or as it was, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.project.command_line import TABLE, Array, refused, run, save

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that we may not write to; root, who may write anywhere, becomes somebody else."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o555)
        monkeypatch.chdir(name)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            yield Path(name)
        finally:
            os.seteuid(user)
            Path(name).chmod(0o755)


def test_a_folder_that_is_not_writable(locked: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "cannot be written: Permission denied" in refused(
        "run gather x.npy i.npy -o out.npy", capsys
    )


def command(line: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "dmlindex", *line.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_full_disk_leaves_the_old_output(folder: Path) -> None:
    save(x=np.zeros(100_000), i=np.arange(100_000), out=[7])
    process = command(
        "run gather x.npy i.npy -o out.npy",
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    _, error = process.communicate()
    assert process.returncode == 2
    assert error.startswith("dmlindex: error: out.npy: cannot be written")
    assert error.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["i.npy", "out.npy", "x.npy"]
    assert np.load("out.npy") == [7]


def test_ctrl_c_while_writing_leaves_the_old_output(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(x=TABLE, i=[0], out=[7])

    def half(file: Any, array: Array, **_: Any) -> None:
        file.write(array.tobytes()[:5])
        raise KeyboardInterrupt

    monkeypatch.setattr(np, "save", half)
    assert run("run gather x.npy i.npy -o out.npy") == 130
    assert capsys.readouterr().err == "dmlindex: interrupted\n"
    assert sorted(path.name for path in folder.iterdir()) == ["i.npy", "out.npy", "x.npy"]
    assert np.load("out.npy") == [7]


def test_ctrl_c_in_a_real_process(folder: Path) -> None:
    """Stopped while its new file grows, then interrupted: no part of an output stays."""
    save(x=np.zeros((1 << 16, 128)), i=np.arange(1 << 16))
    process = command("run gather x.npy i.npy -o out.npy")
    growing = False
    while process.poll() is None and not growing:
        with contextlib.suppress(FileNotFoundError):  # it has just got its final name
            growing = any(path.stat().st_size for path in folder.glob(".dmlindex.*.tmp"))
    for each in (signal.SIGSTOP, signal.SIGINT, signal.SIGCONT):
        process.send_signal(each)
    _, error = process.communicate()
    assert (process.returncode, error) in ((130, "dmlindex: interrupted\n"), (0, ""))
    names = {path.name for path in folder.iterdir()} - {"x.npy", "i.npy"}
    assert names <= {"out.npy"}
    if names or process.returncode == 0:  # it was quicker than the signal
        assert np.load("out.npy").shape == (1 << 16, 128)
