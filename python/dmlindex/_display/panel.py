"""An array as cells: rows and columns with their numbers, parts of more dims one under another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex._display import svg
from dmlindex._display.corners import Position, Window
from dmlindex._display.text import columns, dtype_text, full_text, shape_text, shortened, value_text

HEIGHT = 26.0  # px, of a cell
_GAP = 16.0  # where coordinates are left out
_HEAD = 36.0  # name, type and shape
_LABELS = 15.0  # the numbers above the columns
_BLOCK_TITLE = 18.0


@dataclass(frozen=True)
class Mark:
    """How a cell is shown: its colour, the letter in its corner, what is lost or wrong."""

    tint: str = ""
    letter: str = ""
    is_lost: bool = False
    is_wrong: bool = False
    words: str = ""  # for the tooltip


@dataclass(frozen=True)
class Panel:
    """One array of a call; `mark` says how each position of it looks."""

    name: str
    array: npt.NDArray[Any]
    window: Window
    mark: Callable[[Position], Mark]
    cell_width: float = field(init=False)

    def __post_init__(self) -> None:
        shown = [value_text(self.array[p]) for p in self.window.positions()]
        letters = max((len(self.mark(p).letter) for p in self.window.positions()), default=0)
        widest = max(map(columns, shown), default=3)
        width = max(34.0, widest * svg.CHARACTER + 12 + letters * svg.SMALL * 0.9)
        object.__setattr__(self, "cell_width", width)

    @property
    def heading(self) -> str:
        return f"{dtype_text(self.array.dtype)} {shape_text(self.array.shape)}"

    @property
    def width(self) -> float:
        drawn, _ = self._drawn(0, 0)
        del drawn
        return (
            max(self._body_width(), columns(self.name) * 8, columns(self.heading) * svg.SMALL) + 4
        )

    @property
    def height(self) -> float:
        _, bottom = self._drawn(0, 0)
        return bottom

    def drawn(self, x: float, y: float) -> str:
        return self._drawn(x, y)[0]

    def _drawn(self, x: float, y: float) -> tuple[str, float]:
        parts = [
            svg.text(x, y + 12, self.name, size="head"),
            svg.text(x, y + 27, self.heading, "faint", size="small"),
        ]
        y += _HEAD
        if not self.array.size and not self.window.ghosts:
            parts.append(svg.text(x, y + 16, "no elements", "faint"))
            return "".join(parts), y + HEIGHT
        if self.array.ndim == 0:
            parts.append(self._cell_at((), x, y))
            return "".join(parts), y + HEIGHT + 2
        previous = None
        for block in self.window.blocks() if self.array.ndim > 2 else [()]:
            if previous is not None and self.window.has_gap(previous, block):
                parts.append(svg.text(x + self._row_labels(), y + 8, "⋮", "faint"))
                y += _GAP
            part, y = self._block(block, x, y)
            parts.append(part)
            previous = block
        return "".join(parts), y

    def _block(self, block: Position, x: float, y: float) -> tuple[str, float]:
        parts = []
        if self.array.ndim > 2:
            title = "[" + ", ".join(map(str, block)) + ", :, :]"
            parts.append(svg.text(x, y + 12, title, "faint", size="small"))
            y += _BLOCK_TITLE
        rows = [None] if self.array.ndim == 1 else list(self.window.lines(-2, block))
        columns_ = self.window.lines(-1, block)
        left = x + self._row_labels()
        parts.append(self._labels(columns_, left, y))
        y += _LABELS
        for i, row in enumerate(rows):
            if i and row is not None and row - (rows[i - 1] or 0) > 1:
                parts.append(svg.text(left + 4, y + 11, "⋮", "faint"))
                y += _GAP
            if row is not None:
                kind = "faint" if 0 <= row < self.array.shape[-2] else "bad"
                at = left - 5
                parts.append(svg.text(at, y + 17, str(row), kind, anchor="end", size="small"))
            at = left
            for j, column in enumerate(columns_):
                if j and column - columns_[j - 1] > 1:
                    if i == 0 or row is None:
                        parts.append(svg.text(at + 2, y + 17, "…", "faint"))
                    at += _GAP
                position = (*block, *(() if row is None else (row,)), column)
                parts.append(self._cell_at(position, at, y))
                at += self.cell_width
            y += HEIGHT
        return "".join(parts), y + 6

    def _labels(self, columns_: tuple[int, ...], x: float, y: float) -> str:
        parts = []
        for j, column in enumerate(columns_):
            if j and column - columns_[j - 1] > 1:
                x += _GAP
            kind = "faint" if 0 <= column < self.array.shape[-1] else "bad"
            middle = x + self.cell_width / 2
            label = shortened(str(column), int(self.cell_width / svg.SMALL))
            parts.append(svg.text(middle, y + 10, label, kind, anchor="middle", size="small"))
            x += self.cell_width
        return "".join(parts)

    def _cell_at(self, position: Position, x: float, y: float) -> str:
        is_ghost = position in self.window.ghosts
        inside = all(0 <= c < s for c, s in zip(position, self.array.shape, strict=True))
        width: float = self.cell_width
        if not inside:
            if not is_ghost:
                return ""
            middle = svg.text(x + width / 2, y + 17.5, "none", "bad", anchor="middle", size="small")
            return svg.dashed(x, y, width, HEIGHT) + middle
        mark = self.mark(position)
        value = self.array[position]
        name = f"{self.name}[{', '.join(map(str, position)) or '()'}]"
        tooltip = f"{name} = {full_text(value)}" + (f": {mark.words}" if mark.words else "")
        parts = [svg.cell(x, y, width, HEIGHT, mark.tint, tooltip)]
        if mark.is_lost:
            parts.append(svg.hatching(x, y, width, HEIGHT))
        if mark.is_wrong:
            parts.append(svg.dashed(x, y, width, HEIGHT))
        kind = "dark" if mark.tint else "ink"
        room = len(mark.letter) * svg.SMALL * 0.9
        middle_x = x + (width - room) / 2
        parts.append(svg.text(middle_x, y + 18, value_text(value), kind, anchor="middle"))
        if mark.letter:
            letter = svg.text(x + width - 3, y + 10, mark.letter, kind, anchor="end", size="small")
            parts.append(letter)
        return "".join(parts)

    def _row_labels(self) -> float:
        if self.array.ndim < 2:
            return 0.0
        rows = (row for block in self.window.blocks() for row in self.window.lines(-2, block))
        longest = max((len(str(row)) for row in rows), default=0)
        return longest * svg.SMALL + 8

    def _body_width(self) -> float:
        if self.array.ndim == 0 or not (self.array.size or self.window.ghosts):
            return max(self.cell_width, 90)
        widths = []
        for block in self.window.blocks():
            lines = self.window.lines(-1, block)
            gaps = sum(lines[j] - lines[j - 1] > 1 for j in range(1, len(lines)))
            widths.append(len(lines) * self.cell_width + gaps * _GAP)
        return self._row_labels() + max(widths)


def plain_panel(name: str, array: npt.NDArray[Any]) -> Panel:
    """An array of which nothing is to be said but its values."""
    return Panel(name, np.asarray(array), Window.of(array.shape), lambda position: Mark())
