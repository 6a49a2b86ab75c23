"""dmlindex.testing itself: its calls are what they say, and check_same sees what differs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import find, given, settings

from dmlindex import reference, testing
from dmlindex.reference.memory import as_bytes
from dmlindex.testing.mistakes import MISTAKES


def run(call: testing.Call) -> Any:
    return call.run(getattr(reference, call.operator))


@given(testing.calls())
def test_calls_are_valid(call: testing.Call) -> None:
    """Only an index may be out of range, where mode or an axis of size 0 does not allow it."""
    allowed = call.options.get("mode", "raise") != "raise" and 0 not in call.arguments[0].shape
    with contextlib.nullcontext() if allowed else contextlib.suppress(IndexError):
        run(call)


@given(testing.invalid_calls())
def test_invalid_calls_are_errors(call: testing.Call) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)):
        run(call)


@pytest.mark.parametrize("strategy", [testing.calls, testing.invalid_calls])
def test_an_operator_that_there_is_not(strategy: Any) -> None:
    """It says so, and makes no calls that look like a *_nd."""
    with pytest.raises(ValueError, match=r"operator is 'gather_nd1', expected .*gather_nd,"):
        find(strategy("gather_nd1"), lambda call: True)


@pytest.mark.parametrize("mistake", sorted(MISTAKES))
def test_every_mistake_can_be_made(mistake: str) -> None:
    """In one of a few calls of each operator, so that invalid_calls gives each."""
    x, out = np.zeros((2, 3), "c8"), np.zeros((2, 3), "c8")
    index = np.zeros((2, 3), "i8")
    calls = [
        testing.Call("gather_elements", (x, index), {"out": out}),
        testing.Call("scatter_elements", (x, index, x.copy()), {"out": out}),
    ]
    assert any(MISTAKES[mistake](call, choice) for call in calls for choice in range(3))


@settings(max_examples=30)
@given(testing.calls(with_lists=False))
def test_the_script_makes_the_same_call(call: testing.Call) -> None:
    recorded: list[testing.Call] = []

    def record(*arguments: Any, **options: Any) -> None:
        recorded.append(testing.Call(call.operator, arguments, options))

    script = call.script("record")
    exec(script, {"record": record})
    for original, again in zip(call.arrays(), recorded[0].arrays(), strict=True):
        assert (again.dtype, again.shape) == (original.dtype, original.shape)
        assert again.strides == original.strides or again.size == 0
        assert as_bytes(again).tobytes() == as_bytes(original).tobytes()
        assert again.flags.writeable == original.flags.writeable


def gather_call(**options: Any) -> testing.Call:
    return testing.Call("gather", (np.arange(6.0)[::2], np.array([2, 0])), options)


def changed_value(input: Any, indices: Any, **options: Any) -> Any:
    answer = reference.gather(input, indices, **options)
    answer[1] = -answer[1]  # 0 becomes -0
    return answer


def changed_dtype(input: Any, indices: Any, **options: Any) -> Any:
    return reference.gather(input, indices, **options).astype(">f8")


def changed_shape(input: Any, indices: Any, **options: Any) -> Any:
    return reference.gather(input, indices, **options)[:, np.newaxis]


def changed_input(input: Any, indices: Any, **options: Any) -> Any:
    answer = reference.gather(input, indices, **options)
    input[1] = 9
    return answer


def wrote_between_elements(input: Any, indices: Any, **options: Any) -> Any:
    answer = reference.gather(input, indices, **options)
    np.ndarray((5,), "f8", input.base, 0)[1] = 9
    return answer


def other_exception(input: Any, indices: Any, **options: Any) -> Any:
    raise RuntimeError("no")


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (changed_value, r"1 wrong elements of 2, the first at \(1,\)"),
        (changed_dtype, "gave dtype"),
        (changed_shape, r"shape \(2, 1\)"),
        (changed_input, "memory of its arguments: input"),
        (wrote_between_elements, "in the gaps"),
        (other_exception, "raised RuntimeError: no"),
    ],
)
def test_check_same_sees(function: Callable[..., Any], says: str) -> None:
    with pytest.raises(AssertionError, match=says) as caught:
        testing.check_same(function, reference.gather, gather_call())
    told = str(caught.value)
    name = function.__name__
    assert f"from {__name__} import {name}" in told  # the function under test, not ours
    assert f"print({name}(input, indices))" in told


def test_check_same_wants_out_back() -> None:
    def forgets(*arguments: Any, out: Any) -> Any:
        return reference.gather(*arguments, out=out).copy()

    with pytest.raises(AssertionError, match="another array than the out"):
        testing.check_same(forgets, reference.gather, gather_call(out=np.zeros(2)))


def test_check_same_sees_a_half_written_out() -> None:
    def hasty(input: Any, indices: Any, *, out: Any) -> Any:
        for i, index in enumerate(indices):
            out[i] = input[index]
        return out

    call = testing.Call("gather", (np.ones(3), np.array([0, 7])), {"out": np.zeros(2)})
    with pytest.raises(AssertionError, match="memory of its arguments: out"):
        testing.check_same(hasty, reference.gather, call)


def test_check_same_wants_the_same_exception() -> None:
    call = testing.Call("gather", (np.ones(3), np.array([0, 7])))
    with pytest.raises(AssertionError, match="gave an answer, expected IndexError"):
        testing.check_same(lambda *a: np.ones(2), reference.gather, call)
    testing.check_same(np.take, reference.gather, call)


def test_a_copy_shares_memory_as_the_call_does() -> None:
    memory = np.arange(10)
    call = testing.Call("gather", (memory[2:6], memory[:3]), {"out": memory[5:2:-1]})
    copy = call.copy()
    assert np.shares_memory(copy.arguments[0], copy.arguments[1])
    assert np.shares_memory(copy.arguments[0], copy.options["out"])
    assert not np.shares_memory(copy.arguments[0], memory)
    copy.options["out"][0] = 99
    assert copy.arguments[0][3] == 99


def arrays_of_references() -> list[Any]:
    records = np.zeros(2, [("a", "i4"), ("b", object)])
    found: list[Any] = [np.array([1, None, "x"], object), records]
    if hasattr(np.dtypes, "StringDType"):  # NumPy 2
        found.append(np.full((2, 1), "longer than an element", np.dtypes.StringDType()))
    return found


@pytest.mark.parametrize("array", arrays_of_references(), ids=lambda array: array.dtype.name)
def test_arrays_of_references_are_copied_by_their_elements(array: Any) -> None:
    """Their bytes are pointers: in another place, or another process, they mean nothing."""
    call = testing.Call("gather", (array, np.array([0])))
    copied = call.copy().arguments[0]
    assert copied.dtype == array.dtype
    assert copied.tolist() == array.tolist()
    assert not np.shares_memory(copied, array)
    recorded: list[Any] = []
    script = call.script("record")
    exec(script, {"record": lambda *arguments: recorded.extend(arguments)})
    assert recorded[0].dtype == array.dtype
    assert recorded[0].shape == array.shape
    assert recorded[0].tolist() == array.tolist()
    testing.check_same(reference.gather, reference.gather, call)  # a TypeError, twice


def test_check_same_sees_a_changed_reference() -> None:
    def hasty(input: Any, indices: Any) -> None:
        input[0] = "changed"
        raise TypeError

    call = testing.Call("gather", (np.array(["a", "b"], object), np.array([0])))
    with pytest.raises(AssertionError, match="memory of its arguments: input"):
        testing.check_same(hasty, reference.gather, call)


def test_a_report_says_values_beside_bytes_and_is_printed_once() -> None:
    call = testing.Call("gather", (np.array([1.0, 0.0], "f4"), np.array([0, 1])))
    with pytest.raises(AssertionError) as caught:
        testing.check_same(changed_value, reference.gather, call)
    told = str(caught.value)
    assert "-0.0 (bytes 00000080), expected 0.0 (bytes 00000000)" in told
    assert "input = np.array([1.0, 0.0], dtype='float32')" in told
    assert "indices = np.array([0, 1], dtype='int64')" in told
    assert caught.value.__cause__ is None
    assert "print(" not in repr(call)  # what Hypothesis shows beside it


def test_a_function_that_has_no_name_to_import_is_to_be_filled_in() -> None:
    call = testing.Call("gather", (np.ones(3), np.array([0])))
    with pytest.raises(AssertionError, match=r"FUNCTION = … ") as caught:
        testing.check_same(lambda x, i: -x[i], reference.gather, call)
    assert "print(FUNCTION(input, indices))" in str(caught.value)


@pytest.mark.parametrize(
    ("restrictions", "says"),
    [
        ({"modes": ["rase"]}, "modes is 'rase', expected one of raise, clamp, wrap, fill"),
        ({"modes": ["drop"]}, "modes is 'drop', expected one of raise, clamp"),
        ({"reductions": ["sum"]}, "reductions is 'sum', expected one of none, add"),
        ({"layouts": "dense"}, "layouts is 'dense', expected one of any, packed"),
        ({"arguments": ["axes"]}, "arguments is 'axes', expected one of axis"),
        ({"dtypes": ["f9"]}, "dtypes has 'f9', which is no dtype"),
        ({"dtypes": []}, "dtypes is empty"),
        ({"index_dtypes": "f4"}, "index_dtypes has float32, expected integers"),
        ({"max_side": 1.5}, "max_side is 1.5, expected an integer"),
        ({"max_rank": 0}, "max_rank is 0, expected an integer from 1"),
    ],
)
@pytest.mark.parametrize("strategy", [testing.calls, testing.invalid_calls])
def test_a_typo_lists_the_right_names(
    strategy: Any, restrictions: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        strategy("gather", **restrictions)


def test_a_mistake_that_there_is_not() -> None:
    with pytest.raises(ValueError, match=r"mistakes has 'typo', expected any of .*out_unfit"):
        testing.invalid_calls("gather", mistakes=["typo"])


def small(input: Any, indices: Any) -> Any:
    return reference.gather_nd(input, indices)


@given(testing.calls("gather_nd", function=small, negative=False, layouts="packed", max_rank=2,
                     max_side=4, dtypes=["f4"]))  # fmt: skip
def test_calls_of_a_small_function(call: testing.Call) -> None:
    assert call.options == {}
    assert len(call.arguments) == 2
    for array in call.arrays():
        assert array.flags.c_contiguous
        assert max(array.shape, default=0) <= 4
    assert call.arguments[0].ndim <= 2
    assert call.arguments[0].dtype == np.float32
    assert not (np.asarray(call.arguments[1]) < 0).any()
    testing.check_same(small, reference.gather_nd, call)


@pytest.mark.parametrize("operator", ["scatter_elements", "scatter_nd"])
def test_calls_without_duplicates(operator: str) -> None:
    @given(testing.calls(operator, duplicates=False, modes=["raise"]))
    def check(call: testing.Call) -> None:
        given = call.given()
        axis = given.get("axis", 0) if operator == "scatter_elements" else None
        assert reference.find_duplicates(given["input"], given["indices"], axis=axis).size == 0

    check()


@given(
    testing.invalid_calls(
        "scatter_elements",
        arguments=["axis", "mode"],
        modes=["raise", "drop"],
        mistakes=["index_out_of_range", "position_out_of_range", "out_unfit", "reduction_unknown"],
        with_lists=True,
    )
)
def test_invalid_calls_obey_the_same_restrictions(call: testing.Call) -> None:
    assert call.note in ("index out of range", "position out of range")
    assert {"out", "reduction", "unique_indices"}.isdisjoint(call.options)
    assert call.options.get("mode", "raise") in ("raise", "drop")
    with pytest.raises((ValueError, IndexError)):
        run(call)
