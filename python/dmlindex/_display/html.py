"""Tables that look the same in every notebook: styles stand in the tags, as some pages drop sheets.

Texts have the page's own colour, lines are half transparent, so both go with light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dmlindex._display.text import escape

_LINE = "1px solid rgba(128,128,128,.45)"
_CELL = f"padding:3px 8px;border:0;border-bottom:{_LINE};vertical-align:top;background:none"
_MONO = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"


class Markup(str):
    """Text that is HTML already; all other text is escaped."""

    __slots__ = ()


def markup(text: object) -> Markup:
    """The text as HTML."""
    return text if isinstance(text, Markup) else Markup(escape(text))


def joined(parts: Iterable[object]) -> Markup:
    return Markup("".join(map(markup, parts)))


def code(text: object) -> Markup:
    """Lines of code, kept as they are."""
    return Markup(f'<pre style="margin:2px 0;white-space:pre-wrap;{_MONO}">{markup(text)}</pre>')


def badge(text: object, tint: str, words: str = "") -> Markup:
    """A number or letter on a tint; words for who points at it."""
    style = f"background:{tint};color:#14171a;padding:0 4px;border-radius:3px;{_MONO}"
    return Markup(f'<span style="{style}" title="{escape(words)}">{markup(text)}</span>')


def faint(text: object) -> Markup:
    return Markup(f'<span style="opacity:.62">{markup(text)}</span>')


def heading(text: object) -> Markup:
    return Markup(f'<div style="font-weight:600;margin:6px 0 2px">{markup(text)}</div>')


def paragraph(text: object) -> Markup:
    return Markup(f'<div style="margin:3px 0;max-width:70em">{markup(text)}</div>')


def details(title: object, body: object) -> Markup:
    """What is shown when it is asked for."""
    return Markup(f"<details><summary>{markup(title)}</summary>{markup(body)}</details>")


def link(text: object, address: str) -> Markup:
    return Markup(f'<a href="{escape(address)}">{markup(text)}</a>')


def table(
    head: Sequence[object], rows: Iterable[Sequence[object]], right: Iterable[int] = ()
) -> Markup:
    """A table; the columns of those numbers are aligned right, all others left."""
    aligned = set(right)

    def row(tag: str, cells: Sequence[object]) -> str:
        parts = []
        for number, cell in enumerate(cells):
            side = "right" if number in aligned else "left"
            parts.append(f'<{tag} style="{_CELL};text-align:{side}">{markup(cell)}</{tag}>')
        return f'<tr style="background:none">{"".join(parts)}</tr>'

    body = "".join(row("td", cells) for cells in rows)
    start = f"<thead>{row('th', head)}</thead>" if head else ""
    return Markup(
        f'<table style="border-collapse:collapse;margin:4px 0">{start}<tbody>{body}</tbody></table>'
    )


def box(*parts: object) -> str:
    """The whole, which can be scrolled where the page is narrower."""
    return f'<div style="overflow-x:auto">{joined(parts)}</div>'
