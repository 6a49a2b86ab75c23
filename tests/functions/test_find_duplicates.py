"""find_duplicates: which updates of a scatter a later one overwrites."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import reference, testing
from tests.sanitizers import without_sanitizer


@given(
    st.sampled_from(["scatter_elements", "scatter_nd"]).flatmap(testing.calls),
    st.sampled_from(["raise", "clamp", "wrap", "drop"]),
)
def test_as_the_reference(call: testing.Call, mode: str) -> None:
    shape, indices = call.arguments[0].shape, call.arguments[1]
    axis = None
    if call.operator == "scatter_elements":
        axis = call.arguments[3] if len(call.arguments) > 3 else call.options["axis"]
    found, expected = (
        answer_or_message(module, mode, shape, indices, axis) for module in (dmlindex, reference)
    )
    assert found == expected


def answer_or_message(module: Any, mode: str, *arguments: Any) -> list[int] | str:
    *positional, axis = arguments
    try:
        answer = module.find_duplicates(*positional, axis=axis, mode=mode)
    except IndexError as error:
        return str(error)
    assert answer.dtype == np.int64
    return list(answer)


@pytest.mark.parametrize("targets", [1, 50, 10**6])
def test_many(targets: int) -> None:
    """Where nothing it names is written, nothing changes; and what is left meets nowhere."""
    rng = np.random.default_rng(targets)
    indices = rng.integers(-targets, targets, (200_000, 1))
    updates = np.arange(200_000)
    overwritten = dmlindex.find_duplicates((targets,), indices)
    kept = np.delete(updates, overwritten)
    assert np.unique(indices[kept] % targets).size == kept.size
    x = np.full(targets, -1)
    np.testing.assert_array_equal(
        dmlindex.scatter_nd(x, indices, updates),
        dmlindex.scatter_nd(x, indices[kept], updates[kept], unique_indices=True),
    )


def test_a_slice_is_one_update() -> None:
    """With scatter_nd a position counts tuples, whatever the slice holds; even nothing."""
    assert dmlindex.find_duplicates((4, 5, 6), [[1], [2], [1]]).tolist() == [0]
    assert dmlindex.find_duplicates((4, 0), [[1], [2], [1]]).tolist() == [0]


@pytest.mark.parametrize("module", [dmlindex, reference])
@pytest.mark.parametrize(
    ("shape", "indices", "axis", "error"),
    [
        ((3,), [[3]], None, IndexError),
        ((3,), [-4], 0, IndexError),
        ((3,), [[0.5]], None, TypeError),
        ((3,), [0], 1, ValueError),
        ((3,), [0], 0.0, TypeError),
        ((3,), [[0, 0]], None, ValueError),
        ((3, 4), [0], 0, ValueError),
        ((-1,), [[0]], None, ValueError),
        ((2**63,), [[0]], None, ValueError),
        ((2**32, 2**32), [[0]], None, ValueError),
        ((1.5,), [[0]], None, TypeError),
        (3, [[0]], None, TypeError),
        ("3", [[0]], None, TypeError),
        ((), [[0]], None, ValueError),
    ],
)
def test_mistakes(module: Any, shape: Any, indices: Any, axis: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="find_duplicates: "):
        module.find_duplicates(shape, indices, axis=axis)


@pytest.mark.parametrize(("dtype", "size"), [("i1", 2**60), ("i1", 2**57), ("u8", 2**59)])
@without_sanitizer
def test_more_indices_than_memory(dtype: str, size: int) -> None:
    """They need no memory themselves: each is the same one."""
    words = rf"^find_duplicates: indices name {size} places, expected fewer: there is not enough"
    indices = np.broadcast_to(np.dtype(dtype).type(0), (size, 1))
    with pytest.raises(MemoryError, match=words):
        dmlindex.find_duplicates((5,), indices)
    with pytest.raises(MemoryError, match=words):
        dmlindex.find_duplicates((5,), indices.reshape(2, -1, 1))
    with pytest.raises(MemoryError, match=words):
        dmlindex.find_duplicates((5,), indices[:, 0], axis=0)


@pytest.mark.parametrize("module", [dmlindex, reference])
def test_an_array_stands_for_its_shape(module: Any) -> None:
    indices = [[1, 0], [1, 0]]
    for table in (np.zeros((2, 3)), np.zeros((2, 3), object), [2, 3], (2, np.int8(3))):
        assert module.find_duplicates(table, indices).tolist() == [0]
    with pytest.raises(ValueError, match="rank 1"):
        module.find_duplicates(np.array([2, 3]), [[0]], axis=0)  # an array, and no shape


def test_the_former_name_of_the_shape() -> None:
    former: Any = dmlindex.find_duplicates
    assert former(input_shape=(3,), indices=[0, 0], axis=0).tolist() == [0]


@pytest.mark.parametrize("module", [dmlindex, reference])
@pytest.mark.parametrize(
    ("mode", "expected"), [("clamp", [0, 1, 2, 3]), ("wrap", [0, 1, 3]), ("drop", [1])]
)
def test_modes(module: Any, mode: str, expected: list[int]) -> None:
    """What is dropped neither overwrites nor is overwritten."""
    indices = np.array([7, 0, -5, 9, 2, 0])
    assert module.find_duplicates((3,), indices, axis=0, mode=mode).tolist() == expected
    tuples = indices[:, np.newaxis]
    assert module.find_duplicates((3, 2), tuples, mode=mode).tolist() == expected
    with pytest.raises(ValueError, match="mode"):
        module.find_duplicates((3,), indices, axis=0, mode="fill")


@pytest.mark.parametrize("module", [dmlindex, reference])
def test_no_mode_puts_an_index_into_nothing_but_drop(module: Any) -> None:
    for mode in ("raise", "clamp", "wrap"):
        with pytest.raises(IndexError, match=r'has size 0 .*pass mode="drop"'):
            module.find_duplicates((0,), [0, 0], axis=0, mode=mode)
    assert module.find_duplicates((0,), [0, 0], axis=0, mode="drop").tolist() == []


def test_device_tensors(device: str) -> None:
    if device == "cpu":
        return
    on_device = dmlindex.Device(device)
    table, indices = on_device.tensor(np.zeros((2, 3))), on_device.tensor([[1, 0], [1, 0]])
    assert dmlindex.find_duplicates(table, indices).tolist() == [0]
    assert dmlindex.find_duplicates((2, 3), indices).tolist() == [0]
    assert dmlindex.find_duplicates(table, [[1, 0]]).tolist() == []
