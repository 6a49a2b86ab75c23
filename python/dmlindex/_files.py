"""Files for the command line: .npy files through memory maps, outputs whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt


class FileError(ValueError):
    """A file that cannot be read or written; the message names it and says why, in one line."""


def read_array(path: Path) -> npt.NDArray[Any]:
    """The array in a .npy file, as a read-only memory map. Nothing in the file is ever executed."""
    if not path.exists():
        raise FileError(f"{path}: no such file")
    if not path.is_file():  # a pipe, say, would be waited for without end
        raise FileError(f"{path}: not a regular file; expected a .npy file")
    try:
        with path.open("rb") as file:
            magic = file.read(len(np.lib.format.MAGIC_PREFIX))
        if magic != np.lib.format.MAGIC_PREFIX:
            raise FileError(f"{path}: not a .npy file; write one with numpy.save")
        return np.lib.format.open_memmap(path, mode="r")
    except FileError:
        raise
    except OSError as error:
        raise FileError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:  # a damaged header makes NumPy's parser raise nearly anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FileError(
            f"{path}: a damaged or truncated .npy file, or one of Python objects: {reason}"
        ) from None


def check_target(path: Path) -> None:
    """FileError if replacing(path) is sure to fail: better known before the work than after."""
    if path.is_dir():
        raise FileError(f"{path}: is a folder; give the name of a file to write")
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: not a regular file; it would not be safe to replace it")
    folder = path.resolve().parent
    if not folder.is_dir():
        raise FileError(f"{path}: there is no folder {folder}")
    probe = _new_file_beside(path.resolve())
    try:
        try:
            probe.touch(exist_ok=False)
        finally:
            probe.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from None


def _new_file_beside(target: Path) -> Path:
    return target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes path's place when the block ends well, and else disappears.

    So whoever reads path sees the old content or the new one, never a part, even if the block is
    interrupted. Until then it lies in the same folder. A link is followed, and an existing
    file's permissions stay.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"hello")
    >>> path.read_bytes()
    b'hello'
    """
    check_target(path)
    target = path.resolve()
    temporary = _new_file_beside(target)
    try:
        try:
            with temporary.open("xb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if target.exists():
                temporary.chmod(target.stat().st_mode & 0o777)
            temporary.replace(target)
        except BaseException:  # Ctrl-C too
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(f"{path}: cannot be written: {error.strerror or error}") from error
