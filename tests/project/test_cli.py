"""The command line: what it does, and that bad input is one line on stderr and exit code 2."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference
from dmlindex.cli.errors import FileError
from dmlindex.cli.files import read_array
from tests.project.command_line import TABLE, Array, refused, run, save

pytestmark = pytest.mark.usefixtures("folder")


CASES: dict[str, tuple[dict[str, npt.ArrayLike], dict[str, Any]]] = {
    "gather x.npy i.npy": ({"x": TABLE, "i": [2, -1]}, {}),
    "gather x.npy i.npy --axis -1 --mode wrap": (
        {"x": TABLE, "i": 7},
        {"axis": -1, "mode": "wrap"},
    ),
    "gather x.npy i.npy --mode fill --fill-value=-inf": (
        {"x": TABLE, "i": [0, 9]},
        {"mode": "fill", "fill_value": -np.inf},
    ),
    "gather x.npy i.npy --mode fill --fill-value 9007199254740993": (
        {"x": np.arange(3), "i": [9]},
        {"mode": "fill", "fill_value": 2**53 + 1},
    ),
    "gather x.npy i.npy --mode fill --fill-value 1+2j": (
        {"x": np.zeros(3, complex), "i": [9]},
        {"mode": "fill", "fill_value": 1 + 2j},
    ),
    "gather_elements x.npy i.npy --axis 1": ({"x": TABLE, "i": [[0], [1], [2], [-1]]}, {"axis": 1}),
    "gather_nd x.npy i.npy --batch-dims 1": (
        {"x": TABLE, "i": [[0], [1], [2], [0]]},
        {"batch_dims": 1},
    ),
    "gather_nd x.npy i.npy --mode clamp": ({"x": TABLE, "i": [[9, 9]]}, {"mode": "clamp"}),
    "scatter_elements x.npy i.npy u.npy --axis 1 --reduction add": (
        {"x": TABLE, "i": [[0, 0]], "u": np.ones((1, 2), np.float32)},
        {"axis": 1, "reduction": "add"},
    ),
    "scatter_nd x.npy i.npy u.npy --mode drop --unique-indices": (
        {"x": TABLE, "i": [[1], [8]], "u": np.ones((2, 3), np.float32)},
        {"mode": "drop", "unique_indices": True},
    ),
}


@pytest.mark.parametrize("line", CASES)
def test_run_writes_what_the_reference_says(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    arrays, options = CASES[line]
    save(**arrays)
    assert run(f"run {line} -o out.npy") == 0
    written = np.load("out.npy")
    expected = getattr(reference, line.split()[0])(*arrays.values(), **options)
    np.testing.assert_array_equal(written, expected, strict=True)
    assert capsys.readouterr().out == f"out.npy: {expected.dtype} {expected.shape}\n"


@pytest.mark.parametrize("array", [np.float32(3), np.zeros((0, 3)), np.asfortranarray(TABLE)])
def test_any_array_that_npy_holds_is_read(array: Array) -> None:
    save(x=array)
    np.testing.assert_array_equal(read_array(Path("x.npy")), array)


def test_the_input_is_mapped_not_loaded() -> None:
    save(x=TABLE)
    array = read_array(Path("x.npy"))
    assert isinstance(array, np.memmap)
    assert not array.flags.writeable


def test_the_output_may_be_the_input() -> None:
    save(x=TABLE, i=[1])
    assert run("run gather x.npy i.npy -o x.npy") == 0
    np.testing.assert_array_equal(np.load("x.npy"), TABLE[[1]])


def test_the_output_follows_a_link_and_keeps_permissions(folder: Path) -> None:
    save(x=TABLE, i=[1], real=[0])
    Path("real.npy").chmod(0o640)
    Path("link.npy").symlink_to("real.npy")
    assert run("run gather x.npy i.npy -o link.npy") == 0
    assert Path("link.npy").is_symlink()
    assert Path("real.npy").stat().st_mode & 0o777 == 0o640
    np.testing.assert_array_equal(np.load("real.npy"), TABLE[[1]])


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    save(i=[0])
    message = refused("run gather x.npy i.npy -o out.npy", capsys)
    assert message == "dmlindex: error: x.npy: no such file\n"


@pytest.mark.parametrize("content", [b"", b"\x93NUMP", b"hello", b"PK\x03\x04"])
def test_file_of_another_kind(content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    save(i=[0])
    Path("x.npy").write_bytes(content)
    message = refused("run gather x.npy i.npy -o out.npy", capsys)
    assert "x.npy: not a .npy file" in message


@pytest.mark.parametrize("kept", [6, 9, 40, 127, 128, 130, -1])
def test_truncated_file(kept: int, capsys: pytest.CaptureFixture[str]) -> None:
    save(x=TABLE, i=[0])
    Path("x.npy").write_bytes(Path("x.npy").read_bytes()[:kept])
    assert "x.npy: a damaged or truncated" in refused("run gather x.npy i.npy -o out.npy", capsys)


class Bomb:
    """Its pickle, once loaded, writes a file."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Path("exploded").write_text, ("boom",))


