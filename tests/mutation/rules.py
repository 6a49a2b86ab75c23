"""The rules by which mutants are made: each edits a line of C++ or HLSL so that it goes wrong when
its mutant lives, and else means what it did. They know spelling only: what does not compile, in a
constant expression say, is left out afterwards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

# (begin, end, what stands there instead); K is the mutant's number, for the macros of mutant.hpp.
Edit = tuple[int, int, str]
# All that a rule can do with a line of code, each by one or two edits.
Rule = Callable[[str], Iterator[tuple[Edit, ...]]]

OPPOSITES = {
    "add": "sub", "sub": "add", "min": "max", "max": "min", "and": "or", "or": "and", "orr": "and",
    "cvtepi8": "cvtepu8", "cvtepi16": "cvtepu16", "cvtepi32": "cvtepu32",
    "cvtepu8": "cvtepi8", "cvtepu16": "cvtepi16", "cvtepu32": "cvtepi32",
}  # fmt: skip


def replaced(pattern: str, replacement: str, unless: str = r"(?!)") -> Rule:
    """Each match of the pattern by itself, on lines without the other one."""

    def rule(code: str) -> Iterator[tuple[Edit, ...]]:
        if not re.search(unless, code):
            for match in re.finditer(pattern, code):
                yield ((*match.span(), match.expand(replacement)),)

    return rule


def negated_condition(code: str) -> Iterator[tuple[Edit, ...]]:
    """if (x) becomes if (!x); x must end on its line."""
    match = re.search(r"\bif \(", code)
    if match is None:
        return
    begin = end = match.end()
    depth = 1
    while end < len(code) and (depth := depth + {"(": 1, ")": -1}.get(code[end], 0)) > 0:
        end += 1
    if depth == 0 and not re.search(r"[^=!<>]=[^=]|;", code[begin:end]):
        yield (begin, begin, "MUT(K) != bool("), (end, end, ")")


def lost_statement(code: str) -> Iterator[tuple[Edit, ...]]:
    """A call or an assignment that ends its line is left out."""
    statement = r"[A-Za-z_][\w.>\[\]:-]*(?:\(.*\)|(?:\[.*\])? [-+*|&]?= [^;]*|\+\+);"
    match = re.fullmatch(rf"(?:\s+|.*\) (?:else )?)({statement})\s*", code)
    no_statement = r"(return|using|throw|delete|static_assert|case|default|else|if|GroupM\w+)\b"
    if match and not re.match(no_statement, match[1]) and "for (" not in code:
        begin, end = match.span(1)
        yield (begin, begin, "{ if (!MUT(K)) { "), (end, end, " } }")


def swapped_instruction(code: str) -> Iterator[tuple[Edit, ...]]:
    """An intrinsic's opposite: subtraction for addition, zero- for sign-extension."""
    for match in re.finditer(r"\b(_mm\d*_|v)([a-z]+(?:(?<=ep[iu])\d+)?)(q?_\w+)(?=\()", code):
        if other := OPPOSITES.get(match[2]):
            yield ((*match.span(), f"EITHER(K, {match[0]}, {match[1]}{other}{match[3]})"),)


def swapped_minimum(code: str) -> Iterator[tuple[Edit, ...]]:
    """min for max, and the other way round."""
    for match in re.finditer(r"std::(min|max)(<[\w:]+>)?\(", code):
        name = "lesser" if match[1] == "min" else "greater"
        yield ((*match.span(), f"mutation::{name}{match[2] or ''}(MUT(K), "),)
    for match in re.finditer(
        r"(?<![\w:])(min|max)(\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))", code
    ):
        other = "max" if match[1] == "min" else "min"
        yield (
            (match.start(), match.start(), f"(MUT(K) ? {other}{match[2]} : "),
            (
                match.end(),
                match.end(),
                ")",
            ),
        )


