"""A call of an operator as a value. Used through `dmlindex.testing`; needs NumPy only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex._operators import PARAMETERS as PARAMETERS
from dmlindex.testing.memory import blocks_of, has_block, place
from dmlindex.testing.script import name_of, script

Array = npt.NDArray[Any]


@dataclass(frozen=True, repr=False)
class Call:
    """A call of an operator: its name, its positional arguments and its keyword options.

    Arrays in it may share memory. `note` says what is special about the call, in words.
    """

    operator: str
    arguments: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    note: str = ""

    def run(self, function: Callable[..., Any]) -> Any:
        """`function(*arguments, **options)`."""
        return function(*self.arguments, **self.options)

    def copy(self) -> Call:
        """The same call on new memory: layouts, alignment, gaps and shared memory are kept."""
        return self.copied()[0]

    def script(self, function: str | Callable[..., Any] = "") -> str:
        """Python code that makes the same call, to paste where it is to be looked at.

        function is the one to call, or the name of one that the script knows; without it, ours.
        """
        if callable(function):
            return script(self, *name_of(function))
        return script(self, function or f"dmlindex.{self.operator}", "import dmlindex")

    def given(self) -> dict[str, Any]:
        """All arguments by name."""
        return dict(zip(PARAMETERS[self.operator], self.arguments, strict=False)) | self.options

    def __repr__(self) -> str:
        shown = [f"{name}={_in_short(value)}" for name, value in self.given().items()]
        note = f"  # {self.note}" if self.note else ""
        return f"{self.operator}({', '.join(shown)}){note}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # what Hypothesis prints

    def arrays(self) -> list[Array]:
        """Every array in the call."""
        values = (*self.arguments, *self.options.values())
        return [value for value in values if isinstance(value, np.ndarray)]

    def copied(self) -> tuple[Call, list[bytearray]]:
        """A copy, and the memory that its arrays lie in."""
        blocks = blocks_of(self.arrays())
        memory = [bytearray(block.read()) for block in blocks]
        copies: dict[int, Array] = {}
        for array in self.arrays():
            if not has_block(array):
                copied = array.copy()
            else:
                i, offset = place(array, blocks)
                copied = np.ndarray(array.shape, array.dtype, memory[i], offset, array.strides)
            if not array.flags.writeable:
                copied.flags.writeable = False
            copies[id(array)] = copied
        arguments = tuple(copies.get(id(value), value) for value in self.arguments)
        options = {name: copies.get(id(value), value) for name, value in self.options.items()}
        return Call(self.operator, arguments, options, self.note), memory


def _in_short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} {value.shape}>"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
