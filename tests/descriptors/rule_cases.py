"""Every rule by name: a descriptor that breaks just it, and its nearest valid neighbour."""

from typing import NamedTuple

import dmlindex
from dmlindex import DataType, TensorFlags
from dmlindex.directml.descs import OperatorDesc
from tests.descriptors.descs import (
    data,
    gather,
    gather_elements,
    gather_nd,
    gather_nd1,
    index,
    scatter_elements,
    scatter_nd,
)


class Case(NamedTuple):
    rule: str
    broken: OperatorDesc
    valid: OperatorDesc


def of_input(rule: str, broken: dmlindex.TensorDesc | None, valid: dmlindex.TensorDesc) -> Case:
    """A case where only the input of a GATHER_ND changes: one tuple, a number for each dim."""

    def desc(tensor: dmlindex.TensorDesc | None) -> OperatorDesc:
        rank = 4 if tensor is None else len(tensor.sizes)
        kind = DataType.FLOAT32 if tensor is None else tensor.data_type
        ones = (1,) * (rank - 1)
        return gather_nd(tensor, index(*ones, rank), data(*ones, 1, data_type=kind), rank, 1)

    return Case(rule, desc(broken), desc(valid))


def of_output(rule: str, broken: dmlindex.TensorDesc, valid: dmlindex.TensorDesc) -> Case:
    """A case where only the output of a GATHER_ELEMENTS of all its indices changes."""

    def desc(tensor: dmlindex.TensorDesc) -> OperatorDesc:
        return gather_elements((*tensor.sizes[:-1], 5), index(*tensor.sizes), tensor, 1)

    return Case(rule, desc(broken), desc(valid))


U8, I4 = DataType.UINT8, DataType.INT4
LIMIT = 2**32 - 1

TENSOR_CASES = [
    of_input("tensor-required", None, data(1, 2, 3, 4)),
    of_input("dimension-count", data(*(1,) * 9), data(*(1,) * 8)),
    of_input("sizes-positive", data(2, 0, 3), data(2, 1, 3)),
    # 0-strides span little, but every position counts.
    of_input(
        "element-count",
        data(65536, 65536, strides=(0, 0)),
        data(65535, 65537, strides=(0, 0)),
    ),
    of_input("strides-count", data(2, 3, strides=(3, 1, 1)), data(2, 3, strides=(3, 1))),
    of_input("extent", data(2, 3, strides=(LIMIT, 1)), data(2, 3, strides=(LIMIT - 3, 1))),
    of_input(
        "total-size-minimum",
        data(3, 1, total_tensor_size_in_bytes=11),
        data(3, 1, total_tensor_size_in_bytes=12),
    ),
    # 3 bytes are rounded up to 4, and a total need not be a multiple of 4.
    of_input(
        "total-size-minimum",
        data(3, data_type=U8, total_tensor_size_in_bytes=3),
        data(3, data_type=U8, total_tensor_size_in_bytes=5),
    ),
    of_input(
        "total-size-maximum",
        data(3, total_tensor_size_in_bytes=LIMIT * 4 + 1),
        data(3, total_tensor_size_in_bytes=LIMIT * 4),
    ),
    # Rounded up to 4, the implied total of so many bytes is past the limit.
    of_input("total-size-maximum", data(LIMIT - 2, data_type=U8), data(LIMIT - 3, data_type=U8)),
    of_input(
        "base-offset-alignment",
        data(3, guaranteed_base_offset_alignment=8),
        data(3, guaranteed_base_offset_alignment=16),
    ),
    of_input(
        "base-offset-alignment",
        data(3, guaranteed_base_offset_alignment=48),
        data(3, guaranteed_base_offset_alignment=64),
    ),
    of_input("flags", data(3, flags=TensorFlags(2)), data(3, flags=TensorFlags.OWNED_BY_DML)),
    of_output("flags-output", data(2, 3, flags=TensorFlags.OWNED_BY_DML), data(2, 3)),
    # Interleaved strides that meet nowhere; the usual test on sorted strides would refuse them.
    of_output("output-overlap", data(2, 3, strides=(2, 1)), data(2, 3, strides=(3, 2))),
    of_output("output-overlap", data(2, 3, strides=(0, 1)), data(2, 3, strides=(3, 1))),
    Case(
        "data-type",
        gather_elements(data(2, 3, data_type=I4), (2, 3), data(2, 3, data_type=I4), 1),
        gather_elements(data(2, 3, data_type=U8), (2, 3), data(2, 3, data_type=U8), 1),
    ),
    Case(
        "data-types-equal",
        gather_elements(data(2, 3), (2, 3), data(2, 3, data_type=DataType.INT32), 1),
        gather_elements(data(2, 3), (2, 3), data(2, 3), 1),
    ),
    Case(
        "data-types-equal",
        scatter_elements((2, 3), (2, 3), data(2, 3, data_type=DataType.FLOAT16), (2, 3), 1),
        scatter_elements((2, 3), (2, 3), (2, 3), (2, 3), 1),
    ),
    Case(
        "indices-data-type",
        gather_elements((2, 3), data(2, 3, data_type=DataType.INT16), (2, 3), 1),
        gather_elements((2, 3), data(2, 3, data_type=DataType.INT32), (2, 3), 1),
    ),
    Case(
        "indices-broadcast",
        scatter_nd((2, 3), index(4, 2, strides=(0, 1)), (4,), (2, 3), 2, 2),
        scatter_nd((2, 3), index(1, 2, strides=(0, 1)), (1,), (2, 3), 2, 2),
    ),
]

