"""The command line where its files are strange: pipes, closed or full streams, names at the limit,
links to themselves, absurd headers, and a process that is told to end."""

from __future__ import annotations

import io
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex.cli import main
from tests.project.shells import listed, npy, refused, shell

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
RUN = "run gather x.npy i.npy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", TABLE)
    np.save("i.npy", [2, 0])
    return tmp_path


@pytest.mark.parametrize(
    "line",
    [
        "dml run gather - i.npy -o out.npy < x.npy",
        "cat x.npy | dml run gather - i.npy -o - > out.npy",
        "dml run gather x.npy - -o - < i.npy | cat > out.npy",
        "dml run gather <(cat x.npy) <(cat i.npy) -o out.npy",
        "dml run gather x.npy i.npy -o >(cat > out.npy); until [ -s out.npy ]; do sleep 0.1; done",
        "dml run gather x.npy i.npy -o - | dml run gather - i.npy -o - --mode wrap > out.npy;"
        "dml run gather x.npy i.npy -o out.npy",
    ],
)
def test_pipes(line: str) -> None:
    process = shell(line)
    assert (process.returncode, process.stderr) == (0, b"")
    np.testing.assert_array_equal(np.load("out.npy"), TABLE[[2, 0]], strict=True)


@pytest.mark.parametrize(
    "array",
    [
        np.float32(3),
        np.zeros((0, 3)),
        np.asfortranarray(TABLE),
        np.zeros(3, "S5"),
        np.arange(1 << 18),
    ],
)
def test_any_array_comes_through_a_pipe(array: Any) -> None:
    whole = np.atleast_1d(array)
    np.save("i.npy", np.arange(len(whole)))
    process = shell("cat | dml run gather - i.npy -o - | cat", npy(whole))
    assert process.stderr == b""
    np.testing.assert_array_equal(np.load(io.BytesIO(process.stdout)), whole, strict=True)


def test_a_named_pipe_each_way() -> None:
    os.mkfifo("in")
    os.mkfifo("out")
    received: list[bytes] = []
    ends = [
        threading.Thread(target=lambda: Path("in").write_bytes(npy(TABLE))),
        threading.Thread(target=lambda: received.append(Path("out").read_bytes())),
    ]
    for end in ends:
        end.start()
    assert main(["run", "gather", "in", "i.npy", "-o", "out"]) == 0
    for end in ends:
        end.join()
    np.testing.assert_array_equal(np.load(io.BytesIO(received[0])), TABLE[[2, 0]])
    assert listed() == ["i.npy", "in", "out", "x.npy"]


def test_a_file_whose_name_is_a_dash() -> None:
    assert shell("dml run gather x.npy i.npy -o ./-").returncode == 0
    np.testing.assert_array_equal(np.load("./-"), TABLE[[2, 0]])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("dml run gather - - -o out.npy < x.npy", "only one of the arrays"),
        ("dml run gather - i.npy -o out.npy <&-", "standard input is closed"),
        ("dml explain - <&-", "standard input is closed"),
        ("dml run gather - i.npy -o out.npy < /dev/null", "standard input: not a .npy file"),
        ("head -c 150 x.npy | dml run gather - i.npy -o out.npy", "damaged or truncated"),
        (f"dml {RUN} -o out.npy >&-", "standard output is closed"),
        (f"dml {RUN} -o - >&-", "standard output is closed"),
        ("dml devices >&-", "standard output is closed"),
        ("dml --help >&-", "standard output is closed"),
        ("dml devices > /dev/full", "standard output: cannot be written: No space left"),
        ("dml devices --json > /dev/full", "standard output: cannot be written: No space left"),
        ("dml --help > /dev/full", "standard output: cannot be written: No space left"),
        ("dml --version > /dev/full", "standard output: cannot be written: No space left"),
        (f"dml {RUN} -o - > /dev/full", "standard output: cannot be written: No space left"),
        (f"dml {RUN} -o /dev/full", "/dev/full: not a regular file"),
        ("dml explain /dev/zero", "more than 16 MiB"),
        ("dml demo --out -", "give --out the name of a file"),
        (f"dml {RUN} -o loop", "loop: cannot be written: Too many levels of symbolic links"),
        ("dml run gather loop i.npy -o out.npy", "loop: cannot be read: Too many levels"),
        ("dml demo --out loop", "loop: cannot be written: Too many levels of symbolic links"),
        ("dml explain loop", "loop: Too many levels of symbolic links"),
        (f"dml {RUN} -o loop/out.npy", "Too many levels of symbolic links"),
    ],
)
def test_streams_that_do_not_serve(line: str, told: str) -> None:
    Path("loop").symlink_to("loop")
    assert told in refused(line)


