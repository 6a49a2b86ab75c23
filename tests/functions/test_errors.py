"""Errors: they name operator, argument, what was found and expected, and leave everything as it
was.

That each mistake raises the reference's exception is test_parity.test_invalid_calls; here are the
words, and which index is named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference, testing
from dmlindex.testing.space import OPERATORS


def message(function: Callable[..., Any], *arguments: Any, **options: Any) -> str:
    with pytest.raises(IndexError) as caught:
        function(*arguments, **options)
    return str(caught.value)


@given(data=st.data())
def test_the_first_bad_index_is_named_as_by_the_reference(device: str, data: st.DataObject) -> None:
    operator = data.draw(st.sampled_from(OPERATORS))
    call = data.draw(testing.calls(operator, modes=["raise"], with_out=False))
    try:
        call.run(getattr(reference, operator))
    except IndexError as error:
        expected = str(error)
        assert message(getattr(dmlindex, operator), *call.arguments, **call.options) == expected


@pytest.mark.parametrize(
    "index_type", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4", ">u8"]
)
def test_a_bad_index_says_value_axis_size_position(device: str, index_type: str) -> None:
    indices = np.zeros((4, 2), index_type)
    indices[3, 1] = 7
    lowest = -5 if indices.dtype.kind == "i" else 0
    assert message(dmlindex.gather_nd, np.zeros((4, 5)), indices, device=device) == (
        "gather_nd: indices[3, 1] = 7 is out of range for axis 1 of input, which has size 5 "
        f"(expected {lowest} <= index < 5); "
        'pass mode="clamp", "wrap" or "fill" to allow it'
    )


def test_a_scatter_says_drop(device: str) -> None:
    text = message(dmlindex.scatter_nd, np.zeros(3), [[-4]], np.zeros(1), device=device)
    assert "indices[0, 0] = -4" in text
    assert '"drop"' in text


def test_a_0d_index_has_no_position(device: str) -> None:
    assert "indices[()] = 3 " in message(dmlindex.gather, np.zeros(3), 3, device=device)


@pytest.mark.parametrize("bad", [[999_999], [0, 999_999], [70_000, 70_001, 500_000], [123_456]])
@pytest.mark.parametrize("count", [1, 2])
def test_the_first_of_many_is_named_with_any_threads(
    device: str, threads: Callable[[int], None], bad: list[int], count: int
) -> None:
    threads(count)
    indices = np.zeros(1_000_000, np.int32)
    indices[bad] = 10 + np.arange(len(bad))[::-1]
    x, out = np.zeros(10), np.full(1_000_000, 7.0)
    for options in ({}, {"out": out}):
        text = message(dmlindex.gather, x, indices, device=device, **options)
        assert f"indices[{bad[0]}] = {10 + len(bad) - 1} " in text
    assert (out == 7).all()


def test_the_bad_index_behind_a_broadcast_is_named_first(device: str) -> None:
    """In C order of indices as given, whatever order a backend reads them in."""
    indices = np.array([[0, 5, 0], [9, 0, 0]]).T  # shape (3, 2), Fortran order
    text = message(dmlindex.gather, np.zeros((3, 2)), indices, axis=1, device=device)
    assert "indices[0, 1] = 9 " in text


@pytest.mark.parametrize("operator", OPERATORS)
def test_indices_are_checked_where_nothing_moves(device: str, operator: str) -> None:
    """With an empty slice, or a gather's empty dims before the axis, no element moves."""
    x = np.zeros((3, 0))
    if operator.endswith("elements"):
        return  # every index of theirs moves an element
    if operator == "gather":
        assert "= 3 " in message(dmlindex.gather, x, [0, 3], device=device)
        assert "= 4 " in message(dmlindex.gather, x.T, [0, 4], axis=1, device=device)
    elif operator == "gather_nd":
        assert "indices[1, 0] = 3 " in message(dmlindex.gather_nd, x, [[0], [3]], device=device)
    else:
        updates = np.zeros((2, 0))
        assert "= 3 " in message(dmlindex.scatter_nd, x, [[0], [3]], updates, device=device)


