"""One operator, as it is: where the level takes the call's own shapes and dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlindex._core import DescriptorError
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.request import Request, bare_type, index_type
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, FeatureLevel


def direct_desc(r: Request, level: FeatureLevel) -> OperatorDesc | None:
    """The one descriptor that computes the call at the level, bits of a dtype as they are."""
    data_type = bare_type(r.input.dtype)
    if data_type is None and r.input.dtype.itemsize in (1, 2, 4, 8):
        data_type = DataType[f"UINT{8 * r.input.dtype.itemsize}"]
    if data_type is None or r.mode != "raise" or r.reduction != "none":
        return None
    tensors = [
        TensorDesc(type_, shape or (1,))
        for type_, shape in (
            (data_type, r.input.shape),
            (index_type(r.indices), r.indices.shape),
            *([(data_type, r.updates_shape)] if r.scatters else []),
        )
    ]
    try:
        desc = _inferred(r, tensors, 4 if level < FeatureLevel.FL_3_0 else None)
    except (DescriptorError, ValueError):
        return None
    return None if desc.violations(level) else desc


def _inferred(r: Request, tensors: list[TensorDesc], dims: int | None) -> OperatorDesc:
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


def direct(b: Builder, r: Request, desc: OperatorDesc) -> Value:
    """The descriptor's program."""
    tensors: dict[str, Any] = vars(desc)
    arrays = {"input": r.input, "indices": r.indices, "output": _output(r)}
    if r.scatters:
        arrays["updates"] = np.broadcast_to(np.empty((), r.input.dtype), r.updates_shape)
    values = {
        name: b.argument(
            name, "output" if name == "output" else "input", array, tensor.data_type, sizes
        )
        for name, array in arrays.items()
        for tensor in [tensors[f"{name}_tensor"]]
        for sizes in [tuple(tensor.sizes)]
    }
    names = ["input", "indices", *(["updates"] if r.scatters else [])]
    why = "the level takes the call as it is"
    return b.emit(desc, [values[name] for name in names], values["output"], why)


def _output(r: Request) -> Any:
    return np.broadcast_to(np.empty((), r.input.dtype), r.shape)


def scalar_shape(shape: Shape) -> Shape:
    return shape or (1,)
