"""The command line given absurd headers and descriptors."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dmlindex.cli import main
from tests.project.shells import listed, refused

TABLE = np.arange(12, dtype=np.float32).reshape(4, 3)
RUN = "run gather x.npy i.npy"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    np.save("x.npy", TABLE)
    np.save("i.npy", [2, 0])
    return tmp_path


HEADERS: dict[str, bytes] = {
    "long": b"{" + b" " * 20_000 + b"}",
    "deep": b"(" * 5000 + b")" * 5000,
    "many digits": b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"9" * 6000 + b",)}",
    "negations": b"-" * 9000 + b"1",
    "an escape": rb"{'descr': '\d', 'fortran_order': False, 'shape': (1,)}",
    "a call": b"{'descr': '<f4', 'fortran_order': False, 'shape': (exit(),)}",
    "of Python 2": b"{'descr': '<f4', 'fortran_order': False, 'shape': (4000000L,)}",
    "huge elements": b"{'descr': 'V2147483647', 'fortran_order': False, 'shape': (2147483647,)}",
    "too huge elements": b"{'descr': 'V99999999999', 'fortran_order': False, 'shape': (1,)}",
    "many dims": b"{'descr': '<f4', 'fortran_order': False, 'shape': (" + b"1," * 100 + b")}",
    "no shape": b"{'descr': '<f4', 'fortran_order': False, 'shape': None}",
    "nulls": b"\0" * 60,
    "not text": b"\xff\xfe" * 30,
    "a lone quote": b"{'descr",
    "deep dtype": b"{'descr': " + b"[('a'," * 300 + b"'<f4'" + b")]" * 300 + b"}",
}


@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("version", [1, 2, 3, 77])
@pytest.mark.parametrize("piped", [False, True])
def test_absurd_headers(header: str, version: int, piped: bool, capfd: Any) -> None:
    text = HEADERS[header]
    size = len(text).to_bytes(2 if version == 1 else 4, "little")
    Path("x.npy").write_bytes(b"\x93NUMPY" + bytes([version, 0]) + size + text + bytes(64))
    if piped:
        os.mkfifo("pipe")
        data = Path("x.npy").read_bytes()
        threading.Thread(target=lambda: Path("pipe").write_bytes(data), daemon=True).start()
    before = listed()
    assert main(["run", "gather", "pipe" if piped else "x.npy", "i.npy", "-o", "out.npy"]) == 2
    told = capfd.readouterr()
    assert told.out == ""
    assert told.err.startswith("dmlindex: error: ")
    assert told.err.count("\n") == 1
    assert len(told.err) < 400
    assert listed() == before


@pytest.mark.parametrize("content", [b"[" * 100_000, b"9" * 10_000, b'{"operator": "\\ud800"}'])
def test_absurd_descriptors(content: bytes) -> None:
    Path("desc.json").write_bytes(content)
    refused("dml explain desc.json")
