"""The pages: their examples run, their links lead somewhere, their commands name what exists."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "benchmarks/*.md", "examples/*.md", "tests/data/*.md")
    for path in ROOT.glob(pattern)
)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```([\w{}-]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Pages of the site alone.
SITE = {"howto.md", "index.md"}

# What a line of a shell block may begin with, beside a script of ours and variables.
TOOLS = {".", "cd", "cmake", "ctest", "git", "mypy", "pip", "python", "ruff", "for", "env"}


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """What GitHub calls the headings."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_examples_run(page: Path) -> None:
    if "d3d12" in page.name:
        pytest.skip("needs a device: test_device_docs.py runs it")
    if page.stem in ("torch", "jax"):
        pytest.importorskip(page.stem)
    result = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert result.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if "://" in link:
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_commands_exist(page: Path) -> None:
    unknown = []
    for language, block in FENCE.findall(page.read_text(encoding="utf-8")):
        if language not in ("", "sh", "bash") or not re.match(r"(script/|python -m|\.ci/)", block):
            continue
        for line in block.splitlines():
            words = shlex.split(line.split("  ")[0], comments=True)
            while words and re.fullmatch(r"\w+=\S*", words[0]):
                del words[0]
            if not words or words[0] in TOOLS:
                continue
            if not (ROOT / words[0]).is_file():
                unknown.append(line)
    assert unknown == []


def sources() -> str:
    return "\n".join(
        path.read_text(encoding="utf-8")
        for folder in ("include", "cpp", "python", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".cpp", ".hpp", ".hlsl", ".h", ".py") or path.name == "CMakeLists.txt"
    )


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_named_files_exist(page: Path) -> None:
    """Code spans that begin with a folder of the root."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    named = re.findall(
        r"`((?:\.ci|benchmarks|cmake|cpp|docs|examples|include|python|script|tests)/[\w./-]*)`",
        text,
    )
    assert [file for file in named if not (ROOT / file).exists()] == []


def test_named_constants_and_functions_exist() -> None:
    """On the pages for those who change the code."""
    text = sources()
    unknown = []
    for page in (ROOT / "docs" / file for file in ("design.md", "cpu_speed.md", "adding.md")):
        spans = re.findall(r"`((?:\w+[.:]+)*\w*[A-Z_]\w*)(?:\(.*?\))?`", page.read_text("utf-8"))
        words = {word for span in spans for word in re.split(r"[.:]+", span)}
        unknown += [w for w in words if not re.search(rf"\b{w}\b", text)]
    assert unknown == []


def test_every_page_is_listed() -> None:
    listed = set(LINK.findall((ROOT / "docs/README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in ROOT.glob("docs/*.md")} - {"README.md", *SITE}


def test_every_public_name_is_in_the_reference() -> None:
    text = (ROOT / "docs/reference/index.md").read_text(encoding="utf-8")
    tables = dict(
        re.findall(r"currentmodule:: (\S+)\n(.*?)(?=\.\. currentmodule|\Z)", text, re.DOTALL)
    )
    listed = {
        name: re.findall(r"^   ([\w.]+)$", table, re.MULTILINE) for name, table in tables.items()
    }
    here = {"directml": ["OperatorDesc", "Finding", "legalize"]}  # the rest is dmlindex's own
    for name, names in listed.items():
        public = here.get(name.removeprefix("dmlindex."), importlib.import_module(name).__all__)
        assert set(public) - {"__version__"} <= set(names) | {"from_onnx_node"}, name
        assert len(names) == len(set(names)), name


def test_every_notebook_is_in_the_tutorial() -> None:
    tutorial = LINK.findall((ROOT / "docs/tutorial.md").read_text(encoding="utf-8"))
    notebooks = {f"notebooks/{path.name}" for path in ROOT.glob("docs/notebooks/*.md")}
    assert notebooks <= set(tutorial)


def test_the_operators_pages_name_rules_that_exist() -> None:
    rules = set(re.findall(r"`([a-z-]+)`", (ROOT / "docs/descriptors.md").read_text("utf-8")))
    for page in ROOT.glob("docs/operators/*.md"):
        named = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", page.read_text("utf-8")))
        assert named <= rules, page


def test_every_page_is_on_the_site() -> None:
    """Below one of the site's lists of pages; those in generated/ are the reference's own."""
    listed = set()
    for page in (ROOT / "docs").rglob("*.md"):
        for tree in re.findall(r"```{toctree}\n(.*?)```", page.read_text("utf-8"), re.DOTALL):
            for line in tree.splitlines():
                if line and not line.startswith(":"):
                    entry = line.split("<")[-1].rstrip(">")
                    folder = ROOT / "docs" if entry.startswith("/") else page.parent
                    listed.add((folder / f"{entry.lstrip('/')}.md").resolve())
    pages = {page.resolve() for page in (ROOT / "docs").rglob("*.md")}
    apart = {ROOT / "docs/index.md", ROOT / "docs/README.md"}
    assert {name(page) for page in pages - listed - apart} == set()
    assert {name(page) for page in listed - pages} == set()


def test_subcommands_exist() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    named = set(re.findall(r"python -m dmlindex ([a-z]+)", text))
    listed = subprocess.run(
        [sys.executable, "-m", "dmlindex", "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert named
    assert {command for command in named if command not in listed} == set()
