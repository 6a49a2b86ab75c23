"""The command line, behind `python -m dmlindex` and the program `dmlindex`.

What the user got wrong (files, shapes, arguments) is one line on stderr and exit code 2. A demo
whose results are wrong and a descriptor that is not valid exit with 1, Ctrl-C with 130.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from dmlindex.cli import streams
from dmlindex.cli.arguments import parser
from dmlindex.cli.errors import CommandError

__all__ = ["main"]

_USER_ERROR = 2
_INTERRUPTED = 130  # what a shell reports for a program that SIGINT ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code."""
    streams.open_what_is_closed()
    try:
        return _run(arguments)
    except CommandError as error:
        streams.complain(f"error: {error}")
        return _USER_ERROR
    except KeyboardInterrupt:
        streams.complain("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:  # whoever read our output, `head` say, has seen enough
        streams.discard(sys.stdout)
        return 0
    finally:
        streams.end_complaints()


def _run(arguments: Sequence[str] | None) -> int:
    streams.require_output()
    parsed = parser().parse_args(arguments)
    code: int = parsed.command(parsed)
    streams.flush()
    return code
