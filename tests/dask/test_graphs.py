"""How large the graphs are, what they touch, and what they say without being computed."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import dask.array
import dask.diagnostics
import numpy as np
import pytest
from dask.utils import key_split

import dmlindex
import dmlindex.dask
from dmlindex.dask import _coarse

da: Any = dask.array  # which is only partly typed
diagnostics: Any = dask.diagnostics


def tasks(result: Any, *arrays: Any) -> Counter[str]:
    """How many tasks the result adds to those of arrays, by their names."""
    needed = needed_tasks(result)
    given = {key for array in arrays for key in array.dask}
    return Counter(key_split(key) for key in needed if key not in given)


def needed_tasks(result: Any) -> set[Any]:
    """The keys of all that computing the result takes, before any are fused."""
    return set(result.dask.cull(set(da.core.flatten(result.__dask_keys__()))))


def table(chunks: int, size: int = 4) -> Any:
    return da.zeros(chunks * size, chunks=size, dtype=np.int64)


def lazy(chunks: int, size: int = 8) -> Any:
    return da.ones(chunks * size, chunks=size, dtype=np.int64)


@pytest.fixture
def large_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of indices are so large that they are routed one by one."""
    monkeypatch.setattr(_coarse, "SOURCE_BYTES", 0)


@pytest.mark.usefixtures("large_blocks")
@pytest.mark.parametrize("index_chunks", [1, 7, 60, 400])
@pytest.mark.parametrize("input_chunks", [2, 30, 500])
def test_lazy_indices(input_chunks: int, index_chunks: int) -> None:
    x, indices = table(input_chunks), lazy(index_chunks)
    bound = 8 * (index_chunks + input_chunks) * math.log2(max(index_chunks, input_chunks))
    gathered = dmlindex.dask.gather(x, indices)
    assert sum(tasks(gathered, x, indices).values()) <= bound
    scattered = dmlindex.dask.scatter_nd(x, indices[:, np.newaxis], indices)
    assert sum(tasks(scattered, x, indices).values()) <= bound + 2 * index_chunks  # x[:, newaxis]
    overwritten = dmlindex.dask.find_duplicates(x, indices, axis=0)
    blocks = 2 * index_chunks
    assert sum(tasks(overwritten, indices).values()) <= 2 * 8 * blocks * max(1, math.log2(blocks))


@pytest.mark.usefixtures("large_blocks")
def test_lazy_indices_of_slices() -> None:
    """Chunks along dims that indices don't name multiply what is local, not the routes."""
    x = da.zeros((40, 60), chunks=(4, 6))
    indices = lazy(20)
    names = tasks(dmlindex.dask.gather(x, indices), x, indices)
    assert names["gather-route"] <= 20 + 20 * 10
    assert names["gather-local"] == 10 * 10
    assert sum(names.values()) <= 8 * (20 + 10 * 10) * math.log2(10 * 10)


@pytest.mark.parametrize("chunks", [10, 100, 1000])
def test_small_blocks_are_routed_together(chunks: int) -> None:
    """As many tasks as with one block, and those that put blocks together and take them apart."""
    x, indices, one = table(chunks), lazy(chunks), lazy(1, 8 * chunks)
    names = tasks(dmlindex.dask.gather(x, indices), x, indices)
    assert names["gather-route"] == tasks(dmlindex.dask.gather(x, one), x, one)["gather-route"]
    assert sum(names.values()) <= 5 * chunks + 5
    scattered = dmlindex.dask.scatter_elements(x, indices, indices)
    assert sum(tasks(scattered, x, indices).values()) <= 2 * chunks + 5
    assert scattered.chunks == x.chunks


