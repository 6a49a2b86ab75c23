"""An explanation as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmlindex._display.text import escape

if TYPE_CHECKING:
    from dmlindex._explain.explanation import Explanation


def explanation_html(found: Explanation) -> str:
    return f"<pre>{escape(found)}</pre>"
