"""Of a descriptor: its broken rules, or shapes, feature level and plan, as data and in words."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from dmlindex import _core
from dmlindex._device import Device
from dmlindex._types import CompiledMode
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import Violation


def desc_report(desc: OperatorDesc, mode: CompiledMode | None = None) -> dict[str, Any]:
    """All there is to say about the desc, as plain data for JSON.

    The keys: operator, valid, tensors (sizes, strides and so on by role), violations; and for a
    valid one feature_level (the lowest that has all it uses), mode and plan
    (strides and offsets in bytes).

    >>> from dmlindex import DataType, GatherNDOperatorDesc
    >>> x = TensorDesc(DataType.INT8, (2, 3))
    >>> i = TensorDesc(DataType.INT64, (1, 1))
    >>> desc_report(GatherNDOperatorDesc(x, i, x, 2, 2))["violations"][0]["rule"]
    'output-sizes'
    """
    violations = desc.violations()
    report: dict[str, Any] = {
        "operator": desc.operator,
        "valid": not violations,
        "tensors": _tensors(desc),
        "violations": [asdict(violation) for violation in violations],
    }
    if not violations:
        compiled = Device().compile(desc, mode=mode)
        level = _core.needed_feature_level(desc)
        report["feature_level"] = f"{level >> 12}_{level >> 8 & 15}"
        report["mode"] = compiled.mode
        report["plan"] = compiled.plan
    return report


def in_words(report: dict[str, Any]) -> str:
    """What `desc_report` found, for people."""
    return "\n".join(
        [*shapes_in_words(report), *(plan_in_words(report) if report["valid"] else [])]
    )


def shapes_in_words(report: dict[str, Any]) -> list[str]:
    """Level, types and shapes of a valid desc; of any other the broken rules."""
    if not report["valid"]:
        count = len(report["violations"])
        lines = [f"{report['operator']}: not valid, {count} broken rule{'s' * (count > 1)}"]
        return lines + [f"  {Violation(**fields)}" for fields in report["violations"]]
    lines = [f"{report['operator']}: valid, from feature level {report['feature_level']} on"]
    for role, tensor in report["tensors"].items():
        lines.append(f"  {role:8} {_tensor_in_words(tensor)}")
    return lines


def _tensors(desc: OperatorDesc) -> dict[str, Any]:
    tensors: dict[str, Any] = {}
    for field in fields(desc):  # type: ignore[arg-type]
        value = getattr(desc, field.name)
        if isinstance(value, TensorDesc):
            tensors[field.name.removesuffix("_tensor")] = {
                "data_type": value.data_type.name,
                "sizes": value.sizes,
                "strides": value.strides,
                "total_tensor_size_in_bytes": value.total_tensor_size_in_bytes,
            }
    return tensors


def _tensor_in_words(tensor: dict[str, Any]) -> str:
    words = f"{tensor['data_type']:8} {_braces(tensor['sizes'])}"
    if tensor["strides"] is None:
        return words + ", packed"
    return words + f", strides {_braces(tensor['strides'])}"


def plan_in_words(report: dict[str, Any]) -> list[str]:
    plan = report["plan"]
    scatters = plan["direction"] == "scatter"
    table, items = ("output", "updates") if scatters else ("input", "output")
    dims, coordinates = plan["dims"], plan["coordinates"]
    lines = ["plan (all strides in bytes):"]
    if plan["copies_input"]:
        lines.append("  copy input to output (not when output is input itself)")
    positions = " by ".join(str(dim["size"]) for dim in dims) or "1"
    one = "1 index" if len(coordinates) == 1 else f"a tuple of {len(coordinates)} indices"
    move = f"{plan['slice_bytes']} bytes {'from' if scatters else 'to'} {items}"
    lines.append(f"  at each of {positions} positions: read {one}, move {move}")
    for number, dim in enumerate(dims):
        lines.append(
            f"  dim {number}, of {dim['size']}: steps of {dim['table_stride']} in {table}, "
            f"{dim['item_stride']} in {items}, {dim['index_stride']} in indices"
        )
    for coordinate in coordinates:
        limit = coordinate["limit"]
        least = 0 if report["tensors"]["indices"]["data_type"].startswith("UINT") else -limit
        lines.append(
            f"  each index along axis {coordinate['axis']} of input, {least} to {limit - 1} "
            f"(mode {report['mode']}), steps of {coordinate['table_stride']} in {table}"
        )
    return lines


def _braces(numbers: tuple[int, ...]) -> str:
    return "{" + ", ".join(map(str, numbers)) + "}"
