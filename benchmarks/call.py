"""One operator with its arrays: what a workload is made of, and what every contestant is given."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Call:
    """A call of a dmlindex function. The operator's name is the function's."""

    operator: str
    input: Array
    indices: Array
    updates: Array | None = None
    axis: int = 0
    batch_dims: int = 0
    reduction: str = "none"
    in_place: bool = False  # a scatter with out=input

    @property
    def is_scatter(self) -> bool:
        return self.operator.startswith("scatter")

    @property
    def has_negative_indices(self) -> bool:
        return bool(self.indices.size) and int(self.indices.min()) < 0

    @property
    def output_shape(self) -> tuple[int, ...]:
        data, indices = self.input.shape, self.indices.shape
        if self.is_scatter:
            return data
        if self.operator == "gather_elements":
            return indices
        if self.operator == "gather":
            return data[: self.axis] + indices + data[self.axis + 1 :]
        return indices[:-1] + data[self.batch_dims + indices[-1] :]

    def code(self, *options: str) -> str:
        """The call of dmlindex, its arrays being x, i and u, with these options besides its own."""
        given = ["x", "i"] + (["u"] if self.is_scatter else [])
        if self.axis:
            given.append(f"axis={self.axis}")
        if self.batch_dims:
            given.append(f"batch_dims={self.batch_dims}")
        if self.reduction != "none":
            given.append(f"reduction={self.reduction!r}")
        return f"dmlindex.{self.operator}({', '.join([*given, *options])})"

    def made_by(self, module: Any, **options: Any) -> Array:
        """The result of dmlindex's function, or the reference's, with these options besides."""
        if self.batch_dims:
            options["batch_dims"] = self.batch_dims
        if not self.operator.endswith("_nd"):
            options["axis"] = self.axis
        given = [self.input, self.indices]
        if self.updates is not None:
            given.append(self.updates)
            options["reduction"] = self.reduction
        made: Array = getattr(module, self.operator)(*given, **options)
        return made

    @property
    def moved_bytes(self) -> int:
        """The bytes that a memcpy of the same size would move: what is written."""
        updates = 0 if self.updates is None else self.updates.nbytes
        if self.in_place:
            return updates
        return int(np.prod(self.output_shape)) * self.input.itemsize + updates

    @property
    def elements(self) -> int:
        """The elements that are picked or placed; figures in ns an element divide by it."""
        if self.updates is not None:
            return self.updates.size
        return int(np.prod(self.output_shape))


@dataclass(frozen=True)
class Buffers:
    """The arrays of one call, shared by all contestants. In place, out is input."""

    input: Array
    indices: Array
    updates: Array | None
    out: Array

    @staticmethod
    def of(call: Call) -> Buffers:
        if call.in_place:
            working_copy = call.input.copy()
            return Buffers(working_copy, call.indices, call.updates, working_copy)
        out = np.empty(call.output_shape, call.input.dtype)
        return Buffers(call.input, call.indices, call.updates, out)


@dataclass(frozen=True)
class Idiom:
    """One way of doing a call: the very code that is timed, as its readers see it in the tables."""

    peer: str
    code: str
    names: dict[str, Any] = field(repr=False)
    into_out: bool  # it writes to a given buffer, nothing is allocated
    raises: bool  # it refuses an index out of range
    mode: str = ""  # dmlindex's
    result: str = ""  # the name that holds the result; none: the code is an expression
    during: Callable[[], AbstractContextManager[None]] = nullcontext  # held around each sample

    @property
    def kind(self) -> tuple[str, bool, bool, str]:
        """Idioms of one kind are alternatives: only the fastest counts."""
        return (self.peer, self.into_out, self.raises, self.mode)


class NotSupportedError(Exception):
    """The peer has no way of doing the call; the message says why."""
