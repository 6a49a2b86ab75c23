"""Pages of the repository that stand outside of docs/, on the site: as they are, links and all.

A page that holds nothing but `<!-- ../CHANGELOG.md -->` is that file. On every page, links to such
a file lead to its page, and sources, which the site does not have, are only named.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_STANDS_FOR = re.compile(r"<!-- (\S+\.md) -->\s*")
_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#:]+\.\w+)(#[^)\s]*)?\)")


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", _read)
    return {"parallel_read_safe": True}


def _read(app: Any, docname: str, source: list[str]) -> None:
    file = Path(app.env.doc2path(docname))
    if file.suffix != ".md":
        return
    pages = _pages(Path(app.srcdir))
    if stands_for := _STANDS_FOR.fullmatch(source[0]):
        file = (file.parent / stands_for[1]).resolve()
        app.env.note_dependency(str(file))
        source[0] = file.read_text(encoding="utf-8")

    def on_the_site(link: re.Match[str]) -> str:
        image, text, path, anchor = link[1], link[2], link[3], link[4] or ""
        target = (file.parent / path).resolve()
        if text.endswith(".md"):
            text = ""  # a link without a text takes the page's title
        if target in pages:
            return f"[{text}](/{pages[target]}.md{anchor})"
        if target.is_relative_to(app.srcdir):
            return f"{image}[{text}](/{target.relative_to(app.srcdir)}{anchor})"
        return f"`{text.strip('`')}`"

    parts = _FENCE.split(source[0])
    parts[::2] = [_LINK.sub(on_the_site, part) for part in parts[::2]]
    source[0] = "".join(parts)


def _pages(docs: Path) -> dict[Path, str]:
    """The site's page of each file outside of docs/, and of the list of pages."""
    found = {docs / "README.md": "index"}
    for page in docs.rglob("*.md"):
        if stands_for := _STANDS_FOR.fullmatch(page.read_text(encoding="utf-8")):
            found[(page.parent / stands_for[1]).resolve()] = (
                page.relative_to(docs).with_suffix("").as_posix()
            )
    return found
