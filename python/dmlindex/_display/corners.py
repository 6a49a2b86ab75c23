"""Which coordinates of an array are shown: all of a short axis, the ends of a long one."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

Position = tuple[int, ...]

_MOST = 8  # coordinates of an axis of the last two
_MOST_OF_LINE = 12  # of an array of one dim
_MOST_LEADING = 3  # of each axis before
_MOST_BLOCKS = 6  # two-dimensional parts of an array of more than two dims


def shown(size: int, wanted: Iterable[int] = (), most: int = _MOST) -> tuple[int, ...]:
    """The coordinates of an axis to show: both ends, and those wanted while there is room.

    >>> shown(4)
    (0, 1, 2, 3)
    >>> shown(1000, [512, 3])
    (0, 1, 2, 3, 512, 998, 999)
    """
    if size <= most:
        return tuple(range(size))
    tail = max(most // 3, 1)
    found = {*range(most // 2 - 1 or 1), *range(size - tail, size)}
    for coordinate in wanted:
        if len(found) >= most:
            break
        if 0 <= coordinate < size:
            found.add(coordinate)
    return tuple(sorted(found))


@dataclass(frozen=True)
class Window:
    """What is shown of an array: by axis the coordinates, and places outside of it (ghosts).

    `axes` holds those of the array only; a ghost is a position with a coordinate out of range.
    """

    shape: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    ghosts: frozenset[Position] = field(default=frozenset())

    @classmethod
    def of(cls, shape: tuple[int, ...], wanted: Iterable[Position] = ()) -> Window:
        """The corners of an array of that shape, with the positions that are wanted."""
        positions = list(itertools.islice(wanted, 64))
        rank = len(shape)
        most = _MOST_OF_LINE if rank == 1 else _MOST
        axes = tuple(
            shown(size, (p[d] for p in positions), most if d >= rank - 2 else _MOST_LEADING)
            for d, size in enumerate(shape)
        )
        return cls(shape, axes)

    def with_ghosts(self, ghosts: Iterable[Position]) -> Window:
        return Window(self.shape, self.axes, frozenset(itertools.islice(ghosts, 64)))

    def positions(self) -> Iterator[Position]:
        """Every position of the array that is shown, in C order."""
        for block in self.blocks():
            lines = [self.lines(axis, block) for axis in (-2, -1) if -axis <= len(self.shape)]
            for last in itertools.product(*lines):
                position = (*block, *last)
                if all(0 <= c < size for c, size in zip(position, self.shape, strict=True)):
                    yield position

    def blocks(self) -> list[Position]:
        """The leading coordinates of each two-dimensional part that is shown, ghosts included."""
        leading = self.axes[:-2]
        inside = list(itertools.product(*leading))
        if len(inside) > _MOST_BLOCKS:
            inside = inside[: _MOST_BLOCKS - 1] + inside[-1:]
        outside = {ghost[:-2] for ghost in self.ghosts} - set(inside)
        return sorted({*inside, *sorted(outside)[:2]})

    def lines(self, axis: int, block: Position) -> tuple[int, ...]:
        """A block's coordinates along one of the last two axes, those of its ghosts included."""
        inside = all(0 <= c < size for c, size in zip(block, self.shape, strict=False))
        ghosts = (ghost[axis] for ghost in self.ghosts if ghost[:-2] == block)
        return tuple(sorted({*(self.axes[axis] if inside else ()), *ghosts}))

    def has_gap(self, block: Position, following: Position) -> bool:
        """Whether there are parts between two blocks that are not shown."""
        if not all(
            0 <= c < s for c, s in zip((*block, *following), self.shape[:-2] * 2, strict=True)
        ):
            return False
        return self._number(following) - self._number(block) > 1

    def _number(self, block: Position) -> int:
        sizes = self.shape[:-2]
        return sum(c * math.prod(sizes[d + 1 :]) for d, c in enumerate(block))
