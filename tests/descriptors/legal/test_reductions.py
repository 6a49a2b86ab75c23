"""Reductions by DirectML's arithmetic: every dtype that has them, in every way there is."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import FeatureLevel
from dmlindex.directml import DataType
from dmlindex.directml.legal import Impossible, Program, legalize
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.combine import OPERATORS, combiner
from dmlindex.reference.reductions import is_reducible
from dmlindex.testing import values

Array = npt.NDArray[Any]
CASES = [
    (dtype, reduction)
    for name in values.DTYPE_CLASSES
    for dtype in values.dtypes_of(name)
    for reduction in ("add", "mul", "min", "max")
    if is_reducible(dtype, reduction)
]
# What DirectML cannot compute at any level, and from which level on it can the rest.
DOUBLES = {"float64", "complex128"}
NEVER = {np.dtype(np.longdouble).name, np.dtype(np.clongdouble).name} - DOUBLES  # on Windows: none
LEVELS = (FeatureLevel.FL_2_1, FeatureLevel.FL_3_0, FeatureLevel.FL_4_1, FeatureLevel.FL_6_4)
COMPARED = [case for case in CASES if case[0].name in ("int32", "uint8", "int64", "float32")]


def first_level(dtype: np.dtype[Any], reduction: str) -> FeatureLevel | None:
    if dtype.name in NEVER:
        return None if reduction in ("add", "mul") else FeatureLevel.FL_4_1
    if dtype.name in DOUBLES:
        return FeatureLevel.FL_4_1
    if dtype.kind in "iu" and dtype.itemsize == 8 and reduction == "mul":
        return FeatureLevel.FL_4_1
    return FeatureLevel.FL_2_1


def drawn(dtype: np.dtype[Any], shape: tuple[int, ...], seed: int) -> Array:
    pool = values.pool(dtype)
    chosen = np.random.default_rng(seed).integers(0, len(pool), shape)
    return np.frombuffer(bytearray(pool[chosen].tobytes()), dtype).reshape(shape)


def check(dtype: np.dtype[Any], reduction: str, i: Array, known: bool, unique: bool) -> None:
    x, u = drawn(dtype, (8, 2), 0), drawn(dtype, (len(i), 2), 1)
    scatter: Any = dmlindex.scatter_nd
    expected = scatter(x, i, u, reduction=reduction)
    first = first_level(dtype, reduction)
    for level in LEVELS:
        program = legalize(
            "scatter_nd",
            [x, i if known else (i.shape, i.dtype), u],
            reduction=reduction,
            unique_indices=unique,
            feature_level=level,
        )
        if first is None or level < first:
            assert isinstance(program, Impossible)
            assert [name for name, _ in program.reasons] == ["reduction-data-type"]
            continue
        assert isinstance(program, Program)
        assert program.violations() == []
        found = program.run(x, i, u)
        if program.promise == "bits":
            assert found.tobytes() == expected.tobytes()
        else:
            assert program.promise == "values"
            assert dtype.kind in "fcV"
            assert ((found == expected) | ((found != found) & (expected != expected))).all()


@pytest.mark.parametrize("updates", ["unique", "few", "known"])
@pytest.mark.parametrize(("dtype", "reduction"), CASES, ids=str)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_every_dtype(dtype: np.dtype[Any], reduction: str, updates: str) -> None:
    """Targets that cannot meet; that may, round by round; that do, as the indices say."""
    places = [5, -1, 0, 3] if updates == "unique" else [5, -1, 7, 5]
    check(dtype, reduction, np.array(places)[:, None], updates == "known", updates == "unique")


@pytest.mark.parametrize(("dtype", "reduction"), COMPARED, ids=str)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_many_updates_of_few_rows(dtype: np.dtype[Any], reduction: str) -> None:
    """Past a few rounds, integers are compared with all rows and reduced."""
    places = np.random.default_rng(2).integers(-8, 8, (19, 1))
    check(dtype, reduction, places, known=False, unique=False)


@pytest.mark.parametrize("reduction", ["add", "mul"])
@pytest.mark.parametrize("kind", ["any", "near", "tiny"])
def test_float64_to_the_bit(reduction: str, kind: str) -> None:
    """In 64-bit integers: rounding, carries, subnormal numbers, infinities."""
    rng, n = np.random.default_rng(3), 4000
    a, u = (rng.integers(0, 2**64, n, dtype=np.uint64) for _ in range(2))
    if kind == "near":  # exponents at most 60 apart
        apart = (rng.integers(-60, 60, n) * 2**52).view(np.uint64)
        u = (a & np.uint64(0x7FF << 52)) + (u & np.uint64(0x800FFFFFFFFFFFFF)) + apart
    if kind == "tiny":
        a, u = a & np.uint64(0x803FFFFFFFFFFFFF), u & np.uint64(0x803FFFFFFFFFFFFF)
        u[::2] |= np.uint64(0x3FF << 52) if reduction == "mul" else np.uint64(0)
    x, items, places = a.view(np.float64), u.view(np.float64), np.arange(n)[:, None]
    with np.errstate(all="ignore"):
        expected = x + items if reduction == "add" else x * items
    shapes = [x, (places.shape, places.dtype), items]
    options: Any = {"reduction": reduction, "unique_indices": True}
    program = legalize("scatter_nd", shapes, feature_level=FeatureLevel.FL_4_1, **options)
    assert isinstance(program, Program)
    found = program.run(x, places, items)
    same = found.view(np.uint64) == expected.view(np.uint64)
    assert (same | (np.isnan(found) & np.isnan(expected))).all()


@pytest.mark.parametrize("reduction", OPERATORS)
def test_longdouble_of_64_bits_is_float64(reduction: str) -> None:
    """NumPy's longdouble on Windows: float64 by its name, with a scalar type of its own."""

    def steps(dtype: Any) -> str:
        b = Builder(FeatureLevel.FL_4_1, 1 << 20)
        old, items = (b.temporary(DataType.UINT64, (3,)) for _ in range(2))
        combiner(b, dtype, reduction)(old, items)
        return str(b.steps)

    longdouble = SimpleNamespace(name="float64", type=np.longdouble, kind="f", itemsize=8)
    assert steps(longdouble) == steps(np.dtype(np.float64))


