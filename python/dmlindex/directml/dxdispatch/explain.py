"""What would explain that a machine wrote another element than DirectML's shaders do."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import reference
from dmlindex.directml.addresses import addresses, lookup, numbers
from dmlindex.directml.dxdispatch.model import Bytes
from dmlindex.directml.dxdispatch.operators import IndexingOperator, typed
from dmlindex.directml.tensor import TensorDesc

Array = npt.NDArray[Any]

PADDING = "padding bytes"
OUT_OF_RANGE = "an index past its axis"
DUPLICATES = "duplicate order"
UNKNOWN = "no cause known"


class Dispatched:
    """A gather or scatter as it was run: its inputs, and its output before and after."""

    def __init__(
        self, operator: IndexingOperator, inputs: list[Bytes], before: Bytes, expected: Bytes
    ) -> None:
        self.desc = operator.desc
        self.scatters = hasattr(self.desc, "updates_tensor")
        tensors = [tensor for (tensor,) in operator.inputs().values()]
        self.inputs = [typed(i, tensor) for i, tensor in zip(inputs, tensors, strict=True)]
        self.output: TensorDesc = operator.output()
        self.before, self.expected = typed(before, self.output), typed(expected, self.output)
        self.to = lookup(self.desc)
        self._indices = self.to.index_tuples(_view(self.desc.indices_tensor, self.inputs[1]))
        self.addresses = addresses(self.to, _view(self.desc.indices_tensor, self.inputs[1])).values
        self.targets = self.addresses.reshape(-1)

    @cached_property
    def _flat_positions(self) -> npt.NDArray[np.int64]:
        """Of each element of the output's buffer: its flat position in the tensor, or -1."""
        places = np.full(self.expected.size, -1)
        positions = np.arange(np.prod(self.output.sizes, dtype=int)).reshape(self.output.sizes)
        _view(self.output, places)[...] = positions
        return places

    @cached_property
    def _out_of_range(self) -> npt.NDArray[np.bool_]:
        """Of each item: whether one of its indices is."""
        bad = np.zeros(self._indices.shape[:-1], bool)
        for k, coordinate in enumerate(self.to.coordinates):
            bad |= numbers(self._indices[..., k], coordinate.size).out_of_range
        slice_dims = [d for d, dim in enumerate(self.to.dims) if dim.index_dim is None]
        spread = np.broadcast_to(np.expand_dims(bad, slice_dims), self.to.shape)
        return spread.reshape(-1)

    def cause(self, element: int) -> str:
        """The kind of thing that may have made an element of the output's buffer another."""
        items = self._items(element)
        if len(items) > 1:
            return DUPLICATES
        if len(items) and self._out_of_range[items[0]]:
            return OUT_OF_RANGE
        if self._flat_positions[element] < 0:
            return PADDING
        return OUT_OF_RANGE if self.scatters and self._out_of_range.any() else UNKNOWN

    def allowed(self, element: int, actual: Array) -> bool:
        """Whether it is the update of another of several: DirectML promises no order."""
        items = self._items(element)
        updates = self._updates(items) if len(items) > 1 else actual[:0]
        return any(_bits(update) == _bits(actual[element]) for update in updates)

    def words(self, element: int, actual: Array) -> str:
        """Sentences on an element that differs."""
        found, expected = actual[element], self.expected[element]
        said = f"{self._name(element)}: expected {_shown(expected)}, found {_shown(found)}"
        told = self._scattered(element, found) if self.scatters else self._gathered(element, found)
        return f"{said}; {told}"

    def _items(self, element: int) -> list[int]:
        """The flat positions of the items that have to do with an element of the output."""
        if self.scatters:
            return [int(i) for i in np.flatnonzero(self.targets == element)]
        flat = int(self._flat_positions[element])
        return [flat] if flat >= 0 else []

    def _gathered(self, element: int, found: Any) -> str:
        items = self._items(element)
        if not items:
            return f"{PADDING}: no element of the output lies there, and a gather leaves it alone"
        (item,) = items
        address = min(int(self.targets[item]), self.to.last)
        told = self._bad_index(item)
        told += f"DirectML reads element {address} of the input"
        if _bits(found) == _bits(self.before[element]):
            return f"{told}; the machine left what was there before"
        if mode := self._mode(element, found):
            return f"{told}; the machine does what mode {mode} does"
        where = np.flatnonzero(_all_bits(self.inputs[0]) == _all_bits(np.array([found])))
        if len(where):
            return f"{told}; the machine has what is at element {where[0]}"
        return told

    def _scattered(self, element: int, found: Any) -> str:
        items = self._items(element)
        padding = "" if self._flat_positions[element] >= 0 else f"{PADDING}, "
        if len(items) > 1:
            holders = [i for i in items if _bits(self._updates([i])[0]) == _bits(found)]
            named = ", ".join(self._item_name(item) for item in items[:4])
            held = f"has {self._item_name(holders[0])}" if holders else "has none of them"
            return (
                f"{padding}{DUPLICATES}: {len(items)} updates ({named}) go there, and DirectML "
                f"promises no order: the machine {held}"
            )
        left = _bits(found) == _bits(self._copied(element))
        kept = "; the machine did not write it" if left else ""
        if items:
            return (
                f"{padding}{self._bad_index(items[0])}{self._item_name(items[0])} goes there{kept}"
            )
        told = f"{padding}no update goes there, so that it stays as it was"
        (updates,) = np.nonzero(_all_bits(self._updates(range(self.targets.size))) == _bits(found))
        if len(updates):
            item = int(updates[0])
            address = self.targets[item]
            return f"{told}; the machine has {self._item_name(item)}: {self._bad_index(item)}" + (
                f"DirectML sends it to element {address}"
                if address <= self.to.last
                else "DirectML drops it"
            )
        return told

    def _bad_index(self, item: int) -> str:
        """What is out of range in the item's indices; nothing where all are in range."""
        position = np.unravel_index(item, self.to.shape)
        place = tuple(
            int(position[d]) for d, dim in enumerate(self.to.dims) if dim.index_dim is not None
        )
        for value, (axis, size, _) in zip(self._indices[place], self.to.coordinates, strict=True):
            if numbers(np.array([value]), size).out_of_range[0]:
                return f"{OUT_OF_RANGE}: {value}, for axis {axis} of size {size}; "
        return ""

    def _mode(self, element: int, found: Any) -> str:
        """The mode in which dmlindex gives what was found."""
        for mode in ("clamp", "wrap", "fill"):
            out = self.before.copy()
            reference.run(self.desc, *self.inputs, out=out, mode=mode)
            if _bits(out[element]) == _bits(found):
                return f"{mode} (0)" if mode == "fill" else mode
        return ""

    def _copied(self, element: int) -> Any:
        """What the output holds there before any update."""
        flat = int(self._flat_positions[element])
        if flat < 0:
            return self.before[element]
        position = np.unravel_index(flat, self.output.sizes)
        return _view(self.desc.input_tensor, self.inputs[0])[position]

    def _updates(self, items: Any) -> Array:
        flat: Array = _view(self.desc.updates_tensor, self.inputs[2]).reshape(-1)
        return flat[list(items)]

    def _item_name(self, item: int) -> str:
        tensor = self.desc.updates_tensor if self.scatters else self.output
        return _element("updates" if self.scatters else "output", item, tensor.sizes)

    def _name(self, element: int) -> str:
        flat = int(self._flat_positions[element])
        if flat < 0:
            return f"element {element} of the buffer"
        return _element("output", flat, self.output.sizes)


def _view(tensor: TensorDesc, buffer: Array) -> Array:
    strides = tuple(stride * buffer.itemsize for stride in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(buffer, tensor.sizes, strides)


def _element(tensor: str, flat: int, sizes: tuple[int, ...]) -> str:
    return f"{tensor}[{', '.join(str(int(i)) for i in np.unravel_index(flat, sizes))}]"


def _bits(element: Any) -> int:
    return int.from_bytes(element.tobytes(), "little")


def _all_bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def _shown(element: Any) -> str:
    text = str(element)
    return f"{text} (bits 0x{_bits(element):x})" if element.dtype.kind == "f" else text
