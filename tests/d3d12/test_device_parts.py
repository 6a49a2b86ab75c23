"""Parts of device tensors: tensor[a:b] and tensor.at(…), in the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import Device, DeviceTensor, GatherOperatorDesc, ScatterNDOperatorDesc

X = np.arange(48, dtype=np.float32).reshape(12, 4)


@given(
    first=st.none() | st.integers(-14, 14),
    last=st.none() | st.integers(-14, 14),
    width=st.sampled_from([1, 3, 4, 6]),
)
def test_rows_are_numpys(d3d12: Device, first: Any, last: Any, width: int) -> None:
    x = np.arange(12 * width, dtype=np.float32).reshape(12, width)
    tensor, expected = d3d12.tensor(x), x[first:last]
    begin = x[: range(12)[first:last].start].nbytes
    if expected.size and begin % 16:
        with pytest.raises(ValueError, match=f"at byte {begin}, expected a multiple of 16"):
            tensor[first:last]
        return
    part = tensor[first:last]
    assert isinstance(part, DeviceTensor)
    assert (part.shape, part.dtype, part.nbytes) == (expected.shape, x.dtype, expected.nbytes)
    assert np.array_equal(part.numpy(), expected)


def test_parts_share_their_memory(d3d12: Device) -> None:
    tensor = d3d12.tensor(X)
    part = tensor[2:6]
    i, u = np.array([[0], [3]]), np.full((2, 4), -1, np.float32)
    assert dmlindex.scatter_nd(part, i, u, out=part) is part
    expected = X.copy()
    expected[[2, 5]] = -1
    assert np.array_equal(tensor.numpy(), expected)
    assert np.array_equal(tensor[1:][1:5].numpy(), expected[2:6])
    dmlindex.scatter_nd(tensor, [[4]], u[:1] * 2, out=tensor)
    assert part.numpy()[2].tolist() == [-2] * 4


def test_a_part_is_an_operand(d3d12: Device) -> None:
    tensor = d3d12.tensor(X)
    rows = d3d12.tensor(np.array([7, 7, 0, -1]))
    assert np.array_equal(dmlindex.gather(tensor[4:8], rows[2:]).numpy(), X[[4, 7]])
    desc = GatherOperatorDesc.infer((1, 4, 4), (1, 1, 2), 1, 1)
    taken = d3d12.compile(desc)(tensor[8:], rows[2:]).numpy()
    assert np.array_equal(taken, X[[8, 11]].reshape(1, 2, 4))
    line = d3d12.compile(desc)(tensor.at(64, 16), rows[2:])
    assert np.array_equal(line.numpy()[0], X[[4, 7]])


@pytest.mark.parametrize("first", [0, 2000, 4000, 4001])
def test_parts_that_overlap(d3d12: Device, first: int) -> None:
    """The answer is as if they did not."""
    x = np.arange(4 * 12000, dtype=np.float32).reshape(12000, 4)
    tensor, where = d3d12.tensor(x), slice(first, first + 4000)
    order = np.arange(4000)[::-1].copy()
    dmlindex.gather(tensor[4000:8000], order, out=tensor[where])
    expected = x.copy()
    expected[where] = x[4000:8000][order]
    assert np.array_equal(tensor.numpy(), expected)


def test_any_part(d3d12: Device) -> None:
    tensor = d3d12.tensor(X)
    assert np.array_equal(tensor.at(32, (2, 4)).numpy(), X[2:4])
    assert np.array_equal(tensor.at(16, 3).numpy(), X[1, :3])
    assert np.array_equal(tensor.at(48, (), np.uint8).numpy(), X[3].view(np.uint8)[0])
    assert tensor.at(64, [2, 2], "<i8").numpy().tobytes() == X[4:6].tobytes()
    assert tensor.at(192, (0, 5)).shape == (0, 5)
    assert tensor.at(32, (2, 4)).at(16, (4,)).numpy().tolist() == X[3].tolist()
    assert tensor[5:5].nbytes == 0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            (20, 1),
            ValueError,
            "is 20, expected a multiple of 16; the nearest are 16 and 32",
        ),
        ((191, 0), ValueError, "the nearest are 176 and 192$"),
        ((-16, 1), ValueError, "byte_offset is -16, expected 0 to 192"),
        ((208, 0), ValueError, "byte_offset is 208, expected 0 to 192"),
        ((2**70, 0), ValueError, "byte_offset is .*, expected an integer inside"),
        (("a", 1), TypeError, "byte_offset is 'a', expected an integer"),
        ((16, 45), ValueError, "shape does not fit behind byte 16, where the tensor has 176 bytes"),
        ((0, (2**40, 2**40)), ValueError, "shape does not fit"),
        ((0, (2, -1)), ValueError, "a size of shape is -1"),
        ((0, None), TypeError, "shape is None, expected sizes"),
        ((0, ("a",)), TypeError, "a size of shape is 'a'"),
        ((0, (1,) * 70), ValueError, "70 sizes, expected at most 64"),
        ((0, 1, object), TypeError, "dtype is object, which holds Python objects"),
    ],
)
def test_parts_that_there_are_not(
    d3d12: Device, arguments: Any, error: type[Exception], message: str
) -> None:
    tensor = d3d12.tensor(X)
    with pytest.raises(error, match=message):
        tensor.at(*arguments)


def test_brackets_take_rows_only(d3d12: Device) -> None:
    tensor: Any = d3d12.tensor(X)
    for wrong in (1, (slice(0, 2), 1), None, ..., [0, 1]):
        with pytest.raises(TypeError, match=r"expected a slice of the first axis: tensor\[a:b\]"):
            tensor[wrong]
    with pytest.raises(ValueError, match="a slice with steps of 2, expected 1"):
        tensor[::2]
    with pytest.raises(TypeError, match="without dims"):
        tensor.at(0, ())[:]
    with pytest.raises(TypeError, match="not iterable"):
        iter(tensor)
    narrow = d3d12.tensor(np.zeros((9, 3), np.int16))
    with pytest.raises(ValueError, match=r"row 5, at byte 30, .* begin there are 0 and 8"):
        narrow[5:]
    tensor.release()
    with pytest.raises(ValueError, match="released"):
        tensor[1:]


def test_an_out_that_ends_inside_a_group(d3d12: Device) -> None:
    """Kernels write 16 bytes at a time, and would write to the next part."""
    tensor = d3d12.tensor(np.arange(64, dtype=np.uint8))
    x, i = d3d12.tensor(np.arange(20, dtype=np.uint8)), np.arange(20)
    with pytest.raises(ValueError, match="out is a part of a tensor and 20 bytes large"):
        dmlindex.gather(x, i, out=tensor.at(16, 20))
    assert tensor.numpy().tolist() == list(range(64))
    dmlindex.gather(x, i[:16], out=tensor.at(16, 16))
    assert tensor.numpy().tolist() == [*range(16), *range(16), *range(32, 64)]
    dmlindex.gather(x, i, out=d3d12.tensor(np.zeros(36, np.uint8)).at(16, 20))


def test_the_memory_stays_with_its_parts(d3d12: Device) -> None:
    tensor = d3d12.tensor(X)
    part = tensor[4:]
    tensor.release()
    others = [d3d12.tensor(np.full_like(X, number)) for number in range(4)]
    assert np.array_equal(part.numpy(), X[4:])
    assert [int(other.numpy()[0, 0]) for other in others] == [0, 1, 2, 3]


def test_a_failure_is_seen_in_every_part(d3d12: Device) -> None:
    bad = dmlindex.gather(d3d12.tensor(X), d3d12.tensor(np.array([1, 99])), mode="raise")
    for part in (bad[1:], bad, bad.at(0, 4)):
        with pytest.raises(IndexError, match=r"indices\[1\] = 99"):
            part.numpy()


def test_a_failed_call_leaves_the_rest_of_its_tensor(d3d12: Device) -> None:
    tensor, out = d3d12.tensor(X), d3d12.tensor(np.zeros_like(X))
    dmlindex.gather(tensor, d3d12.tensor(np.array([3, 12])), mode="raise", out=out[2:4])
    with pytest.raises(IndexError, match=r"indices\[1\] = 12"):
        out.numpy()
    assert not out.numpy().any()  # told once, it is what it was
    dmlindex.gather(tensor, d3d12.tensor(np.array([3, 11])), mode="raise", out=out[2:4])
    assert np.array_equal(out[2:4].numpy(), X[[3, 11]])


def test_a_bad_index_in_a_part_of_indices(d3d12: Device) -> None:
    """Its value is looked up where the part lies, though the memory is written to after."""
    i = d3d12.tensor(np.arange(8))
    result = dmlindex.gather(d3d12.tensor(X[:6]), i[4:], mode="raise")
    dmlindex.scatter_nd(i, [[6]], np.array([77]), out=i)
    with pytest.raises(IndexError, match=r"indices\[2\] = 6 is out of range"):
        result.numpy()


def test_a_descriptor_in_mode_directml_ends_with_its_part(d3d12: Device) -> None:
    """What lies behind a part of a tensor reads as zero, as behind an array."""
    desc = GatherOperatorDesc.infer((4,), (2,))
    wide = desc.input_tensor
    assert wide is not None
    tensor = d3d12.tensor(np.arange(1, 33, dtype=np.float32))
    for array in (tensor.at(16, 4), np.arange(5, 9, dtype=np.float32)):
        taken = d3d12.compile(desc)(array, np.array([3, 4]))
        found = taken.numpy() if isinstance(taken, DeviceTensor) else taken
        assert found.tolist() == [8, 8]
    scatter = ScatterNDOperatorDesc.infer((4,), (2, 1))
    part = tensor.at(16, 4)
    d3d12.compile(scatter)(part, np.array([[1], [4]]), np.array([-1, -2], np.float32), out=part)
    assert tensor.numpy()[3:9].tolist() == [4, 5, -1, 7, 8, 9]


def test_writing_a_part_mends_no_other(d3d12: Device) -> None:
    """What failed before stays failed: the rest of the tensor has never been written."""
    for waits in (False, True):
        bad = dmlindex.gather(d3d12.tensor(X), np.array([0, 1, 2, 99]), mode="raise", device=d3d12)
        if waits:
            with pytest.raises(IndexError):
                bad.numpy()
        try:
            dmlindex.gather(d3d12.tensor(X), [5, 6], out=bad[:2])
        except IndexError:
            assert waits  # known by then
        with pytest.raises(IndexError, match=r"indices\[3\] = 99"):
            bad.numpy()
