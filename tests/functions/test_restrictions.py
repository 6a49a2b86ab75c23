"""What is asked of drawn calls holds for each of them, wrong ones included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dmlindex import find_duplicates, reference, testing
from dmlindex.testing.choices import SeededChoices, UnfitError
from dmlindex.testing.drawing import draw_call
from dmlindex.testing.mistakes import MISTAKES
from dmlindex.testing.space import MOST_DIMS, OPERATORS, space
from dmlindex.testing.strategies import draw_mistake

Array = np.ndarray[Any, Any]


def drawn(operator: str, count: int, *, wrong: bool = False, **wanted: Any) -> list[testing.Call]:
    choices = SeededChoices(np.random.default_rng(1))
    one, mistakes = space(operator, **wanted), sorted(MISTAKES)
    found: list[testing.Call] = []
    while len(found) < count:
        choices.begin()
        try:
            call = draw_mistake(choices, one, mistakes) if wrong else draw_call(choices, one)
        except UnfitError:
            continue
        found.append(call)
    return found


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("most", [1, 2, MOST_DIMS])
def test_no_array_has_more_dims_or_a_longer_one(operator: str, most: int) -> None:
    for call in drawn(operator, 60, max_rank=most, max_side=3, in_range=True):
        for array in [*call.arrays(), np.asarray(call.run(getattr(reference, operator)))]:
            assert array.ndim <= most
            assert max(array.shape, default=0) <= 3


@pytest.mark.parametrize("operator", ["scatter_elements", "scatter_nd"])
def test_small_index_dtypes_make_no_duplicates(operator: str) -> None:
    for call in drawn(operator, 300, duplicates=False, index_dtypes="i1", modes="raise"):
        given = call.given()
        axis = given.get("axis", 0) if operator == "scatter_elements" else None
        assert find_duplicates(given["input"].shape, given["indices"], axis=axis).size == 0


@pytest.mark.parametrize("operator", OPERATORS)
def test_packed_arrays_are_aligned_too(operator: str) -> None:
    for call in drawn(operator, 300, layouts="packed", dtypes=["m8[s]", "f8"]):
        assert all(one.flags.c_contiguous for one in call.arrays())
        assert all(one.flags.aligned for one in call.arrays() if one.size)


def test_what_has_a_mistake_obeys_too() -> None:
    wanted = {"with_out": False, "with_lists": False, "negative": False, "index_dtypes": "i2"}
    for operator in OPERATORS:
        for call in drawn(operator, 150, wrong=True, **wanted):
            assert "out" not in call.options
            assert all(isinstance(one, np.ndarray) for one in call.arguments[:2])
            places = call.arguments[1] if len(call.arguments) > 1 else np.zeros(0, np.int16)
            if call.note != "indices of a wrong type":
                assert places.dtype == np.int16
                assert not (places < 0).any()


@pytest.mark.parametrize("operator", OPERATORS)
def test_a_copy_has_the_mistake_still(operator: str) -> None:
    """Of masked arrays, too; and the function is called with copies."""
    for call in drawn(operator, 400, wrong=True):
        with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
            call.copy().run(getattr(reference, operator))


def by_keyword(input: Array, indices: Array, *, batch_dims: int = 0) -> Any:
    return reference.gather_nd(input, indices, batch_dims)


def elsewhere(input: Array, indices: Array, mode: str = "raise", axis: int = 0) -> Any:
    return reference.gather(input, indices, axis, mode=mode)


@pytest.mark.parametrize(
    ("operator", "function"), [("gather_nd", by_keyword), ("gather", elsewhere)]
)
def test_arguments_are_given_as_a_function_takes_them(
    operator: str, function: Callable[..., Any]
) -> None:
    report = testing.fuzz(
        function, operator=operator, examples=200, mistakes=["index_out_of_range"], progress=False
    )
    assert report.differences == []
    assert "index out of range" in str(report)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"mistakes": ["typo"]}, ValueError, "mistakes has 'typo', expected any of"),
        ({"examples": 0}, ValueError, "examples is 0"),
        ({"seconds": float("nan")}, ValueError, "seconds is nan"),
        ({"seed": -1}, ValueError, "seed is -1"),
        ({"against": None}, TypeError, "against is a NoneType"),
        ({"function": 3}, TypeError, "function is a int"),
        ({"function": {}}, ValueError, "function is empty"),
        ({"mode": "raise"}, TypeError, "there is no restriction mode; expected any of .*modes"),
        ({"function": reference.scatter_nd, "operator": "scatter_nd", "dtypes": "U2",
          "reductions": "add", "examples": 9}, ValueError, "no call in 10,000 tries"),
    ],
)  # fmt: skip
def test_fuzz_checks_what_it_is_given(
    arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        testing.fuzz(**{"function": reference.gather, "progress": False, **arguments})


def made_by(call: testing.Call) -> dict[str, Any]:
    names: dict[str, Any] = {}
    lines = call.script("print").splitlines()
    exec("\n".join(line for line in lines if not line.startswith("print(")), names)
    return names


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (np.zeros((0, 3), "i8"), "np.empty((0, 3), dtype='int64')"),
        (np.array([1, -2], ">i4"), "np.array([1, -2], dtype='>i4')"),
        (np.array([(1, 2.5)], [("a", "i4"), ("b", "f8")]), "np.array([(1, 2.5)], dtype=dtype(["),
        (np.array(["NaT", "2001-02-03"], "M8[D]"), ".view('<M8[D]')"),
        (np.arange(500, dtype="i2"), "np.array([0, 1, 2, 3, "),
        (np.eye(80, dtype="f4"), "np.full((80, 80), 0.0, dtype='float32')"),
        (np.zeros(9000, "f4"), "np.full((9000,), 0.0, dtype='float32')"),
        (np.arange(9000, dtype="u4")[::-1], "zlib.decompress"),
        (np.ma.array([1, 2]), "np.ma.array([1, 2]"),
    ],
)
def test_a_script_is_short_and_makes_the_array(array: Array, shown: str) -> None:
    call = testing.Call("gather", (array, np.zeros(0, "i8")))
    script = call.script()
    again = made_by(call)["input"]
    assert shown in script
    assert len(script) < 40_000
    assert type(again) is type(array)
    assert (again.dtype, again.shape, again.strides) == (array.dtype, array.shape, array.strides)
    assert again.tobytes() == array.tobytes()


class Kernels:
    @staticmethod
    def gather(input: Array, indices: Array) -> Any:
        return -reference.gather(input, indices)

    def __call__(self, input: Array, indices: Array) -> Any:
        return -reference.gather(input, indices)


callable_one = Kernels()


@pytest.mark.parametrize(
    ("function", "imported", "called"),
    [
        (Kernels.gather, f"from {__name__} import Kernels\n", "print(Kernels.gather(input"),
        (callable_one, f"from {__name__} import callable_one\n", "print(callable_one(input"),
    ],
)
def test_a_script_imports_what_is_not_a_plain_function(
    function: Callable[..., Any], imported: str, called: str
) -> None:
    script = testing.Call("gather", (np.ones(3), np.array([0]))).script(function)
    assert imported in script
    assert called in script


PADDED = np.dtype([("a", "u1"), ("b", "f8"), ("c", [("d", "u1"), ("e", "i4")], (2,))], align=True)


@pytest.mark.parametrize("dtype", ["f4", "g", "V40", [("a", "i4"), ("b", "S3", (2,))], PADDED])
@pytest.mark.parametrize("argument", ["input", "out"])
def test_masked_arrays_are_compared(dtype: Any, argument: str) -> None:
    masked = np.ma.zeros((3, 9), dtype)
    masked.data.view(np.uint8)[:] = 165  # between fields, too
    source = masked if argument == "input" else np.zeros((3, 9), dtype)
    options = {"out": masked} if argument == "out" else {}
    call = testing.Call("gather", (source, np.array([0, 1, 2])), options)
    testing.check_same(reference.gather, reference.gather, call)
