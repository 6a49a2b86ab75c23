"""The random calls. Number k of a seed is the same call in every run and on every machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.call import Array, Call
from benchmarks.workloads import values

_LONGEST_SHORT_AXIS = 50
_MOST_NUMBERS = 2**25  # of the index arrays
_OPERATORS = ("gather", "gather_elements", "gather_nd", "scatter_elements", "scatter_nd")
_DTYPES = ("uint8", "int8", "float16", "int16", "float32", "int32", "float64", "int64")
_RECORDS = ([(c, "u1") for c in "rgb"], [(c, "f4") for c in "xyz"])  # 3 and 12 bytes
_REDUCED_DTYPES = ("uint8", "int16", "float32", "int32", "float64", "int64")
_REDUCTIONS = ("add", "mul", "min", "max")
_KINDS = ("uniform", "sorted", "skewed", "runs", "constant")

Shape = tuple[int, ...]
Make = Callable[[np.random.Generator, "Space", Array, str], Call]


@dataclass(frozen=True)
class Space:
    """What calls are drawn from. Sizes are in elements; a scatter's output are its updates."""

    input: tuple[int, int] = (64, 2**23)
    output: tuple[int, int] = (1, 2**22)
    records: tuple[list[tuple[str, str]], ...] = _RECORDS
    reduced_dtypes: tuple[str, ...] = _REDUCED_DTYPES
    reductions: tuple[str, ...] = _REDUCTIONS
    kinds: tuple[str, ...] = _KINDS
    negative: float = 0.25  # the share of calls with negative indices
    in_place: float = 0.0  # of scatters
    unordered: float = 0.0  # of reductions, the share with ordered=False


CPU = Space()


@dataclass(frozen=True)
class Drawn:
    call: Call
    kind: str  # how the indices are distributed
    ordered: bool = True

    def __str__(self) -> str:
        call = self.call
        dtype = str(call.input.dtype) if call.input.dtype.names is None else call.input.dtype.str
        words = [call.operator, f"{dtype}{list(call.input.shape)}", "by"]
        words.append(f"{call.indices.dtype}{list(call.indices.shape)}")
        if not call.operator.endswith("_nd"):
            words.append(f"axis={call.axis}")
        if call.batch_dims:
            words.append(f"batch_dims={call.batch_dims}")
        if call.reduction != "none":
            words.append(call.reduction + ("" if self.ordered else " in any order"))
        if call.in_place:
            words.append("in place")
        words.append(self.kind + (", negatives" if call.has_negative_indices else ""))
        return " ".join(words)


def draw(seed: int, number: int, space: Space = CPU) -> Drawn:
    rng = np.random.default_rng([seed, number])
    operator = str(rng.choice(_OPERATORS))
    reduction = "none"
    if operator.startswith("scatter") and rng.random() < 0.5:
        reduction = str(rng.choice(space.reductions))
    shape = _shape(rng, space)
    input_ = values(rng, shape, _dtype(rng, space, reduction))
    kind = str(rng.choice(space.kinds))
    call = _INDEXED[operator](rng, space, input_, kind)
    indices = call.indices.astype(rng.choice(("int32", "int64")))
    call = replace(call, indices=indices, reduction=reduction)
    if call.is_scatter:
        call = replace(call, updates=_updates(rng, call))
    if rng.random() < space.negative:
        call = replace(call, indices=_some_from_the_end(rng, call, kind))
    in_place = call.is_scatter and rng.random() < space.in_place
    ordered = reduction == "none" or rng.random() >= space.unordered
    return Drawn(replace(call, in_place=in_place), kind, ordered)


def _dtype(rng: np.random.Generator, space: Space, reduction: str) -> np.dtype[np.void]:
    if reduction != "none":
        return np.dtype(str(rng.choice(space.reduced_dtypes)))
    drawn = int(rng.integers(len(_DTYPES) + len(space.records)))
    if drawn < len(_DTYPES):
        return np.dtype(_DTYPES[drawn])
    return np.dtype(space.records[drawn - len(_DTYPES)])


def _log_uniform(rng: np.random.Generator, least: float, most: float) -> int:
    """A whole number in [least, most], each power of two as often as the next."""
    most = max(least, most)
    return int(min(most, np.exp(rng.uniform(np.log(least), np.log(most + 1)))))


def _shape(rng: np.random.Generator, space: Space) -> Shape:
    """A last axis of up to 50 as often as a longer one; the others share what is left."""
    rank = int(rng.integers(1, 5))
    total = _log_uniform(rng, *space.input)
    if rank == 1:
        return (total,)
    if rng.random() < 0.5:
        last = int(rng.integers(1, _LONGEST_SHORT_AXIS + 1))
    else:
        last = _log_uniform(rng, _LONGEST_SHORT_AXIS + 1, total)
    left = max(1.0, total / last)
    parts = rng.dirichlet(np.ones(rank - 1))
    return (*(max(1, int(left**part)) for part in parts), last)


