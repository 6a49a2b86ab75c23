"""An explanation as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmlindex._display import html

if TYPE_CHECKING:
    from dmlindex._explain.explanation import Explanation


def explanation_html(found: Explanation) -> str:
    parts: list[object] = [html.heading(found.title)]
    parts += [html.paragraph(sentence) for sentence in found.words]
    if found.formula:
        parts += [html.code(found.formula), html.paragraph(html.faint("; ".join(found.ranges)))]
    rows: list[tuple[object, ...]] = [("NumPy", html.code("\n".join(found.numpy)), "")]
    rows += [
        (
            each.library,
            html.code("\n".join(each.code)) if each.code else "none",
            html.joined(html.paragraph(sentence) for sentence in each.differences),
        )
        for each in found.equivalents
    ]
    if found.numpy:
        parts.append(html.table(("library", "x, i, u → y", "differences"), rows))
    if found.report is not None:
        from dmlindex._explain.report import in_words

        parts.append(html.code(in_words(found.report)))
    return html.box(*parts)
