"""What `infer` of the six operator descs shares: tensors from shapes, one DimensionCount, sizes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, SupportsIndex, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from dmlindex._core import DeviceTensor
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, descriptor_error, unsigned

TensorLike: TypeAlias = TensorDesc | npt.NDArray[Any] | DeviceTensor | Sequence[int]
Sizes: TypeAlias = tuple[int, ...]
Desc = TypeVar("Desc", bound=Any)


def tensor_of(value: TensorLike, data_type: DataType) -> TensorDesc:
    """The tensor that an argument stands for, of the argument's own rank, which may be 0."""
    if isinstance(value, TensorDesc):
        return value
    if isinstance(value, (np.ndarray, np.generic, DeviceTensor)):
        return TensorDesc.from_array(value, rank=value.ndim)
    return TensorDesc(data_type, value)  # which says what is wrong with it


def tensors_of(
    input: TensorLike, indices: TensorLike, data_type: DataType, indices_data_type: DataType
) -> tuple[TensorDesc, TensorDesc]:
    return tensor_of(input, data_type), tensor_of(indices, indices_data_type)


def with_equal_ranks(
    owner: type, dimension_count: int | None, *tensors: TensorDesc
) -> tuple[TensorDesc, ...]:
    """The tensors with 1s in front: as many dims as the largest has, or as many as are given."""
    needed = max(1, *(len(tensor.sizes) for tensor in tensors))
    given = needed if dimension_count is None else dimension_count
    if unsigned(owner, "dimension_count", given) < needed:
        raise ValueError(
            f"{owner.__name__}: dimension_count is {given}, expected at least {needed}, which "
            "inputs and output need"
        )
    return tuple(tensor.with_rank(given) for tensor in tensors)


def axis_of(owner: type, axis: SupportsIndex, rank: int) -> int:
    """The axis of an input of that rank; a negative one counts from the end."""
    try:
        number = operator.index(axis)
    except TypeError:
        found = type(axis).__name__
        raise TypeError(f"{owner.__name__}: axis is a {found}, expected an integer") from None
    if not -rank <= number < rank:
        raise ValueError(
            f"{owner.__name__}: axis is {number}, expected {-rank} <= axis < {rank} for an input "
            f"of rank {rank}"
        )
    return number % rank


def count_of(owner: type, field: str, given: int | None, tensor: TensorDesc) -> int:
    """How many of the last dims of a tensor count: all, where it is not given."""
    return len(tensor.sizes) if given is None else unsigned(owner, field, given)


def tuple_result(input: TensorDesc, indices: TensorDesc, r: int, q: int, batch: int = 0) -> Sizes:
    """What the tuples index: indices' sizes but the tuple's, then input's behind the tuple's axes.

    Where the counts are wrong these are any sizes: the desc is not valid then, and says why.
    """
    *places, tuple_size = indices.sizes[max(len(indices.sizes) - q, 0) :] or (1,)
    return (*places, *input.sizes[max(len(input.sizes) - r, 0) + batch + tuple_size :])


def checked(desc: Desc) -> Desc:
    """The desc; DescriptorError with every broken rule where it is not valid."""
    if broken := desc.violations():
        raise descriptor_error(broken)
    return desc
