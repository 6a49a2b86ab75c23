"""Environment variables with a value that means nothing: one clear line, and no import."""

from __future__ import annotations

import sys
from pathlib import PurePath
from typing import NoReturn

_USER_ERROR = 2  # what our command line exits with for what its user got wrong


def refuse(message: str) -> NoReturn:
    """A ValueError; from our own command line that line alone, and the exit code.

    No ImportError: programs take that for a package that is not there, and go on without.
    """
    if _is_command_line():
        if sys.stderr is not None:  # it may be closed
            sys.stderr.write(f"dmlindex: error: {message}\n")
        raise SystemExit(_USER_ERROR)
    raise ValueError(message)


def _is_command_line() -> bool:
    """Whether `python -m dmlindex` or the program dmlindex imports the package, which it does
    before its first own line."""
    program, *arguments = sys.argv or [""]
    if program != "-m":  # what stands there while Python looks for the module
        return PurePath(program).stem == "dmlindex"
    before = sys.orig_argv[: len(sys.orig_argv) - len(arguments)]
    return before[-1] in ("dmlindex", "-mdmlindex")
