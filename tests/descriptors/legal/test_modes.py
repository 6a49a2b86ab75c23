"""Indices of every dtype, just and far out of range, in every mode, at levels that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import FeatureLevel
from dmlindex.directml.legal import Program, legalize

LEVELS = [FeatureLevel[name] for name in ("FL_2_1", "FL_3_0", "FL_4_1", "FL_5_0", "FL_6_0")]
DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
GATHERS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("gather", (3, 5), {"axis": 1}),
    ("gather_elements", (3, 14), {"axis": 1}),
    ("gather_nd", (3, 14, 1), {"batch_dims": 1}),
    ("gather_nd", (21, 2), {}),
]
SCATTERS: list[tuple[str, tuple[int, ...], dict[str, Any]]] = [
    ("scatter_elements", (3, 14), {"axis": 1}),
    ("scatter_nd", (21, 2), {}),
]


def places(dtype: str, shape: tuple[int, ...]) -> Any:
    """In an axis of 3 or 5: all in range, some just out of it, and the ends of the dtype."""
    info = np.iinfo(dtype)
    wanted = [*range(-7, 8), int(info.max), int(info.min), 2**32, 2**32 + 1, -(2**32) - 1]
    fitting = [n for n in wanted if info.min <= n <= info.max]
    return np.resize(np.array(fitting, dtype), shape)


def check(function: str, arrays: list[Any], options: dict[str, Any]) -> None:
    expected = getattr(dmlindex, function)(*arrays, **options)
    for level in LEVELS:
        shapes = [(array.shape, array.dtype) for array in arrays]
        program = legalize(function, shapes, feature_level=level, **options)
        assert isinstance(program, Program), program
        assert program.violations() == []
        assert program.run(*arrays).tolist() == expected.tolist(), (level, program)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["clamp", "wrap", "fill"])
@pytest.mark.parametrize(("function", "shape", "options"), GATHERS)
def test_gathers(
    function: str, shape: tuple[int, ...], options: dict[str, Any], mode: str, dtype: str
) -> None:
    x = np.arange(15, dtype=np.int16).reshape(3, 5)
    more = {"fill_value": -1} if mode == "fill" else {}
    check(function, [x, places(dtype, shape)], options | more | {"mode": mode})


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", ["clamp", "wrap", "drop"])
@pytest.mark.parametrize(("function", "shape", "options"), SCATTERS)
def test_scatters(
    function: str, shape: tuple[int, ...], options: dict[str, Any], mode: str, dtype: str
) -> None:
    x = np.arange(15, dtype=np.int16).reshape(3, 5)
    count = shape if function == "scatter_elements" else shape[:-1]
    u = 100 + np.arange(int(np.prod(count)), dtype=np.int16).reshape(count)
    check(function, [x, places(dtype, shape), u], options | {"mode": mode})
