"""The types that the functions' hints share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt

GatherMode: TypeAlias = Literal["raise", "clamp", "wrap", "fill"]
ScatterMode: TypeAlias = Literal["raise", "clamp", "wrap", "drop"]
CompiledMode: TypeAlias = Literal["raise", "clamp", "wrap", "fill", "drop", "directml"]
Reduction: TypeAlias = Literal["none", "add", "mul", "min", "max"]


class SupportsIntegerArray(Protocol):
    """What NumPy makes an array of integers of: such an array itself, or another library's."""

    def __array__(self) -> npt.NDArray[np.integer[Any]]: ...


class DaskArray(Protocol):
    """A dask.array.Array, by the method that dispatch goes by."""

    def __dask_graph__(self) -> Any: ...


Indices: TypeAlias = Union[int, np.integer[Any], SupportsIntegerArray, Sequence["Indices"]]  # noqa: UP007
Scalar: TypeAlias = complex | str | bytes | np.generic | npt.NDArray[Any]
