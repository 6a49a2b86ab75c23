"""Where the drawing of a call takes its choices from: Hypothesis, or a seeded NumPy generator.

Both give the same call for the same choices. So what a generator drew, which takes microseconds,
Hypothesis can take up and shrink (`dmlindex.testing.fuzzing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

T = TypeVar("T")
Choice = TypeVar("Choice", int, bytes)
_PERIOD = 1009
_LARGE_IN = 100


class UnfitError(Exception):
    """These choices make no call that is as it should be; others may."""


class Choices:
    """Integers and bytes, and what is made of them. The smallest choice is the simplest.

    `taken` are those since the last `begin`.
    """

    def __init__(self) -> None:
        self.taken: list[int | bytes] = []

    def begin(self) -> None:
        self.taken = []

    def integer(self, low: int, high: int) -> int:
        """One of low to high."""
        return low if low == high else self._take(self._integer(low, high))

    def many(self, count: int) -> bytes:
        """So many bytes; past a thousand or so they repeat, so that choices stay few."""
        if count <= _PERIOD:
            return self._take(self._bytes(count)) if count else b""
        return (self._take(self._bytes(_PERIOD)) * (count // _PERIOD + 1))[:count]

    def large(self) -> bool:
        """Whether to draw a large call, which is slow, and rare."""
        return self.one_in(_LARGE_IN)

    def pick(self, values: Sequence[T]) -> T:
        return values[self.integer(0, len(values) - 1)]

    def one_in(self, count: int) -> bool:
        """True in one of so many cases, and never in the simplest."""
        return self.integer(0, count - 1) == count - 1

    def some(self, count: int, among: int) -> list[int]:
        """So many different integers of 0 to among - 1, in any order."""
        left = list(range(among))
        for k in range(count):
            other = self.integer(k, among - 1)
            left[k], left[other] = left[other], left[k]
        return left[:count]

    def any_of(self, values: Any) -> Any:
        """One of a sequence; where Hypothesis draws, of a strategy, too."""
        return self.pick(values)

    def _take(self, choice: Choice) -> Choice:
        self.taken.append(choice)
        return choice

    def _integer(self, low: int, high: int) -> int:
        raise NotImplementedError

    def _bytes(self, count: int) -> bytes:
        raise NotImplementedError


class HypothesisChoices(Choices):
    """Those of a strategy made by `hypothesis.strategies.composite`; large calls only if wanted."""

    def __init__(self, draw: st.DrawFn, *, large: bool = False) -> None:
        super().__init__()
        self._draw: Callable[..., Any] = draw
        self._large = large

    def large(self) -> bool:
        return self._large and super().large()

    def _integer(self, low: int, high: int) -> int:
        number: int = self._draw(st.integers(low, high))
        return number

    def _bytes(self, count: int) -> bytes:
        drawn: bytes = self._draw(st.binary(min_size=count, max_size=count))
        return drawn

    def any_of(self, values: Any) -> Any:
        return self._draw(values) if isinstance(values, st.SearchStrategy) else self.pick(values)


class SeededChoices(Choices):
    """Those of a NumPy generator."""

    def __init__(self, generator: np.random.Generator) -> None:
        super().__init__()
        self._generator = generator
        self._words: list[int] = []

    def _integer(self, low: int, high: int) -> int:
        if not self._words:
            self._words = self._generator.integers(0, 2**63, 4096).tolist()
        return low + self._words.pop() % (high - low + 1)

    def _bytes(self, count: int) -> bytes:
        return self._generator.bytes(count)
