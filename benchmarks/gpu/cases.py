"""The workloads on a GPU, each with its goals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np

from benchmarks import workloads as made
from benchmarks.call import Call

_QUICK_SHIFT = 9  # --quick: sizes are divided by 2 to the power of it


@dataclass(frozen=True)
class GpuCase:
    name: str
    group: str
    make: made.Make
    index: str = "int32"
    times_best: float | None = None  # at least: the best of torch and cupy ÷ ours
    times_cuda: float | None = None  # at least: the raw CUDA kernel ÷ ours
    times_deterministic: float | None = None  # at least: torch's deterministic mode ÷ ours

    def call(self) -> Call:
        call = self.make(np.random.default_rng(crc32(self.name.encode())))
        return replace(call, indices=np.ascontiguousarray(call.indices, self.index))


def gpu_cases(quick: bool) -> list[GpuCase]:
    shift = _QUICK_SHIFT if quick else 0

    def size(power: int) -> int:
        return 1 << max(power - shift, min(power, 6))

    return [
        *_rows(size),
        *_elements(size),
        *_tuples(size),
        *_scatters(size),
        *_reductions(size),
    ]


Size = Callable[[int], int]


def _rows(size: Size) -> list[GpuCase]:
    found = []
    for row_bytes, power in ((64, 20), (256, 20), (1024, 18), (4096, 16)):
        count, width = size(power), row_bytes // 4
        # torch is near what the memory gives for long rows: no twofold is left there.
        goal = 2.0 if row_bytes <= 256 else 0.97
        gather = made.gather((2 * count, width), (count,))
        scatter = made.scatter_nd((2 * count, width), (count, 1), in_place=True)
        found += [
            GpuCase(f"rows of {row_bytes} B", "rows", gather, "int32", goal, 0.95),
            GpuCase(f"rows of {row_bytes} B into a table", "rows", scatter, "int32", 1.5),
        ]
    batch = made.gather_nd((64, size(20) // 64, 16), (64, size(20) // 64, 1), 1)
    one = made.scatter_nd((size(20), 64), (1, 1))
    return [
        *found,
        GpuCase("rows of 64 B, batch_dims=1", "rows", batch, "int32", 2.0),
        GpuCase("copy of 256 MiB, and one row", "rows", one, "int32", 0.95),
    ]


def _elements(size: Size) -> list[GpuCase]:
    def look_up(power: int, index: str = "int32", dtype: str = "float32", out: int = 25) -> Any:
        return made.gather((size(power),), (size(out),), dtype=dtype, index=index)

    found = [
        GpuCase(
            f"2^25 float32 of 2^{power}",
            "elements",
            look_up(power),
            times_best=1.3 if power <= 13 else 1.0,
        )
        for power in (8, 10, 12, 13, 14, 15, 16, 17, 18, 20, 22, 25, 27)
    ]
    found += [
        GpuCase(
            f"2^25 float32 of 2^{power}, int64", "elements", look_up(power, "int64"), "int64", 1
        )
        for power in (12, 16, 20, 25)
    ]
    for index in ("int32", "uint8"):
        bytes_of = look_up(8, index, "uint8", 27)
        found.append(GpuCase(f"2^27 bytes of 2^8, {index}", "elements", bytes_of, index, 2.0))
    halves = look_up(20, dtype="float16")
    doubles = look_up(20, dtype="float64", out=24)
    return [
        *found,
        GpuCase("2^25 float16 of 2^20", "elements", halves, times_best=1.0),
        GpuCase("2^24 float64 of 2^20", "elements", doubles, times_best=1.0),
    ]


def _tuples(size: Size) -> list[GpuCase]:
    square, cube = (size(12), size(12)), (size(8), size(8), size(8))
    tall = (size(13), size(12))
    two, three = (
        made.gather_nd(square, (size(24), 2)),
        made.gather_nd(cube, (size(24), 3)),
    )
    photo = made.gather_nd((size(12), size(12)), (size(24), 2), dtype="uint8")
    across = made.gather(tall, (size(12),), 1)
    return [
        GpuCase("gather_nd, 2 coordinates", "tuples", two, times_best=1.1),
        GpuCase("gather_nd, 2 coordinates, int64", "tuples", two, "int64", 1.0),
        GpuCase("gather_nd, 3 coordinates", "tuples", three, times_best=1.1),
        GpuCase("gather_nd, 2 coordinates, bytes", "tuples", photo, times_best=1.1),
        GpuCase(
            "gather_elements, axis 0",
            "tuples",
            made.gather_elements(tall, tall, 0),
            "int32",
            2.4,
        ),
        GpuCase(
            "gather_elements, axis 1",
            "tuples",
            made.gather_elements(tall, tall, 1),
            "int32",
            1.0,
        ),
        GpuCase("gather, axis 1", "tuples", across, times_best=1.0),
    ]


def _scatters(size: Size) -> list[GpuCase]:
    many, tall = (size(24),), (size(13), size(12))
    flat = made.scatter_elements(many, many, 0)
    flat_in_place = made.scatter_elements(many, many, 0, in_place=True)
    pairs = made.scatter_nd((size(12), size(12)), (size(12) ** 2 // 2, 2))
    return [
        GpuCase("2^24 float32 into 2^24", "scatters", flat, "int32", 1.0, times_deterministic=5.0),
        GpuCase("2^24 float32 into 2^24, in place", "scatters", flat_in_place, "int32", 1.0),
        GpuCase(
            "scatter_elements, axis 0",
            "scatters",
            made.scatter_elements(tall, tall, 0),
            "int32",
            1.0,
        ),
        GpuCase(
            "scatter_elements, axis 1",
            "scatters",
            made.scatter_elements(tall, tall, 1),
            "int32",
            1.0,
        ),
        GpuCase("scatter_nd, 2^23 by 2 coordinates", "scatters", pairs, "int32", 1.0),
    ]


def _reductions(size: Size) -> list[GpuCase]:
    many = (size(24),)
    return [
        GpuCase(
            f"2^24 {dtype}, {reduction}",
            "reductions",
            made.scatter_elements(many, many, 0, dtype=dtype, reduction=reduction),
            "int32",
            0.5,
            times_deterministic=1.0 if reduction == "add" else None,
        )
        for dtype, reduction in (("int32", "add"), ("int32", "max"), ("float32", "add"))
    ]
