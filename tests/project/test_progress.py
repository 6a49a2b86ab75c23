"""Bars: on terminals with and without tqdm, nothing elsewhere, and never a reason to fail."""

from __future__ import annotations

import io
import sys
from typing import Any

import pytest

from dmlindex import _progress
from dmlindex._progress import Progress, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def without_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)


@pytest.mark.usefixtures("without_tqdm")
def test_a_terminal_without_tqdm_has_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(progress(range(3), 3, "cases")) == [0, 1, 2]
    assert "0 of 3 cases" in terminal.getvalue()
    assert "3 of 3 cases" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")  # and is gone at the end


@pytest.mark.usefixtures("without_tqdm")
@pytest.mark.parametrize("stream", [io.StringIO(), None])
def test_elsewhere_there_is_nothing(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert list(progress("ab", 2, "letters")) == ["a", "b"]
    assert stream is None or stream.getvalue() == ""


def test_tqdm_is_used_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []

    class Bar:
        n = 0.0

        def set_postfix_str(self, note: str, refresh: bool) -> None:
            calls.append((self.n, note))

        def close(self) -> None:
            calls.append("closed")

    monkeypatch.setattr(_progress, "_tqdm_bar", lambda total, unit: Bar())
    with Progress(10, "calls") as shown:
        shown.at(4, "half")
        shown.at(5, "too soon after it")
        shown.at(10)
    assert calls == [(4, "half"), (10, ""), "closed"]


def test_not_wanted_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(None, "calls", wanted=False) as shown:
        shown.at(1)
    assert capsys.readouterr().err == ""
