"""The Dask functions, whatever the chunks: what the NumPy functions say, bit for bit."""

from __future__ import annotations

import re
from typing import Any

import dask.array
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
import dmlindex.dask
from dmlindex import testing
from dmlindex.dask import _coarse, _duplicates, _exchange, _layout

da: Any = dask.array  # which is only partly typed

# Dask warns where it cuts one array's chunks to fit the other's, and of a reduction that overflows.
pytestmark = pytest.mark.filterwarnings("ignore::dask.array.PerformanceWarning")

# Dask's own copies of records leave out what they are padded with.
DTYPES = testing.dtypes().filter(lambda dtype: dtype.names is None)

EVERY = sorted(name for name in dmlindex.dask.__all__ if name != "find_duplicates")


HOPS = {  # how many hops rows take, and up to how many bytes blocks of indices are put together
    "as few tasks as may be": (None, _coarse.SOURCE_BYTES),
    "some blocks together": (None, 200),
    "single blocks": (None, 0),
    "two hops": (2, 0),
    "three hops": (3, 0),
}


@pytest.fixture(params=HOPS)
def hops(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ways that rows take between blocks, whatever the number of these."""
    number, together = HOPS[request.param]
    monkeypatch.setattr(_coarse, "SOURCE_BYTES", together)
    if number is None:
        return

    def plan(sources: int, destinations: int, **_: Any) -> Any:
        levels = _exchange._levels(sources, destinations, number)
        return _exchange.Exchange(sources, destinations, levels)

    for module in (_layout, _duplicates):
        monkeypatch.setattr(module, "plan", plan)


@st.composite
def chunks(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """Any chunks of a shape, up to five along a dim."""
    cuts = [
        draw(st.lists(st.integers(0, size), max_size=4).map(sorted)) if size else []
        for size in shape
    ]
    return tuple(
        tuple(np.diff([0, *places, size]).tolist())
        for places, size in zip(cuts, shape, strict=True)
    )


def lazily(data: st.DataObject, value: Any) -> Any:
    """An array as a Dask array, or as it is."""
    if not isinstance(value, np.ndarray) or data.draw(st.integers(0, 3)) == 3:
        return value
    return da.from_array(value, chunks=data.draw(chunks(value.shape)), name=False)


@pytest.mark.usefixtures("hops")
@pytest.mark.parametrize("operator", EVERY)
@given(st.data())
def test_every_call(operator: str, data: st.DataObject) -> None:
    call = data.draw(testing.calls(operator, dtypes=DTYPES, with_out=False))

    def lazy(*arguments: Any, **options: Any) -> Any:
        values = [lazily(data, value) for value in arguments]
        if operator.startswith("scatter") and data.draw(st.booleans(), label="grouped"):
            kind = np.asarray(arguments[0]).dtype.kind
            options["ordered"] = options.get("reduction", "none") != "none" and kind not in "iu"
        result = getattr(dmlindex.dask, operator)(*values, **options)
        assert isinstance(result, da.Array)
        computed = np.asarray(result.compute(scheduler="synchronous"))
        assert result.shape == computed.shape
        assert result.dtype == result._meta.dtype == computed.dtype
        return computed

    lazy.__name__ = operator
    testing.check_same(lazy, getattr(dmlindex, operator), call)


@pytest.mark.usefixtures("hops")
@given(
    st.sampled_from(["scatter_elements", "scatter_nd"]).flatmap(
        lambda name: testing.calls(name, with_out=False, with_lists=False)
    ),
    st.data(),
)
def test_find_duplicates(call: testing.Call, data: st.DataObject) -> None:
    source, indices = call.arguments[:2]
    axis = None
    if call.operator == "scatter_elements":
        axis = call.arguments[3] if len(call.arguments) > 3 else call.options["axis"]
    mode = call.options.get("mode", "raise")
    given_as = da.from_array(source) if data.draw(st.booleans()) else source.shape
    result = dmlindex.dask.find_duplicates(given_as, lazily(data, indices), axis=axis, mode=mode)
    assert isinstance(result, da.Array)
    try:
        expected = dmlindex.find_duplicates(source.shape, indices, axis=axis, mode=mode)
    except IndexError:
        with pytest.raises(IndexError, match=r"^find_duplicates: "):
            result.compute(scheduler="synchronous")
        return
    found = result.compute(scheduler="synchronous")
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("hops")
@pytest.mark.parametrize("operator", EVERY)
@given(st.data())
def test_errors_name_the_whole_array(operator: str, data: st.DataObject) -> None:
    """The index named is one that is out of range, by its position in the whole; in one block of
    indices the first."""
    call = data.draw(testing.calls(operator, modes=["raise"], with_out=False, with_lists=False))
    try:
        call.run(getattr(dmlindex, operator))
    except IndexError as error:
        expected = str(error)
    else:
        return
    values = [lazily(data, value) for value in call.arguments]
    with pytest.raises(IndexError) as raised:
        getattr(dmlindex.dask, operator)(*values, **call.options).compute(scheduler="synchronous")
    message = str(raised.value)
    named = re.match(rf"{operator}: indices\[([0-9, ]*|\(\))\] = (-?[0-9]+) is out", message)
    assert named
    position = tuple(int(p) for p in re.findall("[0-9]+", named[1]))
    assert int(call.arguments[1][position]) == int(named[2])
    # Batch dims, and those off the axis, are cut as input is: then which block reports is open.
    uncut = operator in ("gather", "scatter_nd")
    blocks = values[1:2] if uncut else values[:2]
    if all(isinstance(value, da.Array) and value.npartitions == 1 for value in blocks):
        assert message == expected


@pytest.mark.usefixtures("hops")
@pytest.mark.parametrize("reduction", ["none", "add"])
@pytest.mark.parametrize("shape", [(60,), (6, 10)])
@pytest.mark.parametrize("known", ["indices and updates", "indices", "nothing"])
def test_c_order_across_blocks(known: str, shape: tuple[int, ...], reduction: Any) -> None:
    """The last update wins, and sums round as in C order, whichever blocks updates lie in."""
    rng = np.random.default_rng(0)
    x, places = np.ones(6, np.float32), rng.integers(0, 6, (*shape, 1))
    updates = rng.standard_normal(shape, np.float32) * 10 ** rng.uniform(-4, 4, shape)
    updates = updates.astype(np.float32)
    expected = dmlindex.scatter_nd(x, places, updates, reduction=reduction)
    lazy = da.from_array(x, chunks=2)
    indices = (
        places if "indices" in known else da.from_array(places, chunks=(*(3,) * len(shape), 1))
    )
    items = updates if "updates" in known else da.from_array(updates, chunks=(3,) * len(shape))
    found = dmlindex.dask.scatter_nd(lazy, indices, items, reduction=reduction)
    np.testing.assert_array_equal(da.compute(found, scheduler="synchronous")[0], expected)


def test_assert_eq() -> None:
    """Dask's own check: chunks, meta, dtype and keys are as the array says."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((12, 10, 4)).astype(np.float32)
    lazy = da.from_array(x, chunks=(5, 3, 2))
    nd = rng.integers(0, 10, (40, 2))
    along = rng.integers(-10, 10, (12, 7, 4))
    updates = rng.standard_normal((40, 4)).astype(np.float32)
    pairs: list[Any] = [
        (dmlindex.gather, (x, nd[:, 0]), {"axis": 1}),
        (dmlindex.gather_elements, (x, along), {"axis": 1}),
        (dmlindex.gather_nd, (x, nd), {}),
        (dmlindex.scatter_nd, (x, nd, updates), {"reduction": "add"}),
        (dmlindex.scatter_elements, (x, along, along.astype(np.float32)), {"axis": 1}),
    ]
    for function, (_, *others), options in pairs:
        operator = getattr(dmlindex.dask, function.__name__)
        result = operator(lazy, *(da.from_array(a, chunks=6) for a in others), **options)
        da.utils.assert_eq(result, function(x, *others, **options))


def test_it_runs_on_many_threads() -> None:
    x = np.arange(10**5).reshape(1000, 100)
    indices = np.random.default_rng(0).integers(0, 1000, (100, 100))
    lazy = da.from_array(x, chunks=(100, 30))
    result = dmlindex.dask.gather_elements(lazy, da.from_array(indices, chunks=(40, 40)))
    found = da.compute(result, scheduler="threads")[0]
    np.testing.assert_array_equal(found, np.take_along_axis(x, indices, 0))
