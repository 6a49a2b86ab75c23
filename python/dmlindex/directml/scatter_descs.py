"""The descriptors of DirectML's two scatters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from dmlindex._core import DeviceTensor
from dmlindex._tracebacks import short_traceback
from dmlindex._types import ScatterMode
from dmlindex.directml import duplicates, infer
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.infer import TensorLike
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType


class _ScatterDesc(OperatorDesc):
    @short_traceback
    def find_duplicates(
        self,
        indices: ArrayLike | DeviceTensor,
        mode: ScatterMode | Literal["directml"] | None = None,
    ) -> npt.NDArray[np.int64]:
        """Flat positions in updates (C order) of every element that a later one overwrites.

        DirectML promises no order: any update of an element may win. None is mode "directml", the
        default of compiled descs, in which an index out of range may meet another's element, and
        slices may meet in a part; in the other modes those are as `dmlindex.find_duplicates` says.
        Updates that go nowhere never count. indices are the desc's, as a compiled operator takes
        them. IndexError for an index that mode "raise" refuses.

        >>> desc = ScatterNDOperatorDesc.infer((4, 2), (3, 1))
        >>> desc.find_duplicates(np.array([[1], [0], [1]]))
        array([0, 1])
        """
        return duplicates.find_duplicates(self, indices, mode)


@dataclass(frozen=True)
class ScatterElementsOperatorDesc(_ScatterDesc):
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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        updates: TensorLike | None = None,
        axis: int = 0,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input, indices and updates; see `GatherOperatorDesc.infer`.

        Without updates they are packed, of the sizes of indices; a shape of updates has input's
        data type. The output is packed, of input's sizes.

        >>> desc = ScatterElementsOperatorDesc.infer((4, 3), (2, 3), axis=-2, dimension_count=4)
        >>> desc.updates_tensor, desc.axis
        (TensorDesc(DataType.FLOAT32, (1, 1, 2, 3)), 2)
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        rank = len(x.sizes)
        at = infer.axis_of(cls, axis, rank)
        u = infer.tensor_of(i.sizes if updates is None else updates, x.data_type)
        y = TensorDesc(x.data_type, x.sizes)
        x, i, u, y = infer.with_equal_ranks(cls, dimension_count, x, i, u, y)
        return infer.checked(cls(x, i, u, y, at + len(x.sizes) - rank))


@dataclass(frozen=True)
class ScatterNDOperatorDesc(_ScatterDesc):
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

    @classmethod
    @short_traceback
    def infer(
        cls,
        input: TensorLike,
        indices: TensorLike,
        updates: TensorLike | None = None,
        input_dimension_count: int | None = None,
        indices_dimension_count: int | None = None,
        *,
        data_type: DataType = DataType.FLOAT32,
        indices_data_type: DataType = DataType.INT64,
        dimension_count: int | None = None,
    ) -> Self:
        """The valid desc for an input, indices and updates; see `GatherNDOperatorDesc.infer`.

        Without updates they are packed, of the sizes of what the tuples index; a shape of updates
        has input's data type. The output is packed, of input's sizes.

        >>> ScatterNDOperatorDesc.infer((5, 3), (2, 4, 1)).updates_tensor
        TensorDesc(DataType.FLOAT32, (2, 4, 3))
        """
        x, i = infer.tensors_of(input, indices, data_type, indices_data_type)
        r = infer.count_of(cls, "input_dimension_count", input_dimension_count, x)
        q = infer.count_of(cls, "indices_dimension_count", indices_dimension_count, i)
        items = infer.tuple_result(x, i, r, q) if updates is None else updates
        u = infer.tensor_of(items, x.data_type)
        y = TensorDesc(x.data_type, x.sizes)
        x, i, u, y = infer.with_equal_ranks(cls, dimension_count, x, i, u, y)
        return infer.checked(cls(x, i, u, y, r, q))
