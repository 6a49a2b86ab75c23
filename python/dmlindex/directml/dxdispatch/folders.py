"""The folders of a model: files are read from and written to places inside of them only."""

from __future__ import annotations

import stat
from pathlib import Path, PurePosixPath, PureWindowsPath

from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.initial_values import MOST_BYTES


def relative(where: str, text: str) -> PurePosixPath:
    """A path of a model, with / or \\, as one inside of a folder; DxDispatchError where it leads
    out of it.

    >>> relative("targetPath", "out\\\\a.npy")
    PurePosixPath('out/a.npy')
    """
    path = PureWindowsPath(text)
    if path.anchor or ".." in path.parts or not path.name:
        raise DxDispatchError(
            f"{where} is {shown(text)}, expected a file inside of the folder: no absolute path, "
            "no drive, no .."
        )
    return PurePosixPath(path.as_posix())


class InputFolders:
    """Where sourcePath is looked up: the folders in order."""

    def __init__(self, *folders: Path) -> None:
        self._folders = folders

    def read(self, where: str, text: str) -> bytes:
        path = relative(where, text)
        for folder in self._folders:
            try:
                if (folder / path).exists():
                    return _content(where, folder, folder / path)
            except (OSError, ValueError) as error:
                raise DxDispatchError(f"{where}: cannot be read: {_reason(error)}") from None
        named = " or ".join(shown(str(folder)) for folder in self._folders) or "memory"
        raise DxDispatchError(f"{where}: no such file in {named}")

    def has(self, text: str) -> bool:
        """Whether there is such a file."""
        try:
            return any((folder / relative("the file", text)).exists() for folder in self._folders)
        except (OSError, ValueError):
            return False


def _content(where: str, folder: Path, path: Path) -> bytes:
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DxDispatchError(f"{where}: a link that leads out of {shown(str(folder))}")
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise DxDispatchError(f"{where}: not a regular file")
    if about.st_size > MOST_BYTES:
        raise DxDispatchError(
            f"{where}: {about.st_size} bytes, more than {MOST_BYTES}, the most that is run here"
        )
    return path.read_bytes()


def _reason(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) else None
    return told or str(error).splitlines()[0]
