"""Gathers so large that a D3D12 device has kernels for just their shape, held to NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import DataType, Device, _core
from tests.d3d12.device_kernel_calls import NO_BLOCKS
from tests.descriptors.descs import data, gather, index, scatter_elements

Array = npt.NDArray[Any]

MANY = (1 << 21) + 3  # positions: groups keep the table in their own memory
MANY_MORE = (1 << 23) + 1  # and larger ones in a texture
DTYPES = ["u1", "u2", "u4", "u8"]


def values(shape: tuple[int, ...], dtype: str) -> Array:
    count = int(np.prod(shape))
    return (np.arange(count, dtype="u8") * 0x9E3779B97F4A7C15 >> 5).astype(dtype).reshape(shape)


def places(shape: tuple[int, ...], limit: int, index: str) -> Array:
    """Anywhere in range, from either end where numbers have a sign."""
    info = np.iinfo(index)
    low, high = max(info.min, -limit), min(int(info.max), limit - 1)
    return np.random.default_rng(limit).integers(low, high, shape, index, endpoint=True)


def check_gather(device: Device, x: Array, indices: Array, axis: int = 0) -> None:
    """A gather on the device; the last index, when it is bad, is filled or named."""
    table, there = device.tensor(x), device.tensor(indices)
    expected = np.take(x, indices, axis=axis)
    np.testing.assert_array_equal(dmlindex.gather(table, there, axis).numpy(), expected)

    bad = indices.copy()
    bad[-1] = x.shape[axis] if x.shape[axis] <= np.iinfo(bad.dtype).max else bad[-1]
    if bad[-1] == indices[-1]:
        return
    filled = dmlindex.gather(table, bad, axis, mode="fill", fill_value=7).numpy()
    expected[(slice(None),) * axis + (-1,)] = 7
    np.testing.assert_array_equal(filled, expected)
    with pytest.raises(IndexError, match=rf"^gather: indices\[{bad.size - 1}\] = {bad[-1]} is out"):
        dmlindex.gather(table, bad, axis).numpy()


@pytest.mark.parametrize("index", ["i4", "u4", "i8", "u1", "i1"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_small_table(device: Device, dtype: str, index: str) -> None:
    elements = 200 if index.endswith("1") else 4001
    check_gather(device, values((elements,), dtype), places((MANY,), elements, index))


@pytest.mark.parametrize("elements", [1, 8192, 8193])
def test_about_as_large_as_a_groups_memory(device: Device, elements: int) -> None:
    check_gather(device, values((elements,), "u4"), places((MANY,), elements, "i4"))


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_table_for_a_texture(device: Device, dtype: str, index: str) -> None:
    elements = 100_003
    check_gather(device, values((elements,), dtype), places((MANY_MORE,), elements, index))


def test_the_texture_is_made_anew(device: Device) -> None:
    table = device.tensor(values((9000,), "u4"))
    indices = device.tensor(places((MANY_MORE,), 9000, "i4"))
    first = dmlindex.gather(table, indices)
    table = dmlindex.scatter_nd(table, [[8999]], np.array([5], "u4"), out=table)
    changed = table.numpy()
    where = indices.numpy()
    assert changed[8999] == 5
    np.testing.assert_array_equal(first.numpy(), values((9000,), "u4")[where])
    np.testing.assert_array_equal(dmlindex.gather(table, indices).numpy(), changed[where])


@pytest.mark.parametrize("index", ["i4", "i8", "u1"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_short_lines(device: Device, dtype: str, index: str) -> None:
    """Each line of the result reads one of the table, and lines are longer than rounds."""
    lines, across, wide = 520, 4112, 208 if index == "u1" else 4096
    x = values((lines, wide), dtype)
    indices = places((lines, across), wide, index)
    found = dmlindex.gather_elements(device.tensor(x), indices, 1).numpy()
    np.testing.assert_array_equal(found, np.take_along_axis(x, indices.astype("i8"), 1))


@pytest.mark.parametrize("dtype", DTYPES)
def test_short_lines_by_the_same_indices(device: Device, dtype: str) -> None:
    check_gather(device, values((520, 4096), dtype), places((4112,), 4096, "i4"), 1)


def test_lines_that_begin_anywhere(device: Device) -> None:
    """4098 words: every other line begins within 16 bytes."""
    x = values((513, 4098), "u4")
    check_gather(device, x, places((4100,), 4098, "i4"), 1)


def test_few_lines_far_apart(device: Device) -> None:
    """Batches of long lines, each with many groups."""
    x, indices = values((3, 8192), "u4"), places((3, 1 << 20, 1), 8192, "i4")
    found = dmlindex.gather_nd(device.tensor(x), indices, 1).numpy()
    np.testing.assert_array_equal(found, np.take_along_axis(x, indices[..., 0], 1))


@pytest.mark.parametrize("index", ["i4", "u1", "i8"])
@pytest.mark.parametrize("dtype", [*DTYPES, "c8"])
def test_slices_of_eights(device: Device, dtype: str, index: str) -> None:
    """40 and 56 bytes, with dims before and behind, filled, or with nothing written."""
    for width, axis in ((40, 0), (56, 1)):
        x = values((3, 7, width // np.dtype(dtype).itemsize), dtype)
        indices = places((5, 3), x.shape[axis], index).reshape(-1)
        check_gather(device, x, indices, axis)
        _core.d3d12_kernels(device.name)
        out = dmlindex.gather(device.tensor(x), indices, axis)
        ran = _core.d3d12_kernels(device.name)
        assert ("gather_any_8" in ran) == (_core.d3d12_binding(device.name) == "table")
        before = out.numpy()
        indices[4] = 100
        dmlindex.gather(device.tensor(x), indices, axis, out=out)
        with pytest.raises(IndexError, match=r"indices\[4\] = 100 is out of range"):
            out.numpy()
        np.testing.assert_array_equal(out.numpy(), before)
    x, tuples = values((4, 5, 3, 6), "u4"), places((9, 2), 4, index)
    expected = x[tuples[:, 0], tuples[:, 1]]
    np.testing.assert_array_equal(dmlindex.gather_nd(x, tuples, device=device), expected)


@pytest.mark.parametrize(
    ("elements", "dtype", "count", "kernel"),
    [
        (200, "u1", MANY, "gather_table_4_1_4"),
        (2001, "u2", MANY, "gather_table_16_2_4"),
        (2001, "u4", MANY, "gather_table_16_4_4"),
        (8000, "u4", MANY, "gather_table_32_4_4"),
        (16_001, "u2", MANY, "gather_table_32_4_4"),
        (20_000, "u4", MANY_MORE, "gather_table_buffer_4"),
        (50_000, "u4", MANY_MORE, "gather_table_textured_4"),
        (100_003, "u4", MANY_MORE, "gather_textured_4"),
    ],
)
def test_what_directml_reads_of_a_table_elsewhere(
    device: Device, elements: int, dtype: str, count: int, kernel: str
) -> None:
    """Out of range is the line's last element, or zero where the total size ends behind it."""
    kind = DataType.of(dtype)
    desc = gather(
        data(elements, data_type=kind),
        index(count, data_type=DataType.INT32),
        data(count, data_type=kind),
        0,
        1,
    )
    x, indices = values((elements,), dtype), places((count,), 2 * elements, "i4")
    _core.d3d12_kernels(device.name)
    found = device.compile(desc)(x, indices)
    ran = _core.d3d12_kernels(device.name)
    # These read by views; with the binding root others do their work.
    assert (kernel in ran) == (_core.d3d12_binding(device.name) == "table"), ran
    line = np.zeros(-(-x.nbytes // 4) * 4 // x.itemsize, x.dtype)
    line[:elements] = x
    wide = indices.astype(np.int64)
    wide = (wide + np.where(wide < 0, elements, 0)) % 2**32
    np.testing.assert_array_equal(found, line[np.minimum(wide, line.size - 1)])


@pytest.fixture
def stripes(device: Device) -> Iterator[None]:
    """Scatters along the first axis go down stripes of 128 columns, however small they are."""
    before = _core.d3d12_profile(device.name)
    profile = {**NO_BLOCKS, "striped_table_bytes": 0, "striped_line": 4}
    _core.d3d12_set_profile(device.name, profile)
    yield
    _core.d3d12_set_profile(device.name, before)


@pytest.mark.usefixtures("stripes")
def test_the_last_of_several_stripes_stays(device: Device) -> None:
    """In mode directml they meet: an address that wraps at 2^32 ends up in another column."""
    columns, lines, kind = 384, 5, DataType.UINT8
    table, items = data(6, columns, data_type=kind), data(lines, columns, data_type=kind)
    desc = scatter_elements(table, index(lines, columns), items, table, 0)
    rows = np.full((lines, columns), 5)
    rows[0, 128:256] = 0
    rows[4, :128] = 2**32 // columns + 1  # those places, as 2^32 is 256 more than whole lines
    updates = values((lines, columns), "u1")
    found = device.compile(desc, mode="directml")(np.zeros((6, columns), "u1"), rows, updates)
    np.testing.assert_array_equal(found[0, 128:256], updates[4, :128])
    on_cpu = Device().compile(desc, mode="directml")(np.zeros((6, columns), "u1"), rows, updates)
    np.testing.assert_array_equal(found, on_cpu)


def test_an_array_as_out_takes_no_more_kernels(device: Device) -> None:
    """It stays as it is until the result is there: nothing has to be checked before."""
    x, indices = values((100,), "u4"), places((600,), 100, "i4")
    ran = []
    for out in (None, np.zeros(600, "u4"), device.tensor(np.zeros(600, "u4"))):
        _core.d3d12_kernels(device.name)
        dmlindex.gather(x, indices, out=out, device=device)
        ran.append(set(_core.d3d12_kernels(device.name)))
    assert ran[0] == ran[1]
    assert ran[2] > ran[0]  # a tensor is written in place
    out = np.zeros(600, "u4")
    with pytest.raises(IndexError):
        dmlindex.gather(x, np.full(600, 100), out=out, device=device)
    assert not out.any()


@pytest.fixture(params=[True, False], ids=["blocks", "no-blocks"])
def has_blocks(device: Device, request: pytest.FixtureRequest) -> Iterator[bool]:
    """Whether one kernel does what has few positions; with descriptor tables."""
    before = _core.d3d12_profile(device.name)
    _core.d3d12_set_profile(device.name, {} if request.param else NO_BLOCKS)
    yield request.param and _core.d3d12_binding(device.name) == "table"
    _core.d3d12_set_profile(device.name, before)


@pytest.mark.parametrize("options", [{}, {"unique_indices": True}, {"reduction": "add"}])
@pytest.mark.parametrize("index", ["i2", "i4", "i8"])
@pytest.mark.parametrize("shape", [(100,), (100, 4), (100, 3)])
def test_a_new_result_takes_no_kernel_that_checks(
    device: Device, has_blocks: bool, shape: tuple[int, ...], index: str, options: dict[str, Any]
) -> None:
    """Those that move find a bad index as well, and nobody sees what they wrote."""
    x, indices = values(shape, "u4"), np.arange(50, dtype=index)[:, np.newaxis]
    x = x.astype("f4") if "reduction" in options else x
    another = index != "i2" and _core.d3d12_binding(device.name) == "table"  # kernel checks them
    there = device.tensor(x)
    outs: list[tuple[Any, bool]] = [(None, False), (there, not another and not has_blocks)]
    for out, checks in outs:
        _core.d3d12_kernels(device.name)
        dmlindex.scatter_nd(x, indices, x[:50], out=out, device=device, **options)
        ran = _core.d3d12_kernels(device.name)
        assert ("check_indices" in ran) == checks
        assert (len(ran) == 1) >= has_blocks
    before = there.numpy()
    indices[[7, 11]] = 100
    for out in (None, there):
        found = dmlindex.scatter_nd(device.tensor(x), indices, x[:50], out=out, **options)
        with pytest.raises(IndexError, match=r"indices\[7, 0\] = 100 is out of range"):
            found.numpy()
    np.testing.assert_array_equal(there.numpy(), before)


def test_few_updates_are_not_sorted(device: Device, has_blocks: bool) -> None:
    """No list of them can be too long for the kernel that walks lists."""
    for count, sorts in ((32, False), (33, not has_blocks)):
        _core.d3d12_kernels(device.name)
        updates, places = np.ones(count, "f4"), np.zeros((count, 1), int)
        found = dmlindex.scatter_nd(
            np.zeros(100, "f4"), places, updates, reduction="add", device=device
        )
        assert found[0] == count
        assert ("sort_keys" in _core.d3d12_kernels(device.name)) == sorts


@pytest.mark.parametrize(("elements", "has"), [(2048, True), (2049, False)])
def test_a_slice_is_no_longer_than_a_block(device: Device, elements: int, has: bool) -> None:
    """Else there were hardly any groups, each with much to move."""
    x, updates = values((100, elements), "u4"), values((5, elements), "u4") + 1
    indices = np.array([[7], [3], [99], [3], [0]])
    _core.d3d12_kernels(device.name)
    found = dmlindex.scatter_nd(device.tensor(x), indices, updates).numpy()
    ran = _core.d3d12_kernels(device.name)
    is_table = _core.d3d12_binding(device.name) == "table"
    assert ("scatter_blocks" in ran) == (has and is_table), ran
    np.testing.assert_array_equal(found, dmlindex.scatter_nd(x, indices, updates))
