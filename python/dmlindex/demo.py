"""The demo: every operator at work on one stereo pair, checked, timed and drawn on one sheet.

`python -m dmlindex demo --out sheet.png` runs it. The pair is "motorcycle" of the Middlebury 2014
benchmark, which scikit-image ships: two photos taken 193 mm apart, and for each pixel of the left
one its *disparity*: how many columns further left the right photo shows the same point. Near things
have a large one. So these indices mean something: a disparity map is a table of where to look.

Each result must equal `dmlindex.reference` bit for bit, on the whole picture, and so must NumPy's.
The reference takes seconds where the package takes a millisecond: it is a loop, made for reading.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]

# The benchmark's calibration: distance = focal length · baseline / (disparity + offset).
_FOCAL_PIXELS = 994.978
_BASELINE_METRES = 0.193001
_OFFSET_PIXELS = 31.086
# The plan shows these distances. The scene lies between 2.1 m and 5.0 m.
_FARTHEST_METRES, _NEAREST_METRES = 5.1, 2.0

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


class DemoError(RuntimeError):
    """A result that is not what it must be: a bug in dmlindex, never in what the caller did."""


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


TABLE_HEADER = ("operator", "moved", "dmlindex", "NumPy", "ratio")


def table_line(row: tuple[str, ...]) -> str:
    """A row for the terminal: words to the left, numbers to the right."""
    operator, moved, seconds, numpy_seconds, ratio = row
    return f"{operator:18}{moved:18}{seconds:>12}{numpy_seconds:>12}{ratio:>8}"


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
    return palette()[_levels(values, lowest, highest)]


def _levels(values: npt.ArrayLike, lowest: float, highest: float) -> Bytes:
    scaled = (np.asarray(values, np.float64) - lowest) * (255 / (highest - lowest))
    return np.clip(scaled, 0, 255).astype(np.uint8)


def steps(scene: Scene) -> list[Step]:
    """The demo's seven calls."""
    known = np.isfinite(scene.disparity)
    disparity = np.where(known, scene.disparity, 0)
    return [
        *_look_up_depth(disparity),
        *_change_camera(scene, disparity),
        *_bend(scene.left),
        *_new_viewpoint(scene, known),
        *_floor_plan(known, disparity),
    ]


def run(step: Step, device: str = "cpu", repeats: int = 7) -> Result:
    """Runs a step on a device and in NumPy, and checks it; DemoError if any two results differ."""
    arrays = step.arguments.values()
    operator = getattr(dmlindex, step.operator)
    seconds, output = _timed(lambda: operator(*arrays, **step.options, device=device), repeats)
    numpy_seconds, numpy_output = _timed(step.numpy, repeats)
    expected = getattr(reference, step.operator)(*arrays, **step.options)
    _require_same(f"{step.call} on {device}", output, expected)
    _require_same(f"NumPy's way to {step.call}", numpy_output, expected)
    return Result(step, output, seconds, numpy_seconds)


def summary(scene: Scene, results: Sequence[Result]) -> str:
    """What the second step is for: how much nearer to the left photo the right one has come."""
    moved = next(r.output for r in results if r.step.operator == "gather_elements")
    return (
        "Mean difference of the right photo to the left one: "
        f"{mean_difference(scene.right, scene.left):.1f} of 255; "
        f"with each pixel fetched by its disparity: {mean_difference(moved, scene.left):.1f}."
    )


def _timed(call: Callable[[], Array], repeats: int) -> tuple[float, Array]:
    """The shortest time of several, after a first run that warms up, and what was returned."""
    output, shortest = call(), float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        output = call()
        shortest = min(shortest, time.perf_counter() - start)
    return shortest, output


def _require_same(name: str, found: Array, expected: Array) -> None:
    if found.dtype != expected.dtype or found.shape != expected.shape:
        raise DemoError(
            f"{name} gave {found.dtype} {found.shape}, "
            f"the reference {expected.dtype} {expected.shape}"
        )
    different = np.argwhere(found != expected)
    if different.size:
        where = tuple(different[0].tolist())
        raise DemoError(
            f"{name} differs from the reference in {len(different)} elements; the first is "
            f"{where}: {found[where]} instead of {expected[where]}"
        )


