"""The descriptors of DirectML's four gathers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from dmlindex._tracebacks import short_traceback
from dmlindex.directml import infer
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.infer import TensorLike
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, unsigned


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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        axis: int = 0,
        index_dimensions: int | None = None,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input and indices: leading 1s, the output and its sizes added.

        Parameters
        ----------
        input, indices
            each a TensorDesc, an array or device tensor, or a shape. In a TensorDesc, 1s before the
            axis count as padding.
        axis
            of input as it is given; a negative one counts from the end.
        index_dimensions
            how many of the last dims of indices count; None is all.
        data_type, indices_data_type
            of what is given as a shape.
        dimension_count
            of all tensors; None is the smallest that they fit.

        Raises
        ------
        DescriptorError
            With every reason, where there is no valid desc.
        ValueError
            For an axis out of range, and a dimension_count that is too small.

        Examples
        --------
        >>> GatherOperatorDesc.infer((4, 3), (2, 5), axis=1).output_tensor
        TensorDesc(DataType.FLOAT32, (4, 2, 5))
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        rank = len(x.sizes)
        at = infer.axis_of(cls, axis, rank)
        q = infer.count_of(cls, "index_dimensions", index_dimensions, i)
        first = 0
        while isinstance(input, TensorDesc) and first < at and x.sizes[first] == 1:
            first += 1
        output = x.sizes[first:at] + i.sizes[max(len(i.sizes) - q, 0) :] + x.sizes[at + 1 :]
        y = TensorDesc(x.data_type, output)
        x, i, y = infer.with_equal_ranks(cls, dimension_count, x, i, y)
        return infer.checked(cls(x, i, y, at + len(x.sizes) - rank, q))


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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        axis: int = 0,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input and indices; see `GatherOperatorDesc.infer`.

        >>> GatherElementsOperatorDesc.infer((4, 3), (2, 3)).output_tensor
        TensorDesc(DataType.FLOAT32, (2, 3))
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        rank = len(x.sizes)
        at = infer.axis_of(cls, axis, rank)
        y = TensorDesc(x.data_type, i.sizes)
        x, i, y = infer.with_equal_ranks(cls, dimension_count, x, i, y)
        return infer.checked(cls(x, i, y, at + len(x.sizes) - rank))


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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        input_dimension_count: int | None = None,
        indices_dimension_count: int | None = None,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input and indices; see `GatherOperatorDesc.infer`.

        The counts are None where all dims that are given count.

        >>> GatherNDOperatorDesc.infer((3, 4, 5, 6, 7), (1, 1, 1, 2, 3), 5, 3).output_tensor
        TensorDesc(DataType.FLOAT32, (1, 1, 2, 6, 7))
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        r = infer.count_of(cls, "input_dimension_count", input_dimension_count, x)
        q = infer.count_of(cls, "indices_dimension_count", indices_dimension_count, i)
        y = TensorDesc(x.data_type, infer.tuple_result(x, i, r, q))
        x, i, y = infer.with_equal_ranks(cls, dimension_count, x, i, y)
        return infer.checked(cls(x, i, y, r, q))


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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        input_dimension_count: int | None = None,
        indices_dimension_count: int | None = None,
        batch_dimension_count: int = 0,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input and indices; see `GatherNDOperatorDesc.infer`.

        >>> GatherND1OperatorDesc.infer((3, 2, 2), (3, 2, 2), batch_dimension_count=1).output_tensor
        TensorDesc(DataType.FLOAT32, (1, 3, 2))
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        r = infer.count_of(cls, "input_dimension_count", input_dimension_count, x)
        q = infer.count_of(cls, "indices_dimension_count", indices_dimension_count, i)
        batch = unsigned(cls, "batch_dimension_count", batch_dimension_count)
        y = TensorDesc(x.data_type, infer.tuple_result(x, i, r, q, batch))
        x, i, y = infer.with_equal_ranks(cls, dimension_count, x, i, y)
        return infer.checked(cls(x, i, y, r, q, batch))
