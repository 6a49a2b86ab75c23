"""DirectML's enums, what is wrong with a descriptor, and numbers of the width that a field has.

Source: https://learn.microsoft.com/windows/win32/api/directml/
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex._tracebacks import short_traceback


class _EvaluatedEnum(IntEnum):
    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"


class DataType(_EvaluatedEnum):
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

    @classmethod
    @short_traceback
    def of(cls, dtype: npt.DTypeLike) -> DataType:
        """The data type of a NumPy dtype; TypeError, which says what to do, where there is none.

        >>> DataType.of("float16")
        DataType.FLOAT16
        """
        found: np.dtype[Any] = np.dtype(dtype)
        if not found.isnative:
            raise TypeError(
                f"DataType.of: dtype {found} is of foreign byte order, which DirectML lacks; "
                "convert the array: array.astype(array.dtype.newbyteorder('='))"
            )
        known = [name for name in cls.__members__ if name.lower() == found.name]
        if not known or found.kind not in "fiu":
            width = found.itemsize
            view = (
                f"uint{8 * width}" if width in (1, 2, 4, 8) else "uint8, with a dim for its bytes"
            )
            raise TypeError(
                f"DataType.of: dtype {found}, which DirectML lacks; expected floats of 16 to 64 "
                "bits or integers of 8 to 64; moves keep bits, so a view of the array will do: as "
                f"{view}"
            )
        return cls[known[0]]


class TensorFlags(IntFlag):
    """DML_TENSOR_FLAGS. OWNED_BY_DML is allowed on inputs; it changes nothing here."""

    NONE = 0
    OWNED_BY_DML = 1

    def __repr__(self) -> str:
        known = self in TensorFlags.__members__.values()
        return f"TensorFlags.{self.name}" if known else f"TensorFlags({int(self)})"


class FeatureLevel(_EvaluatedEnum):
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

    @property
    def page(self) -> str:
        """The address of the page that has the rule: the tensor's own, or the operator's."""
        struct = "dml_buffer_tensor_desc"
        if self.operator != "TensorDesc" and self.rule not in _TENSOR_RULES:
            # SCATTER_ELEMENTS is another name of SCATTER, whose page is the older one's.
            name = self.operator.replace("SCATTER_ELEMENTS", "SCATTER")
            struct = f"dml_{name.lower()}_operator_desc"
        return f"https://learn.microsoft.com/windows/win32/api/directml/ns-directml-{struct}"

    def __str__(self) -> str:
        where = f"{self.tensor}.{self.field}" if self.tensor else self.field
        advice = f"; {self.advice}" if self.advice else ""
        expected = f"expected {self.expected}{advice}"
        return f"{self.operator}: {where} is {self.found}, {expected} [{self.rule}]"

    def _repr_html_(self) -> str:
        return Violations([self])._repr_html_()


class Violations(list[Violation]):
    """A list of violations, which notebooks show as a table."""

    def _repr_html_(self) -> str:
        from dmlindex._display.tables import violations_html

        return violations_html(self)


class BrokenRules(tuple[Violation, ...]):
    """The violations of an error, which notebooks show as a table, too."""

    def _repr_html_(self) -> str:
        return Violations(self)._repr_html_()


# Rules of a tensor by itself, whatever operator it is for.
_TENSOR_RULES = {
    "dimension-count",
    "sizes-positive",
    "element-count",
    "strides-count",
    "extent",
    "total-size-minimum",
    "total-size-maximum",
    "base-offset-alignment",
    "flags",
}


def descriptor_error(broken: Sequence[Violation]) -> _core.DescriptorError:
    """The error for a desc that breaks these rules, one a line."""
    error = _core.DescriptorError("\n".join(map(str, broken)))
    error.violations = BrokenRules(broken)
    return error


UINT_MAX = 2**32 - 1
UINT64_MAX = 2**64 - 1


def unsigned(owner: object, field: str, value: object, most: int = UINT_MAX) -> int:
    """value as an unsigned integer of the width that the field of the owner, a desc or a class of
    them, has in DirectML."""
    name = f"{(owner if isinstance(owner, type) else type(owner)).__name__}: {field}"
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


def unsigned_tuple(owner: object, field: str, values: object) -> tuple[int, ...]:
    if isinstance(values, (str, bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise TypeError(
            f"{type(owner).__name__}: {field} is of type {type(values).__name__}, "
            "expected a sequence of integers"
        )
    return tuple(unsigned(owner, f"{field}[{i}]", value) for i, value in enumerate(values))


def set_field(desc: object, field: str, value: object) -> None:
    object.__setattr__(desc, field, value)  # the dataclass is frozen for everyone else
