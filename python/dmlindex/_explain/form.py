"""A call by its shapes and types: all that an explanation needs to know."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from dmlindex import reference
from dmlindex._core import CompiledOperator, DeviceTensor
from dmlindex._explain.fill import fill_code
from dmlindex._operators import ARRAYS, FUNCTIONS, PARAMETERS
from dmlindex.directml.descs import OperatorDesc
from dmlindex.reference import checks
from dmlindex.reference.fills import fill_element

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Form:
    """The call of a function, or of a valid desc as the call that it stands for.

    `position` is axis or batch_dims. `padding` are the 1s that a desc has in front of each tensor's
    own dims (below 0: how many of the output's are cropped).
    """

    operator: str
    input: Shape
    indices: Shape
    dtype: np.dtype[Any]
    index_dtype: np.dtype[Any]
    position: int = 0
    mode: str = "raise"
    reduction: str = "none"
    fill: str = "0"  # code of NumPy's
    has_one_update: bool = False
    is_ordered: bool = True
    duplicates: str = "allow"
    padding: tuple[tuple[str, int], ...] = ()
    desc_operator: str = ""

    @property
    def scatters(self) -> bool:
        return self.operator.startswith("scatter")

    @property
    def has_tuples(self) -> bool:
        return self.operator.endswith("_nd")

    @property
    def tuple_size(self) -> int:
        return self.indices[-1] if self.has_tuples else 1

    @property
    def places(self) -> Shape:
        """Of the indices, without the tuple's dim."""
        return self.indices[:-1] if self.has_tuples else self.indices

    @property
    def limits(self) -> Shape:
        """The sizes of the axes that an index counts along."""
        return self.input[self.position : self.position + self.tuple_size]

    @property
    def behind(self) -> Shape:
        """The dims of a slice behind the axes that are indexed."""
        if self.operator.endswith("_elements"):
            return ()
        return self.input[self.position + self.tuple_size :]

    @property
    def items(self) -> Shape:
        """The shape of a gather's output, of a scatter's updates."""
        if self.operator == "gather":
            return self.input[: self.position] + self.indices + self.behind
        return self.places + self.behind

    @property
    def output(self) -> Shape:
        return self.input if self.scatters else self.items


def form_of_call(operator: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Form:
    """The form of a call with its arrays, checked as the reference does.

    TypeError, ValueError for what the function would refuse but out and device.
    """
    given = _given(operator, arguments, options)
    x = checks.input_array(operator, _stand_in(given["input"]))
    i = checks.index_array(operator, _stand_in(given["indices"]))
    position = 0
    if "axis" in given:
        position = checks.axis(operator, "axis", given["axis"], x.ndim)
    if "batch_dims" in given:
        position = checks.batch_dims(operator, given["batch_dims"], x, i)
    if operator.endswith("_nd"):
        checks.tuple_size(operator, x, i, position)
    if operator.endswith("_elements"):
        checks.elements_indices(operator, x, i, position)
    scatters = operator.startswith("scatter")
    modes = checks.SCATTER_MODES if scatters else checks.GATHER_MODES
    mode = checks.choice(operator, "mode", given["mode"], modes)
    if not scatters:
        element = fill_element(operator, given["fill_value"], x.dtype)
        fill = fill_code(element.tobytes(), x.dtype, given["fill_value"])
        return Form(operator, x.shape, i.shape, x.dtype, i.dtype, position, mode, fill=fill)
    reduction = checks.reduction(operator, given["reduction"], x.dtype)
    for name in ("ordered", "unique_indices"):
        checks.flag(operator, name, given[name])
    u = checks.updates_array(operator, _stand_in(given["updates"]), x.dtype)
    form = Form(
        operator, x.shape, i.shape, x.dtype, i.dtype, position, mode, reduction,
        has_one_update=u.ndim == 0, is_ordered=bool(given["ordered"]),
    )  # fmt: skip
    checks.updates_shape(operator, u, form.items)
    return form


def _given(operator: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    """All arguments of a call by name; TypeError where its function takes no such ones."""
    names = PARAMETERS[operator]
    if len(arguments) > len(names):
        raise TypeError(f"explain: {operator} takes {len(names)} arguments, found {len(arguments)}")
    for name in names:
        if name in ARRAYS and name not in {*names[: len(arguments)], *options}:
            raise TypeError(f"explain: {operator} has no {name}; give all of its arrays, or none")
    own = {name: value for name, value in options.items() if name != "device"}
    try:
        bound = inspect.signature(getattr(reference, operator)).bind(*arguments, **own)
    except TypeError as error:
        raise TypeError(f"explain: {operator}: {error}") from None
    bound.apply_defaults()
    return bound.arguments


def form_of_operator(operator: CompiledOperator) -> Form:
    """The form of a compiled operator: that of its desc, and what it was compiled with."""
    form = form_of_desc(operator.desc, operator.mode)
    *_, fill, duplicates = operator.__reduce__()[1]
    fill = fill_code(fill, form.dtype) if fill else "0"
    return Form(**vars(form) | {"fill": fill, "duplicates": duplicates})


def form_of_desc(desc: OperatorDesc, mode: str) -> Form:
    """The form of a valid desc."""
    fields: dict[str, Any] = vars(desc)
    sizes: dict[str, Shape] = {
        name.removesuffix("_tensor"): value.sizes
        for name, value in fields.items()
        if name.endswith("_tensor")
    }
    x, i = sizes["input"], sizes["indices"]
    r = fields.get("input_dimension_count", len(x))
    q = fields.get("indices_dimension_count", fields.get("index_dimensions", len(i)))
    form = Form(
        FUNCTIONS[desc.operator], x[len(x) - r :], i[len(i) - q :],
        fields["input_tensor"].data_type.dtype, fields["indices_tensor"].data_type.dtype,
        fields.get("axis", fields.get("batch_dimension_count", 0)), mode,
        desc_operator=desc.operator,
    )  # fmt: skip
    own = {"input": form.input, "indices": form.indices, "output": form.output}
    own["updates"] = form.items
    padding = tuple((name, len(sizes[name]) - len(own[name])) for name in sizes)
    values = vars(form) | {"padding": padding}
    return Form(**values)


def _stand_in(value: Any) -> Any:
    """The value; for a device's and a lazy array one of its shape, which costs nothing."""
    if isinstance(value, DeviceTensor) or hasattr(value, "__dask_graph__"):
        return np.broadcast_to(np.zeros((), value.dtype), value.shape)
    return value