WORDS: list[tuple[str, tuple[Any, ...], dict[str, Any], type[Exception], list[str]]] = [
    ("gather", (np.zeros((2, 3)), [0], 2), {}, ValueError, ["axis is 2", "-2 <= axis < 2"]),
    ("gather", (np.zeros(2), [0.5]), {}, TypeError, ["indices", "float64", "integer"]),
    ("gather", (np.zeros(2), [0]), {"mode": "warp"}, ValueError, ["mode", "'warp'", '"wrap"']),
    ("gather", (np.zeros(2), [0]), {"mode": "drop"}, ValueError, ["mode", "'drop'", '"fill"']),
    ("gather", (np.zeros(2, object), [0]), {}, TypeError, ["input", "object"]),
    ("gather", (np.zeros(2, "i2"), [5]), {"mode": "fill", "fill_value": 0.5}, ValueError,
     ["fill_value is 0.5", "int16"]),
    ("gather_nd", (np.zeros((2, 3)), [[0, 0, 0]]), {}, ValueError, ["size 3", "1 to 2", "(2, 3)"]),
    ("gather_nd", (np.zeros((2, 3)), np.zeros((2, 0), int)), {}, ValueError, ["size 0", "1 to 2"]),
    ("gather_nd", (np.zeros((2, 3)), [[0]], -1), {}, ValueError, ["batch_dims", "-1"]),
    ("gather_nd", (np.zeros((2, 3)), [[0]], 2), {}, ValueError, ["batch_dims", "2"]),
    ("gather_nd", (np.zeros((2, 3)), [[0]], 1), {}, ValueError, ["batch", "2", "1"]),
    ("gather_elements", (np.zeros((2, 3)), [0]), {}, ValueError, ["indices", "rank 1", "2"]),
    ("gather_elements", (np.zeros((2, 3)), np.zeros((2, 4), int)), {}, ValueError,
     ["indices", "size 4", "at most input's 3"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1, "f4")), {}, TypeError,
     ["updates", "float32", "float64"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(2)), {}, ValueError, ["updates", "(2,)", "(1,)"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1)), {"reduction": "sum"}, ValueError,
     ["reduction", "'sum'", '"add"']),
    ("scatter_nd", (np.zeros(3, ">f8"), [[0]], np.zeros(1, ">f8")), {"reduction": "add"}, TypeError,
     ["reduction", ">f8", "byte order"]),
    ("scatter_nd", (np.zeros(3, "c8"), [[0]], np.zeros(1, "c8")), {"reduction": "max"}, TypeError,
     ["reduction", "complex64"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1)), {"out": np.zeros(4)}, ValueError,
     ["out", "(4,)", "(3,)"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1)), {"out": np.zeros(3, "f4")}, TypeError,
     ["out", "float32", "float64"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1)), {"out": [0.0, 0.0, 0.0]}, TypeError,
     ["out is a list", "ndarray"]),
    ("scatter_nd", (np.zeros(3), [[0]], np.zeros(1)), {"unique_indices": 1}, TypeError,
     ["unique_indices"]),
    ("gather", (np.zeros(2), [0]), {"device": "abacus"}, ValueError, ["device", "abacus"]),
    ("gather", (np.zeros(2), [0]), {"device": 3}, TypeError, ["device"]),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "arguments", "options", "error", "words"), WORDS)
def test_errors_say_what_was_found_and_expected(
    operator: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    error: type[Exception],
    words: list[str],
) -> None:
    with pytest.raises(error) as caught:
        getattr(dmlindex, operator)(*arguments, **options)
    text = str(caught.value)
    assert text.startswith(f"{operator}: ")
    assert [word for word in words if word not in text] == []


def test_a_string_dtype_holds_references() -> None:
    strings = pytest.importorskip("numpy", "2.0").array(["a"], np.dtypes.StringDType())
    for function in (dmlindex.gather, reference.gather):
        with pytest.raises(TypeError, match="input has dtype StringDType"):
            function(strings, [0])


def test_sizes_that_overflow() -> None:
    """2^63 bytes of result, from arrays that take no memory."""
    x = np.zeros(2)
    indices = np.broadcast_to(np.int8(0), (2**31, 2**29, 1))
    for function in (dmlindex.gather_nd, reference.gather_nd):
        with pytest.raises(ValueError, match="gather_nd"):
            function(x, indices)


def test_as_many_dims_as_numpy_has() -> None:
    most = 64 if np.lib.NumpyVersion(np.__version__) >= "2.0.0" else 32
    x = np.zeros((1,) * most)
    assert dmlindex.gather(x, [0]).ndim == most
    assert dmlindex.gather_elements(x, np.zeros(x.shape, int)).ndim == most
    for module in (dmlindex, reference):
        with pytest.raises(ValueError, match=f"dimension.*{most}|{most}.*dimension"):
            module.gather(x, [[0]])


def test_arguments_are_those_of_the_signature() -> None:
    x = np.zeros(3)
    with pytest.raises(TypeError, match="missing"):
        dmlindex.gather(x)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="'axes'"):
        dmlindex.gather(x, [0], axes=0)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="multiple values"):
        dmlindex.gather(x, [0], 0, axis=0)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="positional"):
        dmlindex.gather(x, [0], 0, "raise")  # type: ignore[call-overload]
