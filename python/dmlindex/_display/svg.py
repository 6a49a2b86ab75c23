"""The few shapes that pictures are made of, as SVG text."""

from __future__ import annotations

from dmlindex._display.palette import attribute
from dmlindex._display.text import columns, escape

CHARACTER = 7.83  # px, of the 13 px monospaced font
SMALL = 6.03  # px, of the 10 px one


def text(
    x: float, y: float, words: str, kind: str = "ink", *, anchor: str = "start", size: str = ""
) -> str:
    """A line of text, pressed to its room where the font may be wider than thought."""
    styled = attribute(kind)
    if size:
        styled = styled.replace('class="', f'class="dml-{size} ', 1)
    room = ""
    if not words.isascii():
        width = columns(words) * (SMALL if size == "small" else CHARACTER)
        room = f' textLength="{width:.0f}" lengthAdjust="spacingAndGlyphs"'
    where = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f"<text {where} {styled}{room}>{escape(words)}</text>"


def cell(x: float, y: float, width: float, height: float, tint: str = "", tooltip: str = "") -> str:
    """A box; its tooltip is a child, as SVG has it."""
    filled = f'class="dml-tint" fill="{tint}" stroke="#4a4f57"'
    if not tint:
        filled = f'{attribute("cell")} stroke="#9aa2ad"'
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {filled}>'
        f"<title>{escape(tooltip)}</title></rect>"
    )


def dashed(x: float, y: float, width: float, height: float) -> str:
    """A dashed edge: something is wrong there, or nothing is."""
    return (
        f'<rect x="{x + 1:.1f}" y="{y + 1:.1f}" width="{width - 2:.1f}" height="{height - 2:.1f}" '
        f'fill="none" stroke-dasharray="4 3" stroke-width="1.6" '
        f"{attribute('wrong').replace('dml-wrong', 'dml-dashed dml-wrong')}/>"
    )


def hatching(x: float, y: float, width: float, height: float, step: float = 7) -> str:
    """Slanting lines over a box: what stands there is lost."""
    lines = []
    offset = step
    while offset < width + height:
        x1, y1 = (x + offset, y) if offset <= width else (x + width, y + offset - width)
        x2, y2 = (x, y + offset) if offset <= height else (x + offset - height, y + height)
        lines.append(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}")
        offset += step
    return f'<path d="{"".join(lines)}" stroke="#14171a" fill="none" {attribute("hatch")}/>'


def arrow(x: float, y: float, length: float) -> str:
    """An arrow to the right."""
    return (
        f'<path d="M{x:.1f} {y:.1f}h{length:.1f}m-7 -5l7 5l-7 5" fill="none" stroke-width="1.8" '
        f'stroke="#9aa2ad" class="dml-edge"/>'
    )