def _look_up_depth(disparity: Array) -> Iterator[Step]:
    colours = palette()
    levels = _levels(disparity, 6, 60)
    yield Step(
        title="How near is each pixel?",
        caption="Each disparity looks up one of 256 colours: near is light, unknown is darkest.",
        operator="gather",
        arguments={"colours": colours, "levels": levels},
        numpy=lambda: np.take(colours, levels, axis=0),
        picture=lambda output: output,
        moved=f"{levels.size:,} colours",
    )


def _change_camera(scene: Scene, disparity: Array) -> Iterator[Step]:
    rows, columns, channels = scene.right.shape
    # Unknown pixels stay where they are. What lies left of the right photo's edge comes from the
    # edge: a negative column would count from the other side.
    source = np.maximum(np.arange(columns) - np.rint(disparity).astype(np.int64), 0)
    row_starts = np.arange(rows)[:, np.newaxis] * columns
    yield Step(
        title="The right photo, from the left camera",
        caption="Each pixel is fetched from the column that its disparity names. Seams mark what "
        "the right camera could not see.",
        operator="gather_elements",
        # One table of columns serves three colours: its last dim is broadcast, not copied.
        arguments={
            "right": scene.right,
            "columns": np.broadcast_to(source[..., np.newaxis], scene.right.shape),
        },
        options={"axis": 1},
        # Three times as fast as np.take_along_axis.
        numpy=lambda: np.take(scene.right.reshape(-1, channels), source + row_starts, axis=0),
        picture=lambda output: output,
        moved=f"{scene.right.size:,} bytes",
    )


def _bend(photo: Bytes) -> Iterator[Step]:
    rows, columns, channels = photo.shape
    y, x = np.mgrid[:rows, :columns].astype(np.float64)
    y0, x0, reach = 0.52 * rows, 0.5 * columns, 0.62 * rows
    angle = 2.6 * np.clip(1 - np.hypot(y - y0, x - x0) / reach, 0, 1) ** 2
    swirled_y = y0 + (y - y0) * np.cos(angle) - (x - x0) * np.sin(angle)
    swirled_x = x0 + (x - x0) * np.cos(angle) + (y - y0) * np.sin(angle)
    pairs = np.stack([_nearest(swirled_y, rows), _nearest(swirled_x, columns)], axis=-1)
    yield Step(
        title="Stirred",
        caption="Each pixel asks for a (row, column) of its own; the middle has turned by 149°.",
        operator="gather_nd",
        arguments={"left": photo, "pairs": pairs},
        numpy=lambda: np.take(
            photo.reshape(-1, channels), pairs[..., 0] * columns + pairs[..., 1], axis=0
        ),
        picture=lambda output: output,
        moved=f"{rows * columns:,} pixels",
    )

    planes = np.ascontiguousarray(photo.transpose(2, 0, 1))
    phases = np.arange(channels)[:, np.newaxis] / channels
    waves = np.arange(rows) + 9 * np.sin(2 * np.pi * (np.arange(rows) / 120 + phases))
    batches = np.arange(channels)[:, np.newaxis]
    lines = _nearest(waves, rows)
    yield Step(
        title="Red, green and blue out of step",
        caption="Each colour is a batch with its own list of rows: three waves, a third of a turn "
        "apart.",
        operator="gather_nd",
        arguments={"planes": planes, "rows": lines[..., np.newaxis]},
        options={"batch_dims": 1},
        numpy=lambda: planes[batches, lines],
        picture=lambda output: output.transpose(1, 2, 0),
        moved=f"{lines.size:,} rows",
    )


def _nearest(coordinates: Array, size: int) -> Indices:
    return np.clip(np.rint(coordinates), 0, size - 1).astype(np.int64)


