"""Indices: every integer type to its extremes, every mode, empty axes, 0-d and empty indices."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]

NATIVE = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "l", "q", "L", "Q"]
ALL = [*NATIVE, ">i2", ">u4", ">i8", ">u8"]


def both(function: str, *arguments: Any, device: str, **options: Any) -> Array:
    """The answer, which is the reference's too."""
    answer: Array = getattr(dmlindex, function)(*arguments, device=device, **options)
    expected = getattr(reference, function)(*arguments, **options)
    assert answer.dtype == expected.dtype
    assert answer.tobytes() == expected.tobytes()
    return answer


def extremes(index_type: str, size: int) -> Array:
    """The indices around every border of the type and of an axis."""
    info = np.iinfo(index_type)
    near = [0, 1, size - 1, size, size + 1, -1, -size, -size - 1, 2**31, 2**32, 2**63]
    borders = [b + d for b in (info.min, info.max, *near) for d in (-1, 0, 1)]
    return np.array([b for b in borders if info.min <= b <= info.max], index_type)


@pytest.mark.parametrize("size", [1, 2, 5, 100, 127, 128, 129, 255, 256, 257])
@pytest.mark.parametrize("index_type", ALL)
def test_extremes_in_every_mode_that_allows_them(device: str, index_type: str, size: int) -> None:
    x = np.arange(1, size + 1, dtype=np.int32)
    indices = extremes(index_type, size)
    for mode in ("clamp", "wrap", "fill"):
        both("gather", x, indices, mode=mode, device=device)
        both("gather_nd", x, indices[:, np.newaxis], mode=mode, device=device)
        both("gather_elements", x, indices, mode=mode, device=device)
    updates = np.arange(1000, 1000 + indices.size, dtype=np.int32)
    for mode in ("clamp", "wrap", "drop"):
        both("scatter_elements", x, indices, updates, mode=mode, device=device)
        both("scatter_nd", x, indices[:, np.newaxis], updates, mode=mode, device=device)


@pytest.mark.parametrize("index_type", ALL)
def test_each_extreme_alone_is_right_or_an_error(device: str, index_type: str) -> None:
    x = np.arange(5.0)
    for index in extremes(index_type, 5):
        indices = np.array([index], index_type)
        if -5 <= int(index) < 5:
            assert dmlindex.gather(x, indices, device=device)[0] == x[int(index)]
        else:
            with pytest.raises(IndexError, match=rf"= {int(index)} is out of range"):
                dmlindex.gather(x, indices, device=device)


def test_an_unsigned_index_past_2_to_the_63_is_not_negative(device: str) -> None:
    x = np.arange(4)
    last = np.array([2**64 - 1], np.uint64)
    with pytest.raises(IndexError, match="18446744073709551615"):
        dmlindex.gather(x, last, device=device)
    assert dmlindex.gather(x, last, mode="clamp", device=device)[0] == 3
    assert dmlindex.gather(x, last - 1, mode="wrap", device=device)[0] == (2**64 - 2) % 4
    assert dmlindex.gather(x, last, mode="fill", fill_value=7, device=device)[0] == 7


def test_8_bit_indices_reach_as_far_as_they_can(device: str) -> None:
    x = np.arange(300)
    indices = np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(
        dmlindex.gather(x, indices, device=device), x[np.arange(-128, 128)]
    )
    unsigned = np.arange(256).astype(np.uint8)
    np.testing.assert_array_equal(dmlindex.gather(x, unsigned, device=device), x[:256])


@pytest.mark.parametrize("index_type", ["i2", "u2"])
def test_16_bit_indices_reach_as_far_as_they_can(device: str, index_type: str) -> None:
    x = np.arange(70_000)
    info = np.iinfo(index_type)
    indices = np.arange(info.min, info.max + 1).astype(index_type)
    np.testing.assert_array_equal(
        dmlindex.gather(x, indices, device=device), x[indices.astype(np.int64)]
    )


@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap"])
@pytest.mark.parametrize("index", [0, -1, 5])
def test_an_empty_axis_has_no_place(device: str, mode: str, index: int) -> None:
    x = np.zeros((2, 0, 3))
    for module, options in ((dmlindex, {"device": device}), (reference, {})):
        with pytest.raises(IndexError, match="axis 1 of input, which has size 0"):
            module.gather(x, [index], axis=1, mode=mode, **options)
        with pytest.raises(IndexError, match="axis 1 of input, which has size 0"):
            module.gather_nd(x, [[0, index]], mode=mode, **options)
        with pytest.raises(IndexError, match="axis 1 of input, which has size 0"):
            module.scatter_nd(x, [[0, index]], np.zeros((1, 3)), mode=mode, **options)
        indices, updates = np.full((2, 1, 3), index), np.zeros((2, 1, 3))
        with pytest.raises(IndexError, match="axis 1 of input, which has size 0"):
            module.scatter_elements(x, indices, updates, axis=1, mode=mode, **options)


@pytest.mark.parametrize("index", [0, -1, 5])
def test_an_empty_axis_is_filled_and_dropped(device: str, index: int) -> None:
    x = np.zeros((2, 0, 3))
    filled = dmlindex.gather(x, [index], axis=1, mode="fill", fill_value=2, device=device)
    np.testing.assert_array_equal(filled, np.full((2, 1, 3), 2.0))
    updates = np.ones((1, 3))
    dropped = dmlindex.scatter_nd(x, [[0, index]], updates, mode="drop", device=device)
    assert dropped.shape == x.shape


