"""Scatters and reductions of single elements by long rows of indices, with some out of range."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import dmlindex
from dmlindex import reference

Array = npt.NDArray[Any]


def indices_of(rng: np.random.Generator, dtype: str, places: int, count: int, bad: float) -> Array:
    """Two rows of them, of which a share is out of range as far as the dtype reaches."""
    info = np.iinfo(dtype)
    inside = rng.integers(max(-places, info.min), min(places, info.max + 1), (2, count))
    far = [index for index in (info.min, info.max, places, -places - 1) if index >= info.min]
    outside = rng.choice(np.array([min(index, info.max) for index in far], dtype), (2, count))
    return np.where(rng.random((2, count)) < bad, outside, inside.astype(dtype))


@pytest.mark.parametrize("index_dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("places", [1, 300, 3000])
@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
def test_rows_of_updates(
    threads: Callable[[int], None], reduction: Any, places: int, index_dtype: str
) -> None:
    rng = np.random.default_rng([places, ord(reduction[0]), ord(index_dtype[-1])])
    dtypes = ["u1", "i2", "i4", "i8", "f4", "f8", "f2", "c16"]
    for count, bad in ((130, 0.0), (1500, 0.0), (999, 0.02), (999, 0.5), (4100, 0.001)):
        dtype = dtypes[rng.integers(len(dtypes))]
        x = rng.integers(0, 9, (2, places)).astype(dtype)
        indices = indices_of(rng, index_dtype, places, count, bad)
        if bad == 0.5:
            indices[1] = np.repeat(indices[1], 3)[:count]  # several in a row go to one place
        step = rng.choice([1, 1, -2])
        updates = rng.integers(0, 9, (2, abs(step) * count)).astype(dtype)[:, ::step]
        threads(int(rng.integers(1, 3)))
        modes: list[Any] = ["clamp", "drop", "wrap"] if bad else ["raise"]
        one_a_row = np.broadcast_to(updates[:, :1], updates.shape)
        for mode, given in itertools.product(modes, (updates, one_a_row)):
            args = (x, indices, given, 1)
            expected = reference.scatter_elements(*args, reduction=reduction, mode=mode)
            found = dmlindex.scatter_elements(*args, reduction=reduction, mode=mode)
            assert found.tobytes() == expected.tobytes()
            out = np.empty_like(x)
            dmlindex.scatter_elements(*args, reduction=reduction, mode=mode, out=out)
            assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("index_dtype", ["i4", "i8", "u2"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4", "u8"])
@pytest.mark.parametrize("reduction", ["min", "max"])
def test_updates_that_soon_change_nothing(reduction: Any, dtype: str, index_dtype: str) -> None:
    """Many for each place, in which zeros of both signs, NaNs and late changes count as they do."""
    rng = np.random.default_rng([ord(reduction[1]), ord(dtype[0]), ord(index_dtype[-1])])
    for places, bad in ((260, 0), (1000, 0), (260, 5), (1000, 40)):
        count = 30_000
        indices = (places * rng.random(count) ** 3).astype(index_dtype)
        x = rng.integers(0, 200, places).astype(dtype)
        updates = rng.integers(0, 200, count).astype(dtype)
        late = rng.integers(20_000, count, 9)
        updates[late] = 0 if reduction == "min" else 250
        if dtype[0] == "f":
            updates[rng.integers(0, count, 30)] = -0.0
            updates[late[:3]] = np.nan
            updates[late[3:5]] = [np.inf, -np.inf]
        indices[rng.integers(0, count, bad)] = places
        modes: list[Any] = ["clamp", "drop", "wrap"] if bad else ["raise", "clamp"]
        for mode in modes:
            args = (x, indices, updates)
            expected = reference.scatter_elements(*args, reduction=reduction, mode=mode)
            found = dmlindex.scatter_elements(*args, reduction=reduction, mode=mode)
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("lengths", [[2], [9], [12, 12, 13], [1, 2, 60], [40]])
@pytest.mark.parametrize("dtype", ["f2", "f4", "i2", "i8"])
@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
def test_runs_of_updates(reduction: Any, dtype: str, lengths: list[int]) -> None:
    """Several in a row go to one place, few and many, as often as each other and not."""
    rng = np.random.default_rng([ord(reduction[1]), ord(dtype[1]), sum(lengths)])
    runs = rng.choice(lengths, 9000)
    for indices in (np.repeat(np.arange(9000), runs), np.repeat(rng.permutation(9000), runs)):
        indices = indices[:9000]
        x = rng.integers(1, 9, 9000).astype(dtype)
        updates = rng.integers(0, 9, 9000).astype(dtype)
        if dtype[0] == "f":
            updates = (updates * rng.choice([-0.75, 1.1], 9000)).astype(dtype)
            updates[rng.integers(0, 9000, 9)] = [np.nan, np.inf, -np.inf] * 3
        expected = reference.scatter_elements(x, indices, updates, reduction=reduction)
        found = dmlindex.scatter_elements(x, indices, updates, reduction=reduction)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("reduction", ["add", "mul", "min", "max"])
def test_every_float16(reduction: Any) -> None:
    """Each with some others: of NaNs the first stays, of zeros that are equal the old one."""
    rng = np.random.default_rng(8)
    x = np.arange(65_536, dtype="u2").view("f2")
    places = np.arange(65_536)
    some = [0, 0x8000, 0x7C00, 0xFC00, 0x7C01, 0xFE00, 0x7E55, 1, 0x3C00, 0x7BFF]
    for bits in [np.full(65_536, each) for each in some] + [rng.integers(0, 65_536, 65_536)] * 2:
        updates = bits.astype("u2").view("f2")
        expected = reference.scatter_elements(x, places, updates, reduction=reduction)
        found = dmlindex.scatter_elements(x, places, updates, reduction=reduction)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("reduction", ["none", "add"])
def test_rows_across_a_table(reduction: Any) -> None:
    """Places along the axis lie beside each other, but an index of a row has its own column."""
    rng = np.random.default_rng(2)
    x = np.asfortranarray(rng.integers(0, 9, (300, 140)).astype("f4"))
    indices = rng.integers(-300, 300, (50, 140))
    updates = rng.integers(0, 9, indices.shape).astype("f4")
    expected = reference.scatter_elements(x, indices, updates, 0, reduction=reduction)
    out = np.empty_like(x)
    dmlindex.scatter_elements(x, indices, updates, 0, reduction=reduction, out=out)
    assert np.array_equal(out, expected)
    dmlindex.scatter_elements(x, indices, updates, 0, reduction=reduction, mode="clamp", out=x)
    assert np.array_equal(x, expected)


@pytest.mark.parametrize("places", [300, 1000])  # few beside their indices, and not
@pytest.mark.parametrize("reduction", ["none", "add"])
def test_a_late_bad_index(reduction: Any, places: int) -> None:
    """In place, or into an output, nothing is written before it is found."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 9, places).astype("f4")
    indices = rng.integers(-places, places, 3001)
    updates = rng.integers(0, 9, 3001).astype("f4")
    expected = reference.scatter_elements(x, indices, updates, reduction=reduction)
    before = x.tobytes()
    for out in (x, np.full(places, 7, "f4"), np.full(2 * places, 7, "f4")[::2]):
        kept = out.tobytes()
        for position in (0, 1500, 2999, 3000):
            bad = indices.copy()
            bad[position] = places
            with pytest.raises(IndexError, match=rf"indices\[{position}\] = {places} "):
                dmlindex.scatter_elements(x, bad, updates, reduction=reduction, out=out)
            assert out.tobytes() == kept
            with pytest.raises(IndexError, match=rf"indices\[{position}\] = {places} "):
                dmlindex.scatter_elements(x, bad, updates, reduction=reduction)
        assert x.tobytes() == before
        into = x.copy() if out is x else out
        dmlindex.scatter_elements(x, indices, updates, reduction=reduction, out=into)
        assert np.array_equal(into, expected)
        if into.base is not None:
            assert (into.base[1::2] == 7).all()


@pytest.mark.parametrize("count", [1, 2])
def test_updates_of_a_large_table(threads: Callable[[int], None], count: int) -> None:
    """Where threads share the table, each has the updates of its part."""
    threads(count)
    rng = np.random.default_rng(count)
    x = rng.integers(0, 9, 3_000_000).astype("f4")
    indices = rng.integers(-len(x), len(x), 400_000)
    updates = rng.integers(0, 9, len(indices)).astype("f4")
    wanted = x.copy()
    np.add.at(wanted, indices, updates)
    assert np.array_equal(dmlindex.scatter_elements(x, indices, updates, reduction="add"), wanted)
    wanted = x.copy()
    wanted[indices] = updates
    assert np.array_equal(dmlindex.scatter_elements(x, indices, updates), wanted)
