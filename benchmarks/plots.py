"""The plots: every workload against the best peer, and how the cost grows with the sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt

from benchmarks.figures import Record, best, in_mode, rows
from benchmarks.peers import MODULES, OURS

_COLOURS = ("#1b6ca8", "#e07b39")


def plot_ratios(run: dict[str, Any], path: Path) -> None:
    """Bars: the best peer's time ÷ dmlindex's, out given, mode="clamp"; a tick is the target."""
    found = [row for row in rows(run["records"]) if row.record["group"] != "growth" and row.clamp]
    names = list(dict.fromkeys(row.record["case"] for row in found))
    threads = sorted({row.record["threads"] for row in found})
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.28 * max(len(names), 1)), layout="constrained")
    height = 0.8 / max(len(threads), 1)
    for row in found:
        assert row.clamp is not None
        which = threads.index(row.record["threads"])
        y = names.index(row.record["case"]) + (which - (len(threads) - 1) / 2) * height
        axes.barh(y, row.clamp.value, height, color=_COLOURS[which % len(_COLOURS)])
        target = row.clamp.target or 1.0
        axes.plot([target, target], [y - height / 2, y + height / 2], "k", linewidth=1.5)
    for which, count in enumerate(threads):
        label = f"{count} thread{'s' if count > 1 else ''}"
        axes.barh(0, 0, color=_COLOURS[which % len(_COLOURS)], label=label)
    axes.plot([], [], "k", label="target")
    axes.axvline(1, color="grey", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel("times as fast as the best peer (out given, mode='clamp')")
    axes.legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)


def plot_growth(run: dict[str, Any], path: Path) -> bool:
    """ns an element against the bytes of table and output; False when that was not run."""
    curves: dict[str, list[tuple[int, Record]]] = {}
    grown = [record for record in run["records"] if record["group"] == "growth"]
    fewest = min((record["threads"] for record in grown), default=0)
    for record in grown:
        if record["threads"] == fewest:
            title, size = record["case"].rsplit(": ", 1)
            curves.setdefault(title, []).append((int(size), record))
    if not curves:
        return False
    figure, grid = plt.subplots(
        1, len(curves), figsize=(4.5 * len(curves), 4), layout="constrained", squeeze=False
    )
    for axes, (title, points) in zip(grid[0], curves.items(), strict=True):
        for peer in MODULES:
            sizes, costs = [], []
            for size, record in points:
                fits = in_mode("clamp") if peer == OURS else bool
                time = best(record["times"], peer, True, fits)
                if time:
                    sizes.append(size)
                    costs.append(time["median_ns"] / record["elements"])
            if sizes:
                axes.plot(sizes, costs, label=peer, linewidth=2.5 if peer == OURS else 1)
        axes.set(xscale="log", yscale="log", xlabel="bytes", title=title)
    grid[0][0].set_ylabel("ns an element")
    grid[0][0].legend()
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return True