def test_known_indices_touch_what_they_need() -> None:
    x = table(1000, 100)
    few = np.array([5, 99_999, 7, 5])
    names = tasks(dmlindex.dask.gather(x, few), x)
    assert names == {"gather-local": 2, "gather-merge": 1}
    needed = needed_tasks(dmlindex.dask.gather(x, few))
    assert len(needed & set(da.core.flatten(x.__dask_keys__()))) == 2
    names = tasks(dmlindex.dask.scatter_nd(x, few[:, np.newaxis], few), x)
    assert names == {"scatter-nd-merge": 1000}  # of which 998 are other names of input's chunks
    updates = da.from_array(few)
    names = tasks(dmlindex.dask.scatter_nd(x, few[:, np.newaxis], updates), x, updates)
    assert names == {"scatter-nd-merge": 1000, "scatter-nd-route": 2}


@pytest.mark.parametrize("chunks", [10, 100, 1000])
def test_known_sorted_indices_are_linear(chunks: int) -> None:
    """Sorted indices touch each chunk of input, and of the result, once or twice."""
    x = da.zeros((chunks * 10, 1 << 14), chunks=(10, 1 << 14))  # 1.25 MiB each
    indices = np.sort(np.random.default_rng(0).integers(0, chunks * 10, chunks * 10))
    result = dmlindex.dask.gather(x, indices)
    blocks = result.numblocks[0]
    assert blocks >= chunks
    names = tasks(result, x)
    assert names["gather-local"] <= chunks + blocks  # two of a chunk that very many rows ask for
    assert names["gather-merge"] <= blocks + (chunks + blocks)  # replies, one for each pair
    assert "gather-route" not in names


def test_known_indices_in_any_order_are_routed_in_hops() -> None:
    """Where nearly every pair of chunks has something to send, there is no task for each."""
    chunks = 400
    x = da.zeros((chunks * 10, 1 << 14), chunks=(10, 1 << 14))
    indices = np.random.default_rng(0).permutation(chunks * 10)
    result = dmlindex.dask.gather(x, indices)
    blocks = result.numblocks[0]
    total = sum(tasks(result, x).values())
    assert total <= 8 * (chunks + blocks) * math.log2(max(chunks, blocks)) < chunks * blocks


def test_one_chunk_along_the_axis_is_blockwise() -> None:
    """It is fused with what is before and behind: one task a block."""
    x = da.from_array(np.zeros((30, 40, 6)), chunks=(5, 40, 3)) + 1
    indices = da.zeros((30, 7, 6), chunks=(5, 7, 3), dtype=np.int64)
    results = [
        dmlindex.dask.gather_elements(x, indices, axis=1) * 2,
        dmlindex.dask.gather_nd(x, indices[:, :, :1].rechunk((5, 7, 1)), batch_dims=1) * 2,
        dmlindex.dask.scatter_elements(x, indices, indices.astype(x.dtype), axis=1) * 2,
    ]
    for result in results:
        optimized = dict(da.optimization.optimize(result.dask, result.__dask_keys__()))
        names = [key[0] for key in optimized if isinstance(key, tuple)]
        assert names.count(result.name) == result.npartitions
        assert not any("-route-" in name for name in names)


def test_a_scatter_into_one_chunk_is_one_task() -> None:
    """NumPy's indices and updates are as they were: nothing is cut only to be put together."""
    x, many = table(1), np.zeros(1 << 18, np.int64)
    names = tasks(dmlindex.dask.scatter_nd(x, many[:, np.newaxis], many), x)
    assert names == {"scatter-nd-local": 1, "array": 2}


def test_large_blocks_of_indices_are_routed_one_by_one() -> None:
    x, indices = table(4), da.zeros(3 << 20, chunks=1 << 20, dtype=np.int64)
    names = tasks(dmlindex.dask.gather(x, indices), x, indices)
    assert names == {"gather-route": 3 + 3 * 4, "gather-local": 4, "gather-merge": 3 * 4 + 3}


