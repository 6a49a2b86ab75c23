"""What the strategies of `dmlindex.testing` draw from: dtypes, elements, indices, fill values."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.reference.weak import takes_weak, weak_array

Array = npt.NDArray[Any]

DTYPE_CLASSES = (
    "integer",
    "float",
    "bool",
    "complex",
    "time",
    "text",
    "void",
    "ml_dtypes",
    "foreign",
)

_NUMPY_DTYPES: dict[str, list[Any]] = {
    "integer": ["i4", "u1", "i8", "i1", "u2", "i2", "u4", "u8", "q", "Q"],
    "float": ["f4", "f2", "f8", np.longdouble],
    "bool": ["?"],
    "complex": ["c8", "c16", np.clongdouble],
    "time": ["M8[ns]", "M8[D]", "m8[s]", "m8[us]"],
    "text": ["S3", "U2", "S1"],
    "void": [
        "V3",
        "V16",
        "V40",
        [("a", "i4"), ("b", "u1")],
        np.dtype([("a", "u1"), ("b", "f8"), ("c", "?")], align=True),
        [("xyz", "f4", (3,)), ("nested", [("tag", "S2"), ("day", "M8[D]")])],
    ],
    "foreign": [np.dtype(name).newbyteorder() for name in ("i4", "f8", "c8", "u2", "M8[ns]", "U2")],
}

_ML_DTYPES = (
    "bfloat16",
    "float8_e5m2",
    "float8_e4m3fn",
    "float8_e4m3b11fnuz",
    "float8_e4m3fnuz",
    "float8_e5m2fnuz",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
    "int4",
    "uint4",
)


@functools.cache
def dtypes_of(name: str) -> list[np.dtype[Any]]:
    """The dtypes of a class; none of "ml_dtypes" where that is not installed or too old for one."""
    if name != "ml_dtypes":
        return [np.dtype(dtype) for dtype in _NUMPY_DTYPES[name]]
    try:
        import ml_dtypes
    except ImportError:
        return []
    return [np.dtype(getattr(ml_dtypes, t)) for t in _ML_DTYPES if hasattr(ml_dtypes, t)]


def all_dtypes(classes: Sequence[str]) -> list[np.dtype[Any]]:
    """The dtypes of these classes."""
    for name in classes:
        if name not in DTYPE_CLASSES:
            raise ValueError(f"class {name!r}, expected any of {', '.join(DTYPE_CLASSES)}")
    return [dtype for name in classes for dtype in dtypes_of(name)]


def named_dtypes(names: Sequence[str]) -> list[np.dtype[Any]]:
    """Those of the names that can be had, in the machine's byte order."""
    return [d for d in all_dtypes(DTYPE_CLASSES) if d.name in names and d.isnative]


@functools.cache
def index_dtypes(foreign: bool) -> list[np.dtype[Any]]:
    """Every integer dtype; NumPy has two of one size, such as l and q, and both are here."""
    native = [np.dtype(code) for code in "lihbLIHBqQ"]
    return native + ([dtype.newbyteorder() for dtype in native] if foreign else [])


@functools.cache
def pool(dtype: np.dtype[Any]) -> Array:
    """Up to 256 different elements of a dtype, as bytes, the simplest first.

    Numbers have the special ones among them: both zeros, infinities, NaNs with payload and sign,
    the smallest and the largest. Other bits are random.
    """
    size = dtype.itemsize
    special = _special(dtype)
    if special is None:
        raw = np.random.default_rng(0).integers(0, 256, 64 * size, np.uint8).tobytes()
    elif dtype.kind in "bU" or dtype.type in (np.longdouble, np.clongdouble) or _is_tiny(dtype):
        raw = special.tobytes()  # not every bit pattern is a value
    else:
        raw = special.tobytes() + np.random.default_rng(0).bytes(64 * size)
    elements = np.frombuffer(raw, np.dtype((np.void, size))) if size else np.empty(1, "V0")
    return elements[:256]


def _is_tiny(dtype: np.dtype[Any]) -> bool:
    """Whether dtype is a type of ml_dtypes with fewer than 8 bits."""
    return dtype.name.startswith(("float4", "float6", "int4", "uint4"))


