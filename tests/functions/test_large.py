"""Calls large enough for blocks, threads and every layout's own path, against NumPy's fancy
indexing.

The reference is too slow for these. Here each item's target is computed for all at once as a flat
position in the table; then a gather is table[targets], a scatter is table[targets] = items, and a
reduction is the ufunc's at, which NumPy also does one by one in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import settings

import dmlindex
from dmlindex.testing.space import OPERATORS

Array = npt.NDArray[Any]
Shape = tuple[int, ...]

DTYPES = ["u1", "u2", "f4", "f8", "c16", "V3", "V12", "V48"]
INDEX_DTYPES = ["i8", "i4", "u4", "i2", "u1", ">i4", "u8"]
quick = settings.get_current_profile_name() != "thorough"

UFUNCS = {"add": np.add, "mul": np.multiply, "min": np.minimum, "max": np.maximum}


@dataclass
class Case:
    operator: str
    table: Shape
    indices: Shape
    items: Shape
    position: dict[str, int]  # axis or batch_dims

    def limits(self) -> list[int]:
        """The size of the axis that each place in the last dim of indices counts along."""
        if "axis" in self.position:
            return [self.table[self.position["axis"]]]
        batch = self.position.get("batch_dims", 0)
        return list(self.table[batch : batch + self.indices[-1]])

    def targets(self, places: Array) -> Array:
        """The flat position in the table of every item."""
        grid: list[Any] = list(np.indices(self.items, sparse=True))
        if self.operator == "gather":
            a, q = self.position["axis"], places.ndim
            spread = places.reshape(places.shape + (1,) * (len(self.table) - a - 1))
            coordinates = [*grid[:a], spread, *grid[a + q :]]
        elif "axis" in self.position:
            a = self.position["axis"]
            coordinates = [*grid[:a], places, *grid[a + 1 :]]
        else:
            batch, k = self.position.get("batch_dims", 0), places.shape[-1]
            slice_dims = len(self.table) - batch - k
            tuples = places.reshape(places.shape[:-1] + (1,) * slice_dims + (k,))
            coordinates = [*grid[:batch], *np.moveaxis(tuples, -1, 0)]
            coordinates += grid[len(self.items) - slice_dims :]
        return np.ravel_multi_index(np.broadcast_arrays(*coordinates), self.table)


def sizes(rng: np.random.Generator, rank: int, elements: int) -> Shape:
    """A random shape of about as many elements, its longest dim anywhere."""
    shares = rng.dirichlet(np.full(rank, 0.7))
    return tuple(max(1, round(elements**share)) for share in shares)


def draw_case(rng: np.random.Generator, operator: str) -> Case:
    elements = int(rng.choice([3_000, 30_000, 200_000]))
    if operator == "gather":
        table = sizes(rng, int(rng.integers(1, 4)), elements // 4)
        axis = int(rng.integers(len(table)))
        count = max(1, elements * table[axis] // int(np.prod(table)))
        indices = sizes(rng, int(rng.integers(1, 3)), count)
        return Case(
            operator, table, indices, table[:axis] + indices + table[axis + 1 :], {"axis": axis}
        )
    if operator.endswith("elements"):
        table = sizes(rng, int(rng.integers(1, 4)), elements)
        axis = int(rng.integers(len(table)))
        off = [int(rng.integers(max(1, n // 2), n + 1)) for n in table]
        off[axis] = int(rng.integers(1, 2 * table[axis] + 2))
        return Case(operator, table, tuple(off), tuple(off), {"axis": axis})
    rank = int(rng.integers(1, 5))
    table = sizes(rng, rank, elements // 4)
    batch = int(rng.integers(rank)) if operator == "gather_nd" else 0
    k = int(rng.integers(1, rank - batch + 1))
    moved = int(np.prod(table[:batch])) * int(np.prod(table[batch + k :]))
    q = sizes(rng, int(rng.integers(1, 3)), max(1, elements // moved))
    position = {"batch_dims": batch} if operator == "gather_nd" else {}
    return Case(
        operator, table, (*table[:batch], *q, k), table[:batch] + q + table[batch + k :], position
    )


def laid_out(rng: np.random.Generator, array: Array) -> Array:
    """The same array in a random layout."""
    order = rng.permutation(array.ndim)
    steps = [int(rng.choice([1, 1, 2, -1, -3])) for _ in order]
    memory = np.zeros(
        [array.shape[d] * abs(s) for d, s in zip(order, steps, strict=True)], array.dtype
    )
    view = memory[tuple(slice(None, None, s) for s in steps)].transpose(np.argsort(order))
    kind = rng.integers(3)
    if kind == 0:
        return array
    if kind == 1:
        return np.asfortranarray(array)
    view[...] = array
    return view


def resolve(indices: Array, limits: list[int], mode: str) -> tuple[Array, Array]:
    """The place of every index, and where there is one."""
    value = indices.astype(np.int64)
    size = np.array(limits)
    if mode == "clamp":
        value = np.clip(value, -size, size - 1)
    if mode == "wrap":
        value = np.mod(value, size)
    inside = (value >= -size) & (value < size)
    value = np.where(value < 0, value + size, value)
    return np.where(inside, value, 0), inside


@pytest.mark.parametrize("seed", range(100 if quick else 3000))
@pytest.mark.parametrize("operator", OPERATORS)
def test_against_fancy_indexing(threads: Callable[[int], None], operator: str, seed: int) -> None:
    rng = np.random.default_rng([seed, OPERATORS.index(operator)])
    threads(int(rng.integers(1, 4)))
    case = draw_case(rng, operator)
    scatter = operator.startswith("scatter")
    reduction = str(rng.choice(["none", "none", *UFUNCS])) if scatter else "none"
    mode = str(rng.choice(["raise", "clamp", "wrap", "drop" if scatter else "fill"]))

    dtype = np.dtype(rng.choice(["u1", "i8", "f4"] if reduction != "none" else DTYPES))
    index_dtype = np.dtype(rng.choice(INDEX_DTYPES))
    indices = draw_indices(rng, case, index_dtype, mode)
    places, inside = resolve(indices, case.limits(), mode)
    if "axis" not in case.position:
        inside = np.all(inside, axis=-1)
        spread = inside.reshape(inside.shape + (1,) * (len(case.items) - inside.ndim))
    elif operator == "gather":
        a = case.position["axis"]
        spread = inside.reshape(inside.shape + (1,) * (len(case.table) - a - 1))
    else:
        spread = inside
    kept = np.broadcast_to(spread, case.items).ravel()
    targets = case.targets(places).ravel()

    table = laid_out(rng, random_elements(rng, case.table, dtype))
    if not scatter:
        expected = table.ravel()[targets]
        expected[~kept] = np.zeros(1, dtype)[0]
        check(rng, case.operator, (table, indices), {**case.position, "mode": mode},
              expected.reshape(case.items))  # fmt: skip
        return
    updates = laid_out(rng, random_elements(rng, case.items, dtype))
    expected = table.ravel().copy()
    chosen, moved = targets[kept], updates.ravel()[kept]
    if reduction == "none":
        expected[chosen] = moved
    else:
        with np.errstate(all="ignore"):
            UFUNCS[reduction].at(expected, chosen, moved)
    options = {**case.position, "mode": mode, "reduction": reduction}
    check(rng, operator, (table, indices, updates), options, expected.reshape(case.table))


def draw_indices(rng: np.random.Generator, case: Case, dtype: np.dtype[Any], mode: str) -> Array:
    """Indices in range, or with a mode that allows it, of twice that; sometimes broadcast."""
    shape = list(case.indices)
    if rng.integers(4) == 0:
        shape[int(rng.integers(max(1, len(shape) - 1)))] = 1
    info = np.iinfo(dtype)
    reach = 1 if mode == "raise" else 2
    limits = np.array(case.limits())
    low, high = (
        np.maximum(-limits * reach, info.min),
        np.minimum(limits * reach - 1, min(info.max, 2**62)),
    )
    values = rng.integers(low, high, tuple(shape), endpoint=True).astype(dtype)
    if tuple(shape) != case.indices:
        return np.broadcast_to(values, case.indices)
    return laid_out(rng, values)


def random_elements(rng: np.random.Generator, shape: Shape, dtype: np.dtype[Any]) -> Array:
    count = int(np.prod(shape))
    if dtype.kind == "f":
        return rng.standard_normal(count).astype(dtype).reshape(shape)
    return np.frombuffer(bytearray(rng.bytes(count * dtype.itemsize)), dtype).reshape(shape)


def check(
    rng: np.random.Generator,
    operator: str,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    expected: Array,
) -> None:
    """The operator with no out, and with one of some layout, gives what is expected."""
    function = getattr(dmlindex, operator)
    assert function(*arguments, **options).tobytes() == expected.tobytes()
    out = laid_out(rng, np.zeros_like(expected))
    function(*arguments, **options, out=out)
    assert out.tobytes() == expected.tobytes()
    if operator.startswith("scatter"):
        in_place = arguments[0].copy(order="K")
        function(in_place, *arguments[1:], **options, out=in_place)
        assert in_place.tobytes() == expected.tobytes()


@pytest.mark.parametrize("row_bytes", [256, 300, 4100])
@pytest.mark.parametrize("into_line", [0, 16, 61])
def test_rows_past_the_caches(
    threads: Callable[[int], None], row_bytes: int, into_line: int
) -> None:
    """A result too large for the caches, wherever in a cache line it begins and its rows end."""
    rng = np.random.default_rng([row_bytes, into_line])
    threads(int(rng.integers(1, 3)))
    rows = 48_000_000 // row_bytes
    table_rows = 8_000_000 // row_bytes  # of a table that is not in L2
    table = random_elements(rng, (table_rows, row_bytes), np.dtype("u1"))
    indices = rng.integers(0, table_rows, rows)
    indices[10:200] = np.arange(10, 200)  # a run is one slice
    guarded = np.full(rows * row_bytes + 256, 7, np.uint8)
    begin = -guarded.ctypes.data % 64 + into_line
    out = guarded[begin : begin + rows * row_bytes].reshape(rows, row_bytes)
    dmlindex.gather(table, indices, out=out)
    assert np.array_equal(out, table[indices])
    assert (guarded[:begin] == 7).all()
    assert (guarded[begin + out.size :] == 7).all()

    updates = random_elements(rng, (50, row_bytes), np.dtype("u1"))
    places = rng.permutation(rows)[:50]
    result = dmlindex.scatter_nd(out, places[:, None], updates)
    out[places] = updates
    assert np.array_equal(result, out)


@pytest.mark.parametrize("index_dtype", ["i8", "u4", "i2", "u1"])
@pytest.mark.parametrize("width", [16, 33, 768, 2500])
def test_rows_of_one_index(index_dtype: str, width: int) -> None:
    """Rows whose indices are all the same among rows in which only the last one differs, or all."""
    rng = np.random.default_rng(width)
    table = rng.standard_normal((4, 100, width)).astype("f4")
    indices = np.repeat(rng.integers(0, 100, (4, 60, 1)), width, -1).astype(index_dtype)
    indices[1, 3, -1] ^= 1
    indices[2, 5] = rng.integers(0, 100, width)
    expected = np.take_along_axis(table, indices.astype("i8"), 1)
    assert np.array_equal(dmlindex.gather_elements(table, indices, 1), expected)

    result = dmlindex.scatter_elements(table, indices, expected, 1, reduction="add")
    places = (np.arange(4)[:, None, None], indices.astype("i8"), np.arange(width))
    np.add.at(table, places, expected)
    assert np.array_equal(result, table)
