"""What legalize is asked for: a function's arguments, read and checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.legal.layout import Shape
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.values import DataType, FeatureLevel
from dmlindex.reference import checks, fills

Array = npt.NDArray[Any]

_ARGUMENTS = {
    "gather": ("input", "indices"),
    "gather_elements": ("input", "indices"),
    "gather_nd": ("input", "indices"),
    "scatter_elements": ("input", "indices", "updates"),
    "scatter_nd": ("input", "indices", "updates"),
}


@dataclass(frozen=True)
class Request:
    """A call of a function by shapes: everything about it but the elements.

    `known` are the indices, where an array was given; `position` is axis, or batch_dims.
    """

    function: str
    input: Array  # of the shape and dtype, without memory of its own
    indices: Array
    updates_shape: Shape
    position: int
    k: int
    mode: str
    reduction: str
    fill: Any
    unique: bool
    ordered: bool
    known: Array | None
    max_rounds: int

    @property
    def shape(self) -> Shape:
        """The result's."""
        x, i = self.input.shape, self.indices.shape
        if self.function == "gather":
            return x[: self.position] + i + x[self.position + 1 :]
        if self.function == "gather_elements":
            return i
        if self.function == "gather_nd":
            return i[:-1] + x[self.position + self.k :]
        return x

    @property
    def scatters(self) -> bool:
        return self.function.startswith("scatter")

    @property
    def limits(self) -> Shape:
        """The sizes of the axes that indices go into."""
        if self.function.endswith("_nd"):
            return self.input.shape[self.position : self.position + self.k]
        return (self.input.shape[self.position],)

    @property
    def arguments(self) -> dict[str, tuple[Shape, np.dtype[Any]]]:
        """Shape and dtype of each."""
        found = {
            "input": (self.input.shape, self.input.dtype),
            "indices": (self.indices.shape, self.indices.dtype),
        }
        if self.scatters:
            found["updates"] = (self.updates_shape, self.input.dtype)
        return found

    def bare(self, name: str) -> Array:
        """An argument without memory."""
        shape, dtype = self.arguments[name]
        return memoryless(dtype, shape)

    @property
    def result(self) -> Array:
        """The result without memory."""
        return memoryless(self.input.dtype, self.shape)

    def whole(self) -> dict[str, Array]:
        """All arguments and the result, without memory."""
        return {**{name: self.bare(name) for name in self.arguments}, "output": self.result}

    def whole_shapes(self) -> dict[str, Shape]:
        """Their shapes."""
        return {name: array.shape for name, array in self.whole().items()}

    @property
    def options(self) -> dict[str, Any]:
        """The function's options, but for defaults other than mode."""
        name = "batch_dims" if self.function == "gather_nd" else "axis"
        found: dict[str, Any] = {"mode": self.mode}
        if self.function != "scatter_nd":
            found[name] = self.position
        if self.reduction != "none":
            found["reduction"] = self.reduction
        return found


def read_request(
    function: str | Callable[..., Any], given: Sequence[Any], options: dict[str, Any]
) -> Request:
    """TypeError and ValueError as the function itself raises them."""
    op = function if isinstance(function, str) else getattr(function, "__name__", "")
    if op not in _ARGUMENTS:
        expected = ", ".join(_ARGUMENTS)
        raise ValueError(f"legalize: no function {op!r}, expected one of {expected}, or a desc")
    names = _ARGUMENTS[op]
    if len(given) not in (len(names), 2):
        raise ValueError(f"legalize: {len(given)} shapes for {op}, expected {', '.join(names)}")
    source = checks.input_array(op, _bare(op, "input", given[0]))
    is_known = isinstance(given[1], (np.ndarray, np.generic, list, int))
    places = checks.index_array(op, given[1] if is_known else _bare(op, "indices", given[1]))
    known = places if is_known else None
    scatters = op.startswith("scatter")
    modes = checks.SCATTER_MODES if scatters else checks.GATHER_MODES
    mode = checks.choice(op, "mode", options["mode"], modes)
    reduction = checks.reduction(op, options["reduction"] if scatters else "none", source.dtype)
    k, updates = 0, ()
    if op.endswith("_nd"):
        position = options["batch_dims"] if op == "gather_nd" else 0
        position = checks.batch_dims(op, position, source, places) if op == "gather_nd" else 0
        k = checks.tuple_size(op, source, places, position)
        updates = places.shape[:-1] + source.shape[k:]
    else:
        position = checks.axis(op, "axis", options["axis"], source.ndim)
        if op.endswith("elements"):
            checks.elements_indices(op, source, places, position)
            updates = places.shape
    if len(given) == 3 and not np.isscalar(given[2]):
        items = _bare(op, "updates", given[2], source.dtype)
        if items.dtype != source.dtype:
            raise TypeError(f"{op}: updates has dtype {items.dtype}, expected {source.dtype}")
        checks.updates_shape(op, items, updates)
    fill = fills.fill_element(op, options["fill_value"], source.dtype)
    unique = options["unique_indices"]
    checks.flag(op, "unique_indices", unique)
    checks.flag(op, "ordered", options["ordered"])
    return Request(
        op, memoryless(source.dtype, source.shape),
        memoryless(places.dtype, places.shape), updates, position, k, mode, reduction, fill,
        bool(unique), bool(options["ordered"]), known, options["max_rounds"],
    )  # fmt: skip


def _bare(op: str, name: str, given: Any, dtype: Any = None) -> Array:
    """An array, or one without memory of the shape and dtype given as (shape, dtype)."""
    if isinstance(given, np.ndarray):
        return given
    if hasattr(given, "shape") and hasattr(given, "dtype"):
        shape, dtype = given.shape, given.dtype
    elif isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], (tuple, list)):
        shape, dtype = given
    elif isinstance(given, (list, int)):
        return np.asarray(given, dtype)
    else:
        raise TypeError(
            f"legalize: {op}'s {name} is {given!r}, expected an array or (shape, dtype)"
        )
    return memoryless(np.dtype(dtype), tuple(shape))


def memoryless(dtype: np.dtype[Any], shape: Shape) -> Array:
    """An array of any shape that takes no room."""
    return np.broadcast_to(checks.fresh("legalize", (), dtype), shape)


def carrier(dtype: np.dtype[Any], level: FeatureLevel, *, most: int = 8) -> tuple[DataType, int]:
    """The data type that moves a dtype's bits, and how many of it one element is.

    Unsigned types move any bits. Before level 2_1 there are only floats, and those move floats.
    """
    size = dtype.itemsize
    if level < FeatureLevel.FL_2_1:
        if dtype.isnative and dtype.type in (np.float32, np.float16):
            return DataType[dtype.name.upper()], 1
        raise NoProgram(
            "data-type",
            f"{level.name} has FLOAT32 and FLOAT16 only, which need not keep the bits of {dtype}",
        )
    most = min(most, 8 if level >= FeatureLevel.FL_4_1 else 4)
    unit = next(unit for unit in (8, 4, 2, 1) if unit <= most and size % unit == 0)
    return DataType[f"UINT{8 * unit}"], size // unit


def bare_type(dtype: np.dtype[Any]) -> DataType | None:
    """The data type that DirectML has for a dtype as it is."""
    try:
        return DataType.of(dtype)
    except TypeError:
        return None


def index_type(array: Array) -> DataType:
    """The data type of indices as they are uploaded: in the machine's byte order."""
    return DataType.of(array.dtype.newbyteorder("="))
