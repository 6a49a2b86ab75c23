"""What ONNX Runtime 1.24's DirectML provider makes of a node: where it runs, and by which descs.

All of this was seen by running the provider (tests/data/README.md), none is promised by anybody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy.typing as npt

from dmlindex import _core
from dmlindex.onnx import cpu_provider, provider_descs, schemas
from dmlindex.onnx.nodes import Node, read_node, read_positions
from dmlindex.onnx.provider_descs import Desc

Placed = Literal["DML", "CPU", "error"]
ErrorAt = Literal["", "session creation", "run"]

PROFILE = "onnxruntime-1.24"
"""Whose provider this is."""

_LAST_SCATTER_OPSET = 17
_MOST_DIMS = 8
_UNWRITTEN = "the output is left unwritten and holds whatever was there"
INVALID = "not a valid model: "
_E_INVALIDARG = "DirectML refuses the descriptor (E_INVALIDARG)"


@dataclass(frozen=True)
class Lowering:
    """What becomes of one node.

    Attributes
    ----------
    placed
        "DML", "CPU", or "error" where neither provider runs the node.
    reason
        why it is not on DirectML, why it is refused, or why nothing runs; else empty.
    descs
        the descriptors that the provider creates, in order, each once; empty where no operator
        runs. With constant inputs a fused graph makes a second one of them, whose constants are
        OWNED_BY_DML. The last may be the one that DirectML refuses.
    error_at
        when the error comes: "session creation", "run" or, without an error, empty.
    differs
        what the CPU provider does and DirectML does not; empty where they agree on indices in range
        without duplicates.
    """

    placed: Placed
    reason: str = ""
    descs: tuple[Desc, ...] = ()
    error_at: ErrorAt = ""
    differs: str = ""


def lower_node(
    op_type: str,
    attributes: Mapping[str, Any],
    input_shapes: Sequence[Sequence[int]],
    dtypes: Sequence[npt.DTypeLike],
    *,
    opset: int,
    constants: Iterable[int] = (),
    device_doubles: bool = False,
    fused: bool = True,
    dynamic_shapes: bool = False,
    constant_folding: bool = False,
) -> Lowering:
    """What ONNX Runtime 1.24's DirectML provider makes of a node.

    Parameters
    ----------
    op_type : Gather, GatherElements, GatherND, Scatter, ScatterElements or ScatterND.
    attributes : the node's; what is left out has ONNX's default.
    input_shapes : of data, indices and, in a scatter, updates.
    dtypes : of the same; NumPy's, or ONNX's names ("bfloat16", "string").
    opset : the model's, of the default domain.
    constants : positions of initializers: 0 is data, 1 indices, 2 updates.
    device_doubles
        whether the GPU has double-precision shader operations; without them float64 runs on the
        CPU.
    fused : whether the provider fuses the graph (`ep.dml.disable_graph_fusion` is off).
    dynamic_shapes : whether the model leaves sizes open, so that all this happens at run.
    constant_folding
        whether the session computes what depends on constants only beforehand, as it does by
        default.

    Raises
    ------
    TypeError
        For a wrong type.
    ValueError
        For an operator, an attribute, a number of inputs or an opset that no node has. What a node
        can say and ONNX Runtime refuses is placed "error".

    Examples
    --------
    >>> f32_i64 = ["float32", "int64"]
    >>> lower_node("Gather", {}, [(5, 7), (2,)], f32_i64, opset=13)
    ... # doctest: +NORMALIZE_WHITESPACE
    Lowering(placed='DML', reason='',
             descs=(GatherOperatorDesc(input_tensor=TensorDesc(DataType.FLOAT32, (5, 7)),
                                       indices_tensor=TensorDesc(DataType.INT64, (1, 2)),
                                       output_tensor=TensorDesc(DataType.FLOAT32, (2, 7)),
                                       axis=0, index_dimensions=1),),
             error_at='', differs='')
    >>> shapes, types = [(5, 7), (2, 1), (2, 7)], ["float32", "int64", "float32"]
    >>> lower_node("ScatterND", {}, shapes, types, opset=18).reason
    'the DirectML provider has no ScatterND from opset 18 on'
    >>> lower_node("GatherElements", {}, [(5, 7), (5, 6)], f32_i64, opset=13).placed
    'error'
    """
    node = read_node(op_type, attributes, input_shapes, dtypes, opset)
    positions = read_positions(op_type, constants)
    all_constant = len(positions) == len(node.shapes)
    static = not dynamic_shapes or all_constant
    if why := schemas.broken_schema(node):
        return _invalid(why)
    if static and (why := schemas.broken_shapes(node)):
        return _invalid(why)
    if why := _left_to_cpu(node, device_doubles, all_constant and constant_folding):
        return _on_cpu(node, why)
    error_at: ErrorAt = "session creation" if static else "run"
    if why := _refused_by_provider(node, static):
        return Lowering("error", why, error_at=error_at)
    if provider_descs.has_no_elements(node):
        return _without_elements(node)
    try:
        desc = provider_descs.desc(node)
    except ValueError as error:
        return Lowering("error", f"DirectML's fields cannot hold this: {error}", error_at=error_at)
    if broken := desc.violations():
        reasons = "; ".join(map(str, broken))
        return Lowering("error", f"{_E_INVALIDARG}: {reasons}", (desc,), error_at)
    if positions and fused and static:
        owned = provider_descs.owned_by_directml(desc, positions)
        return Lowering("DML", descs=(desc, owned))
    return Lowering("DML", descs=(desc,))


def lower_any_sizes(
    op_type: str,
    attributes: Mapping[str, Any],
    input_sizes: Sequence[Sequence[int | str] | None],
    dtypes: Sequence[npt.DTypeLike],
    *,
    opset: int,
    device_doubles: bool = False,
) -> Lowering | None:
    """What is decided of a node whatever the sizes that its model leaves open; else None.

    As `lower_node`, but a size may be a name, and None stands for unknown dims.

    >>> lower_any_sizes("Gather", {}, [("N", 4), ("M",)], ["float64", "int64"], opset=13).placed
    'CPU'
    >>> lower_any_sizes("Gather", {}, [("N", 4), ("M",)], ["float32", "int64"], opset=13)
    """
    count = len(input_sizes)
    node = read_node(op_type, attributes, [()] * count, dtypes, opset)
    if why := schemas.broken_schema(node):
        return _invalid(why)
    if why := _left_to_cpu(node, device_doubles, folded=False):
        missing = cpu_provider.missing_kernel(node)
        return Lowering(
            "CPU", f"{why}; {missing}" if missing else why, (), "run" if missing else ""
        )
    if any(sizes is None for sizes in input_sizes):
        return None
    if op_type == "GatherND" and not isinstance([*(input_sizes[1] or ()), ""][-2:][0], int):
        return None  # how many dims the result has, that size says
    shapes = [[1 if isinstance(n, str) else n for n in sizes or ()] for sizes in input_sizes]
    if why := _refused_by_rank(read_node(op_type, attributes, shapes, dtypes, opset)):
        return Lowering("error", why, error_at="run")
    return None


def from_onnx_node(
    op_type: str,
    attributes: Mapping[str, Any],
    input_shapes: Sequence[Sequence[int]],
    dtypes: Sequence[npt.DTypeLike],
    *,
    opset: int | None = None,
    device_doubles: bool = False,
) -> Desc:
    """The one descriptor that ONNX Runtime's DirectML provider creates for a node.

    As `lower_node`, whose arguments these are. Without an `opset` it is the last one at which the
    provider has the operator: 10 for Scatter, 17 for ScatterElements and ScatterND, else 25.
    Where the node is refused, runs on the CPU or needs no operator, a DescriptorError says why.

    >>> from_onnx_node("Gather", {"axis": -1}, [(3, 4), (2,)], ["float32", "int64"])
    ... # doctest: +NORMALIZE_WHITESPACE
    GatherOperatorDesc(input_tensor=TensorDesc(DataType.FLOAT32, (3, 4)),
                       indices_tensor=TensorDesc(DataType.INT64, (1, 2)),
                       output_tensor=TensorDesc(DataType.FLOAT32, (3, 2)),
                       axis=1, index_dimensions=1)
    """
    if opset is None and op_type in provider_descs.OPERATORS:
        last = schemas.opsets(op_type)[1]
        opset = min(last, _LAST_SCATTER_OPSET) if op_type.startswith("Scatter") else last
    lowering = lower_node(
        op_type,
        attributes,
        input_shapes,
        dtypes,
        opset=1 if opset is None else opset,
        device_doubles=device_doubles,
    )
    if lowering.placed == "DML" and lowering.descs:
        return lowering.descs[0]
    where = "runs on the CPU: " if lowering.placed == "CPU" else ""
    error = _core.DescriptorError(f"{op_type}: {where}{lowering.reason}")
    if lowering.descs:
        error.violations = tuple(lowering.descs[0].violations())
    raise error


def _invalid(why: str) -> Lowering:
    return Lowering("error", INVALID + why, error_at="session creation")


def _left_to_cpu(node: Node, device_doubles: bool, folded: bool) -> str:
    if folded:
        return "all inputs are constants, so that the session computes it once, beforehand"
    if node.scatters and node.opset > _LAST_SCATTER_OPSET:
        return f"the DirectML provider has no {node.op_type} from opset 18 on"
    if node.reduction != "none":
        return f"DirectML's scatters have no reduction, and this has {node.reduction!r}"
    dtype = node.dtypes[0]
    if dtype == "float64" and not device_doubles:
        return "float64 needs a device with double-precision shader operations"
    if dtype not in provider_descs.DATA_TYPES:
        return f"DirectML has no {dtype}"
    return ""


def _on_cpu(node: Node, why: str) -> Lowering:
    if missing := cpu_provider.missing_kernel(node):
        return Lowering("CPU", f"{why}; {missing}", error_at="run")
    if refused := cpu_provider.refused_shapes(node):
        return Lowering("error", f"{why}; the CPU provider refuses: {refused}", error_at="run")
    return Lowering("CPU", why)


def _refused_by_provider(node: Node, static: bool) -> str:
    """What fails in the provider's own code, before DirectML is asked."""
    if why := _refused_by_rank(node):
        return why
    batch = node.batch_dims
    if static and node.data[:batch] != node.indices[:batch]:
        return (
            f"batch sizes {node.data[:batch]} of data and {node.indices[:batch]} of indices differ"
        )
    if node.scatters and node.is_elements and node.shapes[2] != node.indices:
        return f"updates has shape {node.shapes[2]}, expected that of indices, {node.indices}"
    return ""


