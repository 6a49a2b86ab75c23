"""A call of an operator as a value, and the check that two functions treat it the same.

Used through `dmlindex.testing`; needs NumPy only.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

PARAMETERS = {
    "gather": ("input", "indices", "axis"),
    "gather_elements": ("input", "indices", "axis"),
    "gather_nd": ("input", "indices", "batch_dims"),
    "scatter_elements": ("input", "indices", "updates", "axis"),
    "scatter_nd": ("input", "indices", "updates"),
}


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
        """function(*arguments, **options)."""
        return function(*self.arguments, **self.options)

    def copy(self) -> Call:
        """The same call on new memory: layouts, alignment, gaps and shared memory are kept."""
        return self._copied()[0]

    def script(self, function: str = "") -> str:
        """Python code that makes the same call, to paste where it is to be looked at."""
        function = function or f"dmlindex.{self.operator}"
        blocks = _blocks(self.arrays())
        lines = ["import dmlindex, numpy as np", "from numpy import dtype, inf, nan"]
        if any("StringDType" in repr(array.dtype) for array in self.arrays()):
            lines.append("from numpy.dtypes import StringDType")
        if types := sorted({t for a in self.arrays() for t in _ml_types(a.dtype)}):
            lines.append(f"from ml_dtypes import {', '.join(types)}")
        lines += [
            f'memory_{i} = bytearray.fromhex("{block.read().hex()}")'
            for i, block in enumerate(blocks)
        ]
        names: dict[int, str] = {}
        given = dict(zip(PARAMETERS[self.operator], self.arguments, strict=False)) | self.options
        for name, value in given.items():
            if isinstance(value, np.ndarray) and id(value) not in names:
                names[id(value)] = name
                lines.append(f"{name} = {_construction(value, blocks)}")
                if not value.flags.writeable:
                    lines.append(f"{name}.flags.writeable = False")
        shown = [names.get(id(value), repr(value)) for value in self.arguments]
        shown += [f"{key}={names.get(id(v), repr(v))}" for key, v in self.options.items()]
        lines.append(f"print({function}({', '.join(shown)}))")
        return "\n".join(lines)

    def __repr__(self) -> str:
        note = f"# {self.note}\n" if self.note else ""
        return f"\n{note}{self.script()}\n"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # what Hypothesis prints

    def arrays(self) -> list[Array]:
        """Every array in the call."""
        values = (*self.arguments, *self.options.values())
        return [value for value in values if isinstance(value, np.ndarray)]

    def _copied(self) -> tuple[Call, list[bytearray]]:
        blocks = _blocks(self.arrays())
        memory = [bytearray(block.read()) for block in blocks]
        copies: dict[int, Array] = {}
        for array in self.arrays():
            if array.dtype.hasobject:
                copied = array.copy()
            else:
                i, offset = _place(array, blocks)
                copied = np.ndarray(array.shape, array.dtype, memory[i], offset, array.strides)
            copied.flags.writeable = array.flags.writeable
            copies[id(array)] = copied
        arguments = tuple(copies.get(id(value), value) for value in self.arguments)
        options = {name: copies.get(id(value), value) for name, value in self.options.items()}
        return Call(self.operator, arguments, options, self.note), memory


def check_same(function: Callable[..., Any], reference: Callable[..., Any], call: Call) -> None:
    """Checks that function and reference do the same on copies of a call.

    The same is: the same answer (dtype, shape and every bit) or an exception of reference's type;
    `out` is returned where it is given; and all memory of all arguments, gaps between elements
    included, is the same afterwards. Raises AssertionError that says what differs, with a script
    that repeats it.

    >>> import numpy as np
    >>> from dmlindex import reference
    >>> call = Call("gather", (np.arange(3), np.array([0, -1])))
    >>> check_same(np.take, reference.gather, call)
    """
    ours, our_memory = call._copied()
    theirs, their_memory = call._copied()
    found, expected = _outcome(function, ours), _outcome(reference, theirs)
    problem = _difference(found, expected)
    out = ours.options.get("out")
    if not problem and isinstance(out, np.ndarray) and not isinstance(found, Exception):
        problem = "" if found is out else "returned another array than the out it was given"
    if not problem:
        for copy in (ours, theirs):
            for array in copy.arrays():
                _clear_padding(array)
        if our_memory != their_memory or not _same_objects(ours, theirs):
            problem = "left other bytes in the memory of its arguments: " + _changed(ours, theirs)
    if problem:
        name = getattr(function, "__name__", call.operator)
        raise AssertionError(f"{name} {problem}\n{call!r}") from (
            found if isinstance(found, Exception) else None
        )


def _outcome(function: Callable[..., Any], call: Call) -> Any:
    from hypothesis.errors import UnsatisfiedAssumption

    try:
        return call.run(function)
    except UnsatisfiedAssumption:  # the function says that the call is no example for it
        raise
    except Exception as error:
        return error


def _difference(found: Any, expected: Any) -> str:
    """What is wrong with an answer or exception; "" if nothing is."""
    if isinstance(expected, Exception):
        wanted = f"expected {type(expected).__name__}: {expected}"
        if not isinstance(found, Exception):
            return f"gave an answer, {wanted}"
        same = isinstance(found, type(expected))
        return "" if same else f"raised {type(found).__name__}: {found}, {wanted}"
    if isinstance(found, Exception):
        return f"raised {type(found).__name__}: {found}, expected an answer"
    found = np.asarray(found)
    if (found.dtype, found.shape) != (expected.dtype, expected.shape):
        return (
            f"gave {found.dtype!r} of shape {found.shape}, "
            f"expected {expected.dtype!r} of shape {expected.shape}"
        )
    ours, theirs = _bits(found), _bits(expected)
    wrong = np.flatnonzero((ours != theirs).any(axis=1))
    if wrong.size == 0:
        return ""
    first = tuple(int(i) for i in np.unravel_index(wrong[0], found.shape))
    return (
        f"gave {wrong.size} wrong elements of {found.size}, the first at {first}: bytes "
        f"{ours[wrong[0]].tobytes().hex()}, expected {theirs[wrong[0]].tobytes().hex()}"
    )


def _changed(ours: Call, theirs: Call) -> str:
    names = (*PARAMETERS[ours.operator][: len(ours.arguments)], *ours.options)
    pairs = zip(
        names,
        (*ours.arguments, *ours.options.values()),
        (*theirs.arguments, *theirs.options.values()),
        strict=False,
    )
    changed = [
        name for name, a, b in pairs if isinstance(a, np.ndarray) and not _same_elements(a, b)
    ]
    return ", ".join(changed) or "in the gaps between elements"


def _same_elements(a: Array, b: Array) -> bool:
    if a.dtype.hasobject:
        return bool(a.tolist() == b.tolist())
    return np.array_equal(_bits(a), _bits(b))


def _same_objects(ours: Call, theirs: Call) -> bool:
    """Whether the arrays of references to objects (or to strings), which no block holds, agree."""
    pairs = zip(ours.arrays(), theirs.arrays(), strict=True)
    return all(_same_elements(a, b) for a, b in pairs if a.dtype.hasobject)


def _bits(array: Array) -> npt.NDArray[np.uint8]:
    """The bytes of each element, as rows."""
    size = array.dtype.itemsize
    raw = array.view(np.dtype((np.void, size))).tobytes()
    rows = np.frombuffer(bytearray(raw), np.uint8).reshape(array.size, size)
    rows[:, _padding(array.dtype)] = 0
    return rows


def _padding(dtype: np.dtype[Any]) -> list[int]:
    """Which bytes of an element mean nothing: x87's long double has 10 bytes in 12 or 16."""
    if dtype.type not in (np.longdouble, np.clongdouble) or np.finfo(dtype).nmant != 63:
        return []
    part = np.dtype(np.longdouble).itemsize
    return [i for i in range(dtype.itemsize) if i % part >= 10]