def _special(dtype: np.dtype[Any]) -> Array | None:
    """The elements of a dtype that deserve a look; None if it has none."""
    kind = dtype.kind
    if kind == "b":
        return np.array([False, True])
    if kind in "iu":
        info = np.iinfo(dtype)
        return np.array([0, 1, 2, 3, info.max, info.max - 1, info.min, info.min + 1], dtype)
    if kind == "U":
        return np.array(["", "a", "ab", "é☃"], dtype)
    if kind == "c":
        parts = pool(np.dtype(f"{dtype.byteorder}f{dtype.itemsize // 2}"))
        pairs = [
            parts[i : i + 1].tobytes() + parts[j : j + 1].tobytes()
            for i in range(9)
            for j in range(9)
        ]
        return np.frombuffer(b"".join(pairs), dtype)
    if kind == "f" or dtype.type.__module__ == "ml_dtypes":
        return _special_floats(dtype)
    return None


def _special_floats(dtype: np.dtype[Any]) -> Array:
    numbers = [
        0,
        -0.0,
        1,
        -1,
        np.inf,
        -np.inf,
        np.nan,
        1.5,
        -2,
        3,
        0.1,
        7,
        255.5,
        -2049,
        1e-7,
        65504,
    ]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small types have no infinity or NaN
        if dtype.name in ("int4", "uint4"):
            return np.arange(16 if dtype.name == "uint4" else 8).astype(dtype)
        floats = np.array(numbers, np.float64).astype(dtype)
    if dtype.type in (np.float16, np.float32, np.float64) or dtype.name == "bfloat16":
        # The bits of infinity and 1, 2, … more are NaNs, signaling ones; 1 is the smallest number.
        unsigned = np.dtype(f"u{dtype.itemsize}")
        infinity = int(floats[4:5].astype(dtype.newbyteorder("=")).view(unsigned)[0])
        sign = 1 << (8 * dtype.itemsize - 1)
        bits = [infinity + 1, (infinity + 5) | sign, infinity - 1, 1, 1 | sign]
        more = np.array(bits, unsigned).view(dtype.newbyteorder("=")).astype(dtype)
        floats = np.concatenate([floats, more])
    return floats


@functools.cache
def index_pool(
    dtype: np.dtype[Any], limit: int, in_range: bool, negative: bool = True
) -> list[int]:
    """Indices into an axis of size limit, 0 first; with in_range=False also out of range."""
    info = np.iinfo(dtype)
    inside = [*range(limit), *range(-1, -limit - 1, -1)]
    outside = [limit, limit + 1, -limit - 1, 2 * limit + 1, info.max, info.min, info.max - 1, 2**63]
    chosen = inside if in_range else [*inside, *outside]
    lowest = info.min if negative else 0
    return [i for i in chosen if lowest <= i <= info.max]


@functools.cache
def weak_values(dtype: np.dtype[Any]) -> list[Any]:
    """Python's own numbers that go into a dtype; rounded, where they must be."""
    numbers: list[Any] = [0, True, 1, False, 2.0, 3 + 0j, -7, 255, 2**63, -(2**63), 2**70]
    numbers += [0.1, -0.0, 1 / 3, 1e30, np.inf, -np.inf, np.nan, 0.1 - 0.2j]
    return [number for number in numbers if takes_weak(dtype) and _goes_into(number, dtype)]


def _goes_into(number: Any, dtype: np.dtype[Any]) -> bool:
    try:
        weak_array("", "", type(number)(number), dtype)
    except (TypeError, ValueError):
        return False
    return True


@functools.cache
def fill_values(dtype: np.dtype[Any]) -> list[Any]:
    """Values that go into a dtype, for fill_value."""
    found: list[Any] = [0, *weak_values(dtype)]
    if dtype.kind in "biufc":
        found += [np.uint8(1), np.array(1.0)]
    if dtype.kind in "iu":
        found += [int(np.iinfo(dtype).max), int(np.iinfo(dtype).min), np.float32(3)]
    if dtype.kind in "fc":
        found += [np.float16(0.5), np.int64(7), np.float64(-0.0)]
    if dtype.kind in "MmSUV":
        element = np.frombuffer(pool(dtype)[0].tobytes(), dtype)[0] if dtype.itemsize else 0
        found += [element] if dtype.kind in "mM" else []
    return found
