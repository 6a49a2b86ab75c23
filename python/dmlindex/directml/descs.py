"""DirectML's operator descriptors, in its own terms: frozen values to check and to compile.

The rules are those of the real DirectML; `violations()` lists every one that a descriptor breaks,
with the reason. Field names are DirectML's in snake_case, enum values are DirectML's own.

Source: https://learn.microsoft.com/windows/win32/api/directml/
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar

from dmlindex import _core
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import FeatureLevel, Violation, set_field, unsigned


class OperatorDesc:
    """What the six operator descs share. A tensor may be None: a violation, not an error."""

    operator: ClassVar[str]

    def __post_init__(self) -> None:
        for field in (f.name for f in fields(self)):  # type: ignore[arg-type]
            value = getattr(self, field)
            if not field.endswith("_tensor"):
                set_field(self, field, unsigned(self, field, value))
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
