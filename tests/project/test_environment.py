"""Environment variables that mean nothing: a ValueError at import, or one line."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from dmlindex import _core

MISSING = next(isa for isa in ("neon", "avx512", "avx2", "scalar") if isa not in _core.cpu_isas())
ISAS = ", ".join(_core.cpu_isas())
BAD = [
    ("DMLINDEX_NUM_THREADS", "zero", "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_NUM_THREADS", "0", "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_NUM_THREADS", "-3", "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_NUM_THREADS", "2 threads", "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_NUM_THREADS", "9" * 30, "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_NUM_THREADS", " ", "expected a number from 1 to 1024; unset it to use all"),
    ("DMLINDEX_CPU", "avx9", f"expected one of: {ISAS}; unset it for the best of them"),
    ("DMLINDEX_CPU", "AVX2", f"expected one of: {ISAS}; unset it for the best of them"),
    (
        "DMLINDEX_CPU",
        MISSING,
        f"which this machine or build does not have; expected one of: {ISAS}; unset it for",
    ),
]


def run(variable: str, value: str, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, variable: value}
    return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize(("variable", "value", "advice"), BAD)
def test_an_import_says_what_is_wrong(variable: str, value: str, advice: str) -> None:
    code = """
import sys
for _ in range(2):  # a second try finds the same
    try:
        import dmlindex
    except ValueError as error:
        print(error)
"""
    done = run(variable, value, sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert lines[0].startswith(f'the environment variable {variable} is "{value}", ')
    assert advice in lines[0]


@pytest.mark.parametrize(("variable", "value", "advice"), BAD[::6] + BAD[-1:])
@pytest.mark.parametrize(
    "arguments", [["devices"], ["--help"], ["run", "gather", "x", "i", "-o", "y"]]
)
@pytest.mark.parametrize("way", ["-m", "attached", "isolated", "script"])
def test_the_command_line_says_it_in_one_line(
    variable: str, value: str, advice: str, arguments: list[str], way: str
) -> None:
    script = Path(sysconfig.get_path("scripts")) / "dmlindex"
    program = {
        "-m": [sys.executable, "-m", "dmlindex"],
        "attached": [sys.executable, "-mdmlindex"],
        "isolated": [sys.executable, "-X", "dev", "-P", "-m", "dmlindex"],
        "script": [str(script)],
    }[way]
    if way == "script" and not script.exists():
        pytest.skip("the program dmlindex is not installed")
    done = run(variable, value, *program, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f'dmlindex: error: the environment variable {variable} is "')
    assert advice in done.stderr


@pytest.mark.parametrize("variable", ["DMLINDEX_NUM_THREADS", "DMLINDEX_CPU"])
def test_an_empty_variable_is_none(variable: str) -> None:
    done = run(variable, "", sys.executable, "-c", "import dmlindex")
    assert (done.returncode, done.stderr) == (0, "")
