"""DirectML's operator descriptors, in its own terms: frozen values to check and to compile.

The rules are those of the real DirectML; `violations()` lists every one that a descriptor breaks,
with the reason. Field names are DirectML's in snake_case, enum values are DirectML's own.

Source: https://learn.microsoft.com/windows/win32/api/directml/
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, fields
from enum import IntEnum, IntFlag
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from dmlindex import _core


class DataType(IntEnum):
    """DML_TENSOR_DATA_TYPE. No operator takes UNKNOWN, UINT4 and INT4."""

    UNKNOWN = 0
    FLOAT32 = 1
    FLOAT16 = 2
    UINT32 = 3
    UINT16 = 4
    UINT8 = 5
    INT32 = 6
    INT16 = 7
    INT8 = 8
    FLOAT64 = 9
    UINT64 = 10
    INT64 = 11
    UINT4 = 12
    INT4 = 13

    @property
    def dtype(self) -> np.dtype[Any]:
        """The NumPy dtype; ValueError for the types that no operator takes.

        >>> DataType.FLOAT16.dtype
        dtype('float16')
        """
        if self in (DataType.UNKNOWN, DataType.UINT4, DataType.INT4):
            raise ValueError(f"{self.name} has no NumPy dtype, and no operator takes it")
        return np.dtype(self.name.lower())


class TensorFlags(IntFlag):
    """DML_TENSOR_FLAGS. OWNED_BY_DML is allowed on inputs; it changes nothing here."""

    NONE = 0
    OWNED_BY_DML = 1


class FeatureLevel(IntEnum):
    """DML_FEATURE_LEVEL: what a device is held to.

    >>> hex(FeatureLevel.FL_4_1)
    '0x4100'
    """

    FL_1_0 = 0x1000
    FL_2_0 = 0x2000
    FL_2_1 = 0x2100
    FL_3_0 = 0x3000
    FL_3_1 = 0x3100
    FL_4_0 = 0x4000
    FL_4_1 = 0x4100
    FL_5_0 = 0x5000
    FL_5_1 = 0x5100
    FL_5_2 = 0x5200
    FL_6_0 = 0x6000
    FL_6_1 = 0x6100
    FL_6_2 = 0x6200
    FL_6_3 = 0x6300
    FL_6_4 = 0x6400


@dataclass(frozen=True)
class Violation:
    """A rule that a descriptor breaks. `rule` is a stable name; `str()` is the whole sentence.

    `tensor` is input, indices, updates or output, and empty where `field` is the operator's own.
    """

    rule: str
    operator: str
    tensor: str
    field: str
    found: str
    expected: str
    advice: str

    def __str__(self) -> str:
        where = f"{self.tensor}.{self.field}" if self.tensor else self.field
        advice = f"; {self.advice}" if self.advice else ""
        expected = f"expected {self.expected}{advice}"
        return f"{self.operator}: {where} is {self.found}, {expected} [{self.rule}]"


def descriptor_error(broken: list[Violation]) -> _core.DescriptorError:
    """The error for a desc that breaks these rules, one a line."""
    error = _core.DescriptorError("\n".join(map(str, broken)))
    error.violations = tuple(broken)
    return error


_UINT_MAX = 2**32 - 1
_UINT64_MAX = 2**64 - 1


def _unsigned(owner: object, field: str, value: object, most: int = _UINT_MAX) -> int:
    """value as an unsigned integer of the width that the field has in DirectML."""
    name = f"{type(owner).__name__}: {field}"
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value}, expected an integer")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}, expected an integer") from None
    if not 0 <= number <= most:
        shown = number if abs(number) < 10**40 else "a huge number"
        raise ValueError(f"{name} is {shown}, expected 0 to {most}")
    return number


def _unsigned_tuple(owner: object, field: str, values: object) -> tuple[int, ...]:
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise TypeError(
            f"{type(owner).__name__}: {field} is of type {type(values).__name__}, "
            "expected a sequence of integers"
        )
    return tuple(_unsigned(owner, f"{field}[{i}]", value) for i, value in enumerate(values))


@dataclass(frozen=True)
class TensorDesc:
    """DML_BUFFER_TENSOR_DESC: type, sizes and layout of one tensor.

    `strides` are in elements: None is packed, 0 broadcasts. `total_tensor_size_in_bytes` is how
    large the buffer is at least; None is the smallest it may be. A packed tensor takes an array of
    its sizes; one with strides takes a 1-D buffer (see `view`). Any numbers of the right width can
    be held: what is wrong with them, `violations()` of the operator's desc says.

    A wrong type is a TypeError, a number that DirectML's field cannot hold a ValueError.

    >>> TensorDesc(DataType.FLOAT32, (2, 3))
    TensorDesc(FLOAT32, {2, 3})

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_buffer_tensor_desc
    """

    data_type: DataType
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None
    total_tensor_size_in_bytes: int | None = None
    guaranteed_base_offset_alignment: int = 0
    flags: TensorFlags = TensorFlags.NONE

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
        _unsigned(self, "flags", int(self.flags))
        _set(self, "sizes", _unsigned_tuple(self, "sizes", self.sizes))
        if self.strides is not None:
            _set(self, "strides", _unsigned_tuple(self, "strides", self.strides))
        if self.total_tensor_size_in_bytes is not None:
            total = self.total_tensor_size_in_bytes
            field = "total_tensor_size_in_bytes"
            _set(self, field, _unsigned(self, field, total, _UINT64_MAX))
        field = "guaranteed_base_offset_alignment"
        _set(self, field, _unsigned(self, field, self.guaranteed_base_offset_alignment))

    def __repr__(self) -> str:
        parts = [self.data_type.name, _braces(self.sizes)]
        if self.strides is not None:
            parts.append(f"strides={_braces(self.strides)}")
        if self.total_tensor_size_in_bytes is not None:
            parts.append(f"total_tensor_size_in_bytes={self.total_tensor_size_in_bytes}")
        if self.guaranteed_base_offset_alignment:
            parts.append(
                f"guaranteed_base_offset_alignment={self.guaranteed_base_offset_alignment}"
            )
        if self.flags:
            parts.append(f"flags={int(self.flags)}")
        return f"TensorDesc({', '.join(parts)})"

    def view(self, buffer: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The tensor that lies in buffer, as an array of its sizes; nothing is copied.

        With strides, buffer is 1-D, of the desc's type, and holds the total size (rounded down to
        elements; it may be larger). A packed tensor is its own buffer, and is returned as it is.
        Where strides let positions share an element, write to the view with care. TypeError or
        ValueError where the buffer does not fit, DescriptorError where the desc is not valid by
        itself.

        >>> desc = TensorDesc(DataType.INT32, (2, 2), strides=(3, 1))
        >>> desc.view(np.arange(6, dtype=np.int32))
        array([[0, 1],
               [3, 4]], dtype=int32)
        """
        if broken := [Violation(*values) for values in _core.tensor_violations(self)]:
            raise descriptor_error(broken)
        if not isinstance(buffer, np.ndarray):
            raise TypeError(f"view: buffer is a {type(buffer).__name__}, expected a numpy.ndarray")
        if buffer.dtype != self.data_type.dtype:
            expected = self.data_type.dtype
            raise TypeError(f"view: buffer has dtype {buffer.dtype}, expected {expected}")
        if self.strides is None:
            if buffer.shape != self.sizes:
                raise ValueError(f"view: buffer has shape {buffer.shape}, expected {self.sizes}")
            return buffer
        needed = _core.buffer_elements(self)
        if buffer.ndim != 1 or buffer.size < needed:
            raise ValueError(
                f"view: buffer has shape {buffer.shape}, expected one dimension of at least "
                f"{needed} elements"
            )
        step = buffer.strides[0]
        return np.lib.stride_tricks.as_strided(
            buffer, self.sizes, tuple(stride * step for stride in self.strides)
        )


