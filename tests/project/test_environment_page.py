"""docs/environment.md lists the environment variables that the sources read, and no others."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("cpp", "python", "script", ".ci", "tests", "benchmarks")
READS = re.compile(
    r"""getenv\(\s*"(DMLINDEX_\w+)"          # C++
      | environ(?:\.get\(|\[)\s*"(DMLINDEX_\w+)"  # Python
      | \$\{?(DMLINDEX_\w+)                # shell""",
    re.VERBOSE,
)


def read_by_sources() -> dict[str, set[str]]:
    """The variables, and the files that read them."""
    found: dict[str, set[str]] = {}
    for path in sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*")):
        is_text = path.suffix in (".cpp", ".hpp", ".py", ".sh", ".c", "")
        if not path.is_file() or not is_text or "generated" in path.parts:
            continue
        for groups in READS.findall(path.read_text(encoding="utf-8")):
            found.setdefault("".join(groups), set()).add(path.relative_to(ROOT).as_posix())
    return found


def rows() -> dict[str, str]:
    text = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `(DMLINDEX_\w+)` \| (.*) \|$", text, re.MULTILINE))


def test_the_page_lists_what_is_read() -> None:
    assert set(read_by_sources()) == set(rows())


def test_the_page_names_who_reads_it() -> None:
    """Where the table says so: of what tests and scripts read."""
    wrong = {}
    for variable, row in rows().items():
        named = set(re.findall(r"`([\w.]+/[\w./-]+)`", row.split(" | ")[0]))
        if named and named != read_by_sources()[variable]:
            wrong[variable] = read_by_sources()[variable]
    assert wrong == {}


def test_readme_lists_a_part_of_it() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `(DMLINDEX_\w+)", text, re.MULTILINE))
    assert listed
    assert listed <= set(rows())
