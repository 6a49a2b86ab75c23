"""The NumPy code of `dmlindex.explain` gives what the operators give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import dmlindex as dml
from dmlindex import testing
from tests.display.code import answer, run

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def bits(array: Any) -> list[bytes]:
    """What counts of an array's memory: all but the padding of its elements."""
    if array.dtype.names is not None:
        return [array[name].tobytes() for name in array.dtype.names]
    if array.dtype.type in (np.longdouble, np.clongdouble):
        return [str(array.tolist()).encode()]
    return [array.tobytes()]


plain_calls = testing.calls(with_out=False, with_lists=False, layouts="packed")


@given(plain_calls)
def test_the_numpy_idiom_equals_the_operator(call: testing.Call) -> None:
    """Bit for bit, in every mode, but where the fuzzer's peer names a rule of NumPy's own."""
    from dmlindex.testing.peers.numpy_peer import PEER

    expected = answer(call)
    rule = PEER.rule(call)
    if expected is None or (rule and rule.name != "empty-input"):
        return
    given_ = call.given()
    names: dict[str, Any] = {"np": np, "x": given_["input"], "i": given_["indices"]}
    names["u"] = np.asarray(given_.get("updates", 0)).astype(expected.dtype, copy=False)
    explained = dml.explain(call.operator, *call.arguments, **call.options)
    found = np.asarray(run(explained.numpy, names))
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    assert bits(found) == bits(expected)


@pytest.mark.parametrize(
    ("value", "dtype", "code"),
    [
        (float("nan"), "f8", "np.nan"),
        (-np.inf, "f4", "-np.inf"),
        (0.1, "f2", "0.1"),
        (-0.0, "f4", "-0.0"),
        (3 + 0j, "i2", "3"),
        (complex(np.nan, -1), "c8", "complex(np.nan, -1.0)"),
        (True, "?", "True"),
        ("ab", "U5", "'ab'"),
        (0, "S3", "b''"),
        (np.datetime64("2020-02-29"), "M8[D]", "'2020-02-29'"),
        (0, [("a", "i4"), ("b", "f8")], "0"),
        (0, "V3", r"b'\x00\x00\x00'"),
        (np.array((1, 2.5), "i4,f8")[()], "i4,f8", "np.frombuffer("),
    ],
)
def test_a_fill_value_is_code(value: Any, dtype: Any, code: str) -> None:
    x, i = np.ones(3, dtype), np.array([0, 7])
    found = dml.explain(dml.gather, x, i, mode="fill", fill_value=value)
    assert found.words[-1].startswith(f"An index out of range gives {code}")
    expected = dml.gather(x, i, mode="fill", fill_value=value)
    assert run(found.numpy, {"np": np, "x": x, "i": i}).tobytes() == expected.tobytes()


@pytest.mark.parametrize("index", [1, -4])
def test_the_numpy_idiom_fills_a_single_element(index: int) -> None:
    x, i = np.array([7, 8, 9]), np.array(index)
    found = run(dml.explain(dml.gather, x, i, mode="fill").numpy, {"np": np, "x": x, "i": i})
    assert found == dml.gather(x, i, mode="fill")


@pytest.mark.parametrize("operator", ["gather", "gather_elements", "gather_nd"])
def test_the_numpy_idiom_fills(operator: str) -> None:
    i = np.array([[[1, -1], [7, 0], [0, -9]]])
    options: dict[str, Any] = {"mode": "fill", "fill_value": -5}
    if operator == "gather_elements":
        options["axis"] = 2
    explained = dml.explain(operator, X, i, **options)
    found = run(explained.numpy, {"np": np, "x": X, "i": i})
    np.testing.assert_array_equal(found, getattr(dml, operator)(X, i, **options))
