"""The Markdown: the table of figures, how each contestant did each case, and two runs compared."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.figures import Row, best, in_mode, microseconds, rows
from benchmarks.peers import OURS
from benchmarks.stream_copy import NAME as MEMCPY

Run = dict[str, Any]

_COLUMNS = (
    "workload",
    "dmlindex",
    "best peer",
    "x best peer",
    "x memcpy, or ns",
    "raise: x best peer",
    "fresh: x best peer",
    "fresh, buffer cache: x onnxruntime",
    "modes ÷ plain",
    "compiled ÷ function",
)
_NOISE = 0.1  # two runs of the same code differ by this much


def markdown(run: Run, worst_first: bool = False) -> str:
    parts = [_head(run)]
    for threads in sorted({record["threads"] for record in run["records"]}):
        records = [record for record in run["records"] if record["threads"] == threads]
        found = rows([record for record in records if record["group"] != "growth"], worst_first)
        short = sum(row.reached < 1 for row in found)
        parts.append(
            f"## {threads} thread{'s' if threads > 1 else ''}\n\n"
            f"{len(found)} workloads, {short} with a figure that falls short (bold).\n\n"
            + table(_COLUMNS, (_cells(row) for row in found))
        )
    parts.append("## How each does it\n\n" + _ways(run))
    return "\n".join(parts)


def compare(old: Run, new: Run) -> str:
    """dmlindex's own times (out given, clamp and raise), the most slowed first."""
    before = {(record["threads"], record["case"]): record for record in old["records"]}
    found = []
    for record in new["records"]:
        base = before.get((record["threads"], record["case"]))
        for mode in ("clamp", "raise"):
            now = best(record["times"], OURS, True, in_mode(mode))
            was = best(base["times"], OURS, True, in_mode(mode)) if base else None
            if now and was:
                ratio = now["median_ns"] / was["median_ns"]
                found.append((ratio, record, mode, was["median_ns"], now["median_ns"]))
    found.sort(key=lambda one: -one[0])
    missing = [case for threads, case in before if not _has(new, threads, case)]
    lines = table(
        ("workload", "threads", "mode", "old", "new", "new ÷ old"),
        (
            (
                record["case"],
                str(record["threads"]),
                mode,
                microseconds(was),
                microseconds(now),
                f"{ratio:.2f}" + (" slower" if ratio > 1 + _NOISE else ""),
            )
            for ratio, record, mode, was, now in found
        ),
    )
    gone = f"\nOnly in the old run: {', '.join(sorted(set(missing)))}\n" if missing else ""
    return lines + gone


def _has(run: Run, threads: int, case: str) -> bool:
    return any((r["threads"], r["case"]) == (threads, case) for r in run["records"])


def _head(run: Run) -> str:
    machine = run["machine"]
    lines = [
        "# Benchmark\n",
        f"- {run['date']}, {machine['processor']}, {machine['processors']} processors, "
        f"{machine['memory_gib']} GiB, {machine['system']}",
        "- " + ", ".join(f"{name} {version}" for name, version in run["versions"].items()),
        f"- {run['seconds']} s of timing a case",
    ]
    lines += [f"- **{name} is missing**: {reason}" for name, reason in run["missing"].items()]
    return "\n".join(lines) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.record["case"],
        microseconds(row.ours_ns) if row.ours_ns else "",
        row.best_peer,
        *(str(figure) if figure else "" for figure in row.cells),
    )


def _ways(run: Run) -> str:
    """Every contestant's fastest code and what it could not do, with the fewest threads."""
    fewest = min((record["threads"] for record in run["records"]), default=1)
    lines = []
    for record in run["records"]:
        if record["threads"] != fewest or record["group"] == "growth":
            continue
        lines.append(f"{record['case']}\n")
        for time in record["times"]:
            if time["peer"] != MEMCPY:
                lines.append(f"- {microseconds(time['median_ns'])} {time['peer']} `{time['code']}`")
        for one in record["not_run"]:
            what = f" `{one['code']}`" if one["code"] else ""
            lines.append(f"- not run: {one['peer']}{what}: {one['reason']}")
        lines.append("")
    return "\n".join(lines)


def table(columns: tuple[str, ...], lines: Iterable[tuple[str, ...]]) -> str:
    table = [columns, tuple("---" for _ in columns), *lines]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in table) + "\n"
