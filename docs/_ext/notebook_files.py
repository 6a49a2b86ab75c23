"""Notebooks to take along: each page of docs/notebooks has a link to it as .ipynb, with outputs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

_FOLDER = "notebooks"
_LINK = '<a class="notebook-file" href="{name}.ipynb" download>This page as a notebook</a>'


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _add_link)
    app.connect("build-finished", _copy_files)
    return {"parallel_read_safe": True}


def _add_link(app: Any, docname: str, source: list[str]) -> None:
    folder, _, name = docname.rpartition("/")
    if folder == _FOLDER:
        link = f"\\1\n\n{_LINK.format(name=name)}\n"
        source[0] = re.sub(r"(?m)(^# .*)", link, source[0], count=1)


def _copy_files(app: Any, failure: Exception | None) -> None:
    """MyST-NB leaves what it ran beside the pages."""
    if failure is None:
        ran = Path(app.outdir).parent / "jupyter_execute" / _FOLDER
        for file in ran.glob("*.ipynb"):
            shutil.copy(file, Path(app.outdir) / _FOLDER)
