"""`dmlindex.explain`: its formulas, NumPy code and other libraries' code are run, and compared."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import dmlindex as dml
from dmlindex import testing
from dmlindex._explain.elsewhere import WHY
from dmlindex._explain.form import Form, form_of_call, form_of_desc
from dmlindex._explain.formula import formula
from tests.descriptors.desc_strategies import Problem, problems
from tests.display.code import answer, run

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def test_a_compiled_operator_is_explained_with_what_it_was_compiled_with() -> None:
    desc = dml.GatherOperatorDesc.infer((3,), (2,))
    found = dml.Device().compile(desc, mode="fill", fill_value=-2.5).explain()
    x, i = np.arange(3, dtype=np.float32), np.array([1, 7])
    np.testing.assert_array_equal(run(found.numpy, {"np": np, "x": x, "i": i}), [1, -2.5])
    scatter = dml.ScatterElementsOperatorDesc.infer((3,), (2,))
    words = dml.Device().compile(scatter, duplicates="raise").explain().words
    assert "Several updates of one element are an IndexError, and nothing is written." in words
    assert not any("wins" in sentence for sentence in words)


def test_updates_in_any_order() -> None:
    arguments = (np.zeros(3), [0, 0], np.ones(2))
    for ordered, order in ((True, "one by one in C order of the indices"), (False, "in any order")):
        found = dml.explain(dml.scatter_elements, *arguments, reduction="add", ordered=ordered)
        assert f"Updates are added to what is there, {order}." in found.words


@given(testing.invalid_calls())
def test_what_the_function_refuses_is_not_explained(call: testing.Call) -> None:
    """But a wrong out, and indices out of range: values do not count."""
    with pytest.raises((TypeError, ValueError, IndexError)) as raised:
        call.run(getattr(dml, call.operator))
    if raised.type is IndexError or " out " in str(raised.value):
        return
    with pytest.raises(raised.type):
        call.run(lambda *a, **k: dml.explain(call.operator, *a, **k))


def evaluated(form: Form, text: str, ranges: dict[str, int], arrays: dict[str, Any]) -> Any:
    """The output that the formula's text says, one position after another."""
    names: dict[str, Any] = dict(arrays)
    *copy, statement = text.split("; ")
    if copy:
        names["output"] = arrays["input"].copy()
    code = compile(statement, text, "exec")
    for position in itertools.product(*map(range, ranges.values())):
        exec(code, names, dict(zip(ranges, position, strict=True)))
    return names["output"]


@given(testing.calls(with_out=False, with_lists=False, in_range=True, dtypes=[np.dtype(np.int32)]))
def test_the_formula_is_the_operator(call: testing.Call) -> None:
    expected = answer(call)
    if expected is None:
        return
    form = form_of_call(call.operator, call.arguments, call.options)
    algebra = formula(form)
    given_ = call.given()
    arrays = {name: np.asarray(given_[name]) for name in given_ if name in dml_arrays}
    if not form.scatters:
        arrays["output"] = np.zeros(form.output, np.int32)
    with np.errstate(all="ignore"):
        found = evaluated(form, algebra.text, algebra.ranges, arrays)
    np.testing.assert_array_equal(found, expected)


dml_arrays = ("input", "indices", "updates")


@pytest.mark.parametrize("reduction", ["none", "add", "mul", "min", "max"])
def test_the_formula_of_a_reduction(reduction: str) -> None:
    x, i, u = np.array([3, 4, 5]), np.array([[2], [0], [2]]), np.array([7, -2, 6])
    form = form_of_call("scatter_nd", (x, i, u), {"reduction": reduction})
    algebra = formula(form)
    arrays = {"input": x, "indices": i, "updates": u}
    found = evaluated(form, algebra.text, algebra.ranges, arrays)
    expected = dml.scatter_nd(x, i, u, reduction=reduction)  # type: ignore[call-overload]
    np.testing.assert_array_equal(found, expected)


