"""The seven calls, each with the best NumPy way to the same result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.demo.scene import Bytes, Scene, Step, in_colour, levels, palette

Array = npt.NDArray[Any]
Indices = npt.NDArray[np.int64]

# The benchmark's calibration: distance = focal length · baseline / (disparity + offset).
_FOCAL_PIXELS = 994.978
_BASELINE_METRES = 0.193001
_OFFSET_PIXELS = 31.086
# The plan shows these distances. The scene lies between 2.1 m and 5.0 m.
_FARTHEST_METRES, _NEAREST_METRES = 5.1, 2.0


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


def _look_up_depth(disparity: Array) -> Iterator[Step]:
    colours = palette()
    near = levels(disparity, 6, 60)
    yield Step(
        title="How near is each pixel?",
        caption="Each disparity looks up one of 256 colours: near is light, unknown is darkest.",
        operator="gather",
        arguments={"colours": colours, "levels": near},
        numpy=lambda: np.take(colours, near, axis=0),
        picture=lambda output: output,
        moved=f"{near.size:,} colours",
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
