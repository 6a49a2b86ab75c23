"""What Windows cannot run: windows.toml lists it, and nothing else may be skipped there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

_LIST = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
REASONS: dict[str, str] = {
    test: reason for reason, tests in _LIST["not_on_windows"].items() for test in tests
}
collect_ignore = [str(Path(test).relative_to("tests")) for test in REASONS if "::" not in test]
_ELSEWHERE = tuple(_LIST["skipped_elsewhere_too"]["reasons"])

_unlisted: list[str] = []


def _reason(test: str) -> str | None:
    """Why a test is left out; None if it is not."""
    name = test.partition("[")[0]
    for listed, reason in REASONS.items():
        if listed == name or ("[" in listed and test.startswith(listed)):
            return reason
    return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if reason := _reason(item.nodeid):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if not report.skipped or not isinstance(report.longrepr, tuple):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if _reason(report.nodeid) is None and not reason.startswith(_ELSEWHERE):
        _unlisted.append(f"{report.nodeid}: {reason}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _unlisted and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.line(f"tests/windows.toml leaves out {len(collect_ignore)} files")
    for each in _unlisted:
        terminalreporter.line(f"FAILED: skipped, and not in tests/windows.toml: {each}")
