"""The pages with cells of code, the notebooks among them, run from top to bottom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jupytext  # type: ignore[import-untyped]
import pytest
from nbclient import NotebookClient

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page for page in DOCS.rglob("*.md") if "```{code-cell}" in page.read_text("utf-8"))


def run(file: Path) -> list[Any]:
    """Its cells of code, with their outputs; an error that no tag announces is one here, too."""
    notebook = jupytext.read(file)
    where = {"metadata": {"path": str(file.parent)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=where).execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert cells
    return cells


def text_of(cells: list[Any]) -> str:
    outputs = [output for cell in cells for output in cell.outputs]
    return "\n".join(
        output.get("text") or output.get("evalue") or output.data.get("text/plain", "")
        for output in outputs
    )


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_a_page_runs(file: Path) -> None:
    for cell in run(file):
        failed = [output for output in cell.outputs if output.output_type == "error"]
        wanted = "raises-exception" in cell.metadata.get("tags", [])
        assert bool(failed) == wanted, cell.source
        noise = [output.text for output in cell.outputs if output.get("name") == "stderr"]
        assert noise == [], cell.source


def test_without_a_device_the_notebook_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VK_DRIVER_FILES", "/dev/null")
    said = text_of(run(DOCS / "notebooks/device.md"))
    assert "NO DEVICE HERE" in said
    assert "the same bits: True" in said
