"""A call that comes again in arrays that lie alike is not read anew: it must still do what it says.

Each test first makes a call so often that it is remembered, then one that is the same but for what
the test is about.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference, testing
from dmlindex.testing.space import OPERATORS

Array = npt.NDArray[Any]

# How often a call has to come, other calls before it, until it is remembered; and some more.
OFTEN = 40


def repeat(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    for _ in range(OFTEN):
        answer = function(*arguments, **options)
    return answer


@pytest.mark.parametrize("operator", OPERATORS)
def test_other_values_in_the_same_layout(operator: str) -> None:
    function = getattr(dmlindex, operator)

    @given(testing.calls(operator))
    def parity(call: testing.Call) -> None:
        before = call.copy()
        indices = before.given()["indices"]
        if isinstance(indices, np.ndarray) and indices.flags.writeable:
            indices[...] = 0
        with contextlib.suppress(Exception):
            repeat(before.run, function)
        testing.check_same(function, getattr(reference, operator), call)

    parity()


@pytest.mark.parametrize("operator", OPERATORS)
def test_one_call_after_another(operator: str) -> None:
    function = getattr(dmlindex, operator)
    small = testing.calls(operator, max_rank=2, max_side=2, dtypes=["i4", "f4"], with_lists=False)

    @given(st.lists(small, min_size=2, max_size=4))
    def parity(calls: list[testing.Call]) -> None:
        for call in calls:
            with contextlib.suppress(Exception):
                repeat(call.copy().run, function)
            for other in calls:
                testing.check_same(function, getattr(reference, operator), other)

    parity()


X = np.arange(24.0, dtype=np.float32).reshape(4, 6)
INDICES = np.array([3, 0, 1])


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ((X.astype("i4"), INDICES), {}),
        ((X.astype(">f4"), INDICES), {}),
        ((X[:, ::-1], INDICES), {}),
        ((np.broadcast_to(X[:1], X.shape), INDICES), {}),
        ((X.reshape(6, 4), INDICES), {}),
        ((X.reshape(4, 6, 1), INDICES), {}),
        ((X, INDICES.astype("u8")), {}),
        ((X, INDICES.astype(">i8")), {}),
        ((X, INDICES[::-1]), {}),
        ((X, INDICES[:2]), {}),
        ((X, INDICES[None]), {}),
        ((X, INDICES), {"axis": 1}),
        ((X, INDICES, -1), {}),
        ((X, INDICES), {"mode": "clamp"}),
        ((X, INDICES), {"mode": "fill", "fill_value": 7}),
        ((X, INDICES), {"out": np.empty((3, 6), np.float32)}),
        ((X, INDICES), {"out": np.empty((6, 3), np.float32).T}),
        ((X, INDICES.tolist()), {}),
        ((X, 2), {}),
    ],
)
def test_a_gather_that_differs_in_one_thing(
    arguments: tuple[Any, ...], options: dict[str, Any]
) -> None:
    repeat(dmlindex.gather, X, INDICES)
    expected = reference.gather(*arguments, **options)
    answer = dmlindex.gather(*arguments, **options)
    assert answer.dtype == expected.dtype
    np.testing.assert_array_equal(answer, expected)
    for _ in range(OFTEN):
        np.testing.assert_array_equal(dmlindex.gather(*arguments, **options), expected)
    np.testing.assert_array_equal(dmlindex.gather(X, INDICES), X[INDICES])


@pytest.mark.parametrize(
    "options",
    [{"reduction": "add"}, {"mode": "drop"}, {"axis": 1}, {"unique_indices": True}, {"out": X}],
)
def test_a_scatter_that_differs_in_one_thing(options: dict[str, Any]) -> None:
    x, indices = X[:3, :3].copy(), np.array([[2, 0, 1], [0, 1, 2]])
    updates = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
    if "out" in options:
        options = {"out": x}
    repeat(dmlindex.scatter_elements, x, indices, updates)
    expected = reference.scatter_elements(x.copy(), indices, updates, **options)
    if "out" not in options:
        for _ in range(OFTEN):
            answer = dmlindex.scatter_elements(x, indices, updates, **options)
            np.testing.assert_array_equal(answer, expected)
        return
    for value in range(OFTEN):
        expected = reference.scatter_elements(x.copy(), indices, updates + value)
        assert dmlindex.scatter_elements(x, indices, updates + value, out=x) is x
        np.testing.assert_array_equal(x, expected)


def test_an_index_that_is_a_number() -> None:
    assert repeat(dmlindex.gather, X, 1).tolist() == X[1].tolist()
    for index in (2, -1, np.int64(3), np.array(0), np.array([0, 1])):
        expected = X[index]
        np.testing.assert_array_equal(dmlindex.gather(X, index), expected)
        np.testing.assert_array_equal(dmlindex.gather(X, 3), X[3])
    out = np.zeros(6, np.float32)
    repeat(dmlindex.gather, X, 1, out=out)
    for index, error in (
        (4, IndexError),
        (-5, IndexError),
        (1 << 70, TypeError),
        (True, TypeError),
    ):
        with pytest.raises(error):
            dmlindex.gather(X, index, out=out)
        np.testing.assert_array_equal(out, X[1])
    dmlindex.gather(X, np.array(2), out=out)
    np.testing.assert_array_equal(out, X[2])


def test_an_index_out_of_range() -> None:
    x, indices, out = np.arange(5.0), np.array([1, 2]), np.zeros(2)
    repeat(dmlindex.gather, x, indices, out=out)
    indices[1] = 5
    out[:] = 9
    with pytest.raises(IndexError, match=r"indices\[1\] = 5 is out of range for axis 0"):
        dmlindex.gather(x, indices, out=out)
    np.testing.assert_array_equal(out, [9, 9])
    indices[1] = 4
    np.testing.assert_array_equal(dmlindex.gather(x, indices, out=out), [1, 4])


def test_an_out_that_became_read_only() -> None:
    x, indices, out = np.arange(5.0), np.array([1, 2]), np.zeros(2)
    repeat(dmlindex.gather, x, indices, out=out)
    out.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        dmlindex.gather(x, indices, out=out)


def test_an_out_that_overlaps() -> None:
    memory = np.arange(12.0)
    indices = np.array([3, 2, 1, 0])
    repeat(dmlindex.gather, memory[:4], indices, out=memory[8:])
    memory[:] = np.arange(12)
    dmlindex.gather(memory[:4], indices, out=memory[2:6])
    np.testing.assert_array_equal(memory, [0, 1, 3, 2, 1, 0, 6, 7, 8, 9, 10, 11])
    places = np.arange(8)
    repeat(dmlindex.gather, np.arange(9), places[:4], out=places[4:])
    places[:] = [4, 3, 2, 1, 7, 7, 7, 7]
    dmlindex.gather(np.arange(10, 19), places[:4], out=places[1:5])
    np.testing.assert_array_equal(places, [4, 14, 13, 12, 11, 7, 7, 7])


def test_a_scatter_in_place_and_into_another_view() -> None:
    x = np.arange(6.0)
    indices, updates = np.array([0, 1]), np.array([8.0, 9.0])
    out = x[:4]
    repeat(dmlindex.scatter_elements, x[:4], indices, updates, out=out)
    x[:] = np.arange(6)
    dmlindex.scatter_elements(x[:4], indices, updates, out=x[2:])
    np.testing.assert_array_equal(x, [0, 1, 8, 9, 2, 3])
    repeat(dmlindex.scatter_elements, np.zeros(4), indices, updates, out=np.ones(4))
    x[:] = np.arange(6)
    dmlindex.scatter_elements(x[:4], indices, updates, out=x[:4])
    np.testing.assert_array_equal(x, [8, 9, 2, 3, 4, 5])


def test_a_fill_value_that_is_gone() -> None:
    x, indices = np.arange(3.0), np.array([5, 0])
    for value in range(3 * OFTEN):
        fill = float(value // OFTEN) + 0.5
        answer = dmlindex.gather(x, indices, mode="fill", fill_value=fill)
        np.testing.assert_array_equal(answer, [fill, 0])


def test_an_array_that_was_reshaped() -> None:
    x = np.arange(6.0)
    repeat(dmlindex.gather, x, np.array([5]))
    x.resize((2, 3), refcheck=False)
    with pytest.raises(IndexError, match="size 2"):
        dmlindex.gather(x, np.array([5]))


def test_code_that_runs_when_a_call_is_forgotten() -> None:
    few, first = np.arange(4), np.array([2])

    class Last:
        def __del__(self) -> None:
            found.append(repeat(dmlindex.gather, few, first).tolist())

    found: list[Any] = []
    indices = np.array([1]).astype(np.dtype(np.int64, metadata={"last": Last()}))
    repeat(dmlindex.gather, few, indices)
    del indices
    for _ in range(OFTEN):
        if not found:
            dmlindex.gather(np.zeros(9), np.array([8]))
    assert found == [[2]]
    with pytest.raises(IndexError):
        dmlindex.gather(few, np.array([8]))


def test_a_dtype_that_became_another() -> None:
    dtype = np.dtype("V3")
    memory = np.arange(12, dtype=np.uint8)
    indices = np.array([1, 3])
    answer = repeat(dmlindex.gather, memory.view(dtype), indices)
    assert answer.tobytes() == bytes([3, 4, 5, 9, 10, 11])
    vars(np.dtype)["__setstate__"](dtype, (3, "|", None, None, None, 1, 1, 0))
    assert dtype.itemsize == 1
    answer = dmlindex.gather(np.ndarray(4, dtype, memory, 0, (3,)), indices)
    assert answer.tobytes() == bytes([3, 9])
