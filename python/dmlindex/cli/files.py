"""Files for the command line: .npy files through memory maps, outputs whole or not there."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import stat
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from dmlindex.cli import streams
from dmlindex.cli.errors import FileError, printable, reason

STANDARD = Path("-")  # standard input or output
_MAGIC = np.lib.format.MAGIC_PREFIX
_NOT_ENOUGH_MEMORY = 8  # what Windows says of a memory map that is longer than the file


def file_path(text: str) -> Path:
    """The path of an argument: STANDARD for "-" alone, not for a file of that name ("./-")."""
    path = Path(text)
    return Path.cwd() / path if path == STANDARD and text != "-" else path


def read_array(path: Path) -> npt.NDArray[Any]:
    """The array in a .npy file, as a read-only memory map; what comes through a pipe (or standard
    input, for "-") is read as it comes. Nothing in the file is ever executed."""
    if path == STANDARD:
        return _from_stream("standard input", streams.require_input())
    name = printable(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISFIFO(mode):
            with path.open("rb") as stream:
                return _from_stream(name, stream)
        if not stat.S_ISREG(mode):
            raise FileError(f"{name}: not a regular file or a pipe; expected a .npy file")
        with path.open("rb") as file:
            _require_magic(name, file.read(len(_MAGIC)))
    except FileNotFoundError:
        raise FileError(f"{name}: no such file") from None
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {reason(error)}") from None
    return _parsed(name, lambda: np.lib.format.open_memmap(path, mode="r"))


class _Stream:
    """Hides from NumPy that a stream is a file: it would want to know the position in it."""

    def __init__(self, stream: IO[bytes], start: bytes = b"") -> None:
        self._stream = stream
        self._start = start
        self.write = stream.write

    def read(self, count: int = -1) -> bytes:
        start, self._start = self._start, b""
        return start + self._stream.read(count - len(start))


def _from_stream(name: str, stream: IO[bytes]) -> npt.NDArray[Any]:
    try:
        magic = stream.read(len(_MAGIC))
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {reason(error)}") from None
    _require_magic(name, magic)
    source: Any = _Stream(stream, magic)
    return _parsed(name, lambda: np.lib.format.read_array(source, allow_pickle=False))


def _require_magic(name: str, magic: bytes) -> None:
    if magic != _MAGIC:
        raise FileError(f"{name}: not a .npy file; write one with numpy.save")


def _parsed(name: str, read: Callable[[], Any]) -> npt.NDArray[Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about a strange header, by Python's parser or NumPy
            array: npt.NDArray[Any] = read()
    except Exception as error:  # a damaged header makes NumPy's parser raise nearly anything
        truncated = getattr(error, "winerror", None) == _NOT_ENOUGH_MEMORY
        if isinstance(error, OSError) and not truncated:
            raise FileError(f"{name}: cannot be read: {reason(error)}") from None
        raise FileError(
            f"{name}: a damaged or truncated .npy file, or one of Python objects: {reason(error)}"
        ) from None
    return array


def read_text(path: str, most_bytes: int) -> tuple[str, str]:
    """What messages call a file of JSON ("-" is standard input), and its text."""
    name = "standard input" if path == "-" else printable(path)
    try:
        if path == "-":
            data = streams.require_input().read(most_bytes + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(most_bytes + 1)
    except (OSError, ValueError) as error:  # ValueError: a name that no file can have
        raise FileError(f"{name}: {reason(error)}") from None
    if len(data) > most_bytes:
        raise FileError(f"{name}: more than {most_bytes >> 20} MiB, the most that is read")
    try:
        return name, data.decode("utf-8")
    except UnicodeDecodeError:
        raise FileError(f"{name}: not UTF-8 text, expected JSON") from None


def check_target(path: Path) -> None:
    """FileError if writing to path is sure to fail: better known before the work than after."""
    if path == STANDARD:
        if sys.stdout.isatty():
            raise FileError("standard output is a terminal, expected a file or a pipe")
        return
    name = printable(path)
    mode = _mode(path)
    if mode is not None and stat.S_ISDIR(mode):
        raise FileError(f"{name}: is a folder; give the name of a file to write")
    if mode is not None and stat.S_ISFIFO(mode):
        return
    if mode is not None and not stat.S_ISREG(mode):
        raise FileError(f"{name}: not a regular file; it would not be safe to replace it")
    target = _target(path)
    if not target.parent.is_dir():
        raise FileError(f"{name}: there is no folder {printable(target.parent)}")
    probe = _new_file_beside(target)
    try:
        with _done_when_told_to_end(probe.unlink):
            try:
                probe.touch(exist_ok=False)
            finally:
                probe.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {reason(error)}") from None


def _mode(path: Path) -> int | None:
    """What kind of file there is, links followed; None where there is none."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:  # a link to itself, a name that is too long
        raise FileError(f"{printable(path)}: cannot be written: {reason(error)}") from None


