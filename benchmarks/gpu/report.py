"""The Markdown and the plot of a run on a GPU."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Record, Time, best, in_mode, microseconds
from benchmarks.gpu.peers import ANY_WINS, DETERMINISTIC
from benchmarks.peers import OURS
from benchmarks.report import table

Run = dict[str, Any]

_COLUMNS = (
    "workload",
    "dmlindex",
    "best of torch, cupy",
    "x best",
    "x raw CUDA",
    "x torch deterministic",
    "raise, out",
    "raise, fresh",
    "any wins",
)


def ratios(record: Record) -> dict[str, Figure | None]:
    """Each contestant's time ÷ ours; ours takes any index out of range, and the last write wins."""
    times, goals = record["times"], record["goals"]
    ours = best(times, OURS, True, in_mode("clamp"))
    rivals = [one for one in times if one["peer"] in ("torch", "cupy") and not one["mode"]]
    raw = best(times, "cuda", True)
    slow = [one for one in times if one["mode"] == DETERMINISTIC]

    def ratio(found: list[Time], goal: float | None) -> Figure | None:
        if ours is None or not found:
            return None
        quickest = min(float(one["median_ns"]) for one in found)
        return Figure(quickest / ours["median_ns"], goal, at_least=True)

    return {
        "best": ratio(rivals, goals["times_best"]),
        "cuda": ratio([raw] if raw else [], goals["times_cuda"]),
        "deterministic": ratio(slow, goals["times_deterministic"]),
    }


def markdown(run: Run) -> str:
    lines = [
        "# Benchmark on a GPU\n",
        f"- {run['date']}, {run['device']}, {run['machine']['system']}",
        "- " + ", ".join(f"{name} {version}" for name, version in run["versions"].items()),
        f"- medians of {run['samples']} samples, timestamps of D3D12 beside CUDA's events",
    ]
    lines += [f"- **{name} is missing**: {reason}" for name, reason in run["missing"].items()]
    lines += ["", table(_COLUMNS, (_cells(record) for record in run["records"]))]
    wall = ((one["name"], _value(one, "ours"), _value(one, "torch")) for one in run["wall"])
    lines += ["## Wall clock\n", table(("what", "dmlindex", "torch"), wall)]
    return "\n".join(lines) + "\n## How each does it\n\n" + _ways(run)


def _value(one: dict[str, Any], who: str) -> str:
    if one[who] is None:
        return ""
    goal = one["goal"] if who == "ours" else None
    return str(Figure(one[who], goal, at_least=one["unit"] == "GB/s", unit=one["unit"]))


def _cells(record: Record) -> tuple[str, ...]:
    times = record["times"]

    def shown(found: Time | None) -> str:
        return microseconds(found["median_ns"]) if found else ""

    rivals = [one for one in times if one["peer"] in ("torch", "cupy") and not one["mode"]]
    rival = min(rivals, key=lambda one: float(one["median_ns"]), default=None)
    return (
        record["case"],
        shown(best(times, OURS, True, in_mode("clamp"))),
        f"{rival['peer']}, {shown(rival)}" if rival else "",
        *(str(figure) if figure else "" for figure in ratios(record).values()),
        shown(best(times, OURS, True, in_mode("raise"))),
        shown(best(times, OURS, False, in_mode("raise"))),
        shown(best(times, OURS, True, in_mode(ANY_WINS))),
    )


def _ways(run: Run) -> str:
    lines = []
    for record in run["records"]:
        lines.append(f"{record['case']}\n")
        for time in record["times"]:
            lines.append(f"- {microseconds(time['median_ns'])} {time['peer']} `{time['code']}`")
        for one in record["not_run"]:
            what = f" `{one['code']}`" if one["code"] else ""
            lines.append(f"- not run: {one['peer']}{what}: {one['reason']}")
        lines.append("")
    return "\n".join(lines)


def plot(run: Run, path: Path) -> None:
    """Bars: the best of torch and cupy ÷ dmlindex; a tick is the goal."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    found = [(one["case"], figure) for one in run["records"] if (figure := ratios(one)["best"])]
    canvas, axes = plt.subplots(figsize=(9, 1.5 + 0.25 * max(len(found), 1)), layout="constrained")
    for y, (_, ratio) in enumerate(found):
        axes.barh(y, ratio.value, 0.8, color="#1b6ca8")
        goal = ratio.target or 1.0
        axes.plot([goal, goal], [y - 0.4, y + 0.4], "k", linewidth=1.5)
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(found)), [name for name, _ in found], fontsize=7)
    axes.set_ylim(len(found) - 0.4, -0.6)
    axes.set_xlabel("times as fast as the best of torch and cupy (tick: the goal)")
    canvas.savefig(path, dpi=120)
    plt.close(canvas)
