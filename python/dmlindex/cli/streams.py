"""Standard input, output and error, any of which may be closed, full or gone."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import IO, Any

from dmlindex.cli.errors import CommandError, printable, reason


def open_what_is_closed() -> None:
    """Descriptors 0 to 2 that are closed become the null device.

    Else the next file opened would be standard output, and what a library prints would land in it.
    """
    if None in (sys.stdin, sys.stdout, sys.stderr):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(descriptor, True)
        os.close(descriptor)


def require_output() -> None:
    """CommandError where standard output is closed."""
    if sys.stdout is None:
        raise CommandError(f"standard output is closed; send it to {os.devnull} if it is unwanted")


def require_input() -> IO[bytes]:
    """Standard input as bytes; CommandError where it is closed."""
    if sys.stdin is None:
        raise CommandError("standard input is closed, expected something to read there")
    return sys.stdin.buffer


def say(text: str) -> None:
    """A line on standard output."""
    encoding = sys.stdout.encoding or "utf-8"
    text = text.encode(encoding, "backslashreplace").decode(encoding)
    with _output_errors():
        print(text, flush=True)


def flush() -> None:
    """Sends out what is buffered; CommandError where that cannot be."""
    with _output_errors():
        sys.stdout.flush()


@contextlib.contextmanager
def _output_errors() -> Any:
    try:
        yield
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: it was closed under us
        discard(sys.stdout)
        raise CommandError(f"standard output: cannot be written: {reason(error)}") from None


def complain(text: str) -> None:
    """A line on standard error, if there is one."""
    if sys.stderr is None:
        return
    try:
        print(f"dmlindex: {printable(text)}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)


def end_complaints() -> None:
    """What standard error does not take is no reason to fail as Python ends."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except (OSError, ValueError):
        discard(sys.stderr)


def discard(stream: Any) -> None:
    """Whatever is still written to a stream goes nowhere, without an error as Python ends."""
    with contextlib.suppress(OSError, ValueError):
        descriptor = os.open(os.devnull, os.O_WRONLY)
        os.dup2(descriptor, stream.fileno())
        os.close(descriptor)