def _target(path: Path) -> Path:
    """What a link points to."""
    return Path(os.path.realpath(path))


def _new_file_beside(target: Path) -> Path:
    """A name of its own, and a short one: the target's may be as long as names can be."""
    return target.with_name(f".dmlindex.{secrets.token_hex(8)}.tmp")


def save_array(path: Path, array: npt.NDArray[Any]) -> None:
    """The array as a .npy file, or through a pipe (or standard output, for "-")."""
    with writing(path) as file:
        hidden: Any = _Stream(file)
        np.save(hidden, array, allow_pickle=False)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to: standard output for "-", a pipe, or else `replacing(path)`."""
    check_target(path)
    mode = None if path == STANDARD else _mode(path)
    if path != STANDARD and (mode is None or not stat.S_ISFIFO(mode)):
        with replacing(path) as file:
            yield file
        return
    name = "standard output" if path == STANDARD else printable(path)
    try:
        if path == STANDARD:
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        else:
            with path.open("wb") as file:
                yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        if path == STANDARD:
            streams.discard(sys.stdout)
        raise FileError(f"{name}: cannot be written: {reason(error)}") from None


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A new file that takes path's place when the block ends well, and else disappears.

    So whoever reads path sees the old content or the new one, never a part, even if the block is
    interrupted or the process told to end. Until then it lies in the same folder. A link is
    followed, and an existing file's permissions stay.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "greeting.txt"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"hello")
    >>> path.read_bytes()
    b'hello'
    """
    check_target(path)
    target = _target(path)
    temporary = _new_file_beside(target)
    try:
        with _done_when_told_to_end(temporary.unlink):
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
        raise FileError(f"{printable(path)}: cannot be written: {reason(error)}") from error


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill, which gets path's name when the block ends well, and else disappears.

    path must not exist, or be an empty folder.
    """
    name = printable(path)
    target = _target(path)
    temporary = _new_file_beside(target)

    def remove() -> None:
        shutil.rmtree(temporary, ignore_errors=True)

    try:
        if target.is_dir() and any(target.iterdir()):
            raise FileError(f"{name}: a folder that is not empty; give the name of a new one")
        if target.exists() and not target.is_dir():
            raise FileError(f"{name}: not a folder; give the name of a new one")
        target.parent.mkdir(parents=True, exist_ok=True)
        with _done_when_told_to_end(remove):
            try:
                temporary.mkdir()
                yield temporary
                if target.exists():
                    target.rmdir()
                temporary.rename(target)
            except BaseException:  # Ctrl-C too
                remove()
                raise
    except OSError as error:
        raise FileError(f"{name}: cannot be written: {reason(error)}") from error


@contextlib.contextmanager
def _done_when_told_to_end(action: Callable[..., object]) -> Iterator[None]:
    """SIGTERM and SIGHUP do something first, and then end the process as they do without this."""

    def act(number: int, _: object) -> None:
        with contextlib.suppress(OSError):
            action()
        signal.signal(number, signal.SIG_DFL)
        signal.raise_signal(number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ours = []
    if threading.current_thread() is threading.main_thread():  # only there may handlers be set
        ours = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, act)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
