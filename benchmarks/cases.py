"""The workloads, by name. A name that also stands in targets.toml has a target."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from benchmarks.call import Call
from benchmarks.workloads import (
    Make,
    gather,
    gather_elements,
    gather_nd,
    of_dtype,
    scatter_elements,
    scatter_nd,
)


@dataclass(frozen=True)
class Case:
    name: str
    group: str
    make: Make
    plain: str = ""  # the case that this one is a variant of, and should cost no more than

    def call(self) -> Call:
        """The same arrays in every run and on every machine."""
        return self.make(np.random.default_rng(crc32(self.name.encode())))


def _targets() -> dict[str, Make]:
    """The shapes of the table of targets; tables of 16 MB where its source names no size."""
    million = 1_000_000
    square = (4096, 1024)
    return {
        "rows of 128 float32": gather((100_000, 128), (65_536,)),
        "rows of 8 float32": gather((100_000, 8), (65_536,)),
        "rows of 4 KB": gather((16_384, 1024), (8192,)),
        "scalars, 1M table": gather((million,), (million,)),
        "scalars, 64M table": gather((64 * million,), (million,)),
        "take along axis 1": gather((8192, 1024), (512,), 1),
        "lookup table of 64 float32": gather((64,), (million,), index="int32"),
        "lookup table of 256 float32": gather((256,), (million,), index="int32"),
        "lookup table of 64 uint8": gather((64,), (million,), dtype="uint8", index="int32"),
        "lookup table of 256 uint8": gather((256,), (million,), dtype="uint8", index="int32"),
        "gather_nd, 2 coordinates": gather_nd(square, (million, 2)),
        "gather_nd, 3 coordinates": gather_nd((256, 128, 128), (million, 3)),
        "gather_nd, 256-byte slices": gather_nd((256, 256, 64), (65_536, 2)),
        "gather_nd, batch_dims=1, 64-byte slices": gather_nd((64, 4096, 16), (64, 1024, 1), 1),
        "gather_nd, negative indices": gather_nd(square, (million, 2), negative=True),
        "gather_elements, last axis": gather_elements(square, square, 1),
        "gather_elements, axis 0": gather_elements(square, square, 0),
        "scatter_nd, 16k rows into 51 MB": scatter_nd((100_000, 128), (16_384, 1)),
        "scatter_nd, 1M scalars": scatter_nd(square, (million, 2)),
        "scatter_nd, 10k rows of 32 bytes": scatter_nd((million, 8), (10_000, 1)),
        "scatter_elements, last axis": scatter_elements(square, square, 1),
        "scatter_elements, axis 0": scatter_elements(square, square, 0),
        "fresh output of 64 MB": gather((100_000, 128), (131_072,)),
    }


def _tiny() -> dict[str, Make]:
    """16 elements: what a call costs."""
    return {
        "16 elements, gather": gather((64,), (16,)),
        "16 elements, gather_nd": gather_nd((8, 8), (16, 2)),
        "16 elements, gather_elements": gather_elements((4, 4), (4, 4), 1),
        "16 elements, scatter_elements": scatter_elements((4, 4), (4, 4), 1),
        "16 elements, scatter_nd": scatter_nd((64,), (16, 1)),
        "one of int64[3] by a 0-D index": gather((3,), (), dtype="int64"),
    }


def _models() -> dict[str, Make]:
    """Shapes of exported models."""
    a, b, c = (4, 196, 768), (2, 8400, 256), (1, 8, 1024, 64)
    return {
        "4x196x768 by itself, whole rows": gather_elements(a, a, 1, whole_rows="materialised"),
        "2x8400x256 by 2x300x256, whole rows": gather_elements(
            b, (2, 300, 256), 1, whole_rows="materialised"
        ),
        "2x8400x256 by 2x300x256, expanded": gather_elements(
            b, (2, 300, 256), 1, whole_rows="expanded"
        ),
        "2x8400x4 by 2x300x4, whole rows": gather_elements(
            (2, 8400, 4), (2, 300, 4), 1, whole_rows="materialised"
        ),
        "1x8x1024x64 by 1x8x256x64, whole rows": gather_elements(
            c, (1, 8, 256, 64), 2, whole_rows="materialised"
        ),
        "12x128x256 by 12x128x128": gather_elements((12, 128, 256), (12, 128, 128), 2),
        "8x32x2304 by 8x32x1200": gather_elements((8, 32, 2304), (8, 32, 1200), 2),
        "4x64x8000 by 4x64x1": gather_elements((4, 64, 8000), (4, 64, 1), 2),
        "one slice of 64x256x128 by a 0-D index": gather((64, 256, 128), ()),
        "a run of 4096 consecutive rows": gather((16_384, 256), (4096,), run=True),
        "gather_nd with one coordinate": gather_nd((100_000, 128), (65_536, 1)),
        "10556x8 added into 2708x8": scatter_elements(
            (2708, 8), (10_556, 8), 0, reduction="add", whole_rows="materialised"
        ),
        "10556x8 max into 2708x8": scatter_elements(
            (2708, 8), (10_556, 8), 0, reduction="max", whole_rows="materialised"
        ),
        "embedding 30522x384, 32x128 tokens": gather((30_522, 384), (32, 128)),
        "embedding 30522x384, 1x16 tokens": gather((30_522, 384), (1, 16)),
        "top-k of [64, 100k], k = 50": gather_elements((64, 100_000), (64, 50), 1),
        "top-k of [64, 100k], k = 1": gather_elements((64, 100_000), (64, 1), 1),
    }


def _caches() -> dict[str, Make]:
    """KV caches: few rows into many, functional and in place."""
    found: dict[str, Make] = {}
    for label, in_place in (("functional", False), ("in place", True)):
        found |= {
            f"KV cache 4x8x512x64, 4x8 rows, {label}": scatter_nd(
                (4, 8, 512, 64), (4, 8, 3), in_place=in_place
            ),
            f"KV cache 4096x8x64, 64 rows, {label}": scatter_nd(
                (4096, 8, 64), (64, 1), in_place=in_place
            ),
            f"KV cache 1x8x1024x64, 16 of the 1024, {label}": scatter_elements(
                (1, 8, 1024, 64), (1, 8, 16, 64), 2, whole_rows="materialised", in_place=in_place
            ),
        }
    return found


def _images() -> dict[str, Make]:
    photo = (1080, 1920)
    return {
        "warp of a 1080x1920 photo, 3 bytes a pixel": gather_nd(
            (*photo, 3), (*photo, 2), dtype="uint8"
        ),
        "warp of a 1080x1920 photo, 4 bytes a pixel": gather_nd(
            (*photo, 4), (*photo, 2), dtype="uint8"
        ),
        "warp along the width of 1080x1920": gather_elements(photo, photo, 1),
        "palette of 256 x RGB, 1080x1920": gather((256, 3), photo, dtype="uint8", index="uint8"),
        "palette of 256 float32, 1080x1920": gather((256,), photo, index="uint8"),
        "palette of 256 x RGB float32, 1080x1920": gather((256, 3), photo, index="uint8"),
    }


def _reductions() -> dict[str, Make]:
    million = 1_000_000
    found = {}
    for reduction in ("add", "mul", "min", "max"):
        for size, label in ((million, "1M"), (1000, "1000")):
            found[f"1M updates, {reduction} into {label}"] = scatter_elements(
                (size,), (million,), 0, reduction=reduction
            )
    found["1M updates, add into 1M, int64"] = scatter_elements(
        (million,), (million,), 0, dtype="int64", reduction="add"
    )
    found["64k rows of 16, add into 10k rows"] = scatter_nd(
        (10_000, 16), (65_536, 1), reduction="add"
    )
    return found


def _dtypes() -> dict[str, Make]:
    million = 1_000_000
    found = {
        f"1M scalars by {index}": gather(
            (100 if index.endswith("8") else 30_000,), (million,), index=index
        )
        for index in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
    }
    found |= {
        f"1M scalars of {dtype}": gather((million,), (million,), dtype=dtype)
        for dtype in ("uint8", "float16", "float32", "float64", "complex128")
    }
    return found


# Each must cost at most 1.3 x its plain case; so must every mode.
_VARIANTS = {
    "gather_nd, negative indices": "gather_nd, 2 coordinates",
    "scalars, negative indices": "scalars, 1M table",
    "gather_nd with one coordinate": "rows of 128 float32",
    "2 coordinates behind batch_dims=1": "2 coordinates behind an index of the batch",
}


def _variants() -> dict[str, Make]:
    million = 1_000_000
    return {
        "scalars, negative indices": gather((million,), (million,), low=-million),
        "2 coordinates behind an index of the batch": gather_nd((16, 512, 512), (16, 65_536, 3)),
        "2 coordinates behind batch_dims=1": gather_nd((16, 512, 512), (16, 65_536, 2), 1),
    }


def _in_every_dtype(makes: dict[str, Make]) -> dict[str, Make]:
    """Those of float32, and the same of the other dtypes that models mostly have."""
    return makes | {
        f"{name}, {dtype}": of_dtype(make, dtype)
        for dtype in ("float16", "int64")
        for name, make in makes.items()
    }


def all_cases() -> list[Case]:
    groups = {
        "targets": _targets(),
        "tiny": _tiny(),
        "models": _in_every_dtype(_models()),
        "caches": _in_every_dtype(_caches()),
        "images": _images(),
        "reductions": _reductions(),
        "dtypes": _dtypes(),
        "variants": _variants(),
    }
    return [
        Case(name, group, make, _VARIANTS.get(name, ""))
        for group, makes in groups.items()
        for name, make in makes.items()
    ]


def growth_cases() -> list[Case]:
    """The cost against the bytes of the table (1 KB to 1 GB) and of the output."""
    million = 1_000_000
    found = []
    for power in range(10, 31, 2):
        size = 2**power
        found += [
            Case(f"scalars by table size: {size}", "growth", gather((size // 4,), (million,))),
            Case(
                f"64-byte rows by table size: {size}", "growth", gather((size // 64, 16), (65_536,))
            ),
        ]
    for power in range(6, 29, 2):
        size = 2**power
        found += [
            Case(f"scalars by output size: {size}", "growth", gather((million,), (size // 4,))),
            Case(
                f"64-byte rows by output size: {size}",
                "growth",
                gather((65_536, 16), (size // 64,)),
            ),
        ]
    return found
