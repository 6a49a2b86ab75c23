"""What ONNX Runtime's DirectML provider will make of a whole model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import onnx.helper

from dmlindex.onnx import cpu_provider, index_values, lowering, models
from dmlindex.onnx.lowering import Lowering
from dmlindex.onnx.nodes import FUNCTIONS, INPUTS, Node, input_count, read_node
from dmlindex.onnx.report import Finding, Report
from dmlindex.onnx.scopes import Found, Value, find_nodes, typed


@dataclass(frozen=True)
class Session:
    """How the session is made: `lower_node`'s arguments of these names."""

    device_doubles: bool = False
    fused: bool = True
    dynamic_shapes: bool = False
    constant_folding: bool = True


def check_model(
    model: str | os.PathLike[str] | onnx.ModelProto,
    *,
    inputs: Mapping[str, Sequence[int]] | None = None,
    device_doubles: bool = False,
    fused: bool = True,
    dynamic_shapes: bool = False,
    constant_folding: bool = True,
) -> Report:
    """What ONNX Runtime 1.24's DirectML provider makes of every Gather and Scatter of a model.

    Looks into subgraphs and the model's own functions, and infers shapes as ONNX does. External
    data is not needed.

    Parameters
    ----------
    model
        a file, or a model of ONNX's, which is left as it is.
    inputs
        shapes for inputs that have open dims, by name.
    device_doubles, fused, dynamic_shapes, constant_folding
        as in `lower_node`; a session folds constants unless told not to.

    Raises
    ------
    ValueError
        For a file that holds no model, and shapes that are not the model's.
    OSError
        For a file that cannot be read.

    Examples
    --------
    >>> import onnx.parser
    >>> model = onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 18]>
    ...     embed (float[9, 64] table, int64[N, 16] words) => (y) { y = Gather(table, words) }''')
    >>> [finding.verdict for finding in check_model(model).findings]
    ['unknown']
    >>> check_model(model, inputs={"words": (2, 16)}).findings[0].lowering.descs[0].output_tensor
    TensorDesc(DataType.FLOAT32, (2, 16, 64))
    """
    notes: list[str] = []
    if isinstance(model, onnx.ModelProto):
        copied = onnx.ModelProto()
        copied.CopyFrom(model)
        model = copied
    else:
        model = models.read_model(Path(model), notes)
    models.drop_weights(model)
    models.fix_inputs(model, {name: tuple(shape) for name, shape in (inputs or {}).items()})
    model = models.with_shapes(models.inlined(model), notes)
    session = Session(device_doubles, fused, dynamic_shapes, constant_folding)
    findings = tuple(_finding(found, session) for found in find_nodes(model))
    if any(finding.verdict == "unknown" for finding in findings):
        notes += _open_inputs(model)
    return Report(findings, tuple(notes))


def _open_inputs(model: onnx.ModelProto) -> list[str]:
    constants = {tensor.name for tensor in model.graph.initializer}
    open_inputs = [
        f"{info.name}{_sizes(value)}"
        for info in model.graph.input
        if info.name not in constants
        and (value := typed(info.type)).sizes is not None
        and value.shape is None
    ]
    return [f"inputs with open dims: {', '.join(open_inputs)}"] if open_inputs else []


def _sizes(value: Value) -> str:
    return f"[{', '.join(map(str, value.sizes))}]" if value.sizes is not None else "[?]"


def _finding(found: Found, session: Session) -> Finding:
    inputs = tuple(f"{value.dtype or '?'}{_sizes(value)}" for value in found.inputs)
    finding = partial(Finding, found.name, found.place, found.proto.op_type, found.opset, inputs)
    try:
        return _judged(found, session, finding)
    except (TypeError, ValueError) as error:
        return finding("refused", lowering.INVALID + models.first_line(error))


