"""What a sweep comes to, and two sweeps compared."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, exp, log
from typing import Any

from benchmarks.figures import microseconds
from benchmarks.peers import OURS
from benchmarks.report import table
from benchmarks.sweep.measure import BOUND

Sweep = dict[str, Any]
Record = dict[str, Any]

_SLOWER = 1.1


def summary(sweep: Sweep) -> str:
    """The three numbers, overall and by operator, and every call below the bound."""
    records = sweep["records"]
    large = [record for record in records if record.get("is_large")]
    lines = [("all", records), ("best peer: 50 µs or more", large)] + [
        (operator, [record for record in records if record["operator"] == operator])
        for operator in sorted({record["operator"] for record in records})
    ]
    below = sorted(
        (record for record in records if record["ratio"] < BOUND), key=lambda one: one["ratio"]
    )
    unpaired = sum(record["ratio"] == float("inf") for record in records)
    where = sweep.get("where") or f"{sweep['threads']} thread(s), {sweep['clock']} clock"
    parts = [
        f"# Sweep of seed {sweep['seed']}, {where}: the best peer's time ÷ dmlindex's\n",
        "- " + ", ".join(f"{name} {version}" for name, version in sweep["versions"].items()),
        *(f"- **{name} is missing**: {reason}" for name, reason in sweep["missing"].items()),
        f"- {len(records)} calls, {unpaired} that no peer can do\n",
        table(
            ("calls", "number", "geometric mean", "5th percentile", "worst", "below 1"),
            (_line(name, found) for name, found in lines if found),
        ),
    ]
    if below:
        parts.append("Below 1:\n\n" + table(_COLUMNS, (_call(record) for record in below)))
    return "\n".join(parts)


_COLUMNS = ("ratio", "dmlindex", "best peer", "number", "call")


def _line(name: str, records: list[Record]) -> tuple[str, ...]:
    ratios = sorted(record["ratio"] for record in records)
    fifth = ratios[max(0, ceil(0.05 * len(ratios)) - 1)]
    figures = (geometric_mean(ratios), fifth, ratios[0])
    below = sum(ratio < 1 for ratio in ratios)
    return (name, str(len(ratios)), *(f"{figure:.2f}" for figure in figures), str(below))


def _call(record: Record) -> tuple[str, ...]:
    rival = min(
        (time for time in record["times"] if time["peer"] != OURS),
        key=lambda time: float(time["median_ns"]),
    )
    return (
        f"{record['ratio']:.2f}",
        microseconds(_ours(record)),
        f"{microseconds(rival['median_ns'])} {rival['peer']} `{rival['code']}`",
        str(record["number"]),
        record["text"],
    )


def compare_sweeps(old: Sweep, new: Sweep) -> str:
    """What got slower by more than a tenth, the most slowed first."""
    before = {(old["seed"], record["number"]): record for record in old["records"]}
    pairs = [
        (_ours(record) / _ours(before[new["seed"], record["number"]]), record)
        for record in new["records"]
        if (new["seed"], record["number"]) in before
    ]
    if not pairs:
        return "The two sweeps have no call in common: they are of other seeds or numbers."
    slower = sorted((pair for pair in pairs if pair[0] > _SLOWER), key=lambda pair: -pair[0])
    faster = sum(ratio < 1 / _SLOWER for ratio, _ in pairs)
    lines = table(
        ("new ÷ old", "old", "new", "ratio to the best peer", "number", "call"),
        (
            (
                f"{ratio:.2f} slower",
                microseconds(_ours(before[new["seed"], record["number"]])),
                microseconds(_ours(record)),
                f"{record['ratio']:.2f}",
                str(record["number"]),
                record["text"],
            )
            for ratio, record in slower
        ),
    )
    mean = geometric_mean([ratio for ratio, _ in pairs])
    return (
        f"{len(pairs)} calls in both, new ÷ old {mean:.3f} (geometric mean): "
        f"{faster} faster and {len(slower)} slower by more than 10 %.\n\n{lines}"
    )


def geometric_mean(ratios: Iterable[float]) -> float:
    logs = [log(ratio) for ratio in ratios]
    return exp(sum(logs) / len(logs))


def _ours(record: Record) -> float:
    return min(float(time["median_ns"]) for time in record["times"] if time["peer"] == OURS)
