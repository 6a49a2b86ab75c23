"""script/mutate has enough to break in every file, and its mutants are what they say."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.mutation import sources
from tests.mutation.rules import LAST_RESORT, RULES, edited, mutations

ROOT = Path(__file__).parents[2]
FILES = sources.files()
NAMES = [path.relative_to(ROOT).as_posix() for path in FILES]


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_file_has_five_mutants(path: Path) -> None:
    chosen = sources.choose(path, 5, set())
    assert len({mutant.number for mutant in chosen}) == 5
    assert sources.mutated(path, []) == path.read_text("utf-8")
    text = sources.mutated(path, chosen)
    assert all(str(mutant.number) in text for mutant in chosen)


def test_every_kind_of_file_is_broken() -> None:
    folders = {name.rsplit("/", 1)[0] for name in NAMES}
    assert folders >= {"cpp/cpu/kernels", "cpp/cpu/run", "cpp/plan", "cpp/operators"}
    shaders = set((ROOT / "cpp/d3d12/shaders").glob("*.hlsl*"))
    assert shaders <= set(FILES)
    kernels = set((ROOT / "cpp/cpu/kernels").glob("*.cpp"))
    left_out = {"caches.cpp", "in_caches.cpp", "avx2_reduce.cpp", "avx512fp16.cpp"}
    assert {path.name for path in kernels - set(FILES)} == left_out
    assert {"moves.hpp", "vector_kernels.hpp", "shape_rules.hpp"} & {path.name for path in FILES}


def test_at_least_a_hundred_with_numbers_of_their_own() -> None:
    mutants = [mutant for path in FILES for mutant in sources.mutants_of(path)]
    assert len(mutants) == len({mutant.number for mutant in mutants}) >= 100
    assert {mutant.rule for mutant in mutants} == set(RULES | LAST_RESORT)


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("off by one: a bound", "if (a < b) f();", "if (a < MUT(K) + b) f();"),
        ("dropped clamp", "x = std::clamp(v, 0, n);", "x = mutation::clamped(MUT(K), v, 0, n);"),
        ("wrong stride", "at = i * stride;", "at = i * KEEP(K) * stride;"),
        ("swapped min and max", "x = min(a, f(b));", "x = (MUT(K) ? max(a, f(b)) : min(a, f(b)));"),
        ("swapped min and max", "x = std::min(a, b);", "x = mutation::lesser(MUT(K), a, b);"),
        (
            "missing barrier",
            "    GroupMemoryBarrierWithGroupSync();",
            "    { if (!MUT(K)) GroupMemoryBarrierWithGroupSync(); }",
        ),
        ("lost mask", "_mm_maskz_loadu_epi8(m, p);", "_mm_maskz_loadu_epi8(MUT(K) ? -1 : m, p);"),
        ("negated condition", "if (f(x)) return;", "if (MUT(K) != bool(f(x))) return;"),
        ("lost statement", "    total += f(x);", "    { if (!MUT(K)) { total += f(x); } }"),
    ],
)  # fmt: skip
def test_a_rule(rule: str, line: str, expected: str) -> None:
    assert expected in [
        edited(line, list(edits)) for name, edits in mutations(line) if name == rule
    ]


def test_reasons_are_given_in_sentences() -> None:
    entries = tomllib.loads((ROOT / "tests/mutation/equivalent.toml").read_text("utf-8")).get(
        "equivalent", []
    )
    assert all(entry["why"].endswith(".") for entry in entries)
    keys = [entry["mutant"] for entry in entries]
    assert len(keys) == len(set(keys))
