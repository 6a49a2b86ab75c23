"""The plot of speed.json for the site's pages, in the colours of the page around it."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

_INK = "#123456"  # stands for the colour of the page's text
_MARKS = {  # by library: its name, its mark, a colour that stands out on light and dark
    "dmlindex": ("dmlindex", "D", "#d9822b"),
    "numpy": ("NumPy", "o", "#4c8fd6"),
    "torch": ("PyTorch", "s", "#3aa981"),
    "onnxruntime": ("ONNX Runtime", "^", "#b07cc6"),
    "jax": ("JAX", "v", "#8a8f98"),
}
_STYLE = {
    "svg.fonttype": "none",
    "svg.hashsalt": "dmlindex",
    "font.family": "sans-serif",
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _INK
    ),
}


class Plot:
    """What a notebook shows: SVG within the page, so that it has the page's font and colours."""

    def __init__(self, svg: str) -> None:
        self._svg = svg

    def _repr_html_(self) -> str:
        return f'<div class="speed-plot">{self._svg}</div>'


def where_measured() -> str:
    """The date, the machine and the versions."""
    found = _speed()
    machine = "{processor}, {processors} processors, {memory_gib} GiB, {system}"
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    return f"Measured on {found['date']}: {machine.format(**found['machine'])}\n{versions}"


def speed_plot(threads: int = 1, cases: list[str] | None = None, width: float = 7.0) -> Plot:
    """Milliseconds of each library, on a logarithmic axis; a line for each workload."""
    workloads = [one for one in _speed()["workloads"] if one["threads"] == threads]
    if cases is not None:
        workloads = [one for one in workloads if one["case"] in cases]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, 1.0 + 0.45 * len(workloads)), layout="constrained")
        axes = figure.add_subplot()
        for place, workload in enumerate(workloads):
            times = [ns / 1e6 for ns in workload["ns"].values()]
            axes.plot([min(times), max(times)], [place, place], color=_INK, alpha=0.25, zorder=1)
            axes.text(
                0, place - 0.4, workload["case"], transform=axes.get_yaxis_transform(), va="center"
            )
        for library, (name, mark, colour) in _MARKS.items():
            points = [(w["ns"].get(library), k) for k, w in enumerate(workloads)]
            axes.scatter(
                [ns / 1e6 for ns, _ in points if ns],
                [place for ns, place in points if ns],
                s=70 if library == "dmlindex" else 36,
                marker=mark,
                color=colour,
                label=name,
                zorder=3 if library == "dmlindex" else 2,
            )
        axes.set_yticks([])
        axes.set_ylim(len(workloads) - 0.6, -0.8)
        axes.set(xscale="log", xlabel="milliseconds, to the left is faster")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.grid(axis="x", alpha=0.2, color=_INK)
        axes.spines[["left", "top", "right"]].set_visible(False)
        figure.legend(
            loc="outside upper left", ncols=5, frameon=False, handletextpad=0, columnspacing=0.8
        )
        return Plot(_svg(figure, workloads))


def _speed() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("speed.json").read_text("utf-8"))
    return found


def _svg(figure: Figure, workloads: list[dict[str, Any]]) -> str:
    """Scaled by the page, and with a text for those who do not see it."""
    said = io.StringIO()
    figure.savefig(said, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = said.getvalue()
    words = "; ".join(
        f"{one['case']}: "
        + ", ".join(f"{_MARKS[name][0]} {ns / 1e6:.3g} ms" for name, ns in one["ns"].items())
        for one in workloads
    )
    start = svg.index("<svg")
    return (
        svg[start:]
        .replace(_INK, "currentColor")
        .replace("<svg", f'<svg role="img" aria-label="Times by library. {words}"', 1)
    )