@pytest.mark.parametrize("options", [{"max_rounds": 10}, {"ordered": False}], ids=str)
def test_float_sums_by_reduce_are_within_a_bound(options: Any) -> None:
    """Where rounds are too many, or the caller permits any order."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5, 3)).astype(np.float32)
    i, u = rng.integers(0, 5, (200, 1)), rng.normal(size=(200, 3)).astype(np.float32)
    shapes = [x, (i.shape, i.dtype), u]
    program = legalize("scatter_nd", shapes, reduction="add", **options)
    assert isinstance(program, Program)
    assert program.promise == "bound"
    assert "200 updates x 5 rows x 3: 3000 temporary elements" in program.notes
    exact = dmlindex.scatter_nd(x.astype(float), i, u.astype(float), reduction="add")
    total = dmlindex.scatter_nd(abs(x.astype(float)), i, abs(u.astype(float)), reduction="add")
    n = 201
    gamma = n * 2.0**-24 / (1 - n * 2.0**-24)
    assert (abs(program.run(x, i, u) - exact) <= gamma * total).all()


def test_the_cost_is_said_and_refused_past_the_limit() -> None:
    shapes = [((5, 3), "int32"), ((200, 1), "int64"), ((200, 3), "int32")]
    program = legalize("scatter_nd", shapes, reduction="add", limit=3000)
    assert isinstance(program, Program)
    assert "REDUCE" in {step.desc.operator for step in program.operators}
    refused = legalize("scatter_nd", shapes, reduction="add", limit=2999, max_rounds=10)
    assert isinstance(refused, Impossible)
    assert [name for name, _ in refused.reasons] == ["cost"]
    assert "3000 temporary elements, more than limit=2999" in str(refused)
