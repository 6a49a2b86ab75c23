"""Colours and styles of the pictures: for light and dark pages, in print, for colour-blind people.

The hues are those of Okabe and Ito, lightened so that dark text stands out on each of them. A
colour never stands alone: cells have a letter, too, and what is lost or wrong has hatching or a
dashed edge.
"""

from __future__ import annotations

COLOURS = ("#f2c14e", "#8ecbf0", "#63c7a5", "#f3ec80", "#7fa8e0", "#f0986a", "#dfa3c8", "#c9c9c9")

# A page is dark by its own words, or where it says nothing by what the reader prefers.
_DARK_PAGES = (
    '[data-jp-theme-light="false"]',  # JupyterLab
    'html[data-theme="dark"]',  # Sphinx
    "body.vscode-dark",
)
_LIGHT_PAGES = ('[data-jp-theme-light="true"]', 'html[data-theme="light"]', "body.vscode-light")

# By class: the property, and its value on light and on dark pages.
_THEMED = {
    "paper": ("fill", "#ffffff", "#1b1e23"),
    "cell": ("fill", "#f4f5f7", "#2b3038"),
    "edge": ("stroke", "#9aa2ad", "#6d7683"),
    "ink": ("fill", "#1a1d21", "#eceff3"),
    "faint": ("fill", "#59616b", "#aab3bf"),
    "bad": ("fill", "#b3261e", "#ff9d94"),
    "wrong": ("stroke", "#b3261e", "#ff9d94"),
}
_FIXED = {
    "tint": "stroke:#4a4f57",
    "dark": "fill:#14171a",  # text on a tint
    "hatch": "stroke:#14171a;stroke-width:1.2;fill:none;stroke-opacity:.42",
    "dashed": "fill:none;stroke-dasharray:4 3;stroke-width:1.6",
}
_FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"


def attribute(name: str) -> str:
    """The class as an attribute, and its light colour as one that needs no style sheet."""
    if name not in _THEMED:
        return f'class="dml-{name}"'
    prop, light, _ = _THEMED[name]
    return f'class="dml-{name}" {prop}="{light}"'


def style() -> str:
    """The style sheet of a picture; all names begin with dml-, as a page may hold many pictures."""
    rules = [f".dml-picture text{{font-family:{_FONT};font-size:13px}}"]
    rules += [".dml-picture text.dml-small{font-size:10px}"]
    rules += [".dml-picture text.dml-head{font-weight:600}"]
    rules += [f".dml-picture .dml-{name}{{{value}}}" for name, value in _FIXED.items()]
    rules += _themed(1, "")
    rules.append(f"@media (prefers-color-scheme:dark){{{''.join(_themed(2, ''))}}}")
    rules += [rule for page in _DARK_PAGES for rule in _themed(2, page + " ")]
    rules += [rule for page in _LIGHT_PAGES for rule in _themed(1, page + " ")]
    rules.append(f"@media print{{{''.join(_themed(1, '', ' !important'))}}}")
    return "".join(rules)


def _themed(which: int, where: str, weight: str = "") -> list[str]:
    return [
        f"{where}.dml-picture .dml-{name}{{{value[0]}:{value[which]}{weight}}}"
        for name, value in _THEMED.items()
    ]