def _judged(found: Found, session: Session, finding: Callable[..., Finding]) -> Finding:
    op_type = found.proto.op_type
    given, expected = len(found.proto.input), input_count(op_type)
    if given != expected:
        return finding("refused", f"{lowering.INVALID}{given} inputs, expected {expected}")
    attributes = {}
    for attribute in found.proto.attribute:
        if attribute.ref_attr_name:
            return finding("unknown", f"{attribute.name} is an attribute of the function's callers")
        attributes[attribute.name] = onnx.helper.get_attribute_value(attribute)
    dtypes = [value.dtype for value in found.inputs if value.dtype]
    if len(dtypes) < expected:
        return finding("unknown", "its inputs' types are not known")
    if found.computes_a_shape and op_type == "Gather":
        return finding("cpu", "it computes a shape, and ONNX Runtime does that on the CPU")
    shapes = [value.shape for value in found.inputs if value.shape is not None]
    if len(shapes) < expected:
        return _without_shapes(found, attributes, dtypes, session, finding)
    lowered = lowering.lower_node(
        op_type,
        attributes,
        shapes,
        dtypes,
        opset=found.opset,
        constants=[i for i, value in enumerate(found.inputs) if value.constant],
        **vars(session),
    )
    node = read_node(op_type, attributes, shapes, dtypes, found.opset)
    if lowered.placed == "error" or lowered.error_at:
        why = f"error at {lowered.error_at}: {lowered.reason}"
        return finding("refused", why, _advice(node, lowered), lowered)
    if lowered.placed == "CPU":
        return finding("cpu", lowered.reason, lowering=lowered)
    if lowered.differs:
        return finding("differs", lowered.differs, lowering=lowered)
    undefined = index_values.undefined(node, found.inputs[1].array()) if lowered.descs else ""
    refused = cpu_provider.refused_shapes(node)
    reasons = (lowered.reason, undefined, refused and f"the CPU provider refuses it: {refused}")
    verdict = "undefined" if undefined else "accepted"
    return finding(verdict, "; ".join(filter(None, reasons)), lowering=lowered)


def _without_shapes(
    found: Found,
    attributes: dict[str, Any],
    dtypes: list[str],
    session: Session,
    finding: Callable[..., Finding],
) -> Finding:
    """What is decided all the same: the place, and by the number of dims."""
    lowered = lowering.lower_any_sizes(
        found.proto.op_type,
        attributes,
        [value.sizes for value in found.inputs],
        dtypes,
        opset=found.opset,
        device_doubles=session.device_doubles,
    )
    if lowered is None:
        names = zip(INPUTS, found.inputs, strict=False)
        unknown = [f"{name}{_sizes(value)}" for name, value in names if value.shape is None]
        return finding("unknown", f"shapes are dynamic: {', '.join(unknown)}")
    if lowered.error_at:
        return finding("refused", f"error at {lowered.error_at}: {lowered.reason}")
    return finding("cpu", lowered.reason)


def _advice(node: Node, lowered: Lowering) -> str:
    if lowered.reason.startswith(lowering.INVALID) or lowered.placed == "CPU":
        return ""
    if cpu_provider.missing_kernel(node) or cpu_provider.refused_shapes(node):
        return "the CPU provider refuses it, too"
    if node.scatters:
        runs = "the CPU provider runs it, as it does all scatters of models from opset 18 on"
    else:
        runs = "the CPU provider runs it, but ONNX Runtime does not fall back to that by itself"
    return f"{runs}; {_offer(node)}"


def _offer(node: Node) -> str:
    """What `legalize` makes of the call for DirectML."""
    from dmlindex.directml.legal import Impossible, legalize

    options: dict[str, Any] = {"axis": node.normalized_axis} if node.has_axis else {}
    if node.op_type == "GatherND":
        options = {"batch_dims": node.batch_dims}
    if node.scatters:
        options["unique_indices"] = True
    arrays = list(zip(node.shapes, node.dtypes, strict=True))
    try:
        program = legalize(FUNCTIONS[node.op_type], arrays, **options)
    except ValueError as error:  # sizes that no tensor can have
        return f"legalize offers nothing: {models.first_line(error)}"
    if isinstance(program, Impossible):
        reasons = "; ".join(why for _, why in program.reasons)
        return f"legalize offers nothing: {reasons}"
    operators = ", ".join(operator.desc.operator for operator in program.operators)
    unique = " for targets without duplicates" if node.scatters else ""
    return f"dmlindex.directml.legalize offers{unique}: {operators or 'views alone'}"
