"""The reference against NumPy's own idioms: what all else is held to is held to something too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dmlindex import reference, testing
from dmlindex.reference import checks
from dmlindex.reference.reductions import step_of

# Without the padding of long doubles and records, which NumPy need not copy.
UNPADDED = testing.dtypes(["integer", "float", "bool", "complex", "time", "text", "void"]).filter(
    lambda dtype: dtype.fields is None and dtype.type not in (np.longdouble, np.clongdouble)
)
UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


def named(call: testing.Call) -> dict[str, Any]:
    """All arguments of a call by name, indices as an array."""
    names = ("input", "indices", *(["updates"] if call.operator.startswith("scatter") else []))
    given = dict(zip(names, call.arguments, strict=False)) | call.options
    for position in call.arguments[len(names) :]:
        given["batch_dims" if call.operator == "gather_nd" else "axis"] = position
    given["indices"] = np.asarray(given["indices"])
    return given


def run(call: testing.Call) -> Any:
    return call.run(getattr(reference, call.operator))


def same(found: Any, expected: Any) -> None:
    expected = np.asarray(expected, found.dtype)  # NumPy gives a scalar for no dims
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def in_range(operator: str, **options: Any) -> st.SearchStrategy[testing.Call]:
    return testing.calls(
        operator, dtypes=UNPADDED, in_range=True, with_out=False, modes=["raise"], **options
    )


@given(in_range("gather"))
def test_gather_is_take(call: testing.Call) -> None:
    a = named(call)
    same(run(call), np.take(a["input"], a["indices"].astype(np.int64), a.get("axis", 0)))


@given(testing.calls("gather", dtypes=UNPADDED, modes=["clamp", "wrap"], with_out=False))
def test_modes_are_those_of_take(call: testing.Call) -> None:
    a = named(call)
    size = a["input"].shape[a.get("axis", 0)]
    assume(size > 0)
    indices = a["indices"].astype(object)  # Python's integers: neither order nor width matters
    if call.options["mode"] == "clamp":
        indices = np.clip(indices, -size, size - 1)
    resolved = np.asarray(np.mod(indices, size), np.int64)
    same(run(call), np.take(a["input"], resolved, a.get("axis", 0)))


@given(in_range("gather_elements"))
def test_gather_elements_is_take_along_axis(call: testing.Call) -> None:
    a = named(call)
    axis = a.get("axis", 0) % a["input"].ndim
    off = tuple(slice(None) if d == axis else slice(n) for d, n in enumerate(a["indices"].shape))
    indices = a["indices"].astype(np.int64)
    same(run(call), np.take_along_axis(a["input"][off], indices, axis))


@given(in_range("gather_nd"))
def test_gather_nd_is_fancy_indexing(call: testing.Call) -> None:
    a = named(call)
    batch, indices = a.get("batch_dims", 0), a["indices"].astype(np.int64)
    expected = np.empty(
        indices.shape[:-1] + a["input"].shape[batch + indices.shape[-1] :], a["input"].dtype
    )
    for b in np.ndindex(indices.shape[:batch]):
        expected[b] = a["input"][b][tuple(np.moveaxis(indices[b], -1, 0))]
    same(run(call), expected)


@given(in_range("scatter_elements", reductions=["none"], with_lists=False))
def test_scatter_elements_is_assignment(call: testing.Call) -> None:
    a = named(call)
    axis = a.get("axis", 0) % a["input"].ndim
    expected = a["input"].copy()
    for p, index in np.ndenumerate(a["indices"]):
        expected[(*p[:axis], int(index), *p[axis + 1 :])] = a["updates"][p]
    same(run(call), expected)


@given(in_range("scatter_nd", reductions=["none"], with_lists=False))
def test_scatter_nd_is_assignment(call: testing.Call) -> None:
    a = named(call)
    expected = a["input"].copy()
    for q in np.ndindex(a["indices"].shape[:-1]):
        expected[tuple(a["indices"][q].astype(np.int64))] = a["updates"][q]
    same(run(call), expected)


@given(
    testing.calls(
        "scatter_nd",
        dtypes=testing.dtypes(["integer", "bool"]),
        reductions=["add", "mul", "min", "max"],
        modes=["raise"],
        in_range=True,
        with_out=False,
    )
)
def test_reductions_are_the_ufuncs_at(call: testing.Call) -> None:
    a = named(call)
    expected = a["input"].copy()
    where = tuple(np.moveaxis(a["indices"].astype(np.int64), -1, 0))
    updates = checks.updates_array("", a["updates"], expected.dtype)
    UFUNCS[a["reduction"]].at(expected, where, updates)
    same(run(call), expected)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("reduction", sorted(UFUNCS))
def test_a_step_on_numbers_is_the_ufunc(dtype: str, reduction: str) -> None:
    rng = np.random.default_rng(5)
    old, update = (rng.standard_normal((2, 500)) * 100).astype(dtype)
    step = step_of(reduction, old.dtype)
    with np.errstate(all="ignore"):
        steps = [step(a, b) for a, b in zip(old, update, strict=True)]
    same(np.array(steps), UFUNCS[reduction](old, update))


@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap"])
def test_an_axis_of_size_0_has_no_place(mode: str) -> None:
    with pytest.raises(IndexError, match="size 0"):
        reference.gather(np.zeros((0, 2)), [0], mode=mode)
    assert reference.gather(np.zeros((0, 2)), [], mode=mode).shape == (0, 2)


def test_fill_and_drop_skip() -> None:
    filled = reference.gather(np.arange(3.0), [0, 3, -4, -1], mode="fill", fill_value=np.nan)
    np.testing.assert_array_equal(filled, [0, np.nan, np.nan, 2])
    dropped = reference.scatter_nd(np.arange(3), [[0], [3], [-4]], [7, 8, 9], mode="drop")
    np.testing.assert_array_equal(dropped, [7, 1, 2])


def test_find_duplicates_names_what_is_overwritten() -> None:
    rng = np.random.default_rng(1)
    indices = rng.integers(-6, 6, (40, 1))
    overwritten = reference.find_duplicates((6,), indices)
    updates = np.arange(40)
    final = reference.scatter_nd(np.full(6, -1), indices, updates)
    np.testing.assert_array_equal(np.setdiff1d(updates, overwritten), np.sort(final[final >= 0]))


def test_find_duplicates_along_an_axis() -> None:
    indices = [[0, 1], [2, 1], [0, -2]]
    np.testing.assert_array_equal(reference.find_duplicates((3, 2), indices, axis=0), [0, 1, 3])
    np.testing.assert_array_equal(
        reference.find_duplicates((3, 2), [[0, 1], [1, 1], [0, -2]], axis=1), [2, 4]
    )
