"""Short tracebacks in notebooks: an error of the caller's ends at the caller's line.

Elsewhere nothing is left out of a traceback.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def short_traceback(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function; what it raises is shown by IPython without frames of this package."""

    @functools.wraps(function)
    def called(*arguments: _P.args, **options: _P.kwargs) -> _R:
        try:
            return function(*arguments, **options)
        except (TypeError, ValueError, IndexError, RuntimeError, AttributeError) as error:
            if _shell() is not None:
                error._render_traceback_ = _Rendered(error)  # type: ignore[union-attr]
            raise

    return called


class _Rendered:
    """What IPython asks for the lines of a traceback."""

    def __init__(self, error: BaseException | None) -> None:
        self._error = error

    def __call__(self) -> list[str]:
        shell, error = _shell(), self._error
        if shell is None or error is None:
            return []
        handler = shell.InteractiveTB
        lines: list[str] = handler.structured_traceback(
            type(error), error, _callers_part(error.__traceback__), tb_offset=handler.tb_offset
        )
        return lines

    def __reduce__(self) -> tuple[Any, ...]:
        return _Rendered, (None,)  # in another process there is no traceback to show


def _callers_part(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback up to the first frame of this package."""
    if traceback is None:
        return None
    name = str(traceback.tb_frame.f_globals.get("__name__"))
    if name.partition(".")[0] == __package__:
        return None
    following = _callers_part(traceback.tb_next)
    return TracebackType(following, traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno)


def _shell() -> Any:
    """IPython's shell, where one runs."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None
