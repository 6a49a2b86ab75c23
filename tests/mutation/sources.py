"""The mutants of the checkout: which there are, and a copy of the sources with those chosen."""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.rules import LAST_RESORT, Edit, edited, mutations, overlap

ROOT = Path(__file__).parents[2]
# Kernels and what runs them, plans and canonicalising, lowering, and the shaders.
FILES = [
    "cpp/cpu/**/*.?pp",
    "cpp/plan/*.?pp",
    "cpp/operators/**/*.?pp",
    "cpp/d3d12/shaders/*.hlsl*",
]
# DirectML's descriptors and their rules lower nothing, the table of kernels only declares them; how
# large caches are, and that an ISA has its own of what a header has, changes speed alone.
LEFT_OUT = re.compile(
    r"/operators/.*(operators\.hpp|descs|feature_levels|validat)"
    r"|/kernels/(kernels|caches|in_caches|avx2_reduce|avx512fp16)\."
)
COPIED = ["CMakeLists.txt", "cmake", "include", "cpp", "pyproject.toml", "python", "tests/cpp"]
# A shader knows which mutant lives by a constant, asked for at each dispatch, and may compile with
# warnings.
PATCHES = {
    "cpp/d3d12/shaders/shared.h": (
        "    uint4 pattern[kPatternTexels];  // fill\n};\n",
        """    uint4 pattern[kPatternTexels];  // fill
#ifdef __cplusplus
    uint mutant = [] {
        const char* text = std::getenv("DMLINDEX_MUTANT");
        return text == nullptr ? 0u : static_cast<uint>(std::atoi(text));
    }();
};
#else
    uint mutant;
};
#include "mutant.hlsli"
#endif
""",
    ),
    "cpp/d3d12/shaders/fxc.c": (" | D3DCOMPILE_WARNINGS_ARE_ERRORS", ""),
}


@dataclass(frozen=True)
class Mutant:
    file: str  # from the root
    line: int  # from 0
    rule: str
    edits: tuple[Edit, ...]
    key: str  # file: rule: the line as it is then

    @property
    def number(self) -> int:
        """As good as random, and no other where other lines change."""
        return int.from_bytes(hashlib.sha256(self.key.encode()).digest()[:4]) % 0x7FFFFFFF + 1


def files() -> list[Path]:
    """Those that are broken. Headers are not that hardly do more than to declare things."""
    found = sorted(path for pattern in FILES for path in ROOT.glob(pattern))
    kept = [path for path in found if not LEFT_OUT.search(path.as_posix())]
    return [path for path in kept if path.suffix != ".hpp" or len(choose(path, 5, set())) == 5]


@functools.cache
def mutants_of(path: Path) -> list[Mutant]:
    """All of a file's, in an order that has every rule and line once before any comes twice."""
    name = path.relative_to(ROOT).as_posix()
    found = []
    times: Counter[str] = Counter()
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        for rule, edits in mutations(line):
            change = " ".join(edited(line, list(edits)).partition("  // ")[0].split())
            key = re.sub(r"\(K\)", "", f"{name}: {rule}: {change}").replace("(K, ", "(")
            again = f" — again {times[key]}" if times[key] else ""
            times[key] += 1
            found.append(Mutant(name, number, rule, edits, key + again))
    taken: dict[object, int] = {}
    ranked = []
    for mutant in sorted(found, key=lambda mutant: (mutant.rule in LAST_RESORT, mutant.number)):
        rank = taken.get(mutant.rule, 0) + taken.get(mutant.line, 0)
        ranked.append(((mutant.rule in LAST_RESORT, rank), mutant))
        for of in (mutant.rule, mutant.line):
            taken[of] = taken.get(of, 0) + 1
    return [mutant for _, mutant in sorted(ranked, key=lambda entry: entry[0])]


def choose(path: Path, count: int, refused: set[str]) -> list[Mutant]:
    """A file's first count mutants that can be in one file: one a line as long as there are lines,
    as the compiler's messages then say which is refused."""
    chosen: list[Mutant] = []
    for last_resort, most in itertools.product([False, True], range(1, 9)):
        for mutant in mutants_of(path):
            there = [other for other in chosen if other.line == mutant.line]
            if len(chosen) == count or mutant.key in refused or mutant in chosen:
                continue
            if len(there) >= most or (mutant.rule in LAST_RESORT) != last_resort:
                continue
            if not any(overlap(a, b) for o in there for a in o.edits for b in mutant.edits):
                chosen.append(mutant)
    return chosen


def mutated(path: Path, mutants: list[Mutant]) -> str:
    """A file's text with mutants of its."""
    edits: dict[int, list[Edit]] = {}
    for mutant in mutants:
        with_number = [
            (begin, end, re.sub(r"\bK\b", str(mutant.number), text))
            for begin, end, text in mutant.edits
        ]
        edits.setdefault(mutant.line, []).extend(with_number)
    lines = path.read_text("utf-8").splitlines()
    return "".join(edited(line, edits.get(at, [])) + "\n" for at, line in enumerate(lines))


def write_copy(copy: Path, mutants: list[Mutant]) -> None:
    """The sources with all mutants in place. Files that stay as they were are not touched, so that
    they are not compiled again; nor is what was generated there."""
    paths = [path for entry in COPIED for path in [ROOT / entry, *(ROOT / entry).rglob("*")]]
    for path in filter(Path.is_file, paths):
        name = path.relative_to(ROOT).as_posix()
        to = copy / name
        if "__pycache__" in path.parts or path.suffix == ".so":
            continue
        if "generated" in path.parts and to.exists():
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix not in (".cpp", ".hpp", ".hlsl", ".hlsli", ".h", ".c"):
            shutil.copy2(path, to)
            continue
        text = mutated(path, [mutant for mutant in mutants if mutant.file == name])
        if name in PATCHES:
            before, after = PATCHES[name]
            assert before in text, f"{name} has changed: PATCHES in {__file__} no longer fits"
            text = text.replace(before, after)
        if not to.exists() or to.read_text("utf-8") != text:
            to.write_text(text, "utf-8")
    shaders = copy / "cpp/d3d12/shaders"
    shutil.copy2(ROOT / "tests/mutation/mutant.hlsli", shaders)
