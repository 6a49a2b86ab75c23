"""The yardstick: a non-temporal memcpy, compiled on the spot: dmlindex need not offer one."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.call import Array, Idiom

NAME = "memcpy"
_LINE = 64


class StreamCopy:
    """Raises OSError when there is no C compiler."""

    def __init__(self) -> None:
        source = Path(__file__).with_name("stream_copy.c")
        with TemporaryDirectory() as folder:
            library = Path(folder, "stream_copy.so")
            compiler = os.environ.get("CC", "cc")
            command = [compiler, "-O2", "-shared", "-fPIC", str(source), "-o", str(library)]
            try:
                subprocess.run(command, check=True, capture_output=True, text=True)
            except subprocess.CalledProcessError as error:
                raise OSError(f"{' '.join(command)} failed: {error.stderr}") from error
            self._copy: Any = ctypes.CDLL(str(library)).stream_copy
        self._copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self._copy.restype = None

    def idiom(self, bytes_: int) -> Idiom:
        source, target = _aligned(bytes_), _aligned(bytes_)
        source[...] = 1
        target[...] = 0  # touched, as every page of a real buffer is
        names = {
            "stream_copy": self._copy,
            "source": source.ctypes.data,
            "target": target.ctypes.data,
            "bytes": bytes_,
            "kept": (source, target),
        }
        return Idiom(NAME, "stream_copy(target, source, bytes)", names, into_out=True, raises=False)


def _aligned(bytes_: int) -> Array:
    room = np.empty(bytes_ + _LINE, np.uint8)
    start = -room.ctypes.data % _LINE
    return room[start : start + bytes_]
