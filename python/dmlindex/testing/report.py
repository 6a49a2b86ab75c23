"""What a fuzzer found, in words and as HTML."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

from dmlindex.testing.call import Call


@dataclass(frozen=True)
class Difference:
    """A call that is answered otherwise, as small as it gets, and code that shows it."""

    call: Call
    problem: str
    script: str
    found_after: int  # calls

    def __str__(self) -> str:
        return f"{self.call!r}\n{self.problem}\n\n{self.script}"


def kind_of(call: Call, problem: str) -> tuple[str, ...]:
    """What makes two differences distinct."""
    options = [str(call.options.get(name, "")) for name in ("mode", "reduction")]
    words = " ".join(word.rstrip(":") for word in problem.split()[:3])
    return call.operator, *options, re.sub(r"\d+|\(.*", "", words)


@dataclass
class Report:
    """Of one run: how many calls, what they covered, what rules took out, what differed."""

    function: str
    against: str
    seed: int
    calls: int = 0
    seconds: float = 0.0
    differences: list[Difference] = field(default_factory=list)
    filtered: Counter[str] = field(default_factory=Counter)
    coverage: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Calls a second."""
        return self.calls / self.seconds if self.seconds else 0.0

    def merge(self, other: Report) -> None:
        """Takes in what another worker found."""
        self.calls += other.calls
        self.seconds = max(self.seconds, other.seconds)
        known = {kind_of(one.call, one.problem) for one in self.differences}
        self.differences += [
            one for one in other.differences if kind_of(one.call, one.problem) not in known
        ]
        self.filtered += other.filtered
        self.coverage += other.coverage

    def __str__(self) -> str:
        lines = [self._headline()]
        lines += [f"  {name}: {', '.join(values)}" for name, values in self._covered()]
        for rule, count in self.filtered.most_common():
            lines.append(f"  not compared, rule {rule}: {count} calls")
        for difference in self.differences:
            lines += ["", f"After {difference.found_after:,} calls:", str(difference)]
        return "\n".join(lines)

    __repr__ = __str__

    def _headline(self) -> str:
        count = len(self.differences)
        found = "no difference" if not count else f"{count} difference{'s'[: count > 1]}"
        return (
            f"{self.function} against {self.against}, seed {self.seed}: {found} in "
            f"{self.calls:,} calls, {self.seconds:.1f} s ({self.rate:,.0f} a second)"
        )

    def _covered(self) -> list[tuple[str, list[str]]]:
        """By property: each value, and how many calls had it."""
        found: dict[str, Counter[str]] = {}
        for (operator, name, value), count in self.coverage.items():
            found.setdefault("operator", Counter())[operator] += count * (name == "dtype")
            found.setdefault(name, Counter())[value] += count
        return [
            (name, [f"{value} {count}" for value, count in counts.most_common()])
            for name, counts in found.items()
        ]

    def _repr_html_(self) -> str:
        from dmlindex._display import html

        rows = [(name, ", ".join(values)) for name, values in self._covered()]
        rows += [
            (f"rule {rule}", f"{count:,} calls not compared")
            for rule, count in self.filtered.most_common()
        ]
        found: list[object] = [html.heading(self._headline())]
        for one in self.differences:
            found += [
                html.heading(f"After {one.found_after:,} calls"),
                html.code(repr(one.call)), html.paragraph(one.problem), html.code(one.script),
            ]  # fmt: skip
        coverage = html.table(("property", "values, and calls with them"), rows)
        return html.box(*found, html.details("Coverage", coverage))
