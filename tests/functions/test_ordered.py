"""ordered=False: any order and grouping of updates is right, and how far a sum may then be off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference
from dmlindex.testing.bounds import within_bounds
from dmlindex.testing.call import Call

Array = npt.NDArray[Any]
Scatter = Callable[..., Array]

SIZE, COUNT = 50, 2000


@pytest.fixture(params=["arrays", "chunks", "chunks in single blocks"])
def scatter(
    request: pytest.FixtureRequest, device: str, monkeypatch: pytest.MonkeyPatch
) -> Scatter:
    """scatter_nd on a device; of Dask arrays it combines the updates of a block of indices."""
    if request.param == "chunks in single blocks":
        coarse = pytest.importorskip("dmlindex.dask._coarse")
        monkeypatch.setattr(coarse, "SOURCE_BYTES", 0)

    def scatter(x: Array, indices: Array, updates: Array, **options: Any) -> Array:
        reduction = options.get("reduction", "none")
        if not dmlindex.Device(device).has_reduction(x.dtype, reduction):
            pytest.skip(f"{device} has no {reduction!r} on {x.dtype}")
        if request.param == "arrays":
            return dmlindex.scatter_nd(x, indices, updates, device=device, **options)
        da: Any = pytest.importorskip("dask.array")
        lazy = (
            da.from_array(x, chunks=13),
            da.from_array(indices, chunks=(300, 1)),
            da.from_array(updates, chunks=300),
        )
        result: Any = dmlindex.scatter_nd(*lazy, device=device, **options)
        answer: Array = result.compute(scheduler="synchronous")
        return answer

    return scatter


def drawn(dtype: Any) -> tuple[Array, Array, Array]:
    """Input, tuples of indices that meet, and updates, near 1 so that no product overflows."""
    rng = np.random.default_rng(0)
    low, high = (0, 99) if np.dtype(dtype).kind in "iu" else (0.97, 1.03)
    values = rng.uniform(low, high, SIZE + COUNT)
    items = (values > 1 if dtype == "?" else values).astype(dtype)
    return items[:SIZE], rng.integers(0, SIZE, (COUNT, 1)), items[SIZE:]


@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "?"])
def test_integers_have_the_same_bits(scatter: Scatter, dtype: str, reduction: Any) -> None:
    x, indices, updates = drawn(dtype)
    expected = reference.scatter_nd(x, indices, updates, reduction=reduction)
    found = scatter(x, indices, updates, reduction=reduction, ordered=False)
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("reduction", ["min", "max"])
def test_ends_have_the_same_values(scatter: Scatter, reduction: Any) -> None:
    x, indices, updates = drawn("f4")
    updates[::100] = np.nan
    expected = reference.scatter_nd(x, indices, updates, reduction=reduction)
    found = scatter(x, indices, updates, reduction=reduction, ordered=False)
    np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("reduction", ["add", "mul"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ml_dtypes.bfloat16])
def test_floats_are_as_near_as_any_order(scatter: Scatter, dtype: Any, reduction: Any) -> None:
    """|error| <= gamma_n * sum |x|, or gamma_n * product: n roundings of half an epsilon each."""
    x, indices, updates = drawn(dtype)
    found = scatter(x, indices, updates, reduction=reduction, ordered=False)
    assert found.dtype == x.dtype
    limits: Any = ml_dtypes.finfo  # which says nothing of its types
    unit = float(limits(x.dtype).eps) / 2
    for i in range(SIZE):
        terms = [x[i], *updates[indices[:, 0] == i]]
        exact = np.array(terms, np.longdouble)
        gamma = len(terms) * unit / (1 - len(terms) * unit)
        total = exact.sum() if reduction == "add" else exact.prod()
        assert abs(np.longdouble(found[i]) - total) <= gamma * abs(total)


def test_it_means_nothing_without_a_reduction(scatter: Scatter) -> None:
    x, indices, updates = drawn("f4")
    found = scatter(x, indices, updates, ordered=False)
    np.testing.assert_array_equal(found, reference.scatter_nd(x, indices, updates, ordered=False))


@pytest.mark.parametrize("ordered", [0, None, "no"])
@pytest.mark.parametrize("operator", ["scatter_nd", "scatter_elements"])
def test_another_type_is_refused(operator: str, ordered: Any) -> None:
    indices = [[0]] if operator == "scatter_nd" else [0]
    for module in (dmlindex, reference):
        with pytest.raises(TypeError, match=f"^{operator}: ordered is "):
            getattr(module, operator)(np.zeros(3), indices, np.zeros(1), ordered=ordered)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e-40, 1e38, 2.0])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_a_dropped_update_leaves_no_trace(device: str, dtype: str, value: float) -> None:
    """Numbers that D3D12's atomics do not add go another way there."""
    rng = np.random.default_rng(5)
    for shape, positions, axis in (
        ((49, 5), (49, 45), 1),
        ((23, 11), (27, 11), 0),
        ((36, 2, 34), (36, 2, 17), 2),
        ((900,), (3000,), 0),
    ):
        x = np.zeros(shape, dtype)
        indices = rng.integers(-shape[axis] - 2, shape[axis] + 2, positions)
        inside = (indices >= -shape[axis]) & (indices < shape[axis])
        with np.errstate(all="ignore"):
            updates = np.where(inside, 1, value).astype(dtype)
        options: dict[str, Any] = {"axis": axis, "reduction": "add", "mode": "drop"}
        found = dmlindex.scatter_elements(
            x, indices, updates, ordered=False, device=device, **options
        )
        expected = reference.scatter_elements(x, indices, updates, **options)
        np.testing.assert_array_equal(found, expected)


