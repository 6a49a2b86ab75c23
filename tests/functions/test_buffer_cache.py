"""Recycled output buffers: ordinary arrays, never shared, and given back when asked."""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import _core

try:
    from numpy._core.multiarray import get_handler_name
except ImportError:  # NumPy 1.26
    from numpy.core.multiarray import get_handler_name  # type: ignore[no-redef]

Array = npt.NDArray[Any]

MIB = 1 << 20
OURS = "dmlindex_buffer_cache"


pytestmark = pytest.mark.usefixtures("cache")


def fresh(size: int, value: int = 7) -> Array:
    """A new array of so many bytes from an operator, each the value."""
    return dmlindex.gather(np.full((1, size), value, np.uint8), 0)


def address(array: Array) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def test_off_is_numpys_own_handler() -> None:
    dmlindex.set_buffer_cache(0)
    plain = get_handler_name(np.empty(4 * MIB, np.uint8))
    assert get_handler_name(fresh(4 * MIB)) == plain != OURS
    assert _core.buffer_cache_held() == 0


def test_the_limit_is_told() -> None:
    assert dmlindex.get_buffer_cache() == 64 * MIB
    held = fresh(4 * MIB)
    del held  # what is kept does not count
    assert dmlindex.get_buffer_cache() == 64 * MIB
    for limit in (0, 1, 2**63 - 1):
        dmlindex.set_buffer_cache(limit)
        assert dmlindex.get_buffer_cache() == limit
    with pytest.raises(ValueError, match="bytes is -1"):
        dmlindex.set_buffer_cache(-1)
    assert dmlindex.get_buffer_cache() == 2**63 - 1


