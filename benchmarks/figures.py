"""What the measured times come to: ratios to the best peer and to memcpy, beside the targets."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.peers import OURS
from benchmarks.peers.compiled import COMPILED
from benchmarks.peers.ours import CACHED
from benchmarks.stream_copy import NAME as MEMCPY

Record = dict[str, Any]
Time = dict[str, Any]

_MODES_MAY_COST = 1.3  # x the plain case; negatives and batch_dims too
_BIG_FRESH_BYTES = 32_000_000  # from here ONNX Runtime's arena wins unless the buffer cache is on
_BIG_FRESH_TARGET = 0.7


@dataclass(frozen=True)
class Figure:
    """One measured number beside its target."""

    value: float
    target: float | None
    at_least: bool  # else at most
    unit: str = "x"

    @property
    def reached(self) -> float:
        """1 or more when the target is met; 0.5 when only half of it is."""
        if self.target is None:
            return float("inf")
        return self.value / self.target if self.at_least else self.target / self.value

    def __str__(self) -> str:
        digits = 0 if self.value >= 100 else 1 if self.value >= 10 else 2
        text = f"{self.value:.{digits}f} {self.unit}" if self.unit != "x" else f"{self.value:.2f}"
        if self.target is None:
            return text
        wanted = f"{'≥' if self.at_least else '≤'} {self.target:g}"
        return f"{text} ({wanted})" if self.reached >= 1 else f"**{text}** ({wanted})"


@dataclass(frozen=True)
class Row:
    """What a record says of dmlindex. Without dmlindex, or without peers, figures are None."""

    record: Record
    ours_ns: float | None
    best_peer: str
    clamp: Figure | None
    memory: Figure | None
    checked: Figure | None
    fresh: Figure | None
    cached: Figure | None
    modes: Figure | None
    compiled: Figure | None

    @property
    def figures(self) -> list[Figure]:
        return [figure for figure in self.cells if figure is not None]

    @property
    def cells(self) -> tuple[Figure | None, ...]:
        """The figures in the order of the report's columns."""
        against_peers = (self.clamp, self.memory, self.checked, self.fresh, self.cached)
        return (*against_peers, self.modes, self.compiled)

    @property
    def reached(self) -> float:
        return min((figure.reached for figure in self.figures), default=float("inf"))


def targets() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_name("targets.toml").read_text(encoding="utf-8"))


def rows(records: list[Record], worst_first: bool = False) -> list[Row]:
    every = targets()
    plain = {(record["threads"], record["case"]): record for record in records}
    found = []
    for record in records:
        base = plain.get((record["threads"], record["plain"]))
        found.append(_row(record, base, every.get(record["case"], {})))
    return sorted(found, key=lambda row: row.reached) if worst_first else found


def best(
    times: list[Time], peer: str, into_out: bool, fits: Callable[[Time], bool] = bool
) -> Time | None:
    """The peer's fastest way. One that can't write into out competes with a fresh result."""
    own = [time for time in times if time["peer"] == peer and fits(time)]
    same = [time for time in own if time["into_out"] == into_out]
    if into_out and not same and peer != OURS:
        same = own
    return min(same, key=lambda time: float(time["median_ns"]), default=None)


def best_peer(
    times: list[Time], into_out: bool, fits: Callable[[Time], bool] = bool
) -> Time | None:
    names = {time["peer"] for time in times} - {OURS, MEMCPY}
    found = [best(times, name, into_out, fits) for name in names]
    return min(
        (time for time in found if time), key=lambda time: float(time["median_ns"]), default=None
    )


def raises(time: Time) -> bool:
    return bool(time["raises"])


def in_mode(mode: str) -> Callable[[Time], bool]:
    return lambda time: time["mode"] == mode


def _row(record: Record, plain: Record | None, target: dict[str, Any]) -> Row:
    times, threads = record["times"], record["threads"]

    def wanted(name: str) -> float | None:
        value = target.get(name)
        if isinstance(value, list):
            value = value[min(threads, len(value)) - 1]
        return None if value is None else float(value)

    def ratio(peer: Time | None, mine: Time | None, aim: float | None) -> Figure | None:
        if peer is None or mine is None:
            return None
        return Figure(peer["median_ns"] / mine["median_ns"], aim, at_least=True)

    clamp = best(times, OURS, True, in_mode("clamp"))
    checked = best(times, OURS, True, in_mode("raise"))
    fresh = best(times, OURS, False, in_mode("raise"))
    cached = best(times, OURS, False, in_mode(CACHED))
    compiled = best(times, OURS, True, in_mode(COMPILED))
    rival = best_peer(times, True)
    big = record["moved_bytes"] >= _BIG_FRESH_BYTES
    runtime = best(times, "onnxruntime", False)
    return Row(
        record,
        ours_ns=clamp["median_ns"] if clamp else None,
        best_peer=f"{rival['peer']}, {microseconds(rival['median_ns'])}" if rival else "",
        clamp=ratio(rival, clamp, wanted("times_best_peer") or 1.0),
        memory=_memory(record, clamp, fresh, wanted),
        checked=ratio(best_peer(times, True, raises), checked, 1.0),
        fresh=ratio(best_peer(times, False), fresh, _BIG_FRESH_TARGET if big else 1.0),
        cached=ratio(runtime, cached, wanted("fresh_times_onnxruntime")),
        modes=_modes(times, plain),
        compiled=Figure(compiled["median_ns"] / clamp["median_ns"], 1.0, at_least=False)
        if compiled and clamp
        else None,
    )


def _memory(
    record: Record,
    clamp: Time | None,
    fresh: Time | None,
    wanted: Callable[[str], float | None],
) -> Figure | None:
    """The absolute figure that the case is judged by: x memcpy, ns an element or ns a call."""
    if fresh and wanted("ns_per_call"):
        return Figure(fresh["median_ns"], wanted("ns_per_call"), at_least=False, unit="ns a call")
    if clamp and wanted("ns_per_element"):
        each = clamp["median_ns"] / record["elements"]
        return Figure(each, wanted("ns_per_element"), at_least=False, unit="ns an element")
    copy = best(record["times"], MEMCPY, True)
    if clamp and copy:
        value = clamp["median_ns"] / copy["median_ns"]
        return Figure(value, wanted("times_memcpy"), at_least=False)
    return None


def _modes(times: list[Time], plain: Record | None) -> Figure | None:
    """The dearest other mode ÷ raise; where there is a plain case, this one ÷ that."""
    base = best(times, OURS, True, in_mode("raise"))
    others = [
        time
        for mode in ("clamp", "wrap", "fill", "drop")
        if (time := best(times, OURS, True, in_mode(mode)))
    ]
    if plain is not None:
        base, others = best(plain["times"], OURS, True, in_mode("raise")), [base] if base else []
    if base is None or not others or (plain is None and len(others) < 3):
        return None
    dearest = max(time["median_ns"] for time in others)
    return Figure(dearest / base["median_ns"], _MODES_MAY_COST, at_least=False)


def microseconds(ns: float) -> str:
    us = ns / 1000
    return f"{us:.0f} µs" if us >= 100 else f"{us:.1f} µs" if us >= 10 else f"{us:.2f} µs"
