"""Descriptors of the helper operators: what a Program needs beside the six."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

from dmlindex import _core
from dmlindex.directml.legal.support import support
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import FeatureLevel, Violation

_TWO = ("ATensor", "BTensor")
# The names that DirectML gives to the input tensors. JOIN's is an array.
INPUT_FIELDS: dict[str, tuple[str, ...]] = {
    "ELEMENT_WISE_IDENTITY": ("InputTensor",),
    "ELEMENT_WISE_ADD": _TWO,
    "ELEMENT_WISE_SUBTRACT": _TWO,
    "ELEMENT_WISE_MULTIPLY": _TWO,
    "ELEMENT_WISE_MIN": _TWO,
    "ELEMENT_WISE_MAX": _TWO,
    "ELEMENT_WISE_MODULUS_FLOOR": _TWO,
    "ELEMENT_WISE_LOGICAL_EQUALS": _TWO,
    "ELEMENT_WISE_LOGICAL_LESS_THAN": _TWO,
    "ELEMENT_WISE_LOGICAL_AND": _TWO,
    "ELEMENT_WISE_LOGICAL_OR": _TWO,
    "ELEMENT_WISE_LOGICAL_NOT": ("InputTensor",),
    "ELEMENT_WISE_IF": ("ConditionTensor", *_TWO),
    "CAST": ("InputTensor",),
    "JOIN": ("InputTensors",),
    "SLICE": ("InputTensor",),
    "FILL_VALUE_SEQUENCE": (),
    "REDUCE": ("InputTensor",),
}
# Those whose output has a type of its own; in all others it is that of the (last) input.
_OWN_OUTPUT_TYPE = ("CAST", "ELEMENT_WISE_LOGICAL_EQUALS", "ELEMENT_WISE_LOGICAL_LESS_THAN")


@dataclass(frozen=True)
class HelperDesc:
    """A helper operator's descriptor: tensors in DirectML's order, and its other fields by name.

    `parameters` holds them as DirectML spells them, but for the counts of arrays: Axis of JOIN;
    Offsets, Sizes and Strides (all 1) of SLICE; Function and Axes of REDUCE; ValueDataType,
    ValueStart and ValueDelta of FILL_VALUE_SEQUENCE.

    >>> from dmlindex.directml import DataType, FeatureLevel
    >>> x = TensorDesc(DataType.INT64, (2, 3))
    >>> desc = HelperDesc("ELEMENT_WISE_ADD", (x, x), x)
    >>> desc.violations(FeatureLevel.FL_4_1)
    []
    >>> print(desc.violations(FeatureLevel.FL_4_0)[0])  # doctest: +NORMALIZE_WHITESPACE
    ELEMENT_WISE_ADD: ATensor.data_type is INT64, expected FLOAT16, FLOAT32, INT32 or UINT32
    at this feature level [feature-level-data-type]
    """

    operator: str
    inputs: tuple[TensorDesc, ...]
    output: TensorDesc
    parameters: dict[str, Any] = field(default_factory=dict)

    def tensors(self) -> Iterator[tuple[str, TensorDesc]]:
        """Each tensor with DirectML's name for it, inputs first."""
        names = INPUT_FIELDS[self.operator]
        if self.operator == "JOIN":
            names = tuple(f"InputTensors[{i}]" for i in range(len(self.inputs)))
        yield from zip(names, self.inputs, strict=True)
        yield "OutputTensor", self.output

    def violations(self, feature_level: FeatureLevel = FeatureLevel.FL_6_4) -> list[Violation]:
        """Every rule that the desc breaks on a device of that level; empty when it is valid."""
        broken = [
            Violation(v[0], self.operator, name, *v[3:])
            for name, tensor in self.tensors()
            for v in _core.tensor_violations(tensor)
        ]
        return broken or [*self._broken_sizes(), *self._broken_types(), *self._level(feature_level)]

    def _violation(self, rule: str, tensor: str, name: str, found: Any, expected: Any) -> Violation:
        return Violation(rule, self.operator, tensor, name, str(found), str(expected), "")

    def _broken_sizes(self) -> Iterator[Violation]:
        expected = self._expected_sizes()
        for name, tensor in self.tensors():
            if name in expected and tensor.sizes != expected[name]:
                wanted = expected[name]
                yield self._violation("sizes", name, "sizes", tensor.sizes, wanted)

    def _expected_sizes(self) -> dict[str, tuple[int, ...]]:
        """Of each tensor that has no choice."""
        if self.operator == "FILL_VALUE_SEQUENCE":
            return {}
        first = self.inputs[0].sizes
        if self.operator == "JOIN":
            axis = self.parameters["Axis"]
            total = sum(tensor.sizes[axis] for tensor in self.inputs)
            same = {
                f"InputTensors[{i}]": (*first[:axis], tensor.sizes[axis], *first[axis + 1 :])
                for i, tensor in enumerate(self.inputs)
            }
            return {**same, "OutputTensor": (*first[:axis], total, *first[axis + 1 :])}
        if self.operator == "SLICE":
            return {"OutputTensor": tuple(self.parameters["Sizes"])}
        if self.operator == "REDUCE":
            axes = self.parameters["Axes"]
            return {"OutputTensor": tuple(1 if d in axes else n for d, n in enumerate(first))}
        return {name: first for name, _ in self.tensors()}

    def _broken_types(self) -> Iterator[Violation]:
        wanted = self.output.data_type
        if self.operator in _OWN_OUTPUT_TYPE:
            wanted = self.inputs[0].data_type
        for name, tensor in self.tensors():
            free = name == "ConditionTensor" or (
                self.operator in _OWN_OUTPUT_TYPE and name == "OutputTensor"
            )
            if self.operator == "CAST" or free or tensor.data_type == wanted:
                continue
            found = tensor.data_type.name
            yield self._violation("data-types-equal", name, "data_type", found, wanted.name)
        if self.operator == "SLICE":
            offsets, sizes = self.parameters["Offsets"], self.parameters["Sizes"]
            for d, size in enumerate(self.inputs[0].sizes):
                if offsets[d] + sizes[d] > size:
                    found, most = offsets[d] + sizes[d], f"at most {size}"
                    yield self._violation("slice-bounds", "", f"Offsets[{d}]", found, most)

    def _level(self, level: FeatureLevel) -> Iterator[Violation]:
        row = support(self.operator, level, str(self.parameters.get("Function", "")))
        if row is None:
            expected = "a later level, which has this operator"
            yield self._violation(
                "feature-level-operator", "", "feature_level", level.name, expected
            )
            return
        for i, (name, tensor) in enumerate(self.tensors()):
            dims = len(tensor.sizes)
            if not row.least_dims <= dims <= row.most_dims:
                expected = f"{row.least_dims} to {row.most_dims} at this feature level"
                yield self._violation(
                    "feature-level-dimension-count", name, "dimension_count", dims, expected
                )
            types = row.first if i == 0 and row.first is not None else row.inputs
            types = row.output if name == "OutputTensor" else types
            if tensor.data_type not in types:
                *others, last = sorted(t.name for t in types)
                listed = f"{', '.join(others)} or {last}" if others else last
                found, expected = tensor.data_type.name, f"{listed} at this feature level"
                yield self._violation("feature-level-data-type", name, "data_type", found, expected)

    def elements(self) -> int:
        """How many elements the output has."""
        return prod(self.output.sizes)
