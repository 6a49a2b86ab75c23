"""Mode "directml" on calls that reach every kernel family: rows, look-ups, winners, many blocks.

The reference is too slow there, so that the rule stands here once more, over whole arrays, and is
held to the reference where calls are small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import DataType, Device, TensorDesc, reference
from tests.descriptors.desc_strategies import INDEX_TYPES, Array
from tests.descriptors.descs import gather_elements, gather_nd, scatter_elements, scatter_nd

DATA = [DataType.UINT8, DataType.FLOAT16, DataType.INT32, DataType.UINT64]
WRAP = 2**32
MOST = 2**17  # elements of the items


class Call(NamedTuple):
    desc: Any
    buffers: list[Array]
    expected: Array


@pytest.fixture(autouse=True)
def threads_stay() -> Iterator[None]:
    before = dmlindex.get_num_threads()
    yield
    dmlindex.set_num_threads(before)


def coordinates(indices: Array, limits: Array) -> Array:
    """What is left of the indices: UINT64 from 2**63 on is negative, too."""
    wide = indices.astype(np.int64)
    return (wide + np.where(wide < 0, limits, 0)) % WRAP


def gathered(tensor: TensorDesc, table: Array, addresses: Array) -> Array:
    width = table.itemsize
    total = tensor.total_tensor_size_in_bytes or -(-table.nbytes // 4) * 4
    line = np.zeros(-(-total // width), table.dtype)
    line[: table.size] = table.ravel()
    return line[np.minimum(addresses, line.size - 1)]


def scattered(table: Array, addresses: Array, updates: Array) -> Array:
    """The last in C order wins: the first of the reversed ones."""
    there = addresses.ravel() < table.size
    backwards = addresses.ravel()[there][::-1]
    places, first = np.unique(backwards, return_index=True)
    result = table.copy().ravel()
    result[places] = updates.ravel()[there][::-1][first]
    return result.reshape(table.shape)


def draw_indices(draw: st.DrawFn, shape: tuple[int, ...], limits: Array, stride: int) -> Array:
    """In range, or some just out of it, or so far that addresses wrap, to between two slices."""
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    data_type = draw(st.sampled_from(INDEX_TYPES))
    signed = data_type.dtype.kind == "i"
    found = rng.integers(-limits if signed else 0 * limits, limits, shape)
    share = draw(st.sampled_from([0.0, 0.01, 0.5, 1.0]))
    odd = rng.integers(-2 * limits - 2, 2 * limits + 2, shape)
    if draw(st.booleans()):
        odd += WRAP // stride * rng.integers(0, 2, shape)
    return np.where(rng.random(shape) < share, odd, found).astype(data_type.dtype)


def draw_data(draw: st.DrawFn, tensor: TensorDesc) -> Array:
    dtype = tensor.data_type.dtype
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    raw = rng.integers(0, 256, math.prod(tensor.sizes) * dtype.itemsize, np.uint8)
    return raw.view(dtype).reshape(tensor.sizes)


def draw_table(draw: st.DrawFn, sizes: tuple[int, ...]) -> TensorDesc:
    """Its total size may say that there is more, which no array has."""
    data_type = draw(st.sampled_from(DATA))
    least = -(-math.prod(sizes) * data_type.dtype.itemsize // 4) * 4
    more = draw(st.sampled_from([0, 0, 4, 20]))
    return TensorDesc(data_type, sizes, total_tensor_size_in_bytes=least + more)


def index_desc(indices: Array) -> TensorDesc:
    return TensorDesc(DataType.of(indices.dtype), indices.shape)


@st.composite
def tuples(draw: st.DrawFn) -> Call:
    """Tuples of indices that name slices."""
    axes = draw(st.lists(st.sampled_from([1, 2, 5, 16, 64]), min_size=1, max_size=3))
    rows = draw(st.sampled_from([(), (), (2,), (3,), (4,), (37,), (64,), (100,), (700,), (2500,)]))
    sizes, slice_size = (*axes, *rows), math.prod(rows)
    table = draw_table(draw, sizes)
    count = min(draw(st.sampled_from([1, 17, 300, 5000, 40000])), MOST // slice_size)
    limits = np.array(axes)
    strides = np.array([math.prod(sizes[d + 1 :]) for d in range(len(axes))])
    indices = draw_indices(draw, (count, len(axes)), limits, slice_size)
    starts = (coordinates(indices, limits) * strides).sum(-1, keepdims=True)
    addresses = (starts + np.arange(slice_size)) % WRAP
    items, x = TensorDesc(table.data_type, (count, *rows)), draw_data(draw, table)
    if draw(st.booleans()):
        updates = draw_data(draw, items)
        desc: Any = scatter_nd(table, index_desc(indices), items, table, len(sizes), 2)
        return Call(desc, [x, indices, updates], scattered(x, addresses, updates))
    n = max(2, len(sizes))

    def with_rank(tensor: TensorDesc) -> TensorDesc:
        return TensorDesc(
            tensor.data_type,
            (1,) * (n - len(tensor.sizes)) + tensor.sizes,
            total_tensor_size_in_bytes=tensor.total_tensor_size_in_bytes,
        )

    input, index, output = map(with_rank, (table, index_desc(indices), items))
    desc = gather_nd(input, index, output, len(sizes), 2)
    buffers = [x.reshape(input.sizes), indices.reshape(index.sizes)]
    return Call(desc, buffers, gathered(table, x, addresses).reshape(output.sizes))


@st.composite
def elements(draw: st.DrawFn) -> Call:
    """An index for each element of two dims."""
    sizes = (draw(st.sampled_from([1, 2, 9, 60])), draw(st.sampled_from([1, 3, 50, 600])))
    axis = draw(st.integers(0, 1))
    table, limit = draw_table(draw, sizes), sizes[axis]
    scatters = draw(st.booleans())
    along = draw(st.sampled_from([1, 20, 2000])) if not scatters else draw(st.integers(1, limit))
    shape = (along, sizes[1]) if axis == 0 else (sizes[0], along)
    strides = (sizes[1], 1)
    indices = draw_indices(draw, shape, np.array(limit), strides[axis])
    other = np.arange(sizes[1 - axis]).reshape((1, -1) if axis == 0 else (-1, 1))
    stride = 0 if limit == 1 else strides[axis]
    addresses = coordinates(indices, np.array(limit)) * stride + other * strides[1 - axis]
    items, x = TensorDesc(table.data_type, shape), draw_data(draw, table)
    if scatters:
        updates = draw_data(draw, items)
        desc: Any = scatter_elements(table, index_desc(indices), items, table, axis)
        return Call(desc, [x, indices, updates], scattered(x, addresses % WRAP, updates))
    desc = gather_elements(table, index_desc(indices), items, axis)
    return Call(desc, [x, indices], gathered(table, x, addresses % WRAP))


@given(call=tuples() | elements())
def test_the_rule_over_whole_arrays_is_the_references(call: Call) -> None:
    if call.buffers[-1].size + call.expected.size < 2000:
        assert reference.run(call.desc, *call.buffers).tobytes() == call.expected.tobytes()


@given(call=tuples() | elements(), threads=st.sampled_from([1, 3]))
def test_large_calls_follow_it(device: str, call: Call, threads: int) -> None:
    dmlindex.set_num_threads(threads)
    operator = Device(device).compile(call.desc)
    assert operator(*call.buffers).tobytes() == call.expected.tobytes()
    out = np.zeros_like(call.expected)
    operator(*call.buffers, out=out)
    assert out.tobytes() == call.expected.tobytes()


@pytest.mark.parametrize("row", [3, 37, 100, 2500])
@pytest.mark.parametrize("data_type", DATA)
def test_slices_over_each_other(device: str, data_type: DataType, row: int) -> None:
    """Addresses wrap at 2**32, which is no multiple of a row: they begin between rows."""
    rng = np.random.default_rng(row)
    table = TensorDesc(data_type, (50, row), total_tensor_size_in_bytes=50 * row * 8)
    items, limits = TensorDesc(data_type, (400, row)), np.array([50])
    wraps = WRAP // row * rng.integers(0, 2, (400, 1))
    indices = rng.integers(-3, 53, (400, 1)) + wraps
    x, updates = (
        rng.integers(0, 256, math.prod(t.sizes) * data_type.dtype.itemsize, np.uint8)
        .view(data_type.dtype)
        .reshape(t.sizes)
        for t in (table, items)
    )
    addresses = (coordinates(indices, limits) * row + np.arange(row)) % WRAP
    operator = Device(device).compile(scatter_nd(table, index_desc(indices), items, table, 2, 2))
    expected = scattered(x, addresses, updates)
    assert operator(x, indices, updates).tobytes() == expected.tobytes()
