"""A bar while something long runs: tqdm's where it is installed, else a line on a terminal."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, Self, TypeVar

_T = TypeVar("_T")
_SECONDS = 0.2  # between two looks of the bar


class Progress:
    """How much of something is done, shown in notebooks and on terminals, nowhere else.

    Parameters
    ----------
    total
        how much there is to do; None where that is not known.
    unit
        what is counted, such as "calls".
    wanted
        False shows nothing.

    >>> with Progress(3, "cases", wanted=False) as progress:
    ...     progress.at(2, "the second")
    """

    def __init__(self, total: float | None, unit: str, *, wanted: bool = True) -> None:
        self._total, self._unit = total, unit
        self._last = -_SECONDS
        self._written = False
        self._bar = _tqdm_bar(total, unit) if wanted else None
        # Without standard error, as under pythonw, there is no terminal either.
        self._has_line = wanted and self._bar is None and bool(sys.stderr and sys.stderr.isatty())

    def at(self, done: float, note: str = "") -> None:
        """Shows that so much is done, if that was not shown a moment ago."""
        now = time.monotonic()
        if now - self._last < _SECONDS and done != self._total:
            return
        self._last = now
        if self._bar is not None:
            self._bar.n = done
            self._bar.set_postfix_str(note, refresh=True)
        elif self._has_line:
            of = "" if self._total is None else f" of {self._total:,.10g}"
            self._write(f"{done:,.10g}{of} {self._unit}{f', {note}' if note else ''}")

    def _write(self, line: str) -> None:
        sys.stderr.write(f"\r\x1b[K{line[:78]}")
        sys.stderr.flush()
        self._written = bool(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._written:
            self._write("")


def progress(items: Iterable[_T], total: int, unit: str) -> Iterator[_T]:
    """The items, and a bar of how many have been taken.

    >>> list(progress("ab", 2, "letters"))
    ['a', 'b']
    """
    with Progress(total, unit) as shown:
        for done, item in enumerate(items):
            shown.at(done)
            yield item
        shown.at(total)


def _tqdm_bar(total: float | None, unit: str) -> Any:
    """tqdm's bar for a notebook or a terminal; None without tqdm."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a notebook has no ipywidgets: then it is a text
            from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, unit=f" {unit}", disable=None)
