"""One operator, as it is: where the level takes the call's own shapes and dtypes."""

from __future__ import annotations

from typing import Any

from dmlindex._core import DescriptorError
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.request import Request, bare_type, index_type
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, FeatureLevel


def bits_type(r: Request) -> DataType:
    """The data type of input's elements; where DirectML has none, the unsigned one of their size.

    ValueError where there is none of their size.
    """
    found = bare_type(r.input.dtype)
    if found is not None:
        return found
    size = r.input.dtype.itemsize
    if size not in (1, 2, 4, 8):
        raise ValueError(f"no data type has the {size} bytes of {r.input.dtype}")
    return DataType[f"UINT{8 * size}"]


def call_tensors(r: Request, data_type: DataType) -> list[TensorDesc]:
    """The arguments' descs, in the call's own shapes; DirectML has none without dims."""
    types = [data_type, index_type(r.indices), data_type]
    shapes = [shape for shape, _ in r.arguments.values()]
    return [TensorDesc(type_, shape or (1,)) for type_, shape in zip(types, shapes, strict=False)]


def direct_desc(r: Request, level: FeatureLevel) -> OperatorDesc | None:
    """The one descriptor that computes the call at the level, bits of a dtype as they are."""
    if r.mode != "raise" or r.reduction != "none":
        return None
    try:
        tensors = call_tensors(r, bits_type(r))
        desc = inferred(r, tensors, 4 if level < FeatureLevel.FL_3_0 else None)
    except (DescriptorError, ValueError):
        return None
    return None if desc.violations(level) else desc


def inferred(r: Request, tensors: list[TensorDesc], dims: int | None) -> OperatorDesc:
    """The desc with the smallest number of dims, or with that many."""
    x, i = tensors[:2]
    count: dict[str, Any] = {"dimension_count": dims}
    if r.function == "gather":
        return GatherOperatorDesc.infer(x, i, r.position, r.indices.ndim, **count)
    if r.function == "gather_elements":
        return GatherElementsOperatorDesc.infer(x, i, r.position, **count)
    if r.function == "gather_nd":
        if r.position == 0:
            return GatherNDOperatorDesc.infer(x, i, **count)
        return GatherND1OperatorDesc.infer(x, i, batch_dimension_count=r.position, **count)
    if r.function == "scatter_elements":
        return ScatterElementsOperatorDesc.infer(x, i, tensors[2], r.position, **count)
    return ScatterNDOperatorDesc.infer(x, i, tensors[2], **count)


def direct(b: Builder, r: Request, desc: OperatorDesc, why: str) -> Value:
    """The program of the descriptor alone, with tensors of the call's elements."""
    names = ["input", "indices", *(["updates"] if r.scatters else []), "output"]
    bound = []
    for name in names:
        tensor: TensorDesc = getattr(desc, f"{name}_tensor")
        array = r.result if name == "output" else r.bare(name)
        kind = "output" if name == "output" else "input"
        bound.append(b.argument(name, kind, array, tensor.data_type, tensor.sizes))
    return b.emit(desc, bound[:-1], bound[-1], why)