def test_an_output_to_a_full_standard_output_and_a_full_standard_error() -> None:
    assert shell("dml devices > /dev/full 2> /dev/full").returncode == 2
    assert shell("dml fly 2> /dev/full").returncode == 2
    assert shell("dml run gather none i.npy -o o.npy 2>&-").returncode == 2


def test_files_are_whole_where_standard_error_is_closed() -> None:
    """Else the first file opened would be standard error, and a library's words land in it."""
    process = shell(f"dml {RUN} -o out.npy <&- 2>&-")
    assert process.returncode == 0
    assert Path("out.npy").read_bytes() == npy(TABLE[[2, 0]])


@pytest.mark.parametrize("length", [227, 241, 242, 243, 254, 255])
def test_names_as_long_as_names_can_be(length: int) -> None:
    name = "o" * (length - 4) + ".npy"
    assert main([*RUN.split(), "-o", name]) == 0
    np.testing.assert_array_equal(np.load(name), TABLE[[2, 0]])


@pytest.mark.parametrize(
    "line",
    [
        f"dml {RUN} -o {{long}}",
        "dml run gather {long} i.npy -o out.npy",
        "dml explain {long}",
        "dml demo --out {long}",
        "dml demo --out {deep}",
        f"dml {RUN} -o {{deep}}",
        f"dml {RUN} -o {{long}}/out.npy",
        "dml run gather {deep} i.npy -o out.npy",
    ],
)
def test_names_that_are_too_long(line: str) -> None:
    before = listed()
    process = shell(line.format(long="o" * 256, deep="d/" * 3000 + "o"))
    assert process.returncode == 2
    assert b"File name too long" in process.stderr
    assert process.stderr.count(b"\n") == 1
    assert listed() == before


def test_a_name_with_control_characters_stays_in_its_line() -> None:
    assert r"a\nb\x1b[1m: no such file" in refused(r"dml run gather $'a\nb\e[1m' i.npy -o out.npy")
    assert r"\n" in refused(r"dml run gather x.npy i.npy -o out.npy --axis $'1\n2'")
    process = shell(r"dml run gather x.npy i.npy -o $'a\nb\xff'")
    assert process.returncode == 0
    assert process.stdout.count(b"\n") == 1


def told_to_end(number: int) -> subprocess.Popen[str]:
    """The command line while its file grows, then told to end."""
    np.save("x.npy", np.zeros((1 << 16, 128)))
    np.save("i.npy", np.arange(1 << 16))
    process = subprocess.Popen(
        [sys.executable, "-m", "dmlindex", *RUN.split(), "-o", "out.npy"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not list(Path.cwd().glob(".dmlindex.*.tmp")):
        time.sleep(0.0005)
    process.send_signal(number)
    return process


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_told_to_end_it_takes_its_file_along(number: int) -> None:
    process = told_to_end(number)
    _, error = process.communicate()
    assert (process.returncode, error) in ((-number, ""), (0, ""))
    assert listed() in (["i.npy", "x.npy"], ["i.npy", "out.npy", "x.npy"])
    if process.returncode == 0:  # it was quicker than the signal
        assert np.load("out.npy").shape == (1 << 16, 128)


def test_told_to_end_while_writing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Surely in the middle: the process signals itself there."""
    code = (
        "import os, signal, sys, numpy as np\n"
        "from dmlindex.cli import main\n"
        "def half(file, array, **_):\n"
        "    file.write(array.tobytes()[:5])\n"
        "    print(*[n for n in os.listdir() if n.endswith('.tmp')], file=sys.stderr, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "np.save = half\n"
        "main(['run', 'gather', 'x.npy', 'i.npy', '-o', 'out.npy'])\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert process.returncode == -signal.SIGTERM
    assert process.stderr.startswith(".dmlindex.")  # it was there
    assert listed() == ["i.npy", "x.npy"]


def test_signals_are_as_before_afterwards() -> None:
    before = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)]
    assert main([*RUN.split(), "-o", "out.npy"]) == 0
    assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)] == before


def test_a_full_disk_says_so() -> None:
    np.save("x.npy", np.zeros(100_000))
    np.save("i.npy", np.arange(100_000))
    process = subprocess.run(
        [sys.executable, "-m", "dmlindex", *RUN.split(), "-o", "out.npy"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    assert process.returncode == 2
    assert process.stderr == "dmlindex: error: out.npy: cannot be written: File too large\n"
    assert listed() == ["i.npy", "x.npy"]


def test_devices_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["devices", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [vars(info) for info in dmlindex.devices()]


@pytest.mark.parametrize("command", ["devices", "run gather x.npy i.npy -o out.npy"])
@pytest.mark.parametrize(
    ("name", "value"), [("DMLINDEX_CPU", "avx9"), ("DMLINDEX_NUM_THREADS", "zero")]
)
def test_a_wrong_environment_variable_is_one_line(command: str, name: str, value: str) -> None:
    told = refused(f"dml {command}", **{name: value})
    assert name in told
    assert value in told
