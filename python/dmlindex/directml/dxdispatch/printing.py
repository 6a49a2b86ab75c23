"""A resource's values in words, as DxDispatch prints them."""

from __future__ import annotations

import numpy as np

from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.model import Print, Resource
from dmlindex.directml.values import DataType


def printed(command: Print, resource: Resource, data: bytes) -> str:
    """As many values as the resource had at first; floats with 6 digits, as the tool does.

    8-bit integers are numbers here; the tool prints them as characters.
    """
    name = shown(command.resource)
    if resource.data_type is DataType.UNKNOWN:
        raise DxDispatchError(f"print: resource {name} has values of several types; write a file")
    dtype = resource.data_type.dtype
    count = len(resource.values) // dtype.itemsize
    values = np.frombuffer(data, dtype, count)
    words = [f"{value:.6g}" if dtype.kind == "f" else str(value) for value in values.tolist()]
    if not command.verbose:
        return f"Resource {name}: {', '.join(words)}"
    bits = values.view(np.dtype(f"u{dtype.itemsize}")).tolist()
    place, digits = len(str(count)), 2 * dtype.itemsize
    lines = [
        f"[{i:{place}}] {word} (0x{bit:{digits}X})"
        for i, (word, bit) in enumerate(zip(words, bits, strict=True))
    ]
    return "\n".join([f"Resource {name}:", *lines])
