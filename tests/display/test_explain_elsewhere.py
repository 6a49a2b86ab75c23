"""Other libraries' code in `dmlindex.explain` is run, and what they lack is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import dmlindex as dml
from dmlindex._explain.elsewhere import JAX, LIBRARIES, ONNX, TORCH, WHY
from dmlindex._explain.elsewhere_calls import CALLS
from dmlindex._explain.form import form_of_call
from dmlindex.directml.legal import legalize
from tests.display.code import run

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)

# What other libraries' code is run on.
CASES: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("gather", (X, np.array([[2, 0]])), {"axis": 1}),
    ("gather_elements", (X, np.array([[[2, 0, 1, 1]]] * 2)), {"axis": 1}),
    ("gather_nd", (X, np.array([[1, 2], [0, 0]])), {}),
    ("gather_nd", (X, np.array([[[1], [0]], [[2], [2]]])), {"batch_dims": 1}),
    ("scatter_elements", (X, np.array([[[2, 0, 1, 1]]] * 2), X[:, 1:2] + 90), {"axis": 1}),
    *(
        ("scatter_elements", (X, np.array([[[2, 0, 1, 1]]] * 2), X[:, 1:2]),
         {"axis": 1, "reduction": reduction})
        for reduction in ("add", "mul", "min", "max")
    ),
    ("scatter_nd", (X, np.array([[1, 2], [0, 0]]), X[0, :2] + 90), {}),
    ("gather_nd", (X, np.array([[1, -9], [5, 2]])), {"mode": "clamp"}),
    ("gather_nd", (X, np.array([[[-9], [7]], [[2], [-2]]])), {"batch_dims": 1, "mode": "wrap"}),
    ("gather_elements", (X, np.array([[[4, 0, -5, 1]]] * 2)), {"axis": 1, "mode": "clamp"}),
    ("scatter_elements", (X, np.array([[[2, 7, 1, -4]]] * 2), X[:, 1:2] + 90),
     {"axis": 1, "mode": "wrap"}),
    *(
        ("scatter_nd", (X, np.array([[1, 2], [1, 2]]), X[0, :2]), {"reduction": reduction})
        for reduction in ("add", "mul", "min", "max")
    ),
]  # fmt: skip


def library_code(name: str, case: tuple[str, tuple[Any, ...], dict[str, Any]]) -> list[str]:
    operator, arguments, options = case
    form = form_of_call(operator, arguments, options)
    if not LIBRARIES[name].has_reduction(form):
        pytest.skip(f"{LIBRARIES[name].title} has no such reduction")
    return CALLS[name](form)


def expected_of(case: tuple[str, tuple[Any, ...], dict[str, Any]]) -> Any:
    operator, arguments, options = case
    return getattr(dml, operator)(*arguments, **options)


JAX_CASES = [
    *CASES,
    ("gather", (X, np.array([3, -9, 1])), {"axis": 2, "mode": "clamp"}),
    ("gather", (X, np.array([3, 9, 1])), {"mode": "fill", "fill_value": float("nan")}),
    ("gather_elements", (X, np.array([[[4, 0, -5, 1]]] * 2)), {"axis": 1, "mode": "fill"}),
    ("scatter_nd", (X, np.array([[1, 2], [0, 9]]), X[0, :2] + 90), {"mode": "drop"}),
    ("gather", (X, np.array([3, 200], np.uint8)), {"axis": 1, "mode": "wrap"}),
]


def test_what_libraries_have() -> None:
    integers = dml.explain(dml.gather_nd, X, np.zeros((2, 1), np.int32)).equivalents[0]
    assert f"{WHY['index-dtypes']}: int64, and not int32" in integers.differences
    assert dml.explain(dml.gather, np.zeros(2, "c8"), [0]).equivalents[0].differences == (
        WHY["out-of-range"],
    )
    foreign = dml.explain(dml.gather, np.zeros(2, ">f4"), [0]).equivalents[1]
    assert foreign.differences == (f"{WHY['dtypes']} (>f4)",)


def test_one_update_is_expanded_where_libraries_want_all() -> None:
    onnx, _, _, webnn = dml.explain(dml.scatter_nd, X, [[0], [1]], 5.0).equivalents
    assert f"{WHY['one-update']} (2, 3, 4)" in onnx.differences
    assert webnn.code == ("const y = builder.scatterND(x, i, builder.expand(u, [2, 3, 4]));",)


class Builder:
    """WebNN's MLGraphBuilder, as Chromium hands its operators on to DirectML."""

    def __getattr__(self, method: str) -> Any:
        operator = re.sub("[A-Z]+", lambda found: f"_{found[0].lower()}", method)

        def called(*arguments: Any) -> Any:
            arrays = [each for each in arguments if not isinstance(each, dict)]
            options = arguments[-1] if len(arrays) < len(arguments) else {}
            program: Any = legalize(operator, arrays, style="webnn", **options)
            return program.run(*arrays)

        return called


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_the_call_of_webnn(case: Any) -> None:
    operator, arguments, options = case
    webnn = dml.explain(operator, *arguments, **options).equivalents[-1]
    if not webnn.code:
        assert "reduction" in options or "batch_dims" in options
        return
    (line,) = webnn.code
    python = line.removeprefix("const ").rstrip(";").replace("{axis:", "{'axis':")
    if options.get("mode", "raise") == "raise":
        found = run([python], {"builder": Builder(), **dict(zip("xiu", arguments, strict=False))})
        np.testing.assert_array_equal(found, expected_of(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_the_node_of_onnx(case: Any) -> None:
    if "mode" in case[2]:
        return  # ONNX has none, and says so
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator

    (line,) = library_code("onnx", case)
    names: dict[str, Any] = {"helper": onnx.helper}
    exec(f"node = {line}", names)
    feeds = dict(zip("xiu", case[1], strict=False))
    values = [
        onnx.helper.make_tensor_value_info(
            name, onnx.helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
        )
        for name, array in [*feeds.items(), ("y", expected_of(case))]
    ]
    graph = onnx.helper.make_graph([names["node"]], "one", values[:-1], values[-1:])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 18)])
    onnx.checker.check_model(model, full_check=True)
    (found,) = ReferenceEvaluator(model).run(None, feeds)
    np.testing.assert_array_equal(found, expected_of(case))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_the_call_of_torch(case: Any) -> None:
    torch = pytest.importorskip("torch")
    names = dict(zip("xiu", (torch.tensor(array) for array in case[1]), strict=False))
    found = run(library_code("torch", case), {"torch": torch, **names})
    np.testing.assert_array_equal(found.numpy(), expected_of(case))


@pytest.mark.parametrize("case", JAX_CASES, ids=lambda case: f"{case[0]}-{case[2]}")
def test_the_call_of_jax(case: Any) -> None:
    jnp = pytest.importorskip("jax.numpy")
    names = dict(zip("xiu", map(jnp.asarray, case[1]), strict=False))
    found = run(library_code("jax", case), {"jnp": jnp, **names})
    np.testing.assert_array_equal(np.asarray(found), expected_of(case))


def test_every_difference_has_a_sentence() -> None:
    for library in LIBRARIES.values():
        assert set(library.differs) <= set(WHY)
    assert {ONNX.title, TORCH.title, JAX.title} < {each.title for each in LIBRARIES.values()}
