"""Where the elements of a call come from: numbers sent through the operator itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex._display.call import Call
from dmlindex._display.corners import Position, Window
from dmlindex.directml import addresses as linear
from dmlindex.reference.places import resolve

Numbers = npt.NDArray[np.int64]
NOWHERE = -1


class Trace:
    """What each index of a call points to, and what each element that is shown came from.

    A *target* is what an index names: the coordinates that it stands for, with those of the batch
    dims or of the dims off the axis, so that equal targets are one slice or element.
    """

    def __init__(self, call: Call) -> None:
        self.call = call
        self.indices = call.arrays["indices"]
        self.skipping = "drop" if call.form.scatters else "fill"

    def raw(self, place: Position) -> tuple[int, ...]:
        """The numbers that stand in the indices at a place, one or a tuple."""
        found = self.indices[place]
        return tuple(int(i) for i in found) if self.call.form.has_tuples else (int(found),)

    def resolved(self, place: Position) -> tuple[int, ...] | None:
        """The coordinates that they mean; None where they mean none, or raise."""
        mode = self.skipping if self.call.mode in ("raise", "directml") else self.call.mode
        found = []
        for index, limit in zip(self.raw(place), self.call.form.limits, strict=True):
            try:
                coordinate = resolve(index, limit, mode)
            except IndexError:
                return None
            if coordinate is None:
                return None
            found.append(coordinate)
        return tuple(found)

    def is_out_of_range(self, place: Position) -> bool:
        pairs = zip(self.raw(place), self.call.form.limits, strict=True)
        return any(not -limit <= index < limit for index, limit in pairs)

    def target(self, place: Position, coordinates: tuple[int, ...]) -> Position:
        """The first element of input, or of a scatter's output, that those coordinates name."""
        call, at = self.call, self.call.position
        if call.form.has_tuples:
            return (*place[:at], *coordinates)
        if call.operator == "gather":
            return (*(0,) * at, *coordinates)
        return (*place[:at], *coordinates, *place[at + 1 :])

    def ghost(self, place: Position) -> Position:
        """Where an index out of range points: a target with a coordinate that there is not."""
        pairs = zip(self.raw(place), self.call.form.limits, strict=True)
        return self.target(place, tuple(i if i >= 0 or i < -n else i + n for i, n in pairs))

    def whole(self, target: Position, shape: tuple[int, ...]) -> Iterator[Position]:
        """Every position of the shape's first and last few that a ghost's slice would have."""
        before = self.call.position if self.call.operator == "gather" else 0
        window = Window.of(shape)
        axes = [
            window.axes[d] if d < before or d >= len(target) else (target[d],)
            for d in range(len(shape))
        ]
        for index in np.ndindex(*(len(axis) for axis in axes)):
            yield tuple(axis[i] for axis, i in zip(axes, index, strict=True))

    def places_of_targets(self) -> dict[Position, list[Position]]:
        """The indices of each target, in C order; for scatters, of all that is small enough."""
        found: dict[Position, list[Position]] = {}
        for place in np.ndindex(self.call.form.places):
            coordinates = self.resolved(place)
            if coordinates is not None:
                found.setdefault(self.target(place, coordinates), []).append(place)
        return found

    @cached_property
    def linear(self) -> Numbers:
        """In mode directml: of each item its address in the table, NOWHERE if it has none."""
        desc: Any = self.call.desc
        to = linear.lookup(desc)
        indices = self.indices.reshape(desc.indices_tensor.sizes)
        values = linear.addresses(to, indices).values.astype(np.int64)
        if not self.call.form.scatters:
            values = np.minimum(values, to.last)  # which may be cut off: then it reads as 0
        return np.where(values < to.held, values, NOWHERE)

    def sources(self, window: Window) -> dict[Position, Position]:
        """Of a gather's output: for each position that is shown, that of input; none if filled."""
        if self.call.mode == "directml":
            return self._linear_sources(window)
        found: dict[Position, Position] = {}
        input_shape = self.call.arrays["input"].shape
        places, before = len(self.call.form.places), self._dims_before
        for position in window.positions():
            place = position[before : before + places]
            coordinates = self.resolved(place)
            if coordinates is None:
                continue
            target = self.target(place, coordinates)
            behind = position[before + places :]
            source = (*position[:before], *target[before:], *behind)
            assert len(source) == len(input_shape)
            found[position] = source
        return found

    def place_of_output(self, position: Position) -> Position:
        """The place in indices that an element of a gather's output is for."""
        before = self._dims_before
        return position[before : before + len(self.call.form.places)]

    @property
    def _dims_before(self) -> int:
        """How many dims of a gather's output stand before those of the indices."""
        return self.call.position if self.call.operator == "gather" else 0

    def _linear_sources(self, window: Window) -> dict[Position, Position]:
        desc: Any = self.call.desc
        shape = self.call.arrays["input"].shape
        numbers = np.full(linear.lookup(desc).held, NOWHERE, np.int64)
        _seen(numbers, desc.input_tensor)[...] = np.arange(math.prod(shape)).reshape(
            desc.input_tensor.sizes
        )
        sources = np.where(self.linear < 0, NOWHERE, numbers[self.linear]).reshape(window.shape)
        return {
            p: tuple(map(int, np.unravel_index(sources[p], shape)))
            for p in window.positions()
            if sources[p] != NOWHERE  # padding, that is
        }

    def writers(self) -> Numbers:
        """By element of a scatter's output: the flat place of the index that wrote it."""
        call = self.call
        shape = call.arrays["input"].shape
        numbers = np.arange(math.prod(call.form.places), dtype=np.int64).reshape(call.form.places)
        if call.mode == "directml":
            return self._linear_writers(shape, numbers)
        mode = self.skipping if call.mode == "raise" else call.mode
        arguments: dict[str, Any] = {"mode": mode, "out": np.full(shape, NOWHERE, np.int64)}
        table: Numbers = arguments["out"]
        if call.operator == "scatter_elements":
            arguments["axis"] = call.position
        else:
            behind = shape[call.form.tuple_size :]
            numbers = numbers.reshape(numbers.shape + (1,) * len(behind))
            numbers = np.broadcast_to(numbers, (*call.form.places, *behind))
        getattr(_core, call.operator)(table, self.indices, numbers, **arguments)
        return table

    def _linear_writers(self, shape: tuple[int, ...], numbers: Numbers) -> Numbers:
        desc: Any = self.call.desc
        to = linear.lookup(desc)
        slices = [d for d, dim in enumerate(to.dims) if dim.index_dim is None]
        spread = np.broadcast_to(
            np.expand_dims(numbers.reshape(to.index_shape[:-1]), slices), to.shape
        )
        winners = np.full(to.held, NOWHERE, np.int64)
        written = self.linear >= 0
        winners[self.linear[written]] = spread[written]  # of several the last stays
        return _seen(winners, desc.output_tensor).reshape(shape)


def _seen(line: Numbers, tensor: Any) -> Numbers:
    """A line of numbers, one for each element of a tensor's memory, as the tensor lies in it."""
    strides = tuple(stride * line.itemsize for stride in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(line, tensor.sizes, strides)
