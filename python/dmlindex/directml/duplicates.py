"""Updates of one element: in DirectML any of them may win."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex._tracebacks import short_traceback
from dmlindex.directml import buffers
from dmlindex.directml.addresses import Lookup, addresses, lookup
from dmlindex.directml.values import descriptor_error

Positions = npt.NDArray[np.int64]


def find_duplicates(desc: Any, indices: Any, mode: str | None) -> Positions:
    """See `ScatterOperatorDesc.find_duplicates`."""
    if broken := desc.violations():
        raise descriptor_error(broken)
    array = buffers.host_view(desc.indices_tensor, indices, f"{desc.operator}: indices")
    to = lookup(desc)
    if mode is None or mode == "directml":
        values = addresses(to, array).values.reshape(-1)
        sorted_targets = np.sort(values[values < to.held])  # much faster than their order
        if not (sorted_targets[1:] == sorted_targets[:-1]).any():
            return np.zeros(0, np.int64)
        order = by_address(values, to)
        found = order[:-1][values[order[:-1]] == values[order[1:]]]
        return np.sort(found).astype(np.int64)
    sizes, axis = desc.input_tensor.sizes, None
    if desc.operator == "SCATTER_ELEMENTS":
        axis = desc.axis
    else:
        sizes = sizes[-desc.input_dimension_count :]
        array = to.index_tuples(array)
    options: dict[str, Any] = {"axis": axis, "mode": mode}
    found = _core.find_duplicates(sizes, array, **options)
    elements = np.arange(1 if axis is not None else to.items_of_one_index())
    return (found[:, None] * elements.size + elements).reshape(-1)


def by_address(values: npt.NDArray[np.uint32], to: Lookup) -> Positions:
    """The flat positions of what is written, by address, and in C order where those are equal."""
    written = np.flatnonzero(values < to.held)
    return written[np.argsort(values[written], kind="stable")]


@short_traceback
def refuse_duplicates(desc: Any, mode: str | None, indices: Any) -> None:
    """IndexError where an update would be overwritten by a later one."""
    found = find_duplicates(desc, indices, mode)
    if not found.size:
        return
    sizes = desc.updates_tensor.sizes
    first = tuple(map(int, np.unravel_index(int(found[0]), sizes)))
    raise IndexError(
        f"{desc.operator}: updates[{', '.join(map(str, first))}] and a later update go to one "
        f"element, as do {found.size} of {math.prod(sizes)} in all, expected a target of its own "
        'for each: the operator was compiled with duplicates="raise"; see find_duplicates'
    )