def test_chunks_stay() -> None:
    x = da.zeros((20, 30, 8), chunks=(7, 11, 3))
    indices = da.zeros((5, 6), chunks=(2, 4), dtype=np.int64)
    gathered = dmlindex.dask.gather(x, indices, axis=1)
    assert gathered.chunks == (x.chunks[0], *indices.chunks, x.chunks[2])
    tuples = da.zeros((9, 2), chunks=(4, 1), dtype=np.int64)
    assert dmlindex.dask.gather_nd(x, tuples).chunks == (tuples.chunks[0], x.chunks[2])
    updates = da.zeros((9, 8), chunks=5)
    assert dmlindex.dask.scatter_nd(x, tuples, updates).chunks == x.chunks
    along = da.zeros((20, 9, 8), chunks=(7, 2, 3), dtype=np.int64)
    assert dmlindex.dask.gather_elements(x, along, axis=1).chunks == along.chunks


def test_calls_are_named_by_their_arguments() -> None:
    x, indices = table(4), lazy(3)
    first, again = (dmlindex.dask.gather(x, indices) for _ in range(2))
    assert first.name == again.name
    assert dmlindex.dask.gather(x, indices, mode="clamp").name != first.name
    assert dmlindex.dask.gather(x, indices, fill_value=3, mode="fill").name != first.name


@pytest.mark.parametrize("chunks", [1, 4])
@pytest.mark.parametrize("known", [True, False])
def test_device_reaches_every_block(
    chunks: int, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block of input is gathered from, or scattered into, by one call on the device."""
    seen: list[int] = []  # how large the arrays are that calls on the device get
    for name in ("gather", "gather_nd", "scatter_nd"):
        function = getattr(dmlindex, name)

        def spy(array: Any, *others: Any, function: Any = function, **options: Any) -> Any:
            if options.get("device") == "cpu":
                seen.append(array.size)
            return function(array, *others, **options)

        monkeypatch.setattr(dmlindex, name, spy)
    x, indices = table(chunks), np.arange(4 * chunks)
    places = indices if known else da.from_array(indices, chunks=4)
    for result in (
        dmlindex.dask.gather_nd(x, places[:, np.newaxis], device="cpu"),
        dmlindex.dask.scatter_nd(x, places[:, np.newaxis], places, device="cpu"),
    ):
        seen.clear()  # the options are tried out at once
        da.compute(result, scheduler="synchronous")
        assert seen == [4] * chunks


def test_a_device_that_is_not_there_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="abacus"):
        dmlindex.dask.scatter_nd(table(4), lazy(3)[:, np.newaxis], lazy(3), device="abacus")


@pytest.mark.parametrize("chunks", [1, 4])
@pytest.mark.parametrize(
    ("operator", "others", "shown"),
    [
        ("gather", 1, "gather"),
        ("gather_elements", 1, "gather_elements"),
        ("gather_nd", 1, "gather-nd"),
        ("scatter_elements", 2, "scatter_elements"),
        ("scatter_nd", 2, "scatter-nd"),
        ("find_duplicates", 1, "find-duplicates"),
    ],
)
def test_names(operator: str, others: int, shown: str, chunks: int) -> None:
    """Progress bars and the dashboard show tasks by these names."""
    x, indices = table(chunks), lazy(3, 1 << 18)
    places = indices[:, np.newaxis] if operator.endswith("nd") else indices
    options = {"axis": 0} if operator == "find_duplicates" else {}
    arguments = (x, places, *[indices] * (others - 1))
    result = getattr(dmlindex.dask, operator)(*arguments, **options)
    steps = {"route", "local", "merge"} if chunks > 1 else {"local"}
    if operator.startswith("scatter") and chunks > 1:
        steps = {"route", "merge"}
    if operator == "find_duplicates":
        steps = {"route", "local", "merge"}
    assert set(tasks(result, *arguments)) == {f"{shown}-{step}" for step in steps}


def test_progress_bars(capsys: pytest.CaptureFixture[str]) -> None:
    gathered = dmlindex.dask.gather(table(4), lazy(3))
    with diagnostics.ProgressBar():
        da.compute(gathered)
    assert "Completed" in capsys.readouterr().out
