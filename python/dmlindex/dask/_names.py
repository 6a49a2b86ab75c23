"""The names of the tasks, by which progress bars and the dashboard of distributed show them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

import dask.array
import numpy as np
from dask.base import tokenize

da: Any = dask.array  # which is only partly typed

HASHED_BYTES = 1 << 20  # hashing a larger NumPy array may take longer than the call itself


@dataclass(frozen=True)
class Names:
    """Of one call: the layers gather-nd-route, gather-nd-local and gather-nd-merge, for example."""

    route: str
    local: str
    merge: str


def names(operator: str, *arguments: Any) -> Names:
    """The same for the same call: Dask takes tasks of the same name for the same. Where a large
    NumPy array is among the arguments, each call has names of its own."""
    token = tokenize(operator, *(uuid.uuid4() if _large(value) else value for value in arguments))
    # Dask shows "gather-elements-local" as "gather": it takes "elements" for a part of a hash.
    words = operator if operator.endswith("_elements") else operator.replace("_", "-")
    return Names(*(f"{words}-{step}-{token}" for step in ("route", "local", "merge")))


def chunked(array: Any, chunks: Any = "auto") -> Any:
    """A NumPy array as a Dask array, with a name of its own if it is large."""
    return da.from_array(array, chunks=chunks, name=False if _large(array) else None)


def _large(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.nbytes > HASHED_BYTES
