"""What tellers of gathers and scatters share: an index's colour, place and words."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from dmlindex._display.call import Array, Call
from dmlindex._display.corners import Position, Window
from dmlindex._display.palette import COLOURS
from dmlindex._display.panel import Mark, Panel
from dmlindex._display.text import dtype_text, shape_text
from dmlindex._display.trace import Trace

_MOST_LINES = 16  # of the text


@dataclass
class Story:
    """The panels of the arguments, of the result, lines of words, and notes to stand below."""

    panels: list[Panel]
    output: Panel | None
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Letters:
    """A letter and a colour for each thing, in the order in which they are asked for.

    >>> letters = Letters()
    >>> letters.of((0, 1)), letters.of((0, 2)), letters.of((0, 1))
    (('a', '#f2c14e'), ('b', '#8ecbf0'), ('a', '#f2c14e'))
    """

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}

    def of(self, key: object) -> tuple[str, str]:
        number = self._numbers.setdefault(key, len(self._numbers))
        letter = ""
        rest = number + 1
        while rest:
            rest, last = divmod(rest - 1, 26)
            letter = chr(ord("a") + last) + letter
        return letter, COLOURS[number % len(COLOURS)]


def first_lines(call: Call) -> list[str]:
    """The call, then types and shapes."""
    arrays = dict(call.arrays)
    if call.output is not None:
        arrays["output"] = call.output
    shown = [f"{n} {dtype_text(a.dtype)} {shape_text(a.shape)}" for n, a in arrays.items()]
    return [call.title, ", ".join(shown)]


class Teller:
    """The story of a call, but for what differs between a gather and a scatter."""

    def __init__(self, call: Call) -> None:
        self.call, self.trace, self.letters = call, Trace(call), Letters()
        self.input_shape = call.arrays["input"].shape
        bad = list(itertools.islice(_out_of_range(call), 8))
        self.window = Window.of(call.arrays["indices"].shape, bad)
        self.places = list(dict.fromkeys(map(self.place_of, self.window.positions())))
        self.bad = [place for place in self.places if self.trace.is_out_of_range(place)]

    def place_of(self, position: Position) -> Position:
        """Of a position in the indices: without the tuple's dim."""
        return position[:-1] if self.call.form.has_tuples else position

    def targets(self) -> list[Position]:
        found = map(self.trace.resolved, self.places)
        return [
            self.trace.target(place, coordinates)
            for place, coordinates in zip(self.places, found, strict=True)
            if coordinates is not None
        ]

    def table_window(self, first: Iterable[Position] = ()) -> Window:
        """Of input, or of a scatter's output: with what is pointed to, and where nothing is. Where
        there is no room for all, those positions come first."""
        rank = len(self.input_shape)
        wanted = [*first, *((*t, *(0,) * (rank - len(t))) for t in self.targets())]
        ghosts = itertools.chain.from_iterable(
            self.trace.whole(self.trace.ghost(place), self.input_shape) for place in self.bad
        )
        return Window.of(self.input_shape, wanted).with_ghosts(ghosts)

    def index_mark(self, position: Position) -> Mark:
        return self.place_mark(self.place_of(position))

    def place_mark(self, place: Position) -> Mark:
        raise NotImplementedError

    def index_text(self, place: Position) -> str:
        raw = self.trace.raw(place)
        shown = ", ".join(map(str, [*place, *([":"] if self.call.form.has_tuples else [])]))
        value = str(raw) if self.call.form.has_tuples else str(raw[0])
        return f"indices[{shown or '()'}] = {value}"

    def target_text(self, name: str, target: Position) -> str:
        """`input[:, 2]`: what is read or written through one index."""
        free = self.call.position if self.call.operator == "gather" else 0
        shown = [":" if d < free else str(c) for d, c in enumerate(target)]
        shown += [":"] * (len(self.input_shape) - len(target))
        return f"{name}[{', '.join(shown)}]"

    def outside_text(self, place: Position) -> str:
        """Which axis has no such place; empty where the index is in range."""
        pairs = zip(self.trace.raw(place), self.call.form.limits, strict=True)
        for k, (index, limit) in enumerate(pairs):
            if not -limit <= index < limit:
                has = f"0 to {limit - 1}" if limit else "no places"
                return f"{index} is out of range: axis {self.call.position + k} has {has}"
        return ""

    def lines(self) -> list[str]:
        found = first_lines(self.call)
        for place in self.places[:_MOST_LINES]:
            found.append(self.line(place))
        count = math.prod(self.call.form.places)
        if count > (told := min(len(self.places), _MOST_LINES)):
            found.append(f"… {count - told} more indices")
        return found

    def line(self, place: Position) -> str:
        raise NotImplementedError

    def notes(self) -> list[str]:
        if self.call.error is not None:
            return [error_text(self.call.error)]
        return [f"mode {self.call.mode!r}: dashed indices are out of range"] if self.bad else []

    def story(self) -> Story:
        call = self.call
        indices = Panel("indices", call.arrays["indices"], self.window, self.index_mark)
        panels = [self.input_panel(), indices, *self.more_panels()]
        output = None if call.output is None else self.output_panel(call.output)
        lines, notes = self.lines(), self.notes()
        return Story(panels, output, lines + notes, notes)

    def input_panel(self) -> Panel:
        raise NotImplementedError

    def output_panel(self, output: Array) -> Panel:
        raise NotImplementedError

    def more_panels(self) -> list[Panel]:
        return []


def _out_of_range(call: Call) -> Iterator[Position]:
    """Positions in indices of what is out of range, in C order."""
    indices = call.arrays["indices"]
    if not indices.size:
        return
    wrong = np.zeros(indices.shape, bool)
    for k, limit in enumerate(call.form.limits):
        part: tuple[object, ...] = (..., k) if call.form.has_tuples else (...,)
        wrong[part] = indices[part] >= limit  # type: ignore[index]
        if indices.dtype.kind == "i":
            wrong[part] |= indices[part] < -limit  # type: ignore[index]
    for position in np.argwhere(wrong)[:64]:
        yield tuple(map(int, position))


def error_text(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
