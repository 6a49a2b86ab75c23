"""Fuzzes the readers of files, which are Python: atheris is libFuzzer, guided by the bytecode.

usage: readers.py TARGET [libFuzzer's arguments]
desc_json: descriptors in JSON, and what C++ says of them. model_json: DxDispatch's models.
npy: .npy files, by both of their readers.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import atheris  # type: ignore[import-untyped]

with atheris.instrument_imports(include=["dmlindex", "numpy.lib"]):
    from dmlindex.cli import files
    from dmlindex.cli.errors import FileError
    from dmlindex.directml.desc_json import desc_from_json, desc_to_json
    from dmlindex.directml.dxdispatch import npy
    from dmlindex.directml.dxdispatch.errors import DxDispatchError
    from dmlindex.directml.dxdispatch.parse import parse_model
    from dmlindex.directml.values import DataType

_MOST_BYTES = 1 << 20  # of an array that is compared


def _text(data: bytes) -> str | None:
    """What the command line makes of a file of JSON."""
    with contextlib.suppress(UnicodeDecodeError):
        return data.decode("utf-8")
    return None


def _one_line(error: Exception) -> None:
    text = str(error)
    assert text, "an error that says nothing"
    assert "\n" not in text, "an error of many lines"
    assert len(text) < 2000, "an error of many characters"


def desc_json(data: bytes) -> None:
    """A descriptor or one clear line; its JSON reads back as it."""
    if (text := _text(data)) is None:
        return
    try:
        desc = desc_from_json(text)
    except ValueError as error:
        _one_line(error)
        return
    for violation in desc.violations():
        assert violation.rule
    assert desc_from_json(desc_to_json(desc)) == desc, "JSON does not come back"


def _no_file(name: str, path: str) -> bytes:
    raise DxDispatchError(f"{name}: no such file")


def model_json(data: bytes) -> None:
    """A model or one clear line."""
    if (text := _text(data)) is None:
        return
    try:
        parse_model(text, _no_file)
    except DxDispatchError as error:
        _one_line(error)


_FILE = os.memfd_create("fuzzed.npy")


def both_npy(data: bytes) -> None:
    """An array or one clear line; where both readers take the file, the bytes are the same."""
    os.ftruncate(_FILE, 0)
    os.pwrite(_FILE, data, 0)
    ours = theirs = None
    try:
        ours = files.read_array(Path(f"/proc/self/fd/{_FILE}"))
    except FileError as error:
        _one_line(error)
    try:
        theirs = npy.read("x.npy", data)
    except DxDispatchError as error:
        _one_line(error)
    if ours is None:
        return
    assert not ours.dtype.hasobject, "an array of Python objects"
    if ours.nbytes > _MOST_BYTES:
        return
    elements = ours.tobytes()  # reads all of them
    if theirs is not None and theirs[1] is not DataType.UNKNOWN and ours.dtype.str[0] != ">":
        assert theirs[0].startswith(elements), "two readers, two answers"
        assert theirs[1].dtype.itemsize == ours.dtype.itemsize, "two readers, two types"


TARGETS: dict[str, Callable[[bytes], None]] = {
    "desc_json": desc_json,
    "model_json": model_json,
    "npy": both_npy,
}

if __name__ == "__main__":
    target, *arguments = sys.argv[1:]
    itself = shlex.join([sys.executable, __file__, target])  # what a merge starts again
    atheris.Setup([itself, *arguments], TARGETS[target])
    atheris.Fuzz()
