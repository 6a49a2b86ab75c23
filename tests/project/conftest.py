"""What the tests of the command line share."""

from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own current folder for each test, so that arguments stay short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
