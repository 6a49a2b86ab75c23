"""Cases that show what a driver does: operators, types, index types, ranks, layouts, indices.

The cases are the same ones each time. All elements of a buffer differ, padding included, so that a
wrong one tells where it comes from. Updates of one element are equal, as DirectML promises no
order; but for one case of each scatter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.addresses import addresses, lookup
from dmlindex.directml.dxdispatch.writer import Case
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType

Array = npt.NDArray[Any]

INDEX_TYPES = (DataType.INT64, DataType.INT32, DataType.UINT32, DataType.UINT64)
DATA_TYPES = tuple(
    data_type
    for data_type in DataType
    if data_type not in (DataType.UNKNOWN, DataType.UINT4, DataType.INT4)
)
_PER_TYPE = 5  # cases of an operator and a data type
_STEP = 137  # prime to the number of combinations: neighbours differ in everything

# Shapes of input and indices, axis and the like, DimensionCount.
_SHAPES: dict[type[Any], list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], int]]] = {
    GatherOperatorDesc: [
        *[((5,), (3,), (0,), 1), ((3, 4), (2, 2), (1,), 4), ((2, 3, 4), (3,), (1,), 3)],
        *[((4, 3), (), (0,), 2), ((2, 1, 3, 2), (2, 1, 2), (2,), 8)],
    ],
    GatherElementsOperatorDesc: [
        *[((5,), (7,), (0,), 1), ((3, 4), (3, 2), (1,), 2), ((2, 3, 4), (2, 5, 4), (1,), 4)],
        *[((4, 1, 3), (4, 2, 3), (1,), 5), ((2, 1, 2, 3, 2), (2, 1, 2, 3, 4), (4,), 8)],
    ],
    GatherNDOperatorDesc: [
        *[((5,), (3, 1), (), 2), ((3, 4), (2, 2), (), 4), ((3, 4), (4, 1), (), 2)],
        *[((2, 3, 4), (2, 2, 3), (), 3), ((2, 3, 2, 2), (3, 2), (), 8)],
    ],
    GatherND1OperatorDesc: [
        *[((2, 5), (2, 3, 1), (1,), 3), ((2, 3, 4), (2, 2, 2), (1,), 4)],
        *[((2, 2, 3), (2, 2, 1), (2,), 3), ((3, 4), (2, 2), (0,), 2)],
        *[((2, 3, 2, 2), (2, 3, 1), (1,), 8)],
    ],
    ScatterElementsOperatorDesc: [
        *[((5,), (3,), (0,), 1), ((3, 4), (3, 2), (1,), 2), ((2, 3, 4), (2, 2, 4), (1,), 4)],
        *[((4, 2, 3), (4, 1, 3), (1,), 5), ((2, 1, 2, 3, 2), (2, 1, 2, 3, 1), (4,), 8)],
    ],
    ScatterNDOperatorDesc: [
        *[((5,), (3, 1), (), 2), ((3, 4), (2, 2), (), 4), ((3, 4), (2, 1), (), 2)],
        *[((2, 3, 4), (2, 2, 3), (), 3), ((2, 3, 2, 2), (3, 2), (), 8)],
    ],
}


def _padded(tensor: TensorDesc) -> TensorDesc:
    *outer, last = tensor.sizes
    row = TensorDesc(tensor.data_type, (*outer, last + 1)) if outer else replace(tensor)
    strides = tuple(row.element_strides) if outer else (2,)
    return replace(tensor, strides=strides)


def _transposed(tensor: TensorDesc) -> TensorDesc:
    turned = TensorDesc(tensor.data_type, tensor.sizes[::-1])
    return replace(tensor, strides=turned.element_strides[::-1])


def _larger(tensor: TensorDesc) -> TensorDesc:
    return replace(tensor, total_tensor_size_in_bytes=tensor.total_bytes + 16)


def _same(tensor: TensorDesc) -> TensorDesc:
    return tensor


LAYOUTS: dict[str, tuple[Callable[[TensorDesc], TensorDesc], tuple[str, ...]]] = {
    "packed": (_same, ()),
    "rows padded": (_padded, ("input", "indices", "updates", "output")),
    "dims turned": (_transposed, ("input", "updates")),
    "output turned": (_transposed, ("output", "indices")),
    "totals larger": (_larger, ("input", "updates", "output")),
}


def _in_range(size: int, info: Any) -> list[int]:
    return list(range(size))


def _negative(size: int, info: Any) -> list[int]:
    return [-1, -size, *range(size)] if info.min < 0 else list(range(size))


def _edges(size: int, info: Any) -> list[int]:
    return [size - 1, size, 0, -size, -size - 1, size + 1]


def _far(size: int, info: Any) -> list[int]:
    return [info.max, 0, info.min, 3 * size + 1, info.max - 1, -3 * size - 2, size - 1]


def _high(size: int, info: Any) -> list[int]:
    """Only the low 32 bits count, and the sign."""
    return [2**31, 1, 2**32 + size - 1, 2**31 - 1, -(2**32), 2**63, 2**40, 0]


KINDS: dict[str, Callable[[int, Any], list[int]]] = {
    "in range": _in_range,
    "negative": _negative,
    "at the edges": _edges,
    "far out of range": _far,
    "of more than 32 bits": _high,
}


@dataclass(frozen=True)
class Choice:
    """What a case is made from."""

    operator: type[Any]
    data_type: DataType
    index_type: DataType
    shapes: int
    layout: str
    kind: str

    def desc(self) -> Any:
        shape, places, parameters, rank = _SHAPES[self.operator][self.shapes]
        names = ("axis",)
        if "ND" in self.operator.operator:
            names = ("batch_dimension_count",)
        packed = self.operator.infer(
            *(shape, places),
            **dict(zip(names, parameters, strict=False)),
            data_type=self.data_type,
            indices_data_type=self.index_type,
            dimension_count=rank,
        )
        change, roles = LAYOUTS[self.layout]
        changed = {
            f"{role}_tensor": change(getattr(packed, f"{role}_tensor"))
            for role in roles
            if hasattr(packed, f"{role}_tensor")
        }
        return replace(packed, **changed)

    def about(self, desc: Any) -> str:
        sizes = list(desc.input_tensor.sizes)
        return (
            f"{desc.operator} {self.data_type.name} {sizes}, {self.layout}, indices "
            f"{self.index_type.name} {self.kind}"
        )


def conformance_cases() -> dict[str, list[Case]]:
    """A few hundred cases: for each operator and data type, which a device may lack, a model."""
    models: dict[str, list[Case]] = {}
    for operator in _SHAPES:
        choices = _choices(operator)
        for data_type in DATA_TYPES:
            name = f"{operator.operator}_{data_type.name}".lower()
            chosen = [replace(next(choices), data_type=data_type) for _ in range(_PER_TYPE)]
            cases = [_case(f"{name}_{i + 1}", choice) for i, choice in enumerate(chosen)]
            models[f"{name}.json"] = [*cases, *_more(name, chosen[0])]
    return models


def _choices(operator: type[Any]) -> Iterator[Choice]:
    combinations = list(product(INDEX_TYPES, range(len(_SHAPES[operator])), LAYOUTS, KINDS))
    for i in range(len(combinations)):
        index_type, shapes, layout, kind = combinations[i * _STEP % len(combinations)]
        yield Choice(operator, DataType.FLOAT32, index_type, shapes, layout, kind)


def _more(name: str, choice: Choice) -> Iterator[Case]:
    """Floats whose bits must not change; and updates of one element, which any of them may win."""
    if choice.data_type.dtype.kind == "f":
        case = _case(f"{name}_bits", replace(choice, layout="packed", kind="in range"))
        inputs = (_special(case.inputs[0]), *case.inputs[1:])
        yield replace(case, inputs=inputs, about=f"{case.about}; NaNs, denormals and zeros")
    if "SCATTER" in choice.operator.operator and choice.data_type is DataType.INT32:
        case = _case(f"{name}_order", replace(choice, shapes=0, layout="packed", kind="in range"))
        source, indices, updates = case.inputs
        inputs = (source, indices * 0, -1 - np.arange(updates.size, dtype=np.int32))
        about = f"{choice.operator.operator}: several updates of one element, in no promised order"
        yield replace(case, inputs=(*inputs[:2], inputs[2].reshape(updates.shape)), about=about)


def _case(name: str, choice: Choice) -> Case:
    desc = choice.desc()
    indices = _indices(desc, choice)
    inputs = [_distinct(desc.input_tensor, 1), indices]
    if hasattr(desc, "updates_tensor"):
        inputs.append(_updates(desc, indices))
    return Case(name, desc, tuple(inputs), choice.about(desc))


def _buffer(tensor: TensorDesc) -> Array:
    count = tensor.total_bytes // tensor.data_type.dtype.itemsize
    if tensor.strides is None and tensor.total_tensor_size_in_bytes is None:
        return np.zeros(tensor.sizes, tensor.data_type.dtype)
    return np.zeros(count, tensor.data_type.dtype)


def _view(tensor: TensorDesc, buffer: Array) -> Array:
    """The tensor in its buffer, which is flat where the total is larger, too."""
    strides = tuple(stride * buffer.itemsize for stride in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(buffer.reshape(-1), tensor.sizes, strides)


def _distinct(tensor: TensorDesc, first: int) -> Array:
    buffer = _buffer(tensor)
    buffer.reshape(-1)[:] = np.arange(first, first + buffer.size).astype(buffer.dtype)
    return buffer


def _indices(desc: Any, choice: Choice) -> Array:
    tensor = desc.indices_tensor
    buffer = _buffer(tensor)
    view = _view(tensor, buffer)
    info = np.iinfo(buffer.dtype)
    sizes = [coordinate.size for coordinate in lookup(desc).coordinates]
    for p in np.ndindex(view.shape):
        at = p[-1] % len(sizes)
        fitting = [n for n in KINDS[choice.kind](sizes[at], info) if info.min <= n <= info.max]
        view[p] = fitting[(sum(p) * 2 + p[-1] + choice.shapes) % len(fitting)]
    return buffer


def _updates(desc: Any, indices: Array) -> Array:
    """Other numbers than the input's; equal ones where they go to one element."""
    buffer = _buffer(desc.updates_tensor)
    dtype = buffer.dtype
    targets = addresses(lookup(desc), _view(desc.indices_tensor, indices)).values
    numbers = targets.reshape(desc.updates_tensor.sizes).astype(np.int64) % 64
    numbers = 250 - numbers if dtype.kind == "u" else -1 - numbers
    _view(desc.updates_tensor, buffer)[...] = numbers.astype(dtype)
    return buffer


def _special(array: Array) -> Array:
    """The same shape, of bit patterns that arithmetic would change."""
    bits = np.dtype(f"u{array.itemsize}")
    infinity = int(np.array(np.inf, array.dtype).view(bits))
    sign = 1 << (8 * array.itemsize - 1)
    patterns = [infinity + 1, 1, sign, infinity | sign, infinity + 5 | sign, 3 | sign, infinity - 1]
    chosen = np.array(patterns, bits)[np.arange(array.size) % len(patterns)]
    return chosen.view(array.dtype).reshape(array.shape)
