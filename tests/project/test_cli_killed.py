"""`dmlindex run` killed at any moment, and a disk that fails at any step: the output is the old
file or the new one, whole."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.children import EFFORT
from tests.project.command_line import TABLE, refused, run, save

pytestmark = pytest.mark.usefixtures("folder")

LINE = "run gather x.npy i.npy -o out.npy"
OLD = [7]
# Kills itself at the n-th step that touches a file from when there is a temporary one: those that
# Python audits, and each write.
KILLED = """
import os, signal, sys
from dmlindex.cli import main

left, begun = int(sys.argv[1]), False

def step():
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def audit(event, arguments):
    global begun
    begun = begun or (event == "open" and ".dmlindex." in str(arguments[0]))
    if begun and event.startswith(("open", "os.")) and event != "os.kill":
        step()

class Steps:
    def __init__(self, stream):
        self._stream = stream

    def write(self, piece):
        for half in piece[: len(piece) // 2], piece[len(piece) // 2 :]:
            self._stream.write(half)
            self._stream.flush()
            step()

from dmlindex.cli import files
plain = files._Stream
files._Stream = lambda stream, *start: plain(Steps(stream) if stream.writable() else stream, *start)
sys.addaudithook(audit)
sys.exit(main(sys.argv[2:]))
"""


def is_new(array: Any) -> bool:
    return bool(np.array_equal(array, TABLE[[2, 0]]))


def test_killed_at_every_step_of_writing() -> None:
    save(x=TABLE, i=[2, 0])
    outcomes = []
    for step in range(100):
        save(out=OLD)
        command = [sys.executable, "-c", KILLED, str(step), *LINE.split()]
        code = subprocess.run(command, capture_output=True, check=False).returncode
        found = np.load("out.npy")
        assert is_new(found) or found.tolist() == OLD
        outcomes.append(is_new(found))
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert code == 0
    assert len(outcomes) > 6
    assert outcomes == sorted(outcomes)  # once it is the new one, it stays
    assert outcomes[0] is False


def test_killed_at_some_moment() -> None:
    """By the clock, from its start to past its end."""
    save(x=np.arange(1 << 18), i=np.arange(1 << 18))
    command = [sys.executable, "-m", "dmlindex", *LINE.split()]
    begin = time.monotonic()
    subprocess.run(command, capture_output=True, check=True)
    takes = time.monotonic() - begin
    for moment in np.linspace(0.3, 1.1, 4 * EFFORT):
        save(out=OLD)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(moment * takes)
        process.kill()
        process.communicate()
        found = np.load("out.npy")
        assert found.tolist() == OLD or np.array_equal(found, np.arange(1 << 18))


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fails(*_: Any, **__: Any) -> None:
    raise FULL


class FailsToClose:
    """A file whose last bytes the disk does not take."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        raise FULL


def fail_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: Callable[..., Any] = Path.open

    def opened(path: Path, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        file = plain(path, mode, *arguments, **options)
        return FailsToClose(file) if "x" in mode else file

    monkeypatch.setattr(Path, "open", opened)


STEPS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "the first file": lambda patch: patch.setattr(Path, "touch", fails),
    "what is written": lambda patch: patch.setattr(np, "save", fails),
    "what is flushed": lambda patch: patch.setattr(os, "fsync", fails),
    "what is closed": fail_to_close,
    "permissions": lambda patch: patch.setattr(Path, "chmod", fails),
    "the name": lambda patch: patch.setattr(Path, "replace", fails),
}


@pytest.mark.parametrize("step", STEPS)
def test_a_disk_that_is_full_at_any_step(
    step: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(x=TABLE, i=[2, 0], out=OLD)
    with monkeypatch.context() as patch:
        STEPS[step](patch)
        told = refused(LINE, capsys)
    assert told == "dmlindex: error: out.npy: cannot be written: No space left on device\n"
    assert np.load("out.npy").tolist() == OLD
    assert run(LINE) == 0
    assert is_new(np.load("out.npy"))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Path("out.npy").mkdir(), "is a folder"),
        (lambda: Path("out.npy").symlink_to("."), "is a folder"),
        (lambda: Path("out.npy").symlink_to("/dev/full"), "not a regular file"),
        (lambda: Path("out.npy").symlink_to("none/out.npy"), "there is no folder"),
    ],
    ids=["a folder", "a link to a folder", "a link to a device", "a link into no folder"],
)
def test_what_cannot_be_replaced(
    make: Callable[[], None], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    save(x=TABLE, i=[2, 0])
    make()
    assert told in refused(LINE, capsys)


def test_a_link_stays_one() -> None:
    """What it points to is replaced in its own folder, permissions kept; or made there."""
    save(x=TABLE, i=[2, 0])
    Path("elsewhere").mkdir()
    Path("out.npy").symlink_to("elsewhere/file")
    for there in (False, True):
        assert Path("elsewhere/file").exists() is there
        assert run(LINE) == 0
        assert Path("out.npy").is_symlink()
        assert is_new(np.load("out.npy"))
        Path("elsewhere/file").chmod(0o640)
    assert Path("elsewhere/file").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in Path("elsewhere").iterdir()] == ["file"]
