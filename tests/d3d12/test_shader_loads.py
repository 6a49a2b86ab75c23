"""Raw loads behind conditions, in the shaders' text.

A root descriptor has no bounds: a load that a condition shall prevent must not happen. FXC works
out both sides of &&, || and ?:, and may do the same with a plain `if`; only behind `[branch]`, in
a loop, or after a return is a load left out for certain. The typed kernels are never bound by root
descriptors: all that they see are views, which have bounds.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.d3d12.test_shaders import KERNELS, SHADERS

FUNCTION = re.compile(r"^\w[\w ]*?(\w+)\(([^;{}]*?)\)[^;{}]*\{(.*?)^\}", re.MULTILINE | re.DOTALL)
ONE_LINE_FUNCTION = re.compile(r"^\w[\w ]*?(\w+)\(([^;{}]*?)\) \{(.*)\}$", re.MULTILINE)
RAW_BUFFER = re.compile(r"\bRWByteAddressBuffer (\w+)")
TOKEN = re.compile(r"\[\w+(?:\([^)]*\))?\]|&&|\|\||[\w.]+|\S")
RAW_KERNELS = [kernel for kernel in KERNELS if "TYPED" not in kernel.defines]


def preprocessed(source: str, defines: dict[str, str]) -> str:
    """The text that FXC sees, without comments; macros are not expanded."""
    lines = []
    taken = [True]  # of each #if around a line, whether its present branch counts
    done = [True]  # and whether one of its branches did
    for line in re.sub(r"//.*", "", (SHADERS / source).read_text("utf-8")).splitlines():
        word, _, rest = line.partition(" ")
        if word in ("#if", "#ifdef", "#ifndef"):
            holds = taken[-1] and holds_for(word, rest, defines)
            taken.append(holds)
            done.append(holds or not taken[-2])
        elif word in ("#elif", "#else"):
            taken[-1] = not done[-1] and (word == "#else" or holds_for("#if", rest, defines))
            done[-1] = done[-1] or taken[-1]
        elif word == "#endif":
            taken.pop()
            done.pop()
        elif not taken[-1]:
            continue
        elif word == "#include":
            lines.append(preprocessed(rest.strip('"'), defines))
        elif word == "#define":
            name, _, value = rest.partition(" ")
            defines[name] = value
        elif not word.startswith("#"):
            lines.append(line)
    return "\n".join(lines)


def holds_for(word: str, condition: str, defines: dict[str, str]) -> bool:
    if word != "#if":
        return (condition in defines) == (word == "#ifdef")
    value = condition
    while (more := re.sub(r"[A-Za-z_]\w*", lambda m: defines.get(m[0], "0"), value)) != value:
        value = more
    value = re.sub(r"!(?!=)", " not ", value.replace("&&", " and ").replace("||", " or "))
    return bool(eval(value))  # of the shaders here


def functions_in(text: str) -> dict[str, tuple[str, str]]:
    """name → parameters, body."""
    found = {}
    for pattern in (ONE_LINE_FUNCTION, FUNCTION):
        for match in pattern.finditer(text):
            found[match[1]] = (match[2], match[3])
        text = pattern.sub("", text)
    return found


def loaders_of(text: str) -> set[str]:
    """What to call is to load: the buffers' own methods, and functions that do so. One without
    parameters answers for itself: nothing that its caller checks can matter to where it reads."""
    buffers = RAW_BUFFER.findall(text)
    loaders = {f"{buffer}.{method}" for buffer in buffers for method in ("Load", "Load2", "Load4")}
    functions = functions_in(text)
    while True:
        more = {
            name
            for name, (parameters, body) in functions.items()
            if name not in loaders
            and parameters.strip()
            and any(token in loaders for token in TOKEN.findall(body))
        }
        if not more:
            return loaders
        loaders |= more


def bad_loads(body: str, loaders: set[str]) -> list[str]:
    """What a body loads under a condition that need not prevent it."""
    tokens = TOKEN.findall(body)
    bad: list[str] = []

    def statement(at: int, plain: str) -> int:
        """Goes over one statement; plain is the `if` without [branch] that it stands under."""
        forced = False
        while at < len(tokens) and tokens[at].startswith("[") and len(tokens[at]) > 1:
            forced = tokens[at] == "[branch]" or forced
            at += 1
        if at == len(tokens):
            return at
        if tokens[at] == "{":
            at += 1
            while tokens[at] != "}":
                at = statement(at, plain)
            return at + 1
        if tokens[at] in ("if", "for", "while"):
            is_if = tokens[at] == "if"
            begin, at = at, closing(at + 1) + 1
            expression(begin, at, plain)
            under = plain if forced or not is_if else " ".join(tokens[begin:at])
            at = statement(at, under)
            if at < len(tokens) and tokens[at] == "else":
                at = statement(at + 1, under)
            return at
        end = at
        while tokens[end] != ";":
            end = closing(end) + 1 if tokens[end] in "({" else end + 1
        expression(at, end, plain)
        return end + 1

    def closing(at: int) -> int:
        depth = 0
        while True:
            depth += tokens[at] in "({"
            depth -= tokens[at] in ")}"
            if depth == 0:
                return at
            at += 1

    def expression(begin: int, end: int, plain: str) -> None:
        chosen = False
        for token in tokens[begin:end]:
            chosen = chosen or token in ("&&", "||", "?")
            if token in loaders and (chosen or plain):
                bad.append(plain or " ".join(tokens[begin:end]))

    at = 0
    while at < len(tokens):
        at = statement(at, "")
    return bad


def text_of(kernel: Any) -> str:
    defines = dict(define.split("=") for define in kernel.defines.split(",") if define)
    return preprocessed(kernel.source, defines)


@pytest.mark.parametrize("kernel", RAW_KERNELS, ids=lambda kernel: kernel.name)
def test_conditions_that_guard_a_load_are_branches(kernel: Any) -> None:
    text = text_of(kernel)
    functions, loaders = functions_in(text), loaders_of(text)
    assert {"main", "failed"} <= functions.keys()
    assert "failed" not in loaders
    for function, (_, body) in functions.items():
        assert not bad_loads(body, loaders), function


def test_the_functions_that_load_are_known() -> None:
    text = text_of(next(kernel for kernel in RAW_KERNELS if kernel.source == "gather_units.hlsl"))
    assert {"load_index", "resolve_all", "load_unit", "slots.Load2"} <= loaders_of(text)
    assert loaders_of(text).isdisjoint({"resolve", "locate", "fill_unit"})


@pytest.mark.parametrize(
    "body",
    [
        "if (a != kNone && any(slots.Load2(a) != 0)) fails = 1;",
        "bool fails = a == kNone || slots.Load(a) != 0;",
        "x = a < count ? slots.Load(a) : 0;",
        "if (a < count) x = slots.Load(a);",
        "[branch] if (b) { if (a < count) { x = slots.Load(a); } }",
        "if (a < count) { x = 1; } else { x = slots.Load(a); }",
        "[loop] for (i = 0; i < 4 && slots.Load(i) != 0; ++i) {}",
    ],
)
def test_what_is_found(body: str) -> None:
    assert bad_loads(body, {"slots.Load", "slots.Load2"})


@pytest.mark.parametrize(
    "body",
    [
        "[branch] if (a < count) x = slots.Load(a);",
        "if (a >= count) return; x = slots.Load(a);",
        "[loop] while (a < count) { x += slots.Load(a); ++a; }",
        "[branch] if (a) { x = slots.Load(a); } else { x = slots.Load(0); }",
        "x = any(slots.Load2(a) != 0) ? 1 : 0;",
        "if (a) x = b && c;",
    ],
)
def test_what_is_allowed(body: str) -> None:
    assert not bad_loads(body, {"slots.Load", "slots.Load2"})
