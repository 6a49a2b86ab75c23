"""What would lose something on its way into a call is refused, with words that are safe to obey."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

both = pytest.mark.parametrize("module", [dmlindex, reference])
MASKED = [
    np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False]),
    np.ma.array([1.0, 2.0, 3.0]),  # nothing is masked, this time
    np.ma.array([1.0, 2.0, 3.0]).view(type("Own", (np.ma.MaskedArray,), {})),
]


@both
@pytest.mark.parametrize("masked", MASKED, ids=["masked", "nothing masked", "subclass"])
def test_masked_arrays_are_refused(module: Any, masked: Any) -> None:
    x, i = np.zeros(3), masked.astype(int) - 1
    calls: list[tuple[str, Any]] = [
        ("input", lambda: module.gather(masked, [0])),
        ("indices", lambda: module.gather(x, i)),
        ("indices", lambda: module.gather_nd(x, i[:, np.newaxis])),
        ("updates", lambda: module.scatter_elements(x, [0, 1, 2], masked)),
        ("out", lambda: module.scatter_elements(x, [0], [1.0], out=masked)),
        ("input", lambda: module.scatter_nd(masked, [[0]], 1.0, out=masked)),
        ("input", lambda: module.gather([masked, masked], [0])),
        ("indices", lambda: module.gather(x, [[0], (i[0:1],)])),
        ("updates", lambda: module.scatter_elements(x, [0, 1], [1.0, np.ma.masked])),
        ("fill_value", lambda: module.gather(x, [9], mode="fill", fill_value=np.ma.masked)),
        ("input_or_shape", lambda: module.find_duplicates(masked, [[0]])),
        ("indices", lambda: module.find_duplicates(x, i, axis=0)),
    ]
    for argument, call in calls:
        with pytest.raises(
            TypeError, match=rf"{argument} is or holds a masked.*\.filled\(.*\.data"
        ):
            call()


def test_masked_arrays_are_refused_elsewhere(device: str) -> None:
    masked = np.ma.array([1.0, 2.0], mask=[False, True])

    class Speaks:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
            return masked

    with pytest.raises(TypeError, match="masked"):
        dmlindex.gather(Speaks(), [0], device=device)
    with pytest.raises(TypeError, match="masked"):
        dmlindex.gather(masked, [0], device=device)


class Counts:
    """As PyArrow's and Polars' arrays: NaN where there is nothing."""

    def __init__(self, count: Any) -> None:
        self.null_count = count

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array([1.0, np.nan])


class Nullable:
    """As a Series of pandas with a nullable dtype."""

    class NAType:
        pass

    class Dtype:
        def __init__(self) -> None:
            self.na_value = Nullable.NAType()

    def __init__(self, missing: list[bool]) -> None:
        self.missing, self.dtype = missing, Nullable.Dtype()

    def isna(self) -> Any:
        return np.array(self.missing)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array([1.0, np.nan])


@pytest.mark.parametrize("table", [Counts(1), Counts(lambda: 1), Nullable([False, True])])
def test_missing_values_are_refused(table: Any) -> None:
    calls: list[tuple[str, Any]] = [
        ("input", lambda: dmlindex.gather(table, [0])),
        ("updates", lambda: dmlindex.scatter_elements(np.zeros(2), [0, 1], table)),
    ]
    for argument, call in calls:
        with pytest.raises(TypeError, match=rf"{argument} is a .* with missing values.*fill"):
            call()


@pytest.mark.parametrize("table", [Counts(0), Counts(lambda: 0), Nullable([False, False])])
def test_tables_that_lack_nothing_are_arrays(table: Any) -> None:
    assert dmlindex.gather(table, [0]).tolist() == [1.0]


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    for dtype in ("Int64", "Float64", "boolean"):
        series = pandas.Series([1, None, 0], dtype=dtype)
        for table in (series, series.array, series.to_frame()):
            with pytest.raises(TypeError, match="missing values"):
                dmlindex.gather(table, [0])
    floats = pandas.Series([1.0, np.nan])
    assert dmlindex.gather(floats, [0]).tolist() == [1.0]
    assert dmlindex.gather(floats.to_frame(), [0]).tolist() == [[1.0]]


def test_a_mask_as_indices_is_told_where_its_places_are() -> None:
    x, mask = np.arange(4), np.array([False, True, True, False])
    with pytest.raises(TypeError, match=r"bool.*numpy\.flatnonzero\(mask\)") as caught:
        dmlindex.gather(x, mask)
    assert "astype" not in str(caught.value)
    assert dmlindex.gather(x, np.flatnonzero(mask)).tolist() == x[mask].tolist()
    with pytest.raises(TypeError, match=r"bool.*numpy\.argwhere\(mask\)") as caught:
        dmlindex.gather_nd(x, mask)
    assert "flatnonzero" not in str(caught.value)
    assert dmlindex.gather_nd(x, np.argwhere(mask)).tolist() == x[mask].tolist()


@pytest.mark.parametrize("indices", [np.array([0.9]), [0.9], [np.float32(0.9)]])
def test_floats_as_indices_are_told_of_rounding(indices: Any) -> None:
    with pytest.raises(TypeError, match=r"float.*numpy\.rint\(indices\)\.astype\(numpy\.int64\)"):
        dmlindex.gather(np.arange(3), indices)
    assert dmlindex.gather(np.arange(3), np.rint(indices).astype(np.int64)).tolist() == [1]


@pytest.mark.parametrize("indices", [["0"], [None], [b"0"], np.array(["0"]), np.array([1j])])
def test_what_is_no_number_gets_no_advice(indices: Any) -> None:
    with pytest.raises(TypeError) as caught:
        dmlindex.gather(np.arange(3), indices)
    assert "astype" not in str(caught.value)


def test_updates_are_told_what_keeps_their_values() -> None:
    x = np.zeros(3, np.float32)
    cases: list[tuple[Any, Any, str]] = [
        (x, np.zeros(1), 'updates.astype("float32")'),
        (x, (np.float64(1),), 'numpy.asarray(updates).astype("float32")'),
        (x.astype("i4"), np.zeros(1), "numpy.rint(updates)"),
        (x.astype("u1"), np.zeros(1, "i8"), "in its range"),
    ]
    for given, updates, advice in cases:
        with pytest.raises(TypeError) as caught:
            dmlindex.scatter_nd(given, [[0]], updates)
        assert advice in str(caught.value)
    for given, updates in ((x, np.zeros(1, "c8")), (x, np.array(["1"])), (x, ["1"])):
        with pytest.raises(TypeError) as caught:
            dmlindex.scatter_nd(given, [[0]], updates)
        assert "astype" not in str(caught.value)


def test_nonzero_is_told_of_argwhere() -> None:
    mask = np.array([[True, True, False], [False, True, True]])
    with pytest.raises(ValueError, match=r"size 4, expected 1 to 2.*numpy\.argwhere\(mask\)"):
        dmlindex.gather_nd(np.zeros((2, 3)), np.nonzero(mask))
    with pytest.raises(ValueError, match=r"numpy\.argwhere\(mask\)"):
        dmlindex.scatter_nd(np.zeros((2, 3)), np.nonzero(mask), 1.0)
    with pytest.raises(ValueError, match="size 4") as caught:
        dmlindex.gather_nd(np.zeros((2, 3)), np.zeros((5, 4), int))
    assert "argwhere" not in str(caught.value)


def test_other_librarys_words() -> None:
    wrong: Any
    for wrong, right in (("clip", "clamp"),):
        with pytest.raises(ValueError, match=f"mode is '{wrong}'.*did you mean \"{right}\""):
            dmlindex.gather(np.zeros(3), [0], mode=wrong)
    for wrong, right in (("sum", "add"), ("multiply", "mul"), ("amax", "max")):
        with pytest.raises(ValueError, match=f'did you mean "{right}"'):
            dmlindex.scatter_nd(np.zeros(3), [[0]], 0.0, reduction=wrong)


@pytest.mark.parametrize("number", [64, 65, 1000, 2**31, 2**32, 2**32 + 1, -65, -(2**40)])
def test_numbers_are_shown_as_they_are(number: int) -> None:
    x = np.zeros((2, 3))
    with pytest.raises(ValueError, match=f"batch_dims is {number},"):
        dmlindex.gather_nd(x, [[0]], batch_dims=number)
    for call in (
        lambda: dmlindex.gather(x, [0], axis=number),
        lambda: dmlindex.gather_elements(x, [[0]], axis=number),
        lambda: dmlindex.scatter_elements(x, [[0]], [[1]], axis=number),
        lambda: dmlindex.find_duplicates(x, [[0]], axis=number),
    ):
        with pytest.raises(ValueError, match=f"axis is {number},"):
            call()


@both
@pytest.mark.parametrize("field", ["S0", "U0", "V0"])
def test_texts_of_no_characters(module: Any, field: str) -> None:
    """The fields of a record may have none; a new array of them would have one."""
    x = np.zeros((3, 2), [("text", field), ("number", "i4")])["text"]
    assert x.itemsize == 0
    for found in (
        module.gather(x, [[0, 1]]),
        module.gather_nd(x, [[[0, 1]]]),
        module.gather_elements(x, [[0, 1]]),
        module.scatter_nd(x, [[0]], x[1:2]),
    ):
        assert found.dtype == x.dtype
        assert found.itemsize == 0
    assert module.gather(x, [0], mode="fill", fill_value=0).shape == (1, 2)
