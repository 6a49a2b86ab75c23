"""The lowerings of others: what ONNX Runtime, Chromium and DirectMLX make of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dmlindex._core import DescriptorError
from dmlindex._explain.elsewhere import ONNX_NODES
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.direct import bits_type, call_tensors, direct, inferred
from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.layout import Shape, Value, packed_strides
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request, index_type
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, FeatureLevel

STYLES = ("webnn", "onnxruntime", "directmlx")
_WEBNN_DESCS: dict[str, tuple[Callable[..., OperatorDesc], tuple[str, ...]]] = {
    "gather": (GatherOperatorDesc, ("axis", "q")),
    "gather_elements": (GatherElementsOperatorDesc, ("axis",)),
    "gather_nd": (GatherNDOperatorDesc, ("r", "q")),
    "scatter_elements": (ScatterElementsOperatorDesc, ("axis",)),
    "scatter_nd": (ScatterNDOperatorDesc, ("r", "q")),
}
_WEBNN_TYPES = ("FLOAT32", "FLOAT16", "INT32", "UINT32", "INT8", "UINT8")
_WEBNN_LONGS = ("INT64", "UINT64")


def styled(b: Builder, r: Request, style: str, opset: int) -> Value:
    """The program of a style: its one operator, as its source builds the descriptor."""
    if r.mode != "raise":
        raise NoProgram("style", f"{style} has no mode {r.mode!r}: it leaves indices as they are")
    if style == "onnxruntime":
        return _onnxruntime(b, r, opset)
    if r.reduction != "none":
        raise NoProgram("style", f"{style} has no reductions on DirectML")
    desc = _webnn(b, r) if style == "webnn" else _directmlx(b, r)
    return _one_operator(b, r, desc, style)


def _one_operator(b: Builder, r: Request, desc: OperatorDesc, style: str) -> Value:
    if broken := desc.violations(b.level):
        raise NoProgram("style", f"{style}'s descriptor is refused: {broken[0]}")
    if r.scatters and not r.unique:
        b.notes.append("of updates that meet, which one wins is not promised")
    return direct(b, r, desc, f"as {style} lowers it")


def _onnxruntime(b: Builder, r: Request, opset: int) -> Value:
    from dmlindex.onnx import lower_node

    attributes: dict[str, Any] = {}
    if r.position:  # the default is not an attribute of every opset
        attributes = {"batch_dims" if r.function == "gather_nd" else "axis": r.position}
    if r.reduction != "none":
        attributes["reduction"] = r.reduction
    shapes = [shape for shape, _ in r.arguments.values()]
    dtypes = [dtype.newbyteorder("=").name for _, dtype in r.arguments.values()]
    lowering = lower_node(ONNX_NODES[r.function], attributes, shapes, dtypes, opset=opset)
    if lowering.placed != "DML":
        where = "refuses the node" if lowering.placed == "error" else "runs it on the CPU"
        raise NoProgram("style", f"ONNX Runtime {where}: {lowering.reason}")
    if not lowering.descs:
        raise NoProgram("style", f"ONNX Runtime leaves the output unwritten: {lowering.reason}")
    desc = lowering.descs[0]
    if isinstance(desc, OperatorDesc):
        return _one_operator(b, r, desc, "onnxruntime")
    identity = HelperDesc(desc.operator, (desc.input_tensor,), desc.output_tensor)
    sizes = desc.input_tensor.sizes
    source = b.argument("input", "input", r.input, desc.input_tensor.data_type, sizes)
    output = b.argument("output", "output", r.result, desc.output_tensor.data_type, sizes)
    return b.emit(identity, [source], output, "no updates: as onnxruntime lowers it")


def _directmlx(b: Builder, r: Request) -> OperatorDesc:
    """dml::Gather and its like: the output inferred; GatherND always by GATHER_ND1."""
    dims = b.least_dims if b.least_dims > 1 else None
    try:
        x, i, *_ = tensors = call_tensors(r, bits_type(r))
        if r.function == "gather_nd":
            batch = r.position
            return GatherND1OperatorDesc.infer(
                x, i, batch_dimension_count=batch, dimension_count=dims
            )
        return inferred(r, tensors, dims)
    except (DescriptorError, ValueError) as error:
        raise NoProgram("style", f"DirectMLX's asserts refuse it: {error}") from None


def _webnn(b: Builder, r: Request) -> OperatorDesc:
    """Chromium's: strides always given, ranks raised by 1s of stride 0, scalars of one dim."""
    if b.level < FeatureLevel.FL_4_0:
        raise NoProgram("style", f"WebNN needs FL_4_0, found {b.level.name}")
    data_type = bits_type(r)
    known = _WEBNN_TYPES + (_WEBNN_LONGS if b.level >= FeatureLevel.FL_4_1 else ())
    if data_type.dtype != r.input.dtype or data_type.name not in known:
        raise NoProgram("style", f"WebNN at {b.level.name} has no {r.input.dtype}")
    if r.position and r.function == "gather_nd":
        raise NoProgram("style", "WebNN's gatherND has no batch_dims")
    x, i = r.input.shape, r.indices.shape or (1,)
    updates = r.updates_shape or (1,)
    output = r.shape or (1,)
    if r.function == "gather" and not r.indices.shape:
        output = (*x[: r.position], 1, *x[r.position + 1 :])
    shapes = [x, i, *([updates] if r.scatters else []), output]
    ranked = [x, output] if r.function == "gather" else shapes
    n = max(max(map(len, ranked)), len(i))
    if n > b.most_dims or any(0 in shape for shape in shapes):
        raise NoProgram("style", f"WebNN takes ranks up to {b.most_dims}, and no empty tensors")
    types = [data_type, index_type(r.indices), *([data_type] if r.scatters else []), data_type]
    tensors = [_raised(type_, shape, n) for type_, shape in zip(types, shapes, strict=True)]
    desc_type, counts = _WEBNN_DESCS[r.function]
    given = {"axis": r.position + n - len(x), "r": len(x), "q": len(i)}
    return desc_type(*tensors, *(given[name] for name in counts))


def _raised(data_type: DataType, shape: Shape, n: int) -> TensorDesc:
    lead = n - len(shape)
    return TensorDesc(data_type, (1,) * lead + shape, (0,) * lead + packed_strides(shape))
