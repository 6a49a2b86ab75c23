"""Panels side by side, an arrow to the output, notes below: one SVG document."""

from __future__ import annotations

import textwrap

from dmlindex._display import palette, svg
from dmlindex._display.call import Array, Call
from dmlindex._display.panel import Panel, plain_panel
from dmlindex._display.teller import Story
from dmlindex._display.text import escape, shortened

_WIDEST = 700.0  # px: what a notebook's column has
_SMALLEST = 0.55  # that a picture shrinks to
_MARGIN = 14.0
_BETWEEN = 26.0
_ARROW = 30.0
_LINE = 18.0


def composed(call: Call, story: Story) -> tuple[str, str]:
    """The SVG, and the words that say the same."""
    title = shortened(call.title, 84)
    parts = [svg.text(_MARGIN, 24, title, size="head")]
    y, width = 42.0, max(320.0, len(title) * svg.CHARACTER + 2 * _MARGIN)
    for line in _lines(story):
        x, height = _MARGIN, 0.0
        for panel in line:
            if panel is story.output:
                parts.append(svg.arrow(x, y + 62, _ARROW - 8))
                x += _ARROW
            parts.append(panel.drawn(x, y))
            x += panel.width + _BETWEEN
            height = max(height, panel.height)
        y += height + 12
        width = max(width, x - _BETWEEN + _MARGIN)
    for note in story.notes:
        kind = "bad" if call.error is not None else "ink"
        for text in textwrap.wrap(note, int((max(width, 560) - 2 * _MARGIN) / svg.CHARACTER)):
            parts.append(svg.text(_MARGIN, y + 6, text, kind))
            width = max(width, len(text) * svg.CHARACTER + 2 * _MARGIN)
            y += _LINE
    words = "\n".join(story.lines)
    return _document(width, y + 8, title, words, "".join(parts)), words


def one_array(name: str, array: Array) -> str:
    """The SVG of an array by itself."""
    panel = plain_panel(name, array)
    words = f"{name}: {panel.heading}"
    width, height = panel.width + 2 * _MARGIN, panel.height + 2 * _MARGIN
    return _document(width, height, words, words, panel.drawn(_MARGIN, _MARGIN))


def _lines(story: Story) -> list[list[Panel]]:
    """The panels in as many lines as they need; the output comes last."""
    panels = [*story.panels, *([] if story.output is None else [story.output])]
    lines: list[list[Panel]] = [[]]
    x = _MARGIN
    for panel in panels:
        needed = panel.width + (_ARROW if panel is story.output else 0)
        if lines[-1] and x + needed > _WIDEST:
            lines.append([])
            x = _MARGIN
        lines[-1].append(panel)
        x += needed + _BETWEEN
    return lines


def _document(width: float, height: float, title: str, words: str, body: str) -> str:
    label = escape("; ".join(words.splitlines()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="dml-picture" role="img" '
        f'aria-label="{label}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" '
        # On a narrow page it shrinks while it can be read, and is scrolled from there on.
        f'style="max-width:100%;min-width:{width * _SMALLEST:.0f}px;height:auto">'
        f"<title>{escape(title)}</title><desc>{escape(words)}</desc>"
        f"<style>{palette.style()}</style>"
        f'<rect width="100%" height="100%" rx="6" {palette.attribute("paper")}/>{body}</svg>'
    )
