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
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex import reference
from dmlindex.demo.scene import Result, Scene, Step, load_scene, mean_difference
from dmlindex.demo.steps import steps

__all__ = [
    "DemoError",
    "Result",
    "Scene",
    "Step",
    "load_scene",
    "mean_difference",
    "run",
    "steps",
    "summary",
    "table_line",
]

Array = npt.NDArray[Any]


class DemoError(RuntimeError):
    """A result that is not what it must be: a bug in dmlindex, never in what the caller did."""


TABLE_HEADER = ("operator", "moved", "dmlindex", "NumPy", "ratio")


def table_line(row: tuple[str, ...]) -> str:
    """A row for the terminal: words to the left, numbers to the right."""
    operator, moved, seconds, numpy_seconds, ratio = row
    return f"{operator:18}{moved:18}{seconds:>12}{numpy_seconds:>12}{ratio:>8}"


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
