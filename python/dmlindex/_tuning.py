"""Measures which kernels are fast on a D3D12 device: what `dmlindex devices --tune` does.

Each trial is a call of several sizes that two kernels can do. The device's clock says which is
faster, and so from which size on, or up to which, a threshold has it chosen.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np

from dmlindex import _core
from dmlindex._core import DeviceTensor, gather, gather_elements, scatter_nd
from dmlindex._device import Device

_ROUNDS = 4  # the first of them makes the pipelines, and is not counted
_PAYS = 0.98  # times as long at most, to be worth a kernel of its own
_CALL_MICROSECONDS = 2000  # where the device is slow
_LEAST, _MOST = 1 << 16, 1 << 23  # positions of a call
_COLUMNS = 4096

Call = Callable[[], object]


@dataclass(frozen=True)
class Trial:
    """A threshold, and calls on both sides of it, in order of size.

    values has one more than sizes: the threshold if the kernel pays at none of them, at those up to
    the first (`upwards`: from the last on), … and at all.
    """

    threshold: str
    make: Callable[[Device, int, int], Call]  # of a size, with so many positions
    sizes: tuple[int, ...]
    values: tuple[int, ...]
    upwards: bool = False
    given: dict[str, int] = field(default_factory=dict)  # of other thresholds


@cache
def _numbers(count: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(count).integers(0, 1 << 31, count, np.uint32)


def _places(device: Device, limit: int, shape: tuple[int, ...]) -> DeviceTensor:
    """Anywhere among so many."""
    numbers = _numbers(math.prod(shape)) % np.uint32(limit)
    return device.tensor(numbers.view(np.int32).reshape(shape))


def _into_out(function: Callable[..., Any], *arguments: Any) -> Call:
    """The call with mode and out by which it is one kernel."""
    out = function(*arguments, mode="clamp")
    return partial(function, *arguments, mode="clamp", out=out)


def _look_up(device: Device, elements: int, positions: int) -> Call:
    table = device.tensor(np.zeros(elements, np.float32))
    return _into_out(gather, table, _places(device, elements, (positions,)))


def _columns(device: Device, table_bytes: int, positions: int) -> Call:
    rows, lines = table_bytes // (4 * _COLUMNS), max(positions // _COLUMNS, 4)
    table = device.tensor(np.zeros((rows, _COLUMNS), np.float32))
    return _into_out(gather_elements, table, _places(device, rows, (lines, _COLUMNS)), 0)


def _rows(device: Device, row_bytes: int, positions: int) -> Call:
    """Less than 16 MiB of them: from there on a third of the threshold counts."""
    count, width = min(4 * positions, 16 * _MIB - 1) // row_bytes, row_bytes // 4
    table = device.tensor(np.zeros((count, width), np.float32))
    return _into_out(gather, table, _places(device, count, (count,)))


def _put(device: Device, positions: int, most: int) -> Call:
    """In place, into eight times as many elements as there are positions."""
    del most
    table = device.tensor(np.zeros(8 * positions, np.float32))
    indices = _places(device, 8 * positions, (positions, 1))
    updates = device.tensor(np.zeros(positions, np.float32))
    return partial(scatter_nd, table, indices, updates, mode="drop", out=table)


_NEVER = 1 << 40
_MIB = 1 << 20
_ANY_COUNT = {"held_positions": 1, "large_table_positions": 1}
_TABLES = (1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18)
# In this order: what a trial has found holds for those after it.
TRIALS = (
    Trial(
        "striped_table_bytes", _columns, (32 * _MIB, 128 * _MIB), (_NEVER, 64 * _MIB, 16 * _MIB),
        upwards=True,
    ),
    Trial(
        "texture_elements", _look_up, _TABLES[2:], (0, *_TABLES[2:]),
        given=_ANY_COUNT | {"group_and_buffer_elements": 0, "group_and_texture_elements": 0},
    ),
    Trial(
        "group_and_texture_elements", _look_up, _TABLES[:3], (0, *_TABLES[:3]),
        given=_ANY_COUNT | {"group_and_buffer_elements": 0},
    ),
    Trial(
        "group_and_buffer_elements", _look_up, _TABLES[:2], (0, *_TABLES[:2]), given=_ANY_COUNT
    ),
    Trial(
        "held_bytes", _look_up, (1 << 10, 1 << 12, 1 << 13), (0, 4 << 10, 16 << 10, 32 << 10),
        given=_ANY_COUNT
        | {"group_and_buffer_elements": 0, "group_and_texture_elements": 0, "texture_elements": 0},
    ),
    Trial("long_slice_bytes", _rows, (132, 396, 1000), (_NEVER, 512, 256, 64), upwards=True),
    Trial("eights_slice_bytes", _rows, (40, 136, 1000), (_NEVER, 512, 128, 32), upwards=True),
    Trial(
        "claimed_positions", _put, (1 << 13, 1 << 16, 1 << 18), (0, 1 << 13, 1 << 16, 1 << 18),
        given={"few_positions": 0, "compared_positions": 0},
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Measured:
    """What a trial has found: microseconds of both kernels at each size, and the threshold."""

    threshold: str
    value: int
    microseconds: dict[int, list[float]]


def tune(device: Device) -> list[Measured]:
    """Runs all trials, and leaves the device with the thresholds that they found."""
    before = _core.d3d12_profile(device.name)
    found: list[Measured] = []
    try:
        positions = _positions(device)
        for trial in TRIALS:
            known = {one.threshold: one.value for one in found}
            found.append(_measured(device, trial, known, positions))
        before = {one.threshold: one.value for one in found}
    finally:
        _core.d3d12_set_profile(device.name, before)
        _numbers.cache_clear()
    return found


def _positions(device: Device) -> int:
    """So many that a call takes a device of any speed about as long."""
    (least,) = _times(device, _look_up(device, 1 << 20, _LEAST), [{}])
    power = int(_CALL_MICROSECONDS / max(least, 1)).bit_length() - 1
    return min(_LEAST << max(power, 0), _MOST)


def _measured(device: Device, trial: Trial, known: dict[str, int], positions: int) -> Measured:
    never, always = trial.values[0], trial.values[-1]
    times: dict[int, list[float]] = {}
    for size in trial.sizes:
        call = trial.make(device, size, positions)
        profiles = [{**known, **trial.given, trial.threshold: one} for one in (always, never)]
        times[size] = _times(device, call, profiles)
    pays = [used < _PAYS * spared for used, spared in times.values()]
    if trial.upwards:
        pays.reverse()
    # The size furthest from where it never pays; smaller ones in between are no reason against it.
    count = max((number for number, pay in enumerate(pays, 1) if pay), default=0)
    return Measured(trial.threshold, trial.values[count], times)


def _times(device: Device, call: Call, profiles: list[dict[str, int]]) -> list[float]:
    """Microseconds on the device's clock with each profile, in turn: the shortest of some."""
    for _ in range(_ROUNDS):
        for profile in profiles:
            _core.d3d12_set_profile(device.name, profile)
            _core.d3d12_mark_time(device.name)
            call()
            _core.d3d12_mark_time(device.name)
    marks = _core.d3d12_take_times(device.name)
    spans = [(end - start) / 1e3 for start, end in zip(marks[::2], marks[1::2], strict=True)]
    count = len(profiles)
    return [min(spans[count + number :: count]) for number in range(count)]