def _count(rng: np.random.Generator, space: Space, each: int, numbers: int = 1) -> int:
    """How many tuples of so many numbers, where each is for so many elements of the output."""
    least, most = (size // max(each, 1) for size in space.output)
    return _log_uniform(rng, max(1, least), min(most, _MOST_NUMBERS // numbers))


def _split(rng: np.random.Generator, count: int) -> Shape:
    """About count in one or two dims."""
    if rng.random() < 0.5:
        return (count,)
    first = _log_uniform(rng, 1, count)
    return (first, count // first)


def _places(rng: np.random.Generator, kind: str, limit: int, shape: Shape) -> Array:
    """Indices in [0, limit), in order along the last axis where the kind has one."""
    if kind == "constant":
        return np.broadcast_to(rng.integers(limit, size=(*shape[:-1], 1)), shape).copy()
    if kind == "skewed":  # half of them among the first hundredth
        return (limit * rng.random(shape) ** 6.6).astype(np.int64)
    if kind == "runs":
        starts = rng.integers(limit, size=shape)
        along = np.arange(shape[-1]) % 16
        return (np.take(starts, np.arange(shape[-1]) - along, -1) + along) % limit
    found = rng.integers(limit, size=shape)
    return np.sort(found, -1) if kind == "sorted" else found


def _gather(rng: np.random.Generator, space: Space, input_: Array, kind: str) -> Call:
    axis = int(rng.integers(input_.ndim))
    each = input_.size // input_.shape[axis]
    shape = _split(rng, _count(rng, space, each))
    return Call("gather", input_, _places(rng, kind, input_.shape[axis], shape), axis=axis)


def _elements(operator: str) -> Make:
    def make(rng: np.random.Generator, space: Space, input_: Array, kind: str) -> Call:
        axis = int(rng.integers(input_.ndim))
        each = input_.size // input_.shape[axis]
        shape = list(input_.shape)
        shape[axis] = _count(rng, space, each)
        # Where others fill the output alone, they are fewer, too.
        while np.prod(shape) > space.output[1]:
            shape[int(np.argmax(shape))] //= 2
            input_ = input_[tuple(slice(n if d != axis else None) for d, n in enumerate(shape))]
        input_ = np.ascontiguousarray(input_)
        places = _places(rng, kind, input_.shape[axis], tuple(shape))
        return Call(operator, input_, places, axis=axis)

    return make


def _tuples(operator: str) -> Make:
    def make(rng: np.random.Generator, space: Space, input_: Array, kind: str) -> Call:
        shape = input_.shape
        count = int(rng.integers(1, input_.ndim + 1))
        batch_dims = int(rng.integers(count)) if operator == "gather_nd" else 0
        count -= batch_dims
        batch = shape[:batch_dims]
        each = int(np.prod(batch) * np.prod(shape[batch_dims + count :]))
        positions = (*batch, *_split(rng, _count(rng, space, each, count)))
        limits = shape[batch_dims : batch_dims + count]
        flat = _places(rng, kind, int(np.prod(limits)), positions)
        tuples = np.stack(np.unravel_index(flat, limits), -1)
        return Call(operator, input_, tuples, batch_dims=batch_dims)

    return make


_INDEXED = {
    "gather": _gather,
    "gather_elements": _elements("gather_elements"),
    "gather_nd": _tuples("gather_nd"),
    "scatter_elements": _elements("scatter_elements"),
    "scatter_nd": _tuples("scatter_nd"),
}


def _updates(rng: np.random.Generator, call: Call) -> Array:
    """Without a reduction, updates of one place are equal: peers promise no order of them."""
    if call.operator == "scatter_elements":
        shape = call.indices.shape
    else:
        shape = (*call.indices.shape[:-1], *call.input.shape[call.indices.shape[-1] :])
    if call.reduction != "none":
        return values(rng, shape, call.input.dtype)
    wanted = values(rng, call.input.shape, call.input.dtype)
    if call.operator == "scatter_elements":
        return np.take_along_axis(wanted, call.indices.astype(np.int64), call.axis)
    return np.asarray(wanted[tuple(np.moveaxis(call.indices, -1, 0))])


def _some_from_the_end(rng: np.random.Generator, call: Call, kind: str) -> Array:
    """A quarter of the indices as negative ones; whole rows where these are constant."""
    indices = call.indices
    if call.operator.endswith("_nd"):
        first = call.batch_dims
        limits = np.array(call.input.shape[first : first + indices.shape[-1]])
    else:
        limits = np.array(call.input.shape[call.axis])
    chosen = rng.random((*indices.shape[:-1], 1) if kind == "constant" else indices.shape) < 0.25
    return np.where(chosen, indices - limits.astype(indices.dtype), indices)
