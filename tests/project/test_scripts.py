"""The scripts' help: printed at once, and nothing is installed or made for it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = (
    *("demo", "fuzz-native", "leaks", "lint", "mutate", "sanitize"),
    *("test", "test-windows", "test-wsl", "wheels"),
)
NAMES = [*(f"script/{name}" for name in SCRIPTS), ".ci/run"]


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("name", NAMES)
def test_help(name: str, flag: str, tmp_path: Path) -> None:
    """In a copy with the scripts alone, and without apt, pip or Python: it could do no more."""
    for folder in ("script", ".ci"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    before = sorted(tmp_path.rglob("*"))
    tools = tmp_path.with_name(f"{tmp_path.name}-tools")
    tools.mkdir()
    for tool in ("bash", "env", "awk", "dirname", "realpath"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    process = subprocess.run(
        [tmp_path / name, flag],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith(("Builds ", "Everything ", "Runs "))
    assert not any(line.startswith(("#", "source")) for line in process.stdout.splitlines())
    assert sorted(tmp_path.rglob("*")) == before
