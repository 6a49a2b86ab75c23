"""What the demo speaks of: two photos, a call that is a step, what it gave, and our colours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

# Our palette, far to near; the lowest entry also stands for "unknown".
_PALETTE_STOPS = [
    (23, 19, 46),
    (66, 33, 104),
    (137, 44, 112),
    (206, 71, 88),
    (244, 135, 73),
    (250, 198, 115),
    (255, 245, 208),
]


@dataclass(frozen=True)
class Scene:
    """Two photos (rows, columns, 3), the left one's disparities (rows, columns): NaN if unknown."""

    left: Bytes
    right: Bytes
    disparity: npt.NDArray[np.float32]

    def crop(self, rows: int, columns: int) -> Scene:
        """Its upper left corner, for a quick run."""
        window = np.s_[:rows, :columns]
        return Scene(self.left[window], self.right[window], self.disparity[window])


@dataclass(frozen=True)
class Step:
    """One call of one operator, the best NumPy way to the same result, and how to look at it.

    The arguments are in the operator's order; their names are for people.
    """

    title: str
    caption: str
    operator: str
    arguments: dict[str, Array]
    numpy: Callable[[], Array]
    picture: Callable[[Array], Bytes]
    moved: str
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def call(self) -> str:
        """The call as one would write it."""
        words = [*self.arguments, *(f"{name}={value!r}" for name, value in self.options.items())]
        return f"{self.operator}({', '.join(words)})"


@dataclass(frozen=True)
class Result:
    """What a step gave, and the shortest of several runs of each way to it."""

    step: Step
    output: Array
    seconds: float
    numpy_seconds: float

    @property
    def ratio(self) -> float:
        return self.numpy_seconds / self.seconds

    @property
    def row(self) -> tuple[str, ...]:
        """Its line of the table: operator, what was moved, both times, how many times faster."""
        return (
            self.step.operator,
            self.step.moved,
            f"{self.seconds * 1e3:.2f} ms",
            f"{self.numpy_seconds * 1e3:.2f} ms",
            f"{self.ratio:.1f}x",
        )


def load_scene() -> Scene:
    """The motorcycle pair out of scikit-image's wheel: 500 rows, 741 columns. No download."""
    from skimage import data

    left, right, disparity = data.stereo_motorcycle()  # type: ignore[no-untyped-call]
    disparity = np.where(np.isfinite(disparity), disparity, np.nan).astype(np.float32)
    return Scene(left, right, disparity)


def mean_difference(a: Bytes, b: Bytes) -> float:
    """How far two pictures are apart: the mean over all pixels and colours, from 0 to 255."""
    return float(np.abs(a.astype(np.int16) - b).mean())


def palette() -> Bytes:
    """256 colours from dark (far) to light (near)."""
    places = np.linspace(0, 255, len(_PALETTE_STOPS))
    channels = np.transpose(_PALETTE_STOPS)
    return np.stack([np.interp(np.arange(256), places, c) for c in channels], -1).astype(np.uint8)


def in_colour(values: npt.ArrayLike, lowest: float, highest: float) -> Bytes:
    """A picture of numbers, from lowest in the palette's first colour to highest in its last."""
    return palette()[levels(values, lowest, highest)]


def levels(values: npt.ArrayLike, lowest: float, highest: float) -> Bytes:
    scaled = (np.asarray(values, np.float64) - lowest) * (255 / (highest - lowest))
    return np.clip(scaled, 0, 255).astype(np.uint8)