RULES: dict[str, Rule] = {
    "missing barrier": replaced(r"GroupMemoryBarrier\w*\(\);", r"{ if (!MUT(K)) \g<0> }"),
    "dropped clamp": replaced(r"std::clamp(<[\w:]+>)?\(", r"mutation::clamped\1(MUT(K), "),
    "swapped min and max": swapped_minimum,
    "lost mask": replaced(r"_maskz_(loadu_\w+)\(", r"_maskz_\1(MUT(K) ? -1 : "),
    "lost blend": replaced(r"_mask_blend_(\w+)\(", r"_mask_blend_\1(MUT(K) ? 0 : "),
    "lost bits": replaced(r"(?<=[\w)\]]) & (?=[\w(~])", " & KEEP(K) * "),
    "swapped instruction": swapped_instruction,
    "wrong stride": replaced(r"(?<=[\w)\]]) \* (?=[\w(])", " * KEEP(K) * "),
    "wrong shift": replaced(r" (<<|>>) (?=[\w(])", r" \1 MUT(K) + "),
    "off by one: a bound": replaced(r" (<|>|>=) (?=[\w(-])", r" \1 MUT(K) + "),
    "off by one: an inclusive bound": replaced(r" <= (?=[\w(-])", " <= -MUT(K) + "),
    "off by one: a number": replaced(
        r"(?<![\w.:<\[\-])(\d+u?)(?=[;,) }]|$)",
        r"(\1 + MUT(K))",
        # A literal there is part of an instruction, or of a type.
        unless=r"_mm\d*_(srai|slli|inserti|extracti|set|setr|i32|i64|mask|cvt)|operator\(\)<",
    ),
    "off by one: an enumerator": replaced(
        r"\b([A-Z]\w+)::k[A-Z]\w*(?=[;,) \]])", r"\1(int(\g<0>) + MUT(K))"
    ),
    "not equal": replaced(r" (==|!=) (?=[\w(-])(?!nullptr)", r" \1 MUT(K) + "),
    "wrong sign": replaced(r"(?<=[\w)\]]) ([+-]) (?=[\w(])", r" \1 SIGN(K) * "),
    "lost step": replaced(r" \+= (?=[\w(])", " += KEEP(K) * ", unless=r"\bfor \("),
    "negated condition": negated_condition,
    "never all": replaced(r" && (?!\w+\))", " && !MUT(K) && "),
    "always one": replaced(r" \|\| ", " || MUT(K) || "),
    "swapped choice": replaced(r"(?<=[\w)\]]) \? ", " != MUT(K) ? ", unless=r" [&|^] .* \? "),
    "wrong answer": replaced(r"\breturn (true|false);", r"return MUT(K) != \1;"),
    "goes on": replaced(r"\b(continue|break|return);", r"{ if (!MUT(K)) \1; }"),
    "lost statement": lost_statement,
    "swapped arguments": replaced(
        r"(?<=[\w>]\()([a-z][\w.]*), ([a-z][\w.]*)(?=[,)])",
        r"MUT(K) ? \2 : \1, MUT(K) ? \1 : \2",
        unless=r"_mm\d*_(add|mul|or|and|cmpeq)|isunordered",  # which commute
    ),
    "lost argument": replaced(
        r"(?<=[(,=] )([a-z]\w*\.\w+)(?=[,;)])", r"KEEP(K) * \1", unless=r"\bfor \("
    ),
    "off by one: an argument": replaced(r"(?<=[a-z_]\()([a-z]\w*)(?=\))", r"\1 + MUT(K)"),
    "off by one: an index": replaced(r"(?<=\w\[)(?!k[A-Z])([a-z]\w*)(?=\])", r"\1 + MUT(K)"),
}

# For files in which the others find too little.
LAST_RESORT: dict[str, Rule] = {
    "off by one: any argument": replaced(r"(?<=, )([a-z]\w*)(?=[,)])", r"\1 + MUT(K)"),
    "off by one: an enumerator's number": replaced(
        r"static_cast<int>\([a-z]\w*\)", r"(\g<0> + MUT(K))"
    ),
    "off by one: the enumerator before": replaced(
        r"\b([A-Z]\w+)::k[A-Z]\w*(?=[;,) \]])", r"\1(int(\g<0>) - MUT(K))"
    ),
}

# Lines that hold no code to change, or code that the compiler must know.
OPAQUE = re.compile(
    r"^\s*(#|//|\*|template\b|using\b|namespace\b|static_assert|struct\b|class\b|enum\b|case\b|"
    r"(static |inline )*constexpr \w+ \w+ =|static const\b|friend\b|public:|private:|throw\b|"
    r"alignas|groupshared\b|typedef\b|\[numthreads|\[unroll\] for)|\"|prefetch|register\(|"
    r"^    add_\w+(<.*>)?\(kernels\)"  # without them, a plainer ISA's kernels do the same
)


def mutations(line: str) -> Iterator[tuple[str, tuple[Edit, ...]]]:
    """(rule, edits) for all that the rules can do with a line."""
    if not OPAQUE.search(line):
        code = line.partition("  // ")[0]
        for name, rule in (RULES | LAST_RESORT).items():
            for edits in rule(code):
                yield name, edits


def edited(line: str, edits: list[Edit]) -> str:
    """The line with edits that do not overlap."""
    for begin, end, text in sorted(edits, reverse=True):
        line = line[:begin] + text + line[end:]
    return line


def overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits cannot both be made."""
    return one[:2] == other[:2] or (one[0] < other[1] and other[0] < one[1])
