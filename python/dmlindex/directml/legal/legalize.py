"""legalize: which recipe for which call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from typing import Any, Literal

from dmlindex._tracebacks import short_traceback
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.legal import fills, gathers, of_desc, parts, scatters, styles, tuples
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.direct import direct, direct_desc
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.program import Impossible, Program
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request, read_request
from dmlindex.directml.values import FeatureLevel

Style = Literal["webnn", "onnxruntime", "directmlx"]
_RECIPES: dict[str, Callable[[Builder, Request], Value]] = {
    "gather": gathers.gather,
    "gather_elements": gathers.gather_elements,
    "gather_nd": tuples.gather_nd,
    "scatter_elements": scatters.scatter_elements,
    "scatter_nd": scatters.scatter_nd,
}


@short_traceback
def legalize(
    function_or_desc: str | Callable[..., Any] | OperatorDesc,
    shapes_or_arrays: Sequence[Any] = (),
    *,
    feature_level: FeatureLevel = FeatureLevel.FL_6_4,
    axis: int = 0,
    batch_dims: int = 0,
    mode: str | None = None,
    reduction: str = "none",
    fill_value: Any = 0,
    unique_indices: bool = False,
    ordered: bool = True,
    limit: int = 2**24,
    max_rounds: int = 512,
    style: Style | None = None,
    opset: int = 17,
) -> Program | Impossible:
    """A program of what DirectML accepts at a feature level, or why there is none.

    Parameters
    ----------
    function_or_desc
        gather, gather_elements, gather_nd, scatter_elements or scatter_nd, or its name; or an
        operator desc, which brings its own shapes, dtypes and axis.
    shapes_or_arrays
        of a function input, indices and, for a scatter, updates: each an array, or its (shape,
        dtype). Where updates meet, the program for an array of indices is for these alone.
    feature_level
        what the descriptors are held to.
    axis, batch_dims, mode, reduction, fill_value, unique_indices, ordered
        as the function takes them. mode None is "raise", which run checks on the host; but
        "directml" for a desc that the level takes as it is.
    limit
        the most elements that a temporary may have where targets are compared.
    max_rounds
        the most rounds that a scatter may be split into.
    style
        None for the recipes of docs/legalize.md, whose answer is the function's; "webnn",
        "onnxruntime" or "directmlx" for the one operator that Chromium, ONNX Runtime's DirectML
        provider or DirectMLX makes of the call, right or not.
    opset
        of the ONNX node, for "onnxruntime".
    """
    if not isinstance(feature_level, FeatureLevel):
        raise TypeError(
            f"legalize: feature_level is a {type(feature_level).__name__}, expected a FeatureLevel"
        )
    options = {
        "axis": axis,
        "batch_dims": batch_dims,
        "mode": mode or "raise",
        "reduction": reduction,
        "fill_value": fill_value,
        "unique_indices": unique_indices,
        "ordered": ordered,
        "max_rounds": max_rounds,
    }
    b = Builder(feature_level, limit)
    if isinstance(function_or_desc, OperatorDesc):
        return _desc_program(b, function_or_desc, options, mode)
    r = read_request(function_or_desc, shapes_or_arrays, options)
    try:
        result = _result(b, r) if style is None else _styled(b, r, style, opset)
    except NoProgram as why:
        return Impossible(r.function, feature_level, ((why.reason, why.sentence),))
    return _program(b, r, result)


def _program(b: Builder, r: Request, result: Value | None) -> Program:
    return Program(
        function=r.function,
        options=r.options,
        feature_level=b.level,
        buffers=b.buffers,
        steps=tuple(b.steps),
        result=result,
        arguments=r.arguments,
        limits=r.limits,
        first_axis=r.position,
        shape=r.shape,
        dtype=r.input.dtype,
        promise=b.promise,
        notes=tuple(b.notes),
        fixed_indices=b.fixed_indices,
    )


def _desc_program(
    b: Builder, desc: OperatorDesc, options: dict[str, Any], mode: str | None
) -> Program | Impossible:
    try:
        r = of_desc.request_of(desc, options)
        tensors = of_desc.tensors_of(desc)
        builder = of_desc.DescBuilder(b, tensors)
        plain = mode is None and options["reduction"] == "none" and not desc.violations(b.level)
        if plain:
            result: Value | None = of_desc.as_it_is(builder, desc)
        else:
            result = _result(builder, r)
            result = None if result is None else builder.finish(result)
    except NoProgram as why:
        return Impossible(desc.operator, b.level, ((why.reason, why.sentence),))
    shapes = {name: of_desc.buffer_shape(tensor) for name, tensor in tensors.items()}
    dtypes = {name: tensor.data_type.dtype for name, tensor in tensors.items()}
    shape = shapes.pop("output")
    return replace(
        _program(builder, r, result),
        function=desc.operator,
        options=r.options | ({"mode": "directml"} if plain else {}),
        arguments={name: (sizes, dtypes[name]) for name, sizes in shapes.items()},
        tensors=tensors,
        shape=shape,
    )


def _styled(b: Builder, r: Request, style: str, opset: int) -> Value | None:
    expected = ", ".join(styles.STYLES)
    if style not in styles.STYLES:
        raise ValueError(f"legalize: style is {style!r}, expected None or one of {expected}")
    return None if prod(r.shape) == 0 else styles.styled(b, r, style, opset)


def _result(b: Builder, r: Request) -> Value | None:
    size = prod(r.shape) * r.input.dtype.itemsize
    out_of_place = 0 in r.limits and r.indices.size > 0
    if size == 0 or (out_of_place and r.mode in ("raise", "clamp", "wrap")):
        return None  # nothing to compute, or an IndexError
    if out_of_place:
        return fills.all_filled(b, r)
    if parts.is_too_large(b, r) and not isinstance(b, of_desc.DescBuilder):
        return parts.in_parts(b, r, _whole_result)
    return _whole_result(b, r)


def _whole_result(b: Builder, r: Request) -> Value:
    if not r.scatters or scatters.has_unique_targets(r):
        desc = direct_desc(r, b.level)
        if desc is not None:
            return direct(b, r, desc, "the level takes the call as it is")
    if r.scatters and 0 in r.updates_shape:
        return scatters.copied_input(b, r)
    return _RECIPES[r.function](b, r)