@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap"])
def test_no_indices_into_an_empty_axis_are_no_error(device: str, mode: str) -> None:
    x = np.zeros((0, 3), np.int16)
    assert both("gather", x, [], mode=mode, device=device).shape == (0, 3)
    assert both("gather_nd", x, np.zeros((0, 1), int), mode=mode, device=device).shape == (0, 3)
    indices, updates = np.zeros((0, 3), int), np.zeros((0, 3), np.int16)
    assert both("gather_elements", x, indices, mode=mode, device=device).shape == (0, 3)
    assert both("scatter_elements", x, indices, updates, mode=mode, device=device).shape == (0, 3)


def test_a_0d_index_takes_one_slice(device: str) -> None:
    x = np.arange(6).reshape(2, 3)
    assert both("gather", x, 1, device=device).tolist() == [3, 4, 5]
    assert both("gather", x, np.int8(-1), axis=1, device=device).tolist() == [2, 5]
    scalar = both("gather", x[0], np.array(2), device=device)
    assert type(scalar) is np.ndarray
    assert scalar.shape == ()
    assert both("gather_nd", x, [1, 2], device=device).shape == ()
    assert both("scatter_nd", x, [1, 2], 9, device=device).tolist() == [[0, 1, 2], [3, 4, 9]]


@pytest.mark.parametrize("index", [0, 3, -1, -4, 4, -5, 2**31, -(2**63), 2**63 - 1])
@pytest.mark.parametrize("mode", ["raise", "clamp", "wrap", "fill"])
def test_a_python_int_is_a_0d_array_of_it(device: str, index: int, mode: str) -> None:
    x = np.arange(12.0).reshape(3, 4)

    def outcome(indices: Any, **options: Any) -> str:
        options |= {"axis": 1, "mode": mode, "device": device}
        try:
            return repr(dmlindex.gather(x, indices, **options))
        except IndexError as error:
            return str(error)

    assert outcome(index) == outcome(np.array(index))
    assert outcome(index, out=np.empty(3)) == outcome(np.array(index), out=np.empty(3))


def test_a_python_int_of_more_than_64_bits_is_refused() -> None:
    with pytest.raises(TypeError, match="expected an integer"):
        dmlindex.gather(np.arange(3.0), 2**64)


@pytest.mark.parametrize("empty", [[], [[]], (), [[], []]])
def test_an_empty_list_is_integer_indices(device: str, empty: Any) -> None:
    shape = np.shape(empty)
    assert dmlindex.gather(np.zeros((3, 2)), empty, device=device).shape == (*shape, 2)


@pytest.mark.parametrize("indices", [np.zeros(0), np.zeros(0, bool), np.zeros((0, 1), object)])
def test_an_empty_array_of_another_dtype_is_not(indices: Array) -> None:
    for module in (dmlindex, reference):
        with pytest.raises(TypeError, match="indices"):
            module.gather(np.zeros(3), indices)


def test_one_indices_array_shared_by_many_rows(device: str) -> None:
    """A broadcast array of indices: every row reads the same."""
    x = np.arange(60).reshape(5, 12)
    indices = np.broadcast_to(np.array([3, -1, 0], np.int32), (5, 3))
    both("gather_elements", x, indices, axis=1, device=device)
    both(
        "gather_elements", x, np.broadcast_to(np.array([[4], [1]]), (2, 12)), axis=0, device=device
    )
    updates = np.arange(15).reshape(5, 3)
    both("scatter_elements", x, indices, updates, axis=1, device=device)


def test_batches_are_taken_apart(device: str) -> None:
    x = np.arange(2 * 3 * 4).reshape(2, 3, 4)
    indices = np.array([[[2], [0]], [[1], [1]]])
    expected = np.stack([x[0][[2, 0]], x[1][[1, 1]]])
    np.testing.assert_array_equal(dmlindex.gather_nd(x, indices, 1, device=device), expected)


@pytest.mark.parametrize("sizes", [(3, 2), (2, 1), (1, 2), (0, 1)])
def test_unequal_batches_are_refused(sizes: tuple[int, int]) -> None:
    """A batch of size 1 is not broadcast either."""
    x, indices = np.zeros((sizes[0], 4)), np.zeros((sizes[1], 1), int)
    for module in (dmlindex, reference):
        with pytest.raises(ValueError, match="batch_dims"):
            module.gather_nd(x, indices, batch_dims=1)


@pytest.mark.parametrize("mode", ["raise", "clamp", "fill"])
@pytest.mark.parametrize("dtype", ["i1", "f8", "V3"])
def test_a_table_larger_than_the_caches(dtype: str, mode: Any) -> None:
    """Its elements are asked for by the indices that come later, good or bad ones; of many, some
    are looked up in one way and some in another first."""
    size = 80 * 2**20 // np.dtype(dtype).itemsize
    x = np.zeros(size, dtype)
    x.view(np.uint8)[:] = np.arange(x.nbytes, dtype=np.uint8)
    rng = np.random.default_rng(2)
    calls = [(count, count // 2) for count in (1, 70, 80, 81, 300, 5000, 200_000)]
    for count, bad in (*calls, (200_000, 1000)):
        indices = rng.integers(-size, size, count)
        indices[3::2] = -size  # narrowed to 32 bits, two of them are an index of 64, too
        if mode != "raise":
            indices[-1] = 2**62
            indices[bad] = -(2**63)
        expected = both("gather", x, indices, mode=mode, device="cpu")
        out = np.empty_like(expected)
        dmlindex.gather(x, indices, mode=mode, out=out)
        assert out.tobytes() == expected.tobytes()
        indices[bad] = size
        if mode == "raise":
            with pytest.raises(IndexError, match=rf"indices\[{bad}\] = {size} "):
                dmlindex.gather(x, indices)