def _set(desc: object, field: str, value: object) -> None:
    object.__setattr__(desc, field, value)  # the dataclass is frozen for everyone else


def _braces(numbers: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"


class OperatorDesc:
    """What the six operator descs share. A tensor may be None: a violation, not an error."""

    operator: ClassVar[str]

    def __post_init__(self) -> None:
        for field in (f.name for f in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, field)
            if not field.endswith("_tensor"):
                _set(self, field, _unsigned(self, field, value))
            elif value is not None and not isinstance(value, TensorDesc):
                raise TypeError(
                    f"{type(self).__name__}: {field} is of type {type(value).__name__}, "
                    "expected a TensorDesc or None"
                )

    def violations(self, feature_level: FeatureLevel = FeatureLevel.FL_6_4) -> list[Violation]:
        """Every rule that the desc breaks on a device of that level; empty when it is valid.

        >>> x = TensorDesc(DataType.FLOAT32, (4, 3))
        >>> i = TensorDesc(DataType.INT64, (2, 3))
        >>> [v.rule for v in GatherElementsOperatorDesc(x, i, x, axis=2).violations()]
        ['axis']
        """
        if not isinstance(feature_level, FeatureLevel):
            raise TypeError(
                f"violations: feature_level is of type {type(feature_level).__name__}, "
                "expected a FeatureLevel"
            )
        return [Violation(*values) for values in _core.violations(self, feature_level)]


@dataclass(frozen=True)
class GatherOperatorDesc(OperatorDesc):
    """DML_GATHER_OPERATOR_DESC: output[o…, q…, i…] = input[o…, indices[q…], i…].

    >>> x = TensorDesc(DataType.FLOAT32, (1, 1, 4, 3))
    >>> i = TensorDesc(DataType.UINT32, (1, 1, 1, 2))
    >>> y = TensorDesc(DataType.FLOAT32, (1, 1, 2, 3))
    >>> GatherOperatorDesc(x, i, y, axis=2, index_dimensions=1).violations()
    []

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gather_operator_desc
    """

    operator: ClassVar[str] = "GATHER"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    axis: int
    index_dimensions: int


@dataclass(frozen=True)
class GatherElementsOperatorDesc(OperatorDesc):
    """DML_GATHER_ELEMENTS_OPERATOR_DESC: output[p] = input[p with p[axis] := indices[p]].

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gather_elements_operator_desc
    """

    operator: ClassVar[str] = "GATHER_ELEMENTS"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    axis: int


@dataclass(frozen=True)
class GatherNDOperatorDesc(OperatorDesc):
    """DML_GATHER_ND_OPERATOR_DESC: output[q…, s…] = input[indices[q…, :], s…].

    The counts say how many of the last dims count; those before have size 1.

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gather_nd_operator_desc
    """

    operator: ClassVar[str] = "GATHER_ND"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    input_dimension_count: int
    indices_dimension_count: int


@dataclass(frozen=True)
class GatherND1OperatorDesc(OperatorDesc):
    """DML_GATHER_ND1_OPERATOR_DESC: GATHER_ND with batch_dimension_count dims in front that agree.

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_gather_nd1_operator_desc
    """

    operator: ClassVar[str] = "GATHER_ND1"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    input_dimension_count: int
    indices_dimension_count: int
    batch_dimension_count: int


@dataclass(frozen=True)
class ScatterElementsOperatorDesc(OperatorDesc):
    """DML_SCATTER_ELEMENTS_OPERATOR_DESC: output = input, but where indices point: updates.

    output[p with p[axis] := indices[p]] = updates[p].

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_scatter_operator_desc
    """

    operator: ClassVar[str] = "SCATTER_ELEMENTS"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    updates_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    axis: int


@dataclass(frozen=True)
class ScatterNDOperatorDesc(OperatorDesc):
    """DML_SCATTER_ND_OPERATOR_DESC: output = input; output[indices[q…, :], s…] = updates[q…, s…].

    Source:
    https://learn.microsoft.com/windows/win32/api/directml/ns-directml-dml_scatter_nd_operator_desc
    """

    operator: ClassVar[str] = "SCATTER_ND"
    input_tensor: TensorDesc | None
    indices_tensor: TensorDesc | None
    updates_tensor: TensorDesc | None
    output_tensor: TensorDesc | None
    input_dimension_count: int
    indices_dimension_count: int
