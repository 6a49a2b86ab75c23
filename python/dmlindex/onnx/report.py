"""What `check_model` found, in words and for machines."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal

from dmlindex.onnx.lowering import Lowering
from dmlindex.onnx.provider_descs import Desc

Verdict = Literal["accepted", "undefined", "cpu", "differs", "refused", "unknown"]

# What is worst comes first.
_HEADINGS: dict[Verdict, str] = {
    "refused": "refused",
    "differs": "computes something else than the CPU provider",
    "undefined": "undefined behaviour possible",
    "unknown": "unknown",
    "cpu": "runs on the CPU",
    "accepted": "accepted",
}


@dataclass(frozen=True)
class Finding:
    """What becomes of one node.

    Attributes
    ----------
    node
        the node's name, or its outputs.
    place
        the subgraph or function that it stands in; empty for the model's own graph.
    op_type, opset
        the operator, and the opset that its graph is of.
    inputs
        data, indices and updates, as far as known: "float32[2, 3]", "?[batch, 3]".
    verdict
        "accepted"; "undefined": accepted, but the result can depend on what DirectML leaves
        undefined; "cpu": runs on the CPU; "differs": computes something else than the CPU provider;
        "refused": an error; "unknown": the shapes are not known.
    why
        the reason; empty for what is accepted without more to say.
    advice
        what to do about it, where something can be done.
    lowering
        what `lower_node` says; None where the shapes are not known.
    """

    node: str
    place: str
    op_type: str
    opset: int
    inputs: tuple[str, ...]
    verdict: Verdict
    why: str = ""
    advice: str = ""
    lowering: Lowering | None = None


@dataclass(frozen=True)
class Report:
    """What `check_model` found: a Finding for each node, in the model's order, and notes."""

    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether ONNX Runtime refuses a node."""
        return any(finding.verdict == "refused" for finding in self.findings)


def in_words(report: Report) -> str:
    """Nodes with the same verdict for the same reason stand together, the worst first.

    >>> cast = Finding("/Gather", "", "Gather", 13, ("?[3]", "int64[2]"), "unknown", "no types")
    >>> print(in_words(Report((cast,))))
    1 node: 1 unknown
    <BLANKLINE>
    unknown: no types
      Gather  /Gather  ?[3], int64[2]
    """
    counts = Counter(finding.verdict for finding in report.findings)
    total = len(report.findings)
    summary = ", ".join(f"{counts[verdict]} {verdict}" for verdict in _HEADINGS if counts[verdict])
    lines = [f"{total} node{'s' * (total != 1)}: {summary or 'nothing that gathers or scatters'}"]
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in report.findings:
        groups.setdefault((finding.verdict, finding.why, finding.advice), []).append(finding)
    for verdict, heading in _HEADINGS.items():
        for (of, why, advice), findings in groups.items():
            if of == verdict:
                lines += ["", ": ".join(filter(None, (heading, why)))]
                lines += [f"  {advice}"] if advice else []
                lines += _table([_row(finding) for finding in findings])
    lines += ["", *(f"note: {note}" for note in report.notes)] if report.notes else []
    return "\n".join(lines)


def as_data(report: Report) -> dict[str, Any]:
    """The report as JSON can hold it; each desc in the form of `desc_from_json`."""
    return {
        "refused": report.refused,
        "notes": list(report.notes),
        "findings": [_finding_data(finding) for finding in report.findings],
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    data = {field.name: getattr(finding, field.name) for field in fields(finding)}
    if finding.lowering is not None:
        descs = [json.loads(desc.to_json()) for desc in finding.lowering.descs]
        data["lowering"] = asdict(finding.lowering) | {"descs": descs}
    return data


def _row(finding: Finding) -> tuple[str, ...]:
    node = ": ".join(filter(None, (finding.place, finding.node)))
    descs = finding.lowering.descs if finding.lowering else ()
    inputs = ", ".join(finding.inputs)
    return finding.op_type, node, inputs, _shown(descs[0]) if descs else ""


def _shown(desc: Desc) -> str:
    tensors = [getattr(desc, f.name) for f in fields(desc) if f.name.endswith("_tensor")]  # type: ignore[arg-type]
    *inputs, output = ("{" + ", ".join(map(str, tensor.sizes)) + "}" for tensor in tensors)
    return f"{desc.operator} {' '.join(inputs)} -> {output}"


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        (
            "  " + "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
