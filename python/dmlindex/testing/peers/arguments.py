"""The arguments of a call, by name and with their defaults, for peers that take whole calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.call import PARAMETERS, Call
from dmlindex.testing.peers.rules import out_of_range

Array = npt.NDArray[Any]


def peer_function(operator: str, answer: Callable[[Call], Array]) -> Callable[..., Array]:
    """A function like dmlindex's, of one that gives the answer to a call in range.

    IndexError is raised here, and out written here: no library has those in one way.
    """

    def function(*arguments: Any, **options: Any) -> Array:
        out = options.pop("out", None)
        given = dict(zip(PARAMETERS[operator], arguments, strict=False)) | options
        arrays = tuple(given.pop(name) for name in ("input", "indices", "updates") if name in given)
        call = Call(operator, arrays, given)
        if out_of_range(call):
            raise IndexError("an index is out of range")
        found = np.asarray(answer(call))
        if out is None:
            return found
        result: Array = out
        result[...] = found
        return result

    return function
