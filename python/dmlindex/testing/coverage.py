"""What a call exercises: by operator its dtype, mode, layout and index edge."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlindex.testing.call import Call


def features(call: Call) -> list[tuple[str, str, str]]:
    """One (operator, property, value) for each property of the call."""
    source, places = call.arguments[:2] if len(call.arguments) > 1 else (*call.arguments, None)
    options = call.options
    found = [("dtype", _dtype(source)), ("mode", _name(options.get("mode", "raise")))]
    found += [("layout", _layout(source)), ("index", _edge(source, places))]
    found.append(("index dtype", str(getattr(places, "dtype", "list"))))
    if "reduction" in options:
        found.append(("reduction", _name(options["reduction"])))
    if "out" in options:
        found.append(("out", call.note or "own"))
    elif call.note:
        found.append(("mistake", call.note))
    return [(call.operator, name, value) for name, value in found]


def _name(value: Any) -> str:
    """A name as it is; what is none as Python writes it."""
    return value if isinstance(value, str) and value.isidentifier() else repr(value)


def _dtype(array: Any) -> str:
    return str(getattr(array, "dtype", "list"))[:24]


def _layout(array: Any) -> str:
    if not isinstance(array, np.ndarray):
        return "list"
    if not array.flags.aligned:
        return "unaligned"
    if array.flags.c_contiguous:
        return "packed"
    if 0 in array.strides:
        return "0-stride"
    return "negative" if min(array.strides) < 0 else "strided"


def _edge(source: Any, places: Any) -> str:
    if not isinstance(places, np.ndarray) or places.dtype.kind not in "iu":
        return "other"
    if not places.size:
        return "none"
    lowest, highest = int(places.min()), int(places.max())
    info = np.iinfo(places.dtype)
    largest = max(np.shape(source), default=0)
    if (lowest == info.min and lowest < 0) or highest == info.max:
        return "extreme"
    if highest >= largest or lowest < -largest:
        return "out of range"
    return "negative" if lowest < 0 else "in range"
