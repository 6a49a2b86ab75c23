"""What the command line refuses: one line, and exit code 2."""

from __future__ import annotations


class CommandError(Exception):
    """Something the user can put right, in one line."""


class FileError(CommandError):
    """A file that cannot be read or written; the message names it and says why."""


def reason(error: Exception) -> str:
    """Why, in one short line: what the system says, or the first line of what Python does."""
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    lines = told.strip().splitlines() or [type(error).__name__]
    return lines[0] if len(lines[0]) <= 200 else lines[0][:199] + "…"


def printable(name: object) -> str:
    """A name as it can stand in a line of any terminal: control characters are escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(name))
