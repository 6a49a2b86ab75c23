"""What is taken for an array: what speaks DLPack or __array__, lists, numbers, subclasses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]


class SpeaksDlpack:
    """A tensor of another library, as far as DLPack shows one."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


class OnAnotherDevice(SpeaksDlpack):
    """One whose memory the CPU cannot read."""

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("the tensor is on a GPU")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


class SpeaksArray:
    def __init__(self, array: Array) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return self.array if dtype is None else self.array.astype(dtype)


class SpeaksBoth(OnAnotherDevice, SpeaksArray):
    """DLPack refuses, as for a dtype it has no code for; __array__ does not."""


def test_a_dtype_that_numpy_lacks() -> None:
    """As torch's bfloat16, of which NumPy's from_dlpack says just this."""

    class Bfloat16(SpeaksDlpack):
        def __dlpack__(self, **options: Any) -> Any:
            raise BufferError("Unsupported dtype in DLTensor.")

    tensor: Any = Bfloat16(np.zeros(3))
    with pytest.raises(TypeError, match=r"\.view\(torch\.int16\)\.numpy\(\)\.view\(ml_dtypes"):
        dmlindex.gather(tensor, [0])


@pytest.mark.parametrize("wrap", [SpeaksDlpack, SpeaksArray, SpeaksBoth, np.ndarray.tolist])
@pytest.mark.parametrize("module", [dmlindex, reference])
def test_every_argument_may_be_an_array_like(module: Any, wrap: Any) -> None:
    x, indices, updates = (
        np.arange(6).reshape(3, 2),
        np.array([[2], [0]]),
        np.array([[7, 8], [9, 1]]),
    )
    found = module.scatter_nd(wrap(x), wrap(indices), wrap(updates))
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, [[9, 1], [2, 3], [7, 8]])
    np.testing.assert_array_equal(module.gather_nd(wrap(x), wrap(indices)), [[4, 5], [0, 1]])


def test_dlpack_shares_strides_and_memory() -> None:
    x = np.arange(12.0).reshape(3, 4)[::-1, ::2]
    tensor: Any = SpeaksDlpack(x)
    answer = dmlindex.gather(tensor, [0, 2])
    np.testing.assert_array_equal(answer, x[[0, 2]])


@pytest.mark.parametrize("module", [dmlindex, reference])
def test_a_tensor_on_another_device_is_refused(module: Any) -> None:
    with pytest.raises(TypeError, match=r"input is a .*OnAnotherDevice.*GPU"):
        module.gather(OnAnotherDevice(np.zeros(3)), [0])


def test_numbers_and_numpy_scalars() -> None:
    assert dmlindex.scatter_elements([1.5, 2.5], [0], [np.float64(7)]).tolist() == [7.0, 2.5]
    assert dmlindex.gather(range(5), np.uint8(3)).item() == 3
    assert dmlindex.gather(["ab", "cd"], [1]).tolist() == ["cd"]


def test_a_subclass_gives_a_plain_array() -> None:
    record = np.rec.array([(1, 2.0), (3, 4.0)], dtype=[("a", int), ("b", float)])
    answer = dmlindex.gather(record, [1])
    assert type(answer) is np.ndarray
    assert answer.tolist() == [(3, 4.0)]
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1, 2], [3, 4]])
    assert type(dmlindex.gather(matrix, 0)) is np.ndarray
    assert dmlindex.gather(matrix, 0).shape == (2,)


@pytest.mark.parametrize("module", [dmlindex, reference])
@pytest.mark.parametrize("wrong", [None, object(), {}, {1}, b"ab", [[0], [1, 2]], lambda: 0])
def test_what_is_no_indices(module: Any, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        module.gather(np.zeros(3), wrong)


@pytest.mark.parametrize("exception", [KeyboardInterrupt, RuntimeError, MemoryError, KeyError])
@pytest.mark.parametrize("module", [dmlindex, reference])
def test_an_exception_in_array_comes_through(module: Any, exception: type[BaseException]) -> None:
    class Broken:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
            raise exception("boom")

    with pytest.raises(exception, match="boom"):
        module.gather(Broken(), [0])


@pytest.mark.parametrize("exception", [TypeError, ValueError])
def test_a_refusal_in_array_is_told_in_one_line(exception: type[Exception]) -> None:
    class Refuses:
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
            raise exception("not today")

    message = r"^gather: input is a Refuses that NumPy makes no array of \(not today\)$"
    with pytest.raises(exception, match=message):
        dmlindex.gather(Refuses(), [0])


def test_torch_tensors() -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(6.0).reshape(3, 2)
    answer = dmlindex.gather(x.t(), torch.tensor([1]))
    np.testing.assert_array_equal(answer, [[1, 3, 5]])
    with pytest.raises(TypeError, match="gradient"):
        dmlindex.gather(x.clone().requires_grad_(), torch.tensor([1]))
