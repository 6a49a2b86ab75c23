"""What DirectML computes for a descriptor, out of range too: the meaning of mode "directml".

In range it is the operators of `dmlindex.reference`. Out of range DirectML neither clamps nor drops
an index: it sums one linear address an element, in unsigned 32-bit arithmetic that wraps, and looks
at nothing but that sum. So an index one past the end of a row names the next row's first element.

    i    = the index's low 32 bits, plus the size of its axis if the index is negative
    addr = Σ coordinate · stride, mod 2^32, in elements
    last = ceil(TotalTensorSizeInBytes / element size) - 1, of the input, or of a scatter's output
    a gather reads input[min(addr, last)]; a scatter writes output[addr] if addr <= last

Everything here is Python integers, one element at a time. Where it comes from: DirectML 1.15.4
executed on 20,000 random calls (tests/data/README.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from dmlindex.directml.tensor import TensorDesc

Array = npt.NDArray[Any]
Position = tuple[int, ...]

_WRAP = 2**32  # of addresses, and of what is read of an index


class Element(NamedTuple):
    """How one element of the items (a gather's output, a scatter's updates) finds its place.

    The place is before + one coordinate for each of indices + behind, in dims of the table.
    """

    before: Position
    indices: list[Position]  # where the coordinates stand in the indices tensor
    behind: Position


def execute(desc: Any, input: Array, indices: Array, *updates_and_output: Array) -> None:
    """Writes to output what DirectML does. desc is valid, and all arrays are 1-D buffers apart.

    A buffer may be shorter than its total size: what lies behind it reads as 0 and is not written.
    """
    *updates, output = updates_and_output
    if updates:
        for p in np.ndindex(desc.output_tensor.sizes):
            element = _read(input, _address(p, desc.input_tensor.element_strides))
            _write(output, _address(p, desc.output_tensor.element_strides), element)
    table = _table(desc)
    total, width = table.total_bytes, table.data_type.dtype.itemsize
    last, whole = -(-total // width) - 1, total // width  # an element cut off is not there
    for item, address in addresses(desc, indices):
        if not updates:
            _write(output, item, _read(input[:whole], min(address, last)))
        elif address <= last:
            _write(output[:whole], address, _read(updates[0], item))


def addresses(desc: Any, indices: Array) -> Iterator[tuple[int, int]]:
    """For each element of the items, in C order: its place in their buffer, and its address."""
    table, items = _table(desc), getattr(desc, "updates_tensor", desc.output_tensor)
    strides = table.element_strides
    if "ELEMENTS" in desc.operator and table.sizes[desc.axis] == 1:
        strides = (*strides[: desc.axis], 0, *strides[desc.axis + 1 :])
    for p in np.ndindex(items.sizes):
        before, places, behind = _element(desc, p)
        coordinates = [
            _coordinate(_read(indices, _address(place, desc.indices_tensor.element_strides)), size)
            for place, size in zip(places, table.sizes[len(before) :], strict=False)
        ]
        yield (
            _address(p, items.element_strides),
            _address((*before, *coordinates, *behind), strides),
        )


def _table(desc: Any) -> TensorDesc:
    """What is indexed: the input of a gather, the output of a scatter."""
    table: TensorDesc = desc.output_tensor if hasattr(desc, "updates_tensor") else desc.input_tensor
    return table


def _element(desc: Any, p: Position) -> Element:
    """The element of the items at p, by the formula of the operator."""
    n, dims = len(p), len(desc.indices_tensor.sizes)
    if desc.operator in ("GATHER_ELEMENTS", "SCATTER_ELEMENTS"):
        return Element(p[: desc.axis], [p], p[desc.axis + 1 :])
    if desc.operator == "GATHER":
        count = desc.index_dimensions
        p = _with_rank(p, n - 1 + count)
        place = _with_rank(p[desc.axis : desc.axis + count], dims)
        return Element(p[: desc.axis], [place], p[desc.axis + count :])
    r, q = desc.input_dimension_count, desc.indices_dimension_count
    batch = getattr(desc, "batch_dimension_count", 0)
    k = desc.indices_tensor.sizes[-1]
    p = _with_rank(p, q - 1 + r - batch - k)
    in_front = len(desc.input_tensor.sizes) - r
    tuples = [_with_rank((*p[: q - 1], c), dims) for c in range(k)]
    return Element((0,) * in_front + p[:batch], tuples, p[q - 1 :])


def _coordinate(index: np.integer[Any], size: int) -> int:
    """What is left of an index: UINT64 from 2**63 on counts as negative, UINT32 never does."""
    negative = int(index) < 0 or (index.dtype == np.uint64 and int(index) >= 2**63)
    return (int(index) + (size if negative else 0)) % _WRAP


def _address(position: Position, strides: Position) -> int:
    return sum(c * stride for c, stride in zip(position, strides, strict=True)) % _WRAP


def _with_rank(p: Position, rank: int) -> Position:
    """The last rank coordinates of p, or all of them behind zeros."""
    return (0,) * (rank - len(p)) + p[max(len(p) - rank, 0) :]


def _read(buffer: Array, address: int) -> Any:
    return buffer[address] if address < buffer.size else buffer.dtype.type(0)


def _write(buffer: Array, address: int, element: Any) -> None:
    if address < buffer.size:
        buffer[address] = element
