"""Python's own numbers in updates and fill_value take input's dtype; all else keeps its own."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference, testing

both = pytest.mark.parametrize("module", [dmlindex, reference])
FLOATS = ["f2", "f4", "f8", "g", ">f4"]


@both
def test_lists_take_the_dtype(module: Any) -> None:
    found = module.scatter_nd(np.zeros(3, np.uint8), [[0]], [5])
    assert found.dtype == np.uint8
    assert found.tolist() == [5, 0, 0]
    x = np.zeros((2, 2), np.float32)
    assert module.scatter_nd(x, [[1]], [[1, 0.5]]).tolist() == [[0, 0], [1, 0.5]]
    assert module.scatter_elements(x, [[1, 0]], [[True, 2]]).tolist() == [[0, 2], [1, 0]]
    assert module.scatter_nd(np.zeros(2, bool), [[1]], [True]).tolist() == [False, True]
    assert (
        module.scatter_nd(x, np.empty((0, 1), int), np.empty((0, 2), "f4")).tolist() == x.tolist()
    )
    assert module.scatter_elements(np.zeros(2, "i2"), [], []).tolist() == [0, 0]


def test_a_single_value_goes_to_every_place(device: str) -> None:
    x = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    expected = np.where(x > 5, np.float32(0.1), x)
    for value in (0.1, np.float32(0.1), np.array(0.1, np.float32)):
        found = dmlindex.scatter_nd(x, np.argwhere(x > 5), value, device=device)
        assert found.tobytes() == expected.tobytes()
    rows = dmlindex.scatter_nd(x, [[2], [0]], 7, device=device)
    assert rows.tolist() == [[7] * 4, [4, 5, 6, 7], [7] * 4]
    kept = x.copy()
    assert dmlindex.scatter_elements(kept, [[0, 0], [0, 1]], 2, out=kept, reduction="add",
                                     device=device) is kept  # fmt: skip
    assert kept.tolist() == [[4, 3, 2, 3], [4, 7, 6, 7], [8, 9, 10, 11]]
    overlapping = dmlindex.scatter_nd(x, [[1]], x[0, 1:2].reshape(()), out=x, device=device)
    assert overlapping[1].tolist() == [1] * 4


@pytest.mark.parametrize("size", [3, 1000, 100_000])
def test_a_single_value_for_many(device: str, size: int) -> None:
    x = np.zeros((size, 5), np.int16)
    places = np.arange(0, size, 2)[:, np.newaxis]
    found = dmlindex.scatter_nd(x, places, 3, device=device)
    assert (found[::2] == 3).all()
    assert not found[1::2].any()


@both
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("value", [0.1, 1 / 3, 2**24 + 1, 2**53 + 1, 1e-30, -0.0, np.inf, np.nan])
def test_floats_are_rounded(module: Any, dtype: str, value: float) -> None:
    if dtype == "f2" and 65519 < value < np.inf:
        return
    expected = np.array([value]).astype(dtype) if dtype != "g" else np.array([value], dtype)
    x = np.zeros(2, dtype)
    filled = module.gather(x, [5], mode="fill", fill_value=value)
    written = module.scatter_nd(x, [[0]], [value])[:1]
    np.testing.assert_array_equal(filled, expected, strict=True)
    np.testing.assert_array_equal(written, expected, strict=True)
    assert np.signbit(written[0]) == np.signbit(expected[0])


NO_ROOM: list[tuple[Any, str]] = [
    (256, "u1"), (-1, "u2"), (2**63, "i8"), (2**64, "u8"), (-(2**63) - 1, "i8"), (10**400, "f8"),
    (0.5, "i4"), (np.nan, "i4"), (np.inf, "i8"), (1e300, "i8"), (1j, "i4"), (1j, "f4"),
    (65520.0, "f2"), (1e39, "f4"), (-3.5e38, ">f4"), (10**39, "f4"), (1e39 + 0j, "c8"),
    (1e39j, "c8"),
]  # fmt: skip


@both
@pytest.mark.parametrize(("value", "dtype"), NO_ROOM)
def test_no_value_is_lost(module: Any, value: Any, dtype: str) -> None:
    x = np.zeros(3, dtype)
    for updates in (value, [value]):
        with pytest.raises(ValueError, match=r"^scatter_nd: updates (is|holds|has) "):
            module.scatter_nd(x, [[0]], updates)
    with pytest.raises(ValueError, match=r"^gather: fill_value (is|has) "):
        module.gather(x, [0], fill_value=value)


class Number(enum.IntEnum):
    ONE = 1


STRICT: list[tuple[Any, str]] = [
    (np.float64(1), "f4"), (np.array(1.0), "f4"), (np.array([1]), "i4"), ([np.int64(1)], "i2"),
    ([np.float32(1)], "f8"), (Number.ONE, "i2"), ([Number.ONE], "i2"), ((1,), "i2"),
    (1, "?"), ([1], "?"), (1.0, "?"), (1, "M8[s]"), ([1], "S1"), ("1", "i4"), (["1"], "i4"),
    ([None], "i4"), ([[1], (1,)], "i2"), (1, "V8"),
]  # fmt: skip


@both
@pytest.mark.parametrize(("updates", "dtype"), STRICT, ids=repr)
def test_all_else_keeps_its_dtype(module: Any, updates: Any, dtype: str) -> None:
    shape = np.shape(updates) or (1,)
    x = np.zeros((3, *shape[1:]), dtype)
    with pytest.raises(TypeError, match="updates"):
        module.scatter_nd(x, np.zeros((shape[0], 1), int), updates)


@both
def test_a_list_has_the_exact_shape(module: Any) -> None:
    x = np.zeros((3, 2))
    wrong: list[Any] = [[1], [[1]], [[1, 2], [3, 4]], [], [[]], [[[1, 2]]]]
    for updates in wrong:
        with pytest.raises(ValueError, match="updates"):
            module.scatter_nd(x, [[0]], updates)
    with pytest.raises(ValueError, match="updates"):
        module.scatter_nd(x, [[0], [1]], [[1, 2], [3]])  # of no shape


@both
def test_a_list_that_holds_itself(module: Any) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises((TypeError, ValueError, RecursionError)):
        module.scatter_nd(np.zeros(3), [[0]], endless)


@both
def test_small_floats_and_integers(module: Any) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.zeros(2, ml_dtypes.float8_e4m3fn)
    assert module.scatter_nd(x, [[0]], [17]).tolist() == [16, 0]  # rounded
    for no_room in (1000.0, np.inf, 1e39, 1e300):
        with pytest.raises(ValueError, match="updates"):
            module.scatter_nd(x, [[0]], no_room)
    with pytest.raises(ValueError, match="updates"):
        module.scatter_nd(np.zeros(2, ml_dtypes.float4_e2m1fn), [[0]], 100)  # it would become 6
    with pytest.raises(ValueError, match="updates"):
        module.scatter_nd(np.zeros(2, ml_dtypes.float4_e2m1fn), [[0]], np.nan)
    four = np.zeros(2, ml_dtypes.int4)
    assert module.scatter_nd(four, [[0]], [-8]).astype(int).tolist() == [-8, 0]
    with pytest.raises(ValueError, match="updates"):
        module.scatter_nd(four, [[0]], [8])


def test_a_cast_says_nothing() -> None:
    """Whatever NumPy was told to do about numbers that overflow or vanish."""
    with np.errstate(all="raise"):
        for dtype in ("f2", "f4", ">f4", "c8"):
            x = np.ones(2, dtype)
            assert dmlindex.scatter_nd(x, [[0]], [1e-300])[0] == 0
            assert dmlindex.gather(x, [5], mode="fill", fill_value=1e-300)[0] == 0
            with pytest.raises(ValueError, match="updates"):
                dmlindex.scatter_nd(x, [[0]], [1e300])


@given(data=st.data())
def test_drawn_values(device: str, data: st.DataObject) -> None:
    dtype = data.draw(testing.dtypes())
    value = data.draw(
        st.one_of(
            st.booleans(),
            st.integers(-(2**70), 2**70),
            st.floats(),
            st.complex_numbers(),
            st.lists(st.one_of(st.booleans(), st.integers(-300, 300), st.floats()), max_size=3),
        )
    )
    count = len(value) if isinstance(value, list) else 2
    x, places = np.zeros(4, dtype), np.arange(count)
    call = testing.Call("scatter_elements", (x, places, value))
    function = lambda *a, **k: dmlindex.scatter_elements(*a, device=device, **k)  # noqa: E731
    testing.check_same(function, reference.scatter_elements, call)
    filled = testing.Call("gather", (x, [9]), {"mode": "fill", "fill_value": value})
    function = lambda *a, **k: dmlindex.gather(*a, device=device, **k)  # noqa: E731
    testing.check_same(function, reference.gather, filled)