def test_objects_are_refused_and_never_unpickled(capsys: pytest.CaptureFixture[str]) -> None:
    save(i=[0])
    np.save("x.npy", np.array([Bomb()], object), allow_pickle=True)
    assert "Python objects" in refused("run gather x.npy i.npy -o out.npy", capsys)
    assert not Path("exploded").exists()


def test_a_folder_or_a_device_as_input(capsys: pytest.CaptureFixture[str]) -> None:
    save(i=[0])
    Path("folder").mkdir()
    for name in ("folder", "/dev/zero", "/dev/null"):
        message = refused(f"run gather {name} i.npy -o out.npy", capsys)
        assert f"{name}: not a regular file" in message


@given(st.lists(st.tuples(st.integers(0, 127), st.integers(0, 255)), min_size=1, max_size=8))
def test_a_damaged_header_is_an_array_or_a_file_error(damage: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "x.npy")
        np.save(path, TABLE)
        content = bytearray(path.read_bytes())
        for offset, value in damage:
            content[offset] = value
        path.write_bytes(content)
        reason = ""
        try:
            read_array(path).tobytes()
        except FileError as error:
            reason = str(error)
        assert "\n" not in reason


@pytest.mark.parametrize(
    "shape", ["(4611686018427387904, 4611686018427387904)", "(-1,)", "(99999,)", "(2.5,)", "'ab'"]
)
def test_a_header_that_lies_about_the_shape(shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header = header.ljust(117) + b"\n"
    Path("x.npy").write_bytes(b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header)
    save(i=[0])
    refused("run gather x.npy i.npy -o out.npy", capsys)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("run gather x.npy i.npy -o out.npy", "out of range for axis 0"),
        ("run gather x.npy x.npy -o out.npy", "indices"),
        ("run gather x.npy i.npy -o out.npy --axis 5", "axis"),
        ("run gather x.npy i.npy -o out.npy --axis 99999999999999999999", "axis"),
        ("run gather x.npy i.npy -o out.npy --axis one", "--axis"),
        ("run gather x.npy i.npy -o out.npy --mode drop", "drop"),
        (
            "run gather x.npy i.npy -o out.npy --mode fill --fill-value much",
            "'much' is not a number",
        ),
        ("run gather x.npy i.npy -o out.npy --reduction add", "--reduction"),
        ("run gather x.npy i.npy -o out.npy --device cpu:7", "cpu:7"),
        ("run gather x.npy i.npy", "-o"),
        ("run gather x.npy -o out.npy", "indices.npy"),
        ("run gather x.npy i.npy x.npy -o out.npy", "x.npy"),
        ("run gather_nd x.npy i.npy -o out.npy --batch-dims -1", "batch_dims"),
        ("run scatter_nd x.npy i.npy x.npy -o out.npy", "updates"),
        ("run scatter_elements x.npy i.npy i.npy -o out.npy", "updates"),
        ("run scatter x.npy i.npy x.npy -o out.npy", "scatter"),
        ("fly", "fly"),
        ("", "COMMAND"),
        ("run", "OPERATOR"),
    ],
)
def test_bad_arguments(line: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    save(x=TABLE, i=[[4]])
    assert reason in refused(line, capsys)


def test_outputs_that_cannot_be(capsys: pytest.CaptureFixture[str]) -> None:
    save(x=TABLE, i=[0])
    Path("folder").mkdir()
    for out, reason in {
        "folder": "is a folder",
        "nowhere/out.npy": "there is no folder",
        "x.npy/out.npy": "there is no folder",
        "/dev/null": "not a regular file",
    }.items():
        assert reason in refused(f"run gather x.npy i.npy -o {out}", capsys)
        assert reason in refused(f"demo --out {out}", capsys)


def test_devices_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("devices") == 0
    lines = capsys.readouterr().out.splitlines()
    infos = dmlindex.devices()
    assert len(lines) == len(infos)
    for line, info in zip(lines, infos, strict=True):
        assert line.split()[:2] == [info.name, "available" if info.available else "missing"]
        assert (info.description if info.available else info.reason) in line


def test_a_reader_that_goes_away_is_no_error() -> None:
    process = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m dmlindex devices | true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")


def test_the_entry_point_and_the_module_are_the_same() -> None:
    script = Path(sys.executable).with_name("dmlindex")
    for words in ([str(script)], [sys.executable, "-m", "dmlindex"]):
        process = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True)
        assert process.stdout == f"dmlindex {dmlindex.__version__}\n"
