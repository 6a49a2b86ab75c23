"""The story of a scatter: colours follow what is written, and say who overwrote whom."""

from __future__ import annotations

import math

import numpy as np

from dmlindex._display.call import Array, Call
from dmlindex._display.corners import Position, Window
from dmlindex._display.panel import Mark, Panel
from dmlindex._display.teller import Teller

_MOST_TRACED = 1 << 14  # indices that are gone through one by one
_MOST_NAMED = 20  # of those that a reduction combines


class ScatterTeller(Teller):
    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.winners = self.trace.writers() if call.output is not None else None
        small = math.prod(call.form.places) <= _MOST_TRACED
        self.by_target = self.trace.places_of_targets() if small else {}
        for place in self.places:  # letters in the order of the indices
            self.letters.of(place)

    @property
    def combines(self) -> bool:
        return self.call.reduction != "none"

    def rivals(self, place: Position) -> list[Position]:
        """All indices that name the same target, in order."""
        coordinates = self.trace.resolved(place)
        if coordinates is None:
            return []
        return self.by_target.get(self.trace.target(place, coordinates), [])

    def winner(self, place: Position) -> Position | None:
        """The index whose update overwrites that of this one."""
        coordinates = self.trace.resolved(place)
        if self.combines or self.winners is None or coordinates is None:
            return None
        written = self.winners[self.trace.target(place, coordinates)].reshape(-1)[:1]
        last = [self.place_numbered(int(number)) for number in written if number >= 0]
        return last[0] if last and last[0] != place else None

    def place_numbered(self, number: int) -> Position:
        """The place in indices that has this number in C order."""
        return tuple(map(int, np.unravel_index(number, self.call.form.places)))

    def place_mark(self, place: Position) -> Mark:
        letter, tint = self.letters.of(place)
        if self.trace.resolved(place) is None and self.call.mode != "directml":
            return Mark(is_wrong=True, words=self.outside_text(place))
        return Mark(
            tint, letter, is_lost=self.winner(place) is not None,
            is_wrong=self.trace.is_out_of_range(place), words=self.meaning(place),
        )  # fmt: skip

    def meaning(self, place: Position) -> str:
        coordinates = self.trace.resolved(place)
        if coordinates is None:
            outside = self.outside_text(place)
            if self.call.mode == "drop":
                return f"is dropped, as {outside}"
            if self.call.mode == "directml":
                return f"writes where DirectML's arithmetic leads, as {outside}"
            return f"points to nothing: {outside}"
        target = self.target_text("output", self.trace.target(place, coordinates))
        verb = {"none": "writes", "add": "adds to", "mul": "multiplies"}.get(self.call.reduction)
        words = f"{verb or f'takes part in the {self.call.reduction} of'} {target}"
        winner = self.winner(place)
        if winner is not None:
            words += f", overwritten by {self.letters.of(winner)[0]}"
        return words

    def line(self, place: Position) -> str:
        return f"{self.letters.of(place)[0]}: {self.index_text(place)} {self.meaning(place)}"

    def update_mark(self, position: Position) -> Mark:
        if len(position) < len(self.call.form.places):  # one update for all of them
            return Mark()
        return self.place_mark(position[: len(self.call.form.places)])

    def input_panel(self) -> Panel:
        shown = self.table_window()
        return Panel("input", self.call.arrays["input"], shown, lambda position: Mark())

    def more_panels(self) -> list[Panel]:
        updates = self.call.arrays["updates"]
        wanted = (
            [(*p, *(0,) * (updates.ndim - len(p))) for p in self.places] if updates.ndim else []
        )
        window = Window.of(updates.shape, wanted)
        return [Panel("updates", updates, window, self.update_mark)]

    def output_mark(self, position: Position) -> Mark:
        assert self.winners is not None
        number = int(self.winners[position])
        if number < 0:
            return Mark(words="as in input")
        place = self.place_numbered(number)
        letter, tint = self.letters.of(place)
        if not self.combines:
            return Mark(tint, letter, words=f"written by {letter}")
        rivals = self.rivals(place)
        if not rivals:  # there are too many to go through
            last = f"the updates that name it, the last of them {letter}"
            return Mark(tint, f"…+{letter}", words=f"{self.call.reduction} of input and {last}")
        most = len(rivals) > _MOST_NAMED
        named = [*rivals[: _MOST_NAMED - 1], rivals[-1]] if most else rivals
        names = [self.letters.of(rival)[0] for rival in named]
        shown = "+".join(names) if len(names) <= 3 else f"{names[0]}+…{names[-1]}"
        if most:
            names.insert(-1, "…")
        return Mark(tint, shown, words=f"{self.call.reduction} of input and {', '.join(names)}")

    def output_panel(self, output: Array) -> Panel:
        window = Window(self.input_shape, self.table_window().axes)
        return Panel("output", output, window, self.output_mark)

    def notes(self) -> list[str]:
        found = super().notes()
        lost = [place for place in self.places if self.winner(place) is not None]
        if lost and self.call.error is None:
            pairs = [
                f"{self.letters.of(place)[0]} by {self.letters.of(self.winner(place))[0]}"
                for place in lost[:6]
            ]
            more = ", …" if len(lost) > 6 else ""
            found.append(f"hatched: overwritten by a later update ({', '.join(pairs)}{more})")
        return found