def _clear_padding(array: Array) -> None:
    padding = _padding(array.dtype)
    if padding and array.flags.writeable:
        array[..., np.newaxis].view(np.uint8)[..., padding] = 0


def _ml_types(dtype: np.dtype[Any]) -> list[str]:
    """The names of ml_dtypes' types in a dtype's repr."""
    return [dtype.name] if dtype.type.__module__ == "ml_dtypes" else []


@dataclass(frozen=True)
class _Block:
    """Memory [low, high) that one or more arrays lie in."""

    low: int
    high: int

    def read(self) -> bytes:
        """Its bytes, behind zeros that keep its alignment in memory aligned to 16."""
        return bytes(self.low % 16) + ctypes.string_at(self.low, self.high - self.low)


def extent(array: Array) -> tuple[int, int]:
    """The addresses [low, high) between which the array's elements lie."""
    low = array.__array_interface__["data"][0]
    if array.size == 0:
        return low, low
    high = low + array.dtype.itemsize
    for size, stride in zip(array.shape, array.strides, strict=True):
        low += min(0, (size - 1) * stride)
        high += max(0, (size - 1) * stride)
    return low, high


def _blocks(arrays: Iterable[Array]) -> list[_Block]:
    """The memory of all arrays but those of references, whose bytes mean nothing in another place;
    those that overlap share a block."""
    blocks: list[_Block] = []
    for low, high in sorted(extent(array) for array in arrays if not array.dtype.hasobject):
        if blocks and low < blocks[-1].high:
            blocks[-1] = _Block(blocks[-1].low, max(high, blocks[-1].high))
        else:
            blocks.append(_Block(low, high))
    return blocks


def _construction(array: Array, blocks: list[_Block]) -> str:
    """Code that makes the array, out of its block's memory."""
    if array.dtype.hasobject:
        return f"np.array({array.tolist()!r}, {array.dtype!r}).reshape({array.shape})"
    i, offset = _place(array, blocks)
    return f"np.ndarray({array.shape}, {array.dtype!r}, memory_{i}, {offset}, {array.strides})"


def _place(array: Array, blocks: list[_Block]) -> tuple[int, int]:
    """Which block an array lies in, and how far behind its beginning the first element is."""
    low, high = extent(array)
    first = array.__array_interface__["data"][0]
    for i, block in enumerate(blocks):
        if block.low <= low and high <= block.high:
            return i, first - block.low + block.low % 16
    raise AssertionError("every array lies in a block")
