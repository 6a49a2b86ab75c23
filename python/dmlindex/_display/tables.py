"""What notebooks show of descs, operators, violations, devices and device tensors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from dmlindex._core import CompiledOperator, DeviceTensor
from dmlindex._devices import DeviceInfo
from dmlindex._display import html
from dmlindex._display.compose import one_array
from dmlindex._display.parts import PARTS, parts_of
from dmlindex._display.text import shape_text
from dmlindex._explain.form import form_of_desc
from dmlindex._explain.formula import formula
from dmlindex._explain.report import desc_report, plan_in_words
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import Violation

if TYPE_CHECKING:
    from dmlindex.directml.legal.program import Program

_MOST_STEPS = 60  # of a program
_MOST_BYTES = 1 << 20  # that are copied from a device to be shown


def violations_html(violations: Sequence[Violation]) -> str:
    """Rule, where, found, expected and the page that has the rule."""
    if not violations:
        return html.box(html.paragraph("No rule is broken."))
    rows = [
        (
            html.link(v.rule, v.page),
            f"{v.tensor}.{v.field}" if v.tensor else v.field,
            v.found,
            html.joined([v.expected, html.faint(f"; {v.advice}") if v.advice else ""]),
        )
        for v in violations
    ]
    count = len(violations)
    title = f"{violations[0].operator}: {count} broken rule{'s' * (count > 1)}"
    return html.box(
        html.heading(title), html.table(("rule and its page", "where", "found", "expected"), rows)
    )


def tensor_desc_html(desc: TensorDesc) -> str:
    return html.box(_tensors([("", desc, None)]))


def desc_html(desc: OperatorDesc) -> str:
    """Shapes, counts and the formula; of a desc that is not valid the broken rules."""
    broken = desc.violations()
    if broken:
        return html.box(
            html.heading(desc.operator), _desc_tensors(desc, {}), _numbers(desc),
            html.Markup(violations_html(broken)),
        )  # fmt: skip
    form = form_of_desc(desc, "directml")
    return html.box(
        html.heading(desc.operator), _desc_tensors(desc, parts_of(form)), _numbers(desc),
        html.code(formula(form).text),
    )  # fmt: skip


def operator_html(operator: CompiledOperator) -> str:
    """What was compiled, for what, and the plan in words."""
    desc, mode = operator.desc, operator.mode
    form = form_of_desc(desc, mode)
    report = desc_report(desc, mode)
    duplicates = "" if operator.duplicates == "allow" else f", duplicates {operator.duplicates!r}"
    return html.box(
        html.heading(f"{desc.operator} compiled for {operator.device}, mode {mode!r}{duplicates}"),
        _desc_tensors(desc, parts_of(form)), _numbers(desc), html.code(formula(form).text),
        html.code("\n".join(plan_in_words(report))),
    )  # fmt: skip


def devices_html(devices: Sequence[DeviceInfo]) -> str:
    rows = [
        (
            html.Markup(f"<code>{html.markup(info.name)}</code>"),
            "✓ available" if info.available else "✗ missing",
            info.description if info.available else info.reason,
            f"{info.memory_bytes / 2**30:.1f} GiB" if info.memory_bytes else "",
        )
        for info in devices
    ]
    return html.box(html.table(("device", "state", "what, or why not", "memory"), rows, {3}))


def tensor_html(tensor: DeviceTensor) -> str:
    """Its values, copied from the device: of a large one the first rows or elements."""
    told = f"DeviceTensor {tensor.dtype} {shape_text(tensor.shape)}, {tensor.nbytes:,} bytes"
    try:
        told += f" on {tensor.device}"
        shown, note = tensor, ""
        if tensor.nbytes > _MOST_BYTES:
            rows = _MOST_BYTES * tensor.shape[0] // tensor.nbytes
            shown, note = tensor[: min(rows, 8)], "its first rows"
            if not rows:
                shown, note = tensor.at(0, (min(tensor.size, 12),)), "its first elements"
        picture = one_array(note or "values", shown.numpy())
    except (ValueError, IndexError, RuntimeError, MemoryError) as error:
        # It is released, its device lost, or the operator failed: a notebook says so.
        return html.box(html.heading(told), html.paragraph(f"{type(error).__name__}: {error}"))
    return html.box(html.heading(told), html.Markup(picture))


def program_html(program: Program) -> str:
    """Its steps: what runs, on which buffers, at which level, and why."""
    from dmlindex.directml.legal.program import Operator

    title, *more = str(program).split("\n  1. ")[0].splitlines()
    rows = []
    for number, step in enumerate(program.steps[:_MOST_STEPS], 1):
        what = str(step).removesuffix(f": {step.why}")
        level = step.feature_level.name if isinstance(step, Operator) else "view"
        rows.append((number, level, html.code(what), step.why))
    left = len(program.steps) - len(rows)
    return html.box(
        html.heading(title), *(html.paragraph(line.strip()) for line in more),
        html.table(("", "level", "step", "why"), rows, {0}),
        html.paragraph(f"… {left} more steps") if left else "",
    )  # fmt: skip


def _desc_tensors(desc: OperatorDesc, parts: dict[str, list[str]]) -> html.Markup:
    found = [
        (field.name.removesuffix("_tensor"), getattr(desc, field.name))
        for field in fields(desc)  # type: ignore[arg-type]
        if field.name.endswith("_tensor")
    ]
    return _tensors([(name, tensor, parts.get(name)) for name, tensor in found])


def _tensors(tensors: list[tuple[str, TensorDesc | None, list[str] | None]]) -> html.Markup:
    """A row for each; dims stand under each other from the right, as they count."""
    most = max((len(tensor.sizes[:16]) for _, tensor, _ in tensors if tensor), default=0)
    rows = []
    for name, tensor, parts in tensors:
        if tensor is None:
            rows.append([name, "null", *[""] * most, "", ""])
            continue
        sizes = tensor.sizes[:16]
        cells = [_size(sizes, d, parts) for d in range(len(sizes))]
        strides = "packed" if tensor.strides is None else shape_text(tensor.strides[:16])
        total = tensor.total_tensor_size_in_bytes
        has_size = "UNKNOWN INT4 UINT4".find(tensor.data_type.name) < 0
        shown = (
            f"{total if total is not None else tensor.implied_size_in_bytes if has_size else 0:,}"
        )
        rows.append([name, tensor.data_type.name, *[""] * (most - len(cells)), *cells])
        rows[-1] += [strides, shown]
    head = ["", "type", *[""] * most, "strides", "bytes"]
    if most:
        head[1 + most] = "sizes"
    found = html.table(head, rows, {*range(2, 2 + most), 3 + most})
    used = dict.fromkeys(part for _, _, parts in tensors for part in parts or ())
    legend = [html.badge(part, PARTS[part][1], PARTS[part][0]) if part != "1" else html.faint("1")
              for part in used]  # fmt: skip
    words = [
        html.joined([sign, f" {PARTS[part][0]}  "]) for sign, part in zip(legend, used, strict=True)
    ]
    return html.joined([found, html.paragraph(html.joined(words)) if words else ""])


def _size(sizes: tuple[int, ...], d: int, parts: list[str] | None) -> html.Markup:
    if parts is None:
        leading = all(size == 1 for size in sizes[: d + 1]) and d < len(sizes) - 1
        return html.faint(sizes[d]) if leading else html.markup(sizes[d])
    if parts[d] == "1":
        return html.faint(sizes[d])
    name, tint = PARTS[parts[d]]
    return html.badge(html.joined([sizes[d], html.Markup(f"<sub>{parts[d]}</sub>")]), tint, name)


def _numbers(desc: OperatorDesc) -> html.Markup:
    """The fields that are no tensors."""
    found = [
        f"{field.name} = {getattr(desc, field.name)}"
        for field in fields(desc)  # type: ignore[arg-type]
        if not field.name.endswith("_tensor")
    ]
    return html.paragraph(", ".join(found))
