"""What DirectML leaves undefined for given data: `OperatorDesc.audit`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex.directml import buffers
from dmlindex.directml.addresses import addresses, lookup, numbers
from dmlindex.directml.duplicates import by_address
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import descriptor_error

Array = npt.NDArray[Any]
Position = tuple[int, ...]


@dataclass(frozen=True)
class Finding:
    """Something in the data of a call whose result DirectML does not promise.

    Attributes
    ----------
    rule
        index-out-of-range, address-wraps, past-the-end, duplicate-targets, buffer-alignment or
        buffer-size.
    operator
        the desc's.
    tensor
        indices, updates, input or output.
    position
        of the element in that tensor; None for a buffer, and for what `limit` left out.
    found
        what is there.
    result
        where DirectML's arithmetic takes it.
    address
        the element of the input (of a scatter: the output) that it is about, if any.
    count
        how many findings this one stands for: 1, or all that `limit` left out.
    """

    rule: str
    operator: str
    tensor: str
    position: Position | None
    found: str
    result: str
    address: int | None = None
    count: int = 1

    def __str__(self) -> str:
        if self.count > 1 or (self.position is None and self.address is not None):
            return f"{self.operator}: {self.count} more in {self.tensor} [{self.rule}]"
        where = self.tensor if self.position is None else _element(self.tensor, self.position)
        return f"{self.operator}: {where} {self.found}: {self.result} [{self.rule}]"


def audit(desc: Any, input: Any, indices: Any, updates: Any, limit: int | None) -> list[Finding]:
    """See `OperatorDesc.audit`."""
    if broken := desc.violations():
        raise descriptor_error(broken)
    given = {"input": input, "indices": indices}
    if limit is not None and limit < 0:
        raise ValueError(f"audit: limit is {limit}, expected 0 or more, or None")
    if hasattr(desc, "updates_tensor"):
        if updates is None:
            raise TypeError(f"{desc.operator}: updates are missing, expected an array of them")
        given["updates"] = updates
    elif updates is not None:
        raise TypeError(f"{desc.operator}: updates are given, expected none: it is a gather")
    arrays = {
        name: buffers.host_view(getattr(desc, f"{name}_tensor"), value, f"{desc.operator}: {name}")
        for name, value in given.items()
    }
    auditor = _Auditor(desc, arrays, limit)
    return [*auditor.of_data(), *auditor.of_buffers(given)]


class _Auditor:
    def __init__(self, desc: Any, arrays: dict[str, Array], limit: int | None) -> None:
        self.desc = desc
        self.arrays = arrays
        self.limit = limit
        self.to = lookup(desc)
        self.scatters = "updates" in arrays
        self.table_name, self.items_name = (
            ("output", "updates") if self.scatters else ("input", "output")
        )
        self.items: TensorDesc = getattr(desc, f"{self.items_name}_tensor")
        found = addresses(self.to, arrays["indices"])
        self.values = found.values.reshape(-1)
        self.wrapped = found.wrapped.reshape(-1)

    def of_data(self) -> Iterator[Finding]:
        yield from self.bad_indices()
        yield from self.of_items(
            "address-wraps", self.wrapped, "is at an address that wraps at 2^32"
        )
        past = self.values > self.to.last
        yield from self.of_items("past-the-end", past, f"is behind the last, {self.to.last}")
        if self.scatters:
            yield from self.duplicates()

    def finding(
        self, rule: str, tensor: str, position: Position, found: str, **rest: Any
    ) -> Finding:
        return Finding(rule, self.desc.operator, tensor, position, found, **rest)

    def limited(self, findings: Iterator[Finding], count: int) -> Iterator[Finding]:
        """The first of them, and one that counts the others."""
        yield from islice(findings, self.limit)
        rest = count if self.limit is None else count - self.limit
        if self.limit is not None and rest > 0:
            last = next(findings)
            yield replace(last, position=None, found="", result="", count=rest)

    def bad_indices(self) -> Iterator[Finding]:
        tuples = self.to.index_tuples(self.arrays["indices"])
        outside = np.stack(
            [
                numbers(tuples[..., k], coordinate.size).out_of_range
                for k, coordinate in enumerate(self.to.coordinates)
            ],
            axis=-1,
        )
        rank = len(self.desc.indices_tensor.sizes)
        more = self.to.items_of_one_index() - 1

        def findings() -> Iterator[Finding]:
            for at in np.argwhere(outside):
                place = tuple(map(int, at))
                axis, size, _ = self.to.coordinates[place[-1]]
                item = int(np.ravel_multi_index(self.to.first_item(place), self.to.shape))
                in_desc = place if self.to.has_tuples else place[:-1]
                others = f" (and {more} elements more)" if more else ""
                yield self.finding(
                    *("index-out-of-range", "indices", (0,) * (rank - len(in_desc)) + in_desc),
                    f"is {tuples[place]}, out of range for axis {axis} of size {size}",
                    result=f"{self.item_name(item)}{others} {self.reached(item)}",
                    address=int(self.values[item]),
                )

        yield from self.limited(findings(), int(outside.sum()))

    def of_items(self, rule: str, mask: npt.NDArray[np.bool_], found: str) -> Iterator[Finding]:
        """What holds of items by their addresses."""
        items = np.flatnonzero(mask)
        findings = (
            self.finding(
                *(rule, self.items_name, self.position(item)),
                f"has address {self.values[item]}, which {found}",
                result=self.reached(item),
                address=int(self.values[item]),
            )
            for item in map(int, items)
        )
        yield from self.limited(findings, items.size)

    def duplicates(self) -> Iterator[Finding]:
        order = by_address(self.values, self.to)
        if order.size == 0:
            return
        targets = self.values[order]
        updates = self.arrays["updates"].reshape(-1)
        bits = updates[order].view(f"u{updates.itemsize}")
        starts = np.flatnonzero(np.concatenate(([True], targets[1:] != targets[:-1])))
        differ = np.minimum.reduceat(bits, starts) != np.maximum.reduceat(bits, starts)
        ends = np.append(starts[1:], order.size)

        def findings() -> Iterator[Finding]:
            for start, end in zip(starts[differ], ends[differ], strict=True):
                first, *others = (int(item) for item in order[start:end])
                named = ", ".join(f"{self.item_name(o)} = {updates[o]}" for o in others[:3])
                left = f" and {len(others) - 3} more" if len(others) > 3 else ""
                yield self.finding(
                    *("duplicate-targets", "updates", self.position(first)),
                    f"is {updates[first]}, and {named}{left}: for one element",
                    result=f"any of them may be in {self.place(int(targets[start]))}",
                    address=int(targets[start]),
                )

        yield from self.limited(findings(), int(differ.sum()))

    def of_buffers(self, given: dict[str, Any]) -> Iterator[Finding]:
        for name, value in given.items():
            tensor: TensorDesc = getattr(self.desc, f"{name}_tensor")
            if isinstance(value, np.ndarray):
                need = max(16, tensor.guaranteed_base_offset_alignment)
                if past := value.ctypes.data % need:
                    yield Finding(
                        *("buffer-alignment", self.desc.operator, name, None),
                        f"begins {past} bytes behind a multiple of {need}",
                        "DirectML binds no buffer there",
                    )
            if not isinstance(value, (np.ndarray, _core.DeviceTensor)):
                continue
            held = value.nbytes if isinstance(value, _core.DeviceTensor) else _span_bytes(value)
            if held < tensor.total_bytes:
                yield Finding(
                    *("buffer-size", self.desc.operator, name, None),
                    f"holds {held} bytes, less than the total size, {tensor.total_bytes}",
                    "DirectML binds no buffer so short",
                )

    def position(self, item: int) -> Position:
        return tuple(map(int, np.unravel_index(item, self.items.sizes)))

    def item_name(self, item: int) -> str:
        return _element(self.items_name, self.position(item))

    def reached(self, item: int) -> str:
        """What becomes of the item."""
        address = int(self.values[item])
        if self.scatters:
            if address > self.to.last:
                return f"is written nowhere: address {address} is behind the last, {self.to.last}"
            return f"is written to {self.place(address)}"
        clamped = min(address, self.to.last)
        return f"{'is' if clamped == address else 'is the last element,'} {self.place(clamped)}"

    def place(self, address: int) -> str:
        """The table's element at an address that is not behind the last."""
        tensor = self.to.table
        if address >= self.to.held:
            return f"{self.table_name}'s element {address}, cut off by its total size"
        position = _position(tensor, address)
        if position is None:
            return f"{self.table_name}'s padding, element {address}"
        return _element(self.table_name, position)


def _position(tensor: TensorDesc, address: int) -> Position | None:
    """The position that lies there; None where none is found, in padding, say."""
    strides = tensor.element_strides
    position = [0] * len(strides)
    left = address
    for d in sorted(range(len(strides)), key=lambda d: -strides[d]):
        if strides[d]:
            position[d] = min(left // strides[d], tensor.sizes[d] - 1)
            left -= position[d] * strides[d]
    return None if left else tuple(position)


def _element(tensor: str, position: Position) -> str:
    return f"{tensor}[{', '.join(map(str, position))}]"


def _span_bytes(array: Array) -> int:
    """From the first byte to the last."""
    if array.size == 0:
        return 0
    pairs = zip(array.shape, array.strides, strict=True)
    return int(array.itemsize + sum((size - 1) * abs(stride) for size, stride in pairs))
