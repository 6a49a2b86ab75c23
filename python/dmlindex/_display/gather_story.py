"""The story of a gather: colours follow what is read."""

from __future__ import annotations

from dmlindex._display.call import Array, Call
from dmlindex._display.corners import Position, Window
from dmlindex._display.panel import Mark, Panel
from dmlindex._display.teller import Teller


class GatherTeller(Teller):
    def __init__(self, call: Call) -> None:
        super().__init__(call)
        self.sources: dict[Position, Position] = {}
        if call.output is not None:
            self.out_window = Window.of(call.output.shape)
            self.sources = self.trace.sources(self.out_window)
        self.read = set(self.targets())
        for place in self.places:  # letters in the order of the indices
            if self.trace.resolved(place) is not None or call.mode == "directml":
                self.letters.of(self.key(place))
        # In mode directml an index out of range leads to elements of other slices.
        self.strays = {
            source: self.trace.place_of_output(position)
            for position, source in self.sources.items()
            if call.mode == "directml" and self.place_is_stray(position)
        }

    def place_is_stray(self, position: Position) -> bool:
        return self.trace.is_out_of_range(self.trace.place_of_output(position))

    def key(self, place: Position) -> object:
        """What has one colour: the target, or an index that has none of its own."""
        coordinates = self.trace.resolved(place)
        return ("place", place) if coordinates is None else self.trace.target(place, coordinates)

    def place_mark(self, place: Position) -> Mark:
        wrong = self.trace.is_out_of_range(place)
        if self.trace.resolved(place) is None and self.call.mode != "directml":
            return Mark(is_wrong=True, words=self.outside_text(place))
        letter, tint = self.letters.of(self.key(place))
        return Mark(tint, letter, is_wrong=wrong, words=self.meaning(place))

    def meaning(self, place: Position) -> str:
        """What becomes of an index."""
        coordinates = self.trace.resolved(place)
        if coordinates is not None:
            read = self.target_text("input", self.trace.target(place, coordinates))
            return f"reads {read}"
        outside = self.outside_text(place)
        if self.call.mode == "fill":
            return f"is filled, as {outside}"
        if self.call.mode == "directml":
            return f"reads where DirectML's arithmetic leads, as {outside}"
        return f"points to nothing: {outside}"

    def line(self, place: Position) -> str:
        letter = self.place_mark(place).letter
        start = f"{letter}: " if letter else ""
        return f"{start}{self.index_text(place)} {self.meaning(place)}"

    def input_mark(self, position: Position) -> Mark:
        call = self.call
        if call.operator == "gather":
            key: Position = (*(0,) * call.position, position[call.position])
        elif call.form.has_tuples:
            key = position[: call.position + call.form.tuple_size]
        else:
            key = position
        if key in self.read:
            letter, tint = self.letters.of(key)
            return Mark(tint, letter)
        if position in self.strays:
            letter, tint = self.letters.of(("place", self.strays[position]))
            return Mark(tint, letter, words="read by an index out of range")
        return Mark()

    def input_panel(self) -> Panel:
        window = self.table_window(self.sources.values())
        return Panel("input", self.call.arrays["input"], window, self.input_mark)

    def output_mark(self, position: Position) -> Mark:
        place = self.trace.place_of_output(position)
        source = self.sources.get(position)
        if source is None:
            return Mark(is_wrong=True, words="not read from input")
        letter, tint = self.letters.of(self.key(place))
        words = f"input[{', '.join(map(str, source))}]"
        return Mark(tint, letter, is_wrong=place in self.strays.values(), words=words)

    def output_panel(self, output: Array) -> Panel:
        return Panel("output", output, self.out_window, self.output_mark)
