"""TensorDesc: type, sizes and layout of one tensor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex._core import DeviceTensor
from dmlindex._tracebacks import short_traceback
from dmlindex.directml.values import (
    UINT64_MAX,
    DataType,
    TensorFlags,
    Violation,
    descriptor_error,
    set_field,
    unsigned,
    unsigned_tuple,
)


@dataclass(frozen=True)
class TensorDesc:
    """DML_BUFFER_TENSOR_DESC: type, sizes and layout of one tensor.

    `strides` are in elements: None is packed, 0 broadcasts. `total_tensor_size_in_bytes` is how
    large the buffer is at least; None is the smallest it may be. `view` says which arrays a tensor
    takes. Any numbers of the right width can be held: what is wrong with them, `violations()` of
    the operator's desc says.

    A wrong type is a TypeError, a number that DirectML's field cannot hold a ValueError.

    >>> TensorDesc(DataType.FLOAT32, (2, 3))
    TensorDesc(DataType.FLOAT32, (2, 3))

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_buffer_tensor_desc
    """

    data_type: DataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    total_tensor_size_in_bytes: int | None = None
    guaranteed_base_offset_alignment: int = 0
    flags: TensorFlags = TensorFlags.NONE

    if TYPE_CHECKING:  # editors and checkers are to know that any sequences will do

        def __init__(
            self,
            data_type: DataType,
            sizes: Sequence[int],
            strides: Sequence[int] | None = None,
            total_tensor_size_in_bytes: int | None = None,
            guaranteed_base_offset_alignment: int = 0,
            flags: TensorFlags = TensorFlags.NONE,
        ) -> None: ...

    @short_traceback
    def __post_init__(self) -> None:
        if not isinstance(self.data_type, DataType):
            raise TypeError(
                f"TensorDesc: data_type is of type {type(self.data_type).__name__}, "
                "expected a DataType"
            )
        if not isinstance(self.flags, TensorFlags):
            raise TypeError(
                f"TensorDesc: flags is of type {type(self.flags).__name__}, expected TensorFlags"
            )
        unsigned(self, "flags", int(self.flags))
        set_field(self, "sizes", unsigned_tuple(self, "sizes", self.sizes))
        if self.strides is not None:
            set_field(self, "strides", unsigned_tuple(self, "strides", self.strides))
        if self.total_tensor_size_in_bytes is not None:
            total = self.total_tensor_size_in_bytes
            field = "total_tensor_size_in_bytes"
            set_field(self, field, unsigned(self, field, total, UINT64_MAX))
        field = "guaranteed_base_offset_alignment"
        set_field(self, field, unsigned(self, field, self.guaranteed_base_offset_alignment))

    @classmethod
    def packed(cls, data_type: DataType, sizes: Sequence[int]) -> TensorDesc:
        """A tensor without strides: its elements lie one after the other, in C order.

        >>> TensorDesc.packed(DataType.INT8, (2, 3))
        TensorDesc(DataType.INT8, (2, 3))
        """
        return cls(data_type, tuple(sizes))

    @classmethod
    @short_traceback
    def from_array(
        cls, array: npt.NDArray[Any] | DeviceTensor, rank: int | None = None
    ) -> TensorDesc:
        """The desc of an array as it lies in memory: strides only where it is not packed.

        With rank, sizes get 1s in front, or lose some; without it, an array of rank 0 gets one
        dim. Dims of size 1 get stride 0. The array is its own buffer: a compiled operator takes it
        as it is.

        TypeError for a dtype that DirectML lacks; ValueError for strides that it lacks, negative
        ones, say, and for a rank that the sizes do not fit.

        >>> TensorDesc.from_array(np.zeros((2, 3), np.float32), rank=4)
        TensorDesc(DataType.FLOAT32, (1, 1, 2, 3))
        >>> TensorDesc.from_array(np.zeros((2, 4), np.int8)[:, :3])
        TensorDesc(DataType.INT8, (2, 3), strides=(4, 1))
        """
        if not isinstance(array, (np.ndarray, np.generic, _core.DeviceTensor)):
            raise TypeError(
                f"TensorDesc.from_array: array is a {type(array).__name__}, "
                "expected a numpy.ndarray"
            )
        strides = None if isinstance(array, _core.DeviceTensor) else _element_strides(array)
        desc = cls(DataType.of(array.dtype), array.shape, strides)
        return desc.with_rank(max(len(desc.sizes), 1) if rank is None else rank)

    @short_traceback
    def with_rank(self, rank: int) -> TensorDesc:
        """The same tensor with 1s in front of its sizes, or without some of those it has.

        ValueError where a size that is not 1 would be lost.

        >>> TensorDesc(DataType.INT8, (2, 3)).with_rank(4).with_rank(3)
        TensorDesc(DataType.INT8, (1, 2, 3))
        """
        added = unsigned(self, "rank", rank) - len(self.sizes)
        if any(size != 1 for size in self.sizes[: max(-added, 0)]):
            raise ValueError(
                f"TensorDesc: rank is {rank}, expected room for the sizes of {self} behind the 1s"
            )

        def resized(numbers: tuple[int, ...], filler: int) -> tuple[int, ...]:
            return (filler,) * added + numbers[max(-added, 0) :]

        strides = None if self.strides is None else resized(self.strides, 0)
        return replace(self, sizes=resized(self.sizes, 1), strides=strides)

    @property
    def implied_size_in_bytes(self) -> int:
        """The least that the total size may be: what the elements span, rounded up to 4 bytes.

        It is `total_tensor_size_in_bytes` where that is None. ValueError for a type without a size.

        >>> TensorDesc(DataType.UINT8, (2, 3), strides=(4, 1)).implied_size_in_bytes
        8
        """
        if self.strides is None:
            extent = math.prod(self.sizes)
        else:
            pairs = zip(self.sizes, self.strides, strict=False)
            extent = 1 + sum((size - 1) * stride for size, stride in pairs)
        return -(-max(extent, 0) * self.data_type.dtype.itemsize // 4) * 4

    @property
    def total_bytes(self) -> int:
        """`total_tensor_size_in_bytes`, or the implied size where that is None."""
        given = self.total_tensor_size_in_bytes
        return self.implied_size_in_bytes if given is None else given

    @property
    def element_strides(self) -> tuple[int, ...]:
        """The strides in elements: those of a packed tensor where the desc has none.

        >>> TensorDesc(DataType.UINT8, (2, 3)).element_strides
        (3, 1)
        """
        if self.strides is not None:
            return self.strides
        return tuple(math.prod(self.sizes[d + 1 :]) for d in range(len(self.sizes)))

    def __repr__(self) -> str:
        """Python that makes an equal desc, in a namespace that has dmlindex's names."""
        parts = [f"DataType.{self.data_type.name}", repr(self.sizes)]
        for field in fields(self)[2:]:
            value = getattr(self, field.name)
            if value != field.default:
                parts.append(f"{field.name}={value!r}")
        return f"TensorDesc({', '.join(parts)})"

    def _repr_html_(self) -> str:
        from dmlindex._display.tables import tensor_desc_html

        return tensor_desc_html(self)

    @short_traceback
    def view(self, buffer: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The tensor that lies in buffer, as an array of its sizes; nothing is copied.

        buffer is what a compiled operator takes: an array of the desc's sizes or of their natural
        shape, without 1s in front (with strides, an array whose strides are exactly those); or one
        dimension of the desc's type that holds the total size (rounded down to elements; it may be
        larger; a packed tensor's elements alone will do). Where strides let positions share an
        element, write to the view with care. TypeError or ValueError where the buffer does not fit,
        DescriptorError where the desc is not valid by itself.

        >>> desc = TensorDesc(DataType.INT32, (2, 2), strides=(3, 1))
        >>> desc.view(np.arange(6, dtype=np.int32))
        array([[0, 1],
               [3, 4]], dtype=int32)
        """
        from dmlindex.directml import buffers  # which imports this

        if broken := [Violation(*values) for values in _core.tensor_violations(self)]:
            raise descriptor_error(broken)
        return buffers.view(self, buffer, "view: buffer")


def _element_strides(array: npt.NDArray[Any] | np.generic) -> tuple[int, ...] | None:
    """The strides in elements, 0 in dims of size 1; None where the array is packed."""
    if array.flags.c_contiguous:
        return None
    strides = [
        stride if size > 1 else 0 for size, stride in zip(array.shape, array.strides, strict=True)
    ]
    for stride in strides:
        if stride < 0 or stride % array.itemsize:
            found = "negative" if stride < 0 else f"no multiple of {array.itemsize} bytes"
            raise ValueError(
                f"TensorDesc.from_array: array has a stride of {stride} bytes, which is {found}, "
                "and DirectML lacks such strides; copy it: numpy.ascontiguousarray(array)"
            )
    return tuple(stride // array.itemsize for stride in strides)


def in_short(desc: TensorDesc) -> str:
    """The desc as DirectML writes such things: `FLOAT32, {2, 3}, strides={4, 1}`."""
    parts = [desc.data_type.name, _braces(desc.sizes)]
    if desc.strides is not None:
        parts.append(f"strides={_braces(desc.strides)}")
    for field in fields(TensorDesc)[3:]:
        value = getattr(desc, field.name)
        if value != field.default:
            parts.append(f"{field.name}={int(value)}")
    return ", ".join(parts)


def _braces(numbers: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"
