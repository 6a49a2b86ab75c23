"""The table of docs/recipes.md: what comes out, and the way back to each kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex

TABLE = np.arange(6.0).reshape(3, 2)


def test_subclasses_of_ndarray() -> None:
    x = np.array([(1, 0.5), (2, 1.5)], [("a", "i8"), ("b", "f8")]).view(np.recarray)
    answer = dmlindex.gather(x, [1])
    assert type(answer) is np.ndarray
    assert answer.view(type(x)).b.tolist() == [1.5]


def test_pandas() -> None:
    pd: Any = pytest.importorskip("pandas")
    series = pd.Series([1.5, 2.5, 3.5], index=["a", "b", "c"])
    answer = dmlindex.gather(series, [2, 0])
    assert type(answer) is np.ndarray
    again = pd.Series(answer, index=series.index[[2, 0]])
    assert again.to_dict() == {"c": 3.5, "a": 1.5}
    assert dmlindex.gather(pd.DataFrame({"x": [1, 2], "y": [3, 4]}), 1).tolist() == [2, 4]
    assert dmlindex.gather(TABLE, pd.Series([1])).tolist() == [[2, 3]]
    with pytest.raises(TypeError, match="missing values"):
        dmlindex.gather(pd.Series([1, pd.NA], dtype="Int64"), [0])


def test_xarray() -> None:
    xr: Any = pytest.importorskip("xarray")
    x = xr.DataArray(TABLE, dims=("y", "x"), coords={"y": [10, 20, 30]})
    answer = dmlindex.gather(x, [2, 1, 0])
    assert type(answer) is np.ndarray
    assert x.copy(data=answer).dims == ("y", "x")
    i = xr.DataArray([1, 0], dims="q")
    again = xr.apply_ufunc(
        dmlindex.gather, x, i,
        input_core_dims=[["y", "x"], ["q"]], output_core_dims=[["q", "x"]],
    )  # fmt: skip
    assert again.dims == ("q", "x")
    np.testing.assert_array_equal(again, TABLE[[1, 0]])


def test_torch() -> None:
    torch: Any = pytest.importorskip("torch")
    ml_dtypes: Any = pytest.importorskip("ml_dtypes")
    x = torch.from_numpy(TABLE)
    answer = dmlindex.gather(x, torch.tensor([2, 0]))
    assert type(answer) is np.ndarray
    assert torch.equal(torch.from_numpy(answer), x[[2, 0]])
    out = torch.zeros(2, 2, dtype=torch.float64)
    dmlindex.gather(x, [2, 0], out=out.numpy())
    assert torch.equal(out, x[[2, 0]])
    t = x.to(torch.bfloat16)
    with pytest.raises(TypeError, match="dtype"):
        dmlindex.gather(t, [2, 0])
    y = dmlindex.gather(t.view(torch.int16).numpy().view(ml_dtypes.bfloat16), [2, 0])
    assert torch.equal(torch.from_numpy(y.view(np.int16)).view(torch.bfloat16), t[[2, 0]])


def test_jax() -> None:
    jnp: Any = pytest.importorskip("jax.numpy")
    for dtype in (jnp.float32, jnp.bfloat16):
        x = jnp.asarray(TABLE, dtype)
        answer = dmlindex.gather(x, jnp.array([2, 0]))
        assert type(answer) is np.ndarray
        assert jnp.asarray(answer).dtype == dtype
        np.testing.assert_array_equal(jnp.asarray(answer), x[jnp.array([2, 0])])
