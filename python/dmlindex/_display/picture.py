"""What `dmlindex.draw` returns."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from dmlindex._display.text import escape
from dmlindex._tracebacks import short_traceback


class Picture:
    """A picture of a call: notebooks show it, `save` writes it.

    Attributes
    ----------
    svg
        the picture as SVG, a document of its own; no scripts, no fonts, no files beside it.
    text
        the same in words, for those who don't see it, and for a terminal.
    """

    __slots__ = ("svg", "text")

    def __init__(self, svg: str, text: str) -> None:
        self.svg = svg
        self.text = text

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        """The picture in a box that can be scrolled where a page is narrower than the picture."""
        return f'<div style="overflow-x:auto">{self.svg}</div>'

    @short_traceback
    def save(self, path: str | PathLike[str]) -> None:
        """Writes the picture: SVG, or a page where the name ends in .html.

        ValueError for another ending; OSError where the file cannot be written.
        """
        target = Path(path)
        if target.suffix == ".svg":
            page = self.svg
        elif target.suffix in (".html", ".htm"):
            title = escape(self.text.splitlines()[0])
            page = (
                '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
                f'<meta name="color-scheme" content="light dark"><title>{title}</title></head>'
                f"<body>{self._repr_html_()}</body></html>\n"
            )
        else:
            raise ValueError(
                f"save: path is {str(path)!r}, expected a name that ends in .svg or .html"
            )
        target.write_text(page, encoding="utf-8")

    def __repr__(self) -> str:
        return self.text