def compared(x: Array, updates: Any, found: Array, reduction: str = "mul") -> list[bool]:
    """Whether each element may differ from the reference's result as `found` does."""
    arguments = (x, np.zeros(np.shape(updates), np.int64), updates)
    options: dict[str, Any] = {"axis": 0, "reduction": reduction, "ordered": False}
    call = Call("scatter_elements", arguments, options)
    allowed: list[bool] = within_bounds(
        found, reference.scatter_elements(*arguments, **options), call
    ).tolist()
    return allowed


def test_a_product_that_underflows_on_the_way_may_be_zero() -> None:
    x, updates = np.array([1.0, 1.0], "f4"), np.array([1e-20, 1e-20, 1e4], "f4")
    assert compared(x, updates, np.array([0.0, 1.0], "f4")) == [True, True]
    assert compared(x, np.array([1e-3, 1e-3, 1e4], "f4"), np.array([0.0, 1.0], "f4")) == [
        False,
        True,
    ]


def test_updates_that_are_lists_of_complex_numbers_have_bounds() -> None:
    x = np.ones(2, ml_dtypes.bfloat16)
    assert compared(x, [2, 3 + 0j], np.array([6, 1], x.dtype)) == [True, True]
    assert compared(x, [2, 3 + 0j], np.array([7, 1], x.dtype)) == [False, True]


def test_zeros_of_either_sign_are_equal_beside_an_infinity() -> None:
    x = np.array([complex(-0.0, np.inf)], "c8")
    for real, allowed in (-0.0, True), (0.0, True), (1e-30, False):
        found = np.array([complex(real, np.inf)], "c8")
        assert compared(x, [0], found, "add") == [allowed], real


def test_zeros_of_either_sign_are_equal_beside_a_nan() -> None:
    x = np.array([complex(-0.0, np.nan)], "c8")
    for found, allowed in (
        (complex(-0.0, np.nan), True),
        (complex(0.0, -np.nan), True),
        (complex(1e-30, np.nan), False),
        (complex(0.0, 1.0), False),
    ):
        assert compared(x, [0], np.array([found], "c8"), "add") == [allowed], found


def test_a_signalling_nan_may_stay_one() -> None:
    x = np.array([0x7F800001], "u4").view("f4")
    for reduction in ("add", "mul", "min"):
        assert compared(x, [1], x, reduction) == [True]
        assert compared(x, [1], np.ones(1, "f4"), reduction) == [False]


def test_more_numbers_than_a_dtype_has_precision_for_have_bounds() -> None:
    """Of float8_e5m2, whose step is a quarter, from the fourth on."""
    x = np.zeros(1, ml_dtypes.float8_e5m2)
    updates = np.array([0, 0, 0, 0, 0, 0.1875, 0.1875, -1.25], x.dtype)
    for found, allowed in (-0.875, True), (-0.75, True), (30, False):
        assert compared(x, updates, np.array([found], x.dtype), "add") == [allowed]