def _refused_by_rank(node: Node) -> str:
    """What fails for the number of dims, whatever the sizes."""
    if node.has_axis and (why := schemas.out_of_range_axis(node)):
        return why
    if why := schemas.broken_shapes(node):  # found here only where shapes are dynamic
        return why
    if node.op_type == "ScatterND" and not node.indices:
        return "indices has no dim, expected at least one"
    if node.op_type == "GatherND":
        most = min(len(node.data), len(node.indices)) - 1
        if not 0 <= node.batch_dims <= most:
            return f"batch_dims is {node.batch_dims}, expected 0 to {most}"
        if not node.output:
            return (
                "the result has no dims, which the provider does not take for GatherND; give "
                "indices a leading dim of size 1"
            )
    if (dims := provider_descs.dimension_count(node)) > _MOST_DIMS:
        return f"{dims} dims, of which DirectML takes at most {_MOST_DIMS}"
    return ""


def _without_elements(node: Node) -> Lowering:
    """No operator of DirectML takes a size of 0."""
    data, indices, output = node.data, node.indices, node.output
    if node.scatters and node.is_elements and 0 not in data:
        desc = provider_descs.identity(node)
        return Lowering("DML", "without updates the provider copies data", (desc,))
    nothing_runs = "a tensor has no elements, so that no operator runs"
    if 0 in output:
        return Lowering("DML", nothing_runs)
    if 0 in indices or 0 in node.shapes[-1]:
        made = "updates" if node.scatters and 0 not in node.shapes[2] else "data"
        return Lowering("DML", nothing_runs, differs=f"{_UNWRITTEN}; the CPU fills it from {made}")
    return Lowering("DML", nothing_runs, differs=f"{_UNWRITTEN}; all indices are out of range")