def _new_viewpoint(scene: Scene, known: npt.NDArray[np.bool_]) -> Iterator[Step]:
    rows, columns = known.shape
    y, x = np.nonzero(known)
    # Far to near: where two pixels meet the later one wins, so the nearer one hides the other.
    far_to_near = np.argsort(scene.disparity[known], kind="stable")
    y, x = y[far_to_near], x[far_to_near]
    disparity = scene.disparity[y, x]
    # A camera one baseline to the right and 0.7 of one below; what has disparity 35, about the
    # motorcycle's, stays in place.
    shift = disparity - 35
    targets = np.rint(np.stack([y - 0.7 * shift, x - shift], axis=-1)).astype(np.int64)
    canvas = np.empty_like(scene.left)
    canvas[...] = palette()[0]
    pixels = scene.left[y, x]

    def forward(
        table: Array, updates: Array, write: Callable[[Array, Indices, Array], None]
    ) -> Array:
        """NumPy's way: what falls off the picture must be taken out by hand."""
        to_y, to_x = targets[:, 0], targets[:, 1]
        inside = (to_y >= 0) & (to_y < rows) & (to_x >= 0) & (to_x < columns)
        flat = table.copy().reshape(rows * columns, *table.shape[2:])
        write(flat, to_y[inside] * columns + to_x[inside], updates[inside])
        return flat.reshape(table.shape)

    def assign(flat: Array, places: Indices, updates: Array) -> None:
        flat[places] = updates

    # Negative targets would count from the other side; one past the end is dropped.
    dropped = np.where(targets < 0, [rows, columns], targets)
    yield Step(
        title="From where no camera stood",
        caption="Pixels move to a camera further right and lower, far ones first: the last write "
        "wins. Dark is what was never seen.",
        operator="scatter_nd",
        arguments={"canvas": canvas, "targets": dropped, "pixels": pixels},
        options={"mode": "drop"},
        numpy=lambda: forward(canvas, pixels, assign),
        picture=lambda output: output,
        moved=f"{len(pixels):,} pixels",
    )

    empty = np.zeros(known.shape, np.int32)
    # Whole 256ths of a column, which every device can compare.
    depths = np.rint(disparity * 256).astype(np.int32)
    yield Step(
        title="Its depth buffer",
        caption="The same targets, and of all depths that fall on one the nearest stays.",
        operator="scatter_nd",
        arguments={"far": empty, "targets": dropped, "depths": depths},
        options={"reduction": "max", "mode": "drop"},
        numpy=lambda: forward(empty, depths, np.maximum.at),
        picture=lambda output: in_colour(output, 6 * 256, 60 * 256),
        moved=f"{len(depths):,} depths",
    )


def _floor_plan(known: npt.NDArray[np.bool_], disparity: Array) -> Iterator[Step]:
    bins, columns = known.shape[0] // 4, known.shape[1]
    metres = _FOCAL_PIXELS * _BASELINE_METRES / (disparity + _OFFSET_PIXELS)
    distance = (_FARTHEST_METRES - metres) / (_FARTHEST_METRES - _NEAREST_METRES)
    # Unknown pixels are counted nowhere: one past the last bin is dropped.
    places = np.where(known, np.floor(distance * bins), bins).astype(np.int64)
    empty = np.zeros((bins, columns), np.int32)
    ones = np.ones(known.shape, np.int32)

    def count() -> Array:
        inside = places < bins
        flat = (places * columns + np.arange(columns))[inside]
        counts = np.bincount(flat, minlength=bins * columns)
        return counts.reshape(bins, columns).astype(np.int32)

    yield Step(
        title="The garage from above",
        caption="Each column counts its pixels by distance, 2 m (below) to 5.1 m (above). The "
        "wheels hide discs of the floor.",
        operator="scatter_elements",
        arguments={"counts": empty, "distances": places, "ones": ones},
        options={"axis": 0, "reduction": "add", "mode": "drop"},
        numpy=count,
        picture=lambda output: in_colour(np.log1p(output), 0, np.log1p(60)).repeat(4, axis=0),
        moved=f"{int(known.sum()):,} counts",
    )