def test_by_default_it_keeps_what_malloc_does_not() -> None:
    code = (
        "import numpy as np, dmlindex\n"
        "from dmlindex import _core\n"
        "mib = 1 << 20\n"
        "assert dmlindex.get_buffer_cache() == 256 * mib\n"
        "fresh = lambda size: dmlindex.gather(np.zeros((1, size), np.uint8), 0)\n"
        "fresh(32 * mib - 1)\n"
        "assert _core.buffer_cache_held() == 0\n"
        "fresh(32 * mib)\n"
        "assert _core.buffer_cache_held() == 32 * mib\n"
        "fresh(257 * mib)\n"
        "assert _core.buffer_cache_held() == 32 * mib\n"
        "fresh(256 * mib)  # as large as the limit\n"
        "assert _core.buffer_cache_held() == 256 * mib\n"
        "dmlindex.set_buffer_cache(64 * mib)\n"
        "kept = _core.buffer_cache_held()\n"
        "fresh(mib)\n"
        "assert _core.buffer_cache_held() > kept\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_only_large_new_outputs_come_from_it() -> None:
    before = get_handler_name()
    assert get_handler_name(fresh(MIB)) == OURS
    assert get_handler_name(fresh(MIB - 1)) == before
    assert get_handler_name(fresh(0)) == before
    assert get_handler_name(fresh(2 * MIB).copy()) == before
    assert get_handler_name() == before  # other arrays keep NumPy's handler


def test_every_operator_recycles() -> None:
    x = np.zeros((1, 2 * MIB), np.uint8)
    wide, zero = np.zeros((1, 2 * MIB), np.int64), np.zeros(1, np.int64)
    u = dmlindex.TensorDesc(dmlindex.DataType.UINT8, (1, 2 * MIB))
    i = dmlindex.TensorDesc(dmlindex.DataType.INT64, (1, 1))
    desc = dmlindex.GatherOperatorDesc(u, i, u, axis=0, index_dimensions=1)
    compiled = dmlindex.Device("cpu").compile(desc)
    makes: tuple[Callable[[], Array], ...] = (
        lambda: dmlindex.gather(x, zero),
        lambda: dmlindex.gather_elements(x, wide),
        lambda: dmlindex.gather_nd(x, [[0]]),
        lambda: dmlindex.scatter_nd(x, [[0]], x),
        lambda: dmlindex.scatter_elements(x, wide[:, :1], x[:, :1]),
        lambda: compiled(x, zero[np.newaxis]),
    )
    for make in makes:
        first = address(make())
        again = make()
        assert get_handler_name(again) == OURS
        assert address(again) == first


def test_padding_is_zero_in_a_recycled_buffer() -> None:
    packed = dmlindex.TensorDesc(dmlindex.DataType.UINT8, (1, MIB))
    padded = dmlindex.TensorDesc(dmlindex.DataType.UINT8, (1, MIB), strides=(2 * MIB, 2))
    i = dmlindex.TensorDesc(dmlindex.DataType.INT64, (1, 1))
    desc = dmlindex.GatherOperatorDesc(packed, i, padded, axis=0, index_dimensions=1)
    compiled = dmlindex.Device("cpu").compile(desc)
    dirty = address(fresh(2 * MIB, 255))
    array = compiled(np.full((1, MIB), 7, np.uint8), np.zeros((1, 1), np.int64))
    assert address(array) == dirty
    assert (array[: 2 * MIB : 2] == 7).all()
    assert not array[1 : 2 * MIB : 2].any()


def test_arrays_own_aligned_memory() -> None:
    array = fresh(5 * MIB)
    assert array.flags.owndata
    assert array.base is None
    assert array.flags.writeable
    assert address(array) % 64 == 0


def test_a_buffer_has_one_array_at_a_time() -> None:
    rng = np.random.default_rng(0)
    live: list[tuple[int, Array]] = []
    for step in range(300):
        value = step % 256
        live.append((value, fresh(int(rng.integers(MIB, 4 * MIB)), value)))
        if len(live) > 6:
            live.pop(int(rng.integers(len(live))))
        spans = sorted((address(array), array.nbytes) for _, array in live)
        for (start, size), (after, _) in itertools.pairwise(spans):
            assert start + size <= after
        if step % 20 == 0:
            assert all((array == value).all() for value, array in live)
    assert 0 < _core.buffer_cache_held() <= 64 * MIB


def test_a_view_keeps_the_buffer() -> None:
    view = fresh(2 * MIB, 3)[MIB:]
    others = [fresh(2 * MIB, 4) for _ in range(3)]
    assert (view == 3).all()
    assert all((other == 4).all() for other in others)


def test_a_failed_call_returns_its_buffer() -> None:
    with pytest.raises(IndexError):
        dmlindex.gather(np.zeros((1, 2 * MIB), np.uint8), [1])
    assert 2 * MIB <= _core.buffer_cache_held() < 3 * MIB


def test_sizes_that_are_near_recycle_and_others_do_not() -> None:
    first = address(fresh(10 * MIB))
    assert address(fresh(9 * MIB)) == first
    smaller = fresh(4 * MIB)
    assert address(smaller) != first
    larger = fresh(11 * MIB)
    assert address(larger) != first
    assert 10 * MIB <= _core.buffer_cache_held() < 11 * MIB  # the first one's


def test_the_limit_bounds_what_is_held() -> None:
    arrays = [fresh(10 * MIB) for _ in range(9)]
    assert _core.buffer_cache_held() == 0  # only what no array uses counts
    newest = address(arrays[-1])
    while arrays:
        del arrays[0]
        assert _core.buffer_cache_held() <= 64 * MIB
    assert _core.buffer_cache_held() == 60 * MIB
    found = [fresh(10 * MIB) for _ in range(6)]
    assert newest in map(address, found)
    del found
    fresh(65 * MIB)  # larger than the limit: never held, and it pushes out nothing
    assert _core.buffer_cache_held() == 60 * MIB


def test_a_smaller_limit_gives_back() -> None:
    arrays = [fresh(8 * MIB) for _ in range(6)]
    del arrays
    dmlindex.set_buffer_cache(20 * MIB)
    assert 16 * MIB <= _core.buffer_cache_held() <= 20 * MIB
    dmlindex.set_buffer_cache(0)
    assert _core.buffer_cache_held() == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's /proc")
def test_the_memory_goes_back_to_the_system() -> None:
    def resident() -> int:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    source = np.ones((1, 48 * MIB), np.uint8)
    array = dmlindex.gather(source, 0)
    del array
    with_cache = resident()
    dmlindex.set_buffer_cache(0)
    assert with_cache - resident() > 40 * MIB


def test_arrays_may_outlive_the_cache() -> None:
    array = fresh(2 * MIB, 9)
    dmlindex.set_buffer_cache(0)
    assert (array == 9).all()
    del array
    assert _core.buffer_cache_held() == 0


@pytest.mark.parametrize("size", [1, 1000, MIB, 7 * MIB, 8 * MIB + 1, 9 * MIB, 40 * MIB])
def test_resize(size: int) -> None:
    array = fresh(8 * MIB, 5)
    array.resize(size, refcheck=False)
    kept = min(size, 8 * MIB)
    assert (array[:kept] == 5).all()
    assert not array[kept:].any()
    array[:] = 6
    array.resize(8 * MIB, refcheck=False)
    assert (array[:kept] == 6).all()
    neighbours = [fresh(8 * MIB, 1), fresh(size, 2)]
    assert (array[:kept] == 6).all()
    del neighbours, array
    assert _core.buffer_cache_held() <= 64 * MIB


def test_changes_of_shape_and_dtype_free_the_whole_buffer() -> None:
    array = fresh(2 * MIB)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of NumPy 2.5: while it can be done
        array.shape = (2, 512, 2048)
        array.dtype = np.dtype(np.int32)  # type: ignore[misc]
    del array
    assert 2 * MIB <= _core.buffer_cache_held() < 3 * MIB


def test_copies_of_arrays() -> None:
    array = fresh(2 * MIB, 5)
    for copy in (pickle.loads(pickle.dumps(array)), pickle.loads(pickle.dumps(array, 5))):
        np.testing.assert_array_equal(copy, array)
    target = fresh(2 * MIB, 1)
    np.copyto(target, array)
    np.testing.assert_array_equal(target, array)
    np.testing.assert_array_equal(np.from_dlpack(array), array)


def test_what_is_no_limit() -> None:
    for wrong in (-1, 2**63, 10**30):
        with pytest.raises(ValueError, match=r"^set_buffer_cache: bytes is .*, expected .*$"):
            dmlindex.set_buffer_cache(wrong)
    for wrong_type in (1.5, "1", None):
        with pytest.raises(TypeError, match=r"^set_buffer_cache: bytes is .*expected an integer$"):
            dmlindex.set_buffer_cache(wrong_type)  # type: ignore[arg-type]
    fresh(2 * MIB)
    assert _core.buffer_cache_held() > 0  # the limit is as it was