@given(problems())
def test_the_formula_of_a_desc_counts_its_leading_ones(problem: Problem) -> None:
    desc = problem.desc
    views = problem.views()
    try:
        expected = problem.expected("raise")
    except IndexError:
        return
    form = form_of_desc(desc, "directml")
    algebra = formula(form)
    arrays = dict(zip(dml_arrays, views, strict=False))
    if not form.scatters:
        arrays["output"] = np.zeros(desc.output_tensor.sizes, expected.dtype)
    found = evaluated(form, algebra.text, algebra.ranges, arrays)
    assert found.tobytes() == expected.tobytes()


def test_the_words_of_the_issue() -> None:
    found = dml.explain(dml.gather_nd, X, np.zeros((2, 5, 1), np.int64), batch_dims=1)
    assert found.formula == "output[b, q, s] = input[b, indices[b, q, 0], s]"
    assert found.ranges[0] == "b < 2: batch dims"
    assert "ONNX" in str(found)
    assert 'make_node("GatherND", ["x", "i"], ["y"], batch_dims=1)' in str(found)
    webnn = found.equivalents[-1]
    assert (webnn.library, webnn.code) == ("WebNN", ())
    assert WHY["batch-dims"] in webnn.differences


def test_without_arrays_it_is_general() -> None:
    found = dml.explain("scatter_nd")
    assert found.formula == "output = input; output[indices[q…, :], s…] = updates[q…, s…]"
    assert found.numpy == ()


def test_a_desc_its_method_and_its_operator() -> None:
    desc = dml.GatherNDOperatorDesc.infer((1, 3, 4), (1, 2, 2), 2, 2)
    found = desc.explain()
    assert found == dml.explain(desc)
    assert found.formula == "output[0, 0, q] = input[0, indices[0, q, 0], indices[0, q, 1]]"
    assert found.report is not None
    assert found.report["feature_level"] == "3_0"
    assert str(found).startswith("GATHER_ND: valid, from feature level 3_0 on\n")
    assert "at each of 2 positions: read a tuple of 2 indices" in str(found)
    assert found.words[0] == (
        "Without the 1s in front, as in all that follows, input is (3, 4) and indices are (2, 2)."
    )
    operator = dml.Device().compile(desc, mode="clamp")
    assert "An index out of range is clamped." in dml.explain(operator).words


def test_a_desc_that_is_not_valid() -> None:
    found = dml.explain(dml.GatherElementsOperatorDesc(None, None, None, 0))
    assert found.report is not None
    assert not found.report["valid"]
    assert "3 broken rules" in str(found)
    assert found.formula == ""


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        (("take",), {}, TypeError, "what is 'take', expected a function of dmlindex"),
        ((dml.gather, X), {}, TypeError, "gather has no indices; give all of its arrays"),
        ((dml.gather, X, [0], 0, 0), {}, TypeError, "takes 3 arguments, found 4"),
        ((dml.gather, X, [0], 0), {"axis": 0}, TypeError, "gather: multiple values for argument"),
        ((dml.gather, X, [0]), {"mod": 0}, TypeError, "got an unexpected keyword argument 'mod'"),
        ((dml.scatter_nd, X, [[0]], X), {}, ValueError, r"updates has shape \(2, 3, 4\), expected"),
        ((dml.gather, X, [0], 3), {}, ValueError, "gather: axis is 3, expected"),
        ((dml.gather, X, [0.5]), {}, TypeError, "gather: indices has dtype float64"),
        ((dml.gather, X, [0]), {"mode": "drop"}, ValueError, 'gather: mode is "drop"'),
        ((dml.gather_nd, X, [[0] * 4]), {}, ValueError, "last dim .the tuple. of size 4"),
        ((dml.GatherOperatorDesc.infer((2,), (2,)), 1), {}, TypeError, "takes no more arguments"),
    ],
)
def test_what_cannot_be_explained(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        dml.explain(*arguments, **options)
