"""Programs: views and DirectML operators, in order, that compute what a function does."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.tensor import TensorDesc, in_short
from dmlindex.directml.values import FeatureLevel, Violation

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Buffer:
    """Memory that a program uses.

    `kind` is input (with the shape and dtype of what goes there), constant (with its `contents`),
    temporary or output. Buffers are uploaded packed, in the byte order of DirectML: little-endian.
    """

    name: str
    kind: str
    size_in_bytes: int
    shape: Shape = ()
    dtype: np.dtype[Any] | None = None
    contents: Array | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Binding:
    """Where a tensor of an operator lies: a buffer, and a byte offset, a multiple of 16."""

    buffer: str
    offset: int = 0


@dataclass(frozen=True)
class View:
    """A buffer seen as another tensor; no operator runs."""

    buffer: str
    tensor: TensorDesc
    why: str

    def __str__(self) -> str:
        return f"view {self.buffer} as {in_short(self.tensor)}: {self.why}"


@dataclass(frozen=True)
class Operator:
    """A DirectML operator to dispatch: one of the six, or a helper.

    `inputs` and `output` say where the desc's tensors lie, in the order of its fields.
    """

    desc: OperatorDesc | HelperDesc
    inputs: tuple[Binding, ...]
    output: Binding
    why: str

    @property
    def is_helper(self) -> bool:
        """Whether it is none of the six."""
        return isinstance(self.desc, HelperDesc)

    @property
    def feature_level(self) -> FeatureLevel:
        """The lowest level at which the desc breaks no rule."""
        return next(level for level in FeatureLevel if not self.desc.violations(level))

    def tensors(self) -> Iterator[tuple[str, TensorDesc, Binding]]:
        """Each tensor: DirectML's name for it, the desc, and where it lies; the output is last."""
        bindings = (*self.inputs, self.output)
        if isinstance(self.desc, HelperDesc):
            for (name, tensor), binding in zip(self.desc.tensors(), bindings, strict=True):
                yield name, tensor, binding
            return
        names = ["input_tensor", "indices_tensor", "updates_tensor", "output_tensor"]
        names = [name for name in names if hasattr(self.desc, name)]
        for name, binding in zip(names, bindings, strict=True):
            yield name.title().replace("_", ""), getattr(self.desc, name), binding

    def parameters(self) -> dict[str, Any]:
        """The fields that are no tensors, as DirectML spells them."""
        if isinstance(self.desc, HelperDesc):
            return dict(self.desc.parameters)
        found = {k: v for k, v in vars(self.desc).items() if not k.endswith("_tensor")}
        return {name.title().replace("_", ""): value for name, value in found.items()}

    def __str__(self) -> str:
        shown = [
            f"{name}={binding.buffer}{f'+{binding.offset}' if binding.offset else ''}"
            f" {in_short(tensor)}"
            for name, tensor, binding in self.tensors()
        ]
        shown += [f"{name}={value}" for name, value in self.parameters().items()]
        return f"{self.desc.operator}({', '.join(shown)}): {self.why}"


Step = View | Operator


@dataclass(frozen=True)
class Impossible:
    """That no program is known, and why: each reason's name (see `REASONS`) and a sentence."""

    function: str
    feature_level: FeatureLevel
    reasons: tuple[tuple[str, str], ...]

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        lines = [f"no program for {self.function} at {self.feature_level.name}:"]
        return "\n".join(lines + [f"  {sentence} [{name}]" for name, sentence in self.reasons])

    __repr__ = __str__


@dataclass(frozen=True)
class Program:
    """Steps that compute a function, or a descriptor, on a device of a feature level.

    `promise` says how near the answer is: "bits" (bit for bit the function's), "values" (equal
    numbers; which NaN it is, and numbers so small that a device may flush them, are open) or
    "bound" (sums in an order that DirectML chooses: see docs/legalize.md). `notes` are conditions
    and costs, in words.
    """

    function: str
    options: dict[str, Any]
    feature_level: FeatureLevel
    buffers: dict[str, Buffer]
    steps: tuple[Step, ...]
    result: Value | None
    arguments: dict[str, tuple[Shape, np.dtype[Any]]]
    limits: Shape
    first_axis: int
    shape: Shape
    dtype: np.dtype[Any]
    promise: str = "bits"
    notes: tuple[str, ...] = ()
    fixed_indices: Array | None = field(default=None, compare=False)
    tensors: dict[str, TensorDesc] = field(default_factory=dict)

    @property
    def operators(self) -> tuple[Operator, ...]:
        """The steps that run an operator."""
        return tuple(step for step in self.steps if isinstance(step, Operator))

    @property
    def outcome(self) -> str:
        """direct (one operator or none), views (the six and views alone) or helpers."""
        if any(step.is_helper for step in self.operators):
            return "helpers"
        return "direct" if len(self.steps) <= 1 else "views"

    def violations(self) -> list[Violation]:
        """Every rule that a descriptor breaks at the program's level: none."""
        return [v for step in self.operators for v in step.desc.violations(self.feature_level)]

    def run(self, input: Any, indices: Any, updates: Any = None) -> Array:
        """Executes the steps here: the six with mode "directml", helpers in NumPy.

        Takes arrays of the shapes and dtypes that the program was made for; else a ValueError or
        TypeError. IndexError in mode "raise", which is the host's to check.
        """
        from dmlindex.directml.legal.execute import run

        return run(self, input, indices, updates)

    def to_json(self) -> str:
        """Buffers and steps as JSON; constants as base64."""
        from dmlindex.directml.legal.written import program_data

        return json.dumps(program_data(self), indent=1)

    def to_cpp(self) -> str:
        """C++ that fills DirectML's structs, one operator after the other."""
        from dmlindex.directml.legal.written import program_cpp

        return program_cpp(self)

    def __str__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        lines = [f"{self.function}{options} at {self.feature_level.name}, promises {self.promise}"]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  {buffer_text(buffer)}" for buffer in self.buffers.values()]
        steps = self.steps if len(self.steps) <= 60 else self.steps[:50]
        lines += [f"  {i + 1}. {step}" for i, step in enumerate(steps)]
        if len(steps) < len(self.steps):
            counts = Counter(step.desc.operator for step in self.operators)
            lines.append(f"  … {len(self.steps)} steps in all: {dict(counts)}")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from dmlindex._display.tables import program_html

        return program_html(self)


def buffer_text(buffer: Buffer) -> str:
    made_for = f" for {buffer.dtype}{list(buffer.shape)}" if buffer.dtype is not None else ""
    return f"{buffer.kind} {buffer.name}: {buffer.size_in_bytes} bytes{made_for}"