SHAPE_CASES = [
    Case(
        "dimension-counts-equal",
        gather((2, 3), (4,), (2, 4), 1, 1),
        gather((2, 3), (1, 4), (2, 4), 1, 1),
    ),
    Case("axis", gather((2, 3), (1, 4), (2, 4), 2, 1), gather((2, 3), (1, 4), (2, 4), 1, 1)),
    Case(
        "index-dimensions",
        gather((1, 3), (1, 4), (1, 4), 1, 3),
        gather((1, 3), (1, 4), (1, 4), 1, 2),
    ),
    Case(
        "indices-leading-ones",
        gather((2, 3), (5, 4), (2, 4), 1, 1),
        gather((2, 3), (1, 4), (2, 4), 1, 1),
    ),
    # The result {2, 3, 4} does not fit two dims unless the first is 1.
    Case(
        "cropped-sizes",
        gather((2, 5), (3, 4), (3, 4), 1, 2),
        gather((1, 5), (3, 4), (3, 4), 1, 2),
    ),
    # Cropping the result {1, 4, 1, 1, 1, 1, 1, 2, 3} takes a dim of the indices' own.
    Case(
        "cropped-index-dims",
        gather((*6 * (1,), 2, 3), (*7 * (1,), 4), (4, *5 * (1,), 2, 3), 0, 2),
        gather((*6 * (1,), 2, 3), (*7 * (1,), 4), (4, *5 * (1,), 2, 3), 0, 1),
    ),
    Case(
        "output-leading-ones",
        gather((5, 3), (1, 1), (4, 3), 0, 0),
        gather((5, 3), (1, 1), (1, 3), 0, 0),
    ),
    Case(
        "output-sizes",
        gather((5, 3), (1, 4), (5, 3), 1, 1),
        gather((5, 3), (1, 4), (5, 4), 1, 1),
    ),
    Case(
        "output-sizes",
        gather_elements((5, 3), (5, 7), (5, 3), 1),
        gather_elements((5, 3), (5, 7), (5, 7), 1),
    ),
    Case(
        "output-sizes",
        scatter_elements((5, 3), (5, 2), (5, 2), (5, 2), 1),
        scatter_elements((5, 3), (5, 2), (5, 2), (5, 3), 1),
    ),
    Case(
        "output-sizes",
        scatter_nd((5, 3), (4, 2), (4,), (5, 4), 2, 2),
        scatter_nd((5, 3), (4, 2), (4,), (5, 3), 2, 2),
    ),
    Case(
        "indices-sizes",
        gather_elements((5, 3), (4, 7), (4, 7), 1),
        gather_elements((5, 3), (5, 7), (5, 7), 1),
    ),
    Case(
        "indices-axis-size",
        scatter_elements((5, 3), (5, 4), (5, 4), (5, 3), 1),
        scatter_elements((5, 3), (5, 3), (5, 3), (5, 3), 1),
    ),
    Case(
        "updates-sizes",
        scatter_elements((5, 3), (5, 2), (5, 3), (5, 3), 1),
        scatter_elements((5, 3), (5, 2), (5, 2), (5, 3), 1),
    ),
    Case(
        "updates-sizes",
        scatter_nd((5, 3), (4, 1), (4, 2), (5, 3), 2, 2),
        scatter_nd((5, 3), (4, 1), (4, 3), (5, 3), 2, 2),
    ),
    Case(
        "updates-leading-ones",
        scatter_nd((5, 3), (4, 2), (2, 4), (5, 3), 2, 2),
        scatter_nd((5, 3), (4, 2), (1, 4), (5, 3), 2, 2),
    ),
    Case(
        "updates-dimension-count",
        scatter_nd((5, 3), (4, 1), (4,), (5, 3), 2, 2),
        scatter_nd((5, 3), (4, 1), (4, 3), (5, 3), 2, 2),
    ),
    Case(
        "input-dimension-count",
        gather_nd((5, 3), (4, 2), (1, 4), 3, 2),
        gather_nd((5, 3), (4, 2), (1, 4), 2, 2),
    ),
    Case(
        "indices-dimension-count",
        gather_nd((5, 3), (4, 2), (1, 4), 2, 0),
        gather_nd((5, 3), (4, 2), (1, 4), 2, 2),
    ),
    # The indices of SCATTER_ND have a rank of their own.
    Case(
        "indices-dimension-count",
        scatter_nd((5, 3), (7, 4, 2), (7, 4), (5, 3), 2, 4),
        scatter_nd((5, 3), (7, 4, 2), (7, 4), (5, 3), 2, 3),
    ),
    Case(
        "batch-dimension-count",
        gather_nd1((5, 3), (5, 2), (1, 5), 2, 2, 2),
        gather_nd1((5, 3), (5, 1), (1, 5), 2, 2, 1),
    ),
    Case(
        "batch-sizes",
        gather_nd1((5, 3), (4, 1), (1, 4), 2, 2, 1),
        gather_nd1((5, 3), (5, 1), (1, 5), 2, 2, 1),
    ),
    Case(
        "index-tuple-size",
        gather_nd((5, 3), (4, 3), (1, 4), 2, 2),
        gather_nd((5, 3), (4, 2), (1, 4), 2, 2),
    ),
    Case(
        "index-tuple-size",
        gather_nd1((5, 3), (5, 2), (1, 5), 2, 2, 1),
        gather_nd1((5, 3), (5, 1), (1, 5), 2, 2, 1),
    ),
    # DirectML aborts here.
    Case(
        "index-tuple-size",
        scatter_nd((5, 3), (4, 3), (4,), (5, 3), 2, 2),
        scatter_nd((5, 3), (4, 2), (4,), (5, 3), 2, 2),
    ),
    Case(
        "input-leading-ones",
        gather_nd((5, 3), (4, 1), (1, 4), 1, 2),
        gather_nd((1, 3), (4, 1), (1, 4), 1, 2),
    ),
    Case(
        "indices-leading-ones",
        gather_nd((5, 3), (4, 2), (1, 1), 2, 1),
        gather_nd((5, 3), (1, 2), (1, 1), 2, 1),
    ),
    # {3, 4, 2} indices of one number into {5, 6, 7} make {3, 4, 2, 6, 7}: too many for four dims.
    Case(
        "output-dimension-count",
        gather_nd((1, 5, 6, 7), (3, 4, 2, 1), (1, 3, 4, 2), 3, 4),
        gather_nd((1, 5, 6, 7), (3, 4, 2, 3), (1, 3, 4, 2), 3, 4),
    ),
]

CASES = TENSOR_CASES + SHAPE_CASES
