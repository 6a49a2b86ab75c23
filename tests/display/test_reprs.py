"""What terminals and notebooks show: text that evaluates, HTML that says the rules and parts."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dmlindex as dml
from dmlindex._display import html
from dmlindex._display.parts import parts_of
from dmlindex._explain.form import form_of_desc
from dmlindex.directml.desc_json import OPERATOR_DESCS
from tests.descriptors.desc_strategies import Problem, problems
from tests.descriptors.descs import gather_elements

NAMESPACE = {name: getattr(dml, name) for name in dml.__all__}

UINT = st.integers(0, 2**32 - 1)
TENSORS = st.builds(
    dml.TensorDesc,
    st.sampled_from(dml.DataType),
    st.lists(UINT, max_size=9).map(tuple),
    st.none() | st.lists(UINT, max_size=9).map(tuple),
    st.none() | st.integers(0, 2**64 - 1),
    UINT,
    UINT.map(dml.TensorFlags),
)


@st.composite
def descs(draw: st.DrawFn) -> Any:
    """Any operator desc at all, most of them not valid."""
    from dataclasses import fields

    kind = draw(st.sampled_from(list(OPERATOR_DESCS.values())))
    values = {
        field.name: draw(st.none() | TENSORS if field.name.endswith("_tensor") else UINT)
        for field in fields(kind)  # type: ignore[arg-type]
    }
    return kind(**values)


def well_formed(page: str) -> ElementTree.Element:
    return ElementTree.fromstring(page.replace("&nbsp;", " "))


@given(TENSORS)
@example(dml.TensorDesc(dml.DataType.INT4, (), (), 0, 0, dml.TensorFlags(6)))
def test_a_tensor_desc_evaluates(desc: dml.TensorDesc) -> None:
    assert eval(repr(desc), dict(NAMESPACE)) == desc
    well_formed(desc._repr_html_())


@given(descs())
def test_an_operator_desc_evaluates(desc: Any) -> None:
    assert eval(repr(desc), dict(NAMESPACE)) == desc
    page = desc._repr_html_()
    well_formed(page)
    for violation in desc.violations():
        assert html.markup(violation.rule) in page


@given(descs())
def test_violations_are_lists_that_evaluate(desc: Any) -> None:
    found = desc.violations()
    assert eval(repr(found), dict(NAMESPACE)) == found
    well_formed(found._repr_html_())
    assert isinstance(found, list)


@pytest.mark.parametrize("enum", [dml.DataType, dml.FeatureLevel, dml.TensorFlags])
def test_enums_evaluate(enum: Any) -> None:
    for member in enum:
        assert eval(repr(member), dict(NAMESPACE)) is member


@given(problems(), st.sampled_from(["raise", "clamp", "fill", None]), st.integers(0, 3))
def test_a_compiled_operator_evaluates(problem: Problem, mode: Any, fill: int) -> None:
    options: dict[str, Any] = {"mode": mode}
    if hasattr(problem.desc, "updates_tensor"):
        options = {"mode": "drop" if mode == "fill" else mode, "duplicates": "raise"}
    elif mode == "fill":
        options["fill_value"] = fill
    operator = dml.Device(feature_level=dml.FeatureLevel.FL_5_0).compile(problem.desc, **options)
    assert eval(repr(operator), dict(NAMESPACE)) == operator
    well_formed(operator._repr_html_())
    assert operator.explain() == dml.explain(operator)


@pytest.mark.parametrize("fill", [float("nan"), float("-inf"), -0.5])
def test_fill_values_evaluate(fill: float) -> None:
    desc = dml.GatherElementsOperatorDesc.infer((2, 3), (2, 1), 1)
    operator = dml.Device().compile(desc, mode="fill", fill_value=fill)
    assert eval(repr(operator), dict(NAMESPACE)) == operator


@given(problems())
def test_every_dim_has_its_part(problem: Problem) -> None:
    desc = problem.desc
    form = form_of_desc(desc, "directml")
    parts = parts_of(form)
    for name, found in parts.items():
        tensor = getattr(desc, f"{name}_tensor")
        assert len(found) == len(tensor.sizes)
        assert all(size == 1 for size, part in zip(tensor.sizes, found, strict=True) if part == "1")
    if form.has_tuples:
        assert parts["indices"][-1] == "t"
        assert parts["input"].count("i") == form.tuple_size


def test_violations_name_rule_found_expected_and_page() -> None:
    broken = gather_elements((2, 3), (2, 2), (2, 5), 4).violations()
    page = broken._repr_html_()
    assert "dml_gather_elements_operator_desc" in page
    assert "less than 2, the dims of input" in page
    assert "{2, 5}" in page  # what was found
    assert dml.Violation("flags", "GATHER", "input", "flags", "", "", "").page.endswith(
        "dml_buffer_tensor_desc"
    )
    scatter = dml.ScatterElementsOperatorDesc(None, None, None, None, 0).violations()[0]
    assert scatter.page.endswith("dml_scatter_operator_desc")
    assert (
        "No rule is broken" in dml.GatherOperatorDesc.infer((2,), (2,)).violations()._repr_html_()
    )


def test_the_violations_of_an_error_are_a_table_too() -> None:
    desc = gather_elements((2, 3), (2, 2), (2, 5), 4)
    with pytest.raises(dml.DescriptorError) as raised:
        dml.Device().compile(desc)
    found: Any = raised.value.violations
    assert found._repr_html_() == desc.violations()._repr_html_()
    assert eval(repr(found), dict(NAMESPACE)) == found


def test_parts_are_named() -> None:
    desc = dml.GatherND1OperatorDesc.infer((3, 2, 5), (3, 7, 1), batch_dimension_count=1)
    texts = "".join(well_formed(desc._repr_html_()).itertext())
    assert re.search(r"b batch.*i indexed.*s slice.*q places.*t tuple", texts, re.DOTALL)
    assert "output[b, q, s] = input[b, indices[b, q, 0], s]" in texts


def test_the_axis_is_the_part_that_is_indexed() -> None:
    desc = dml.ScatterElementsOperatorDesc.infer((4, 3), (4, 2), axis=1, dimension_count=3)
    parts = parts_of(form_of_desc(desc, "directml"))
    assert parts == {
        "input": ["p", "p", "i"],
        "indices": ["p", "p", "p"],
        "updates": ["p", "p", "p"],
        "output": ["p", "p", "i"],
    }


def test_devices_say_what_is_missing() -> None:
    infos = dml.devices()
    page = infos._repr_html_()
    well_formed(page)
    assert "✓ available" in page
    assert eval(repr(infos), dict(NAMESPACE)) == infos


def test_explanations_as_html() -> None:
    x = np.array(["<b>", "a"])
    page = dml.explain(dml.gather, x, [0], mode="fill", fill_value="<i>")._repr_html_()
    well_formed(page)
    assert "&lt;i&gt;" in page
    assert "<i>" not in page


def test_html_escapes() -> None:
    page = html.box(html.table(["<a>"], [['"&<script>']], {0}), html.code("a<b"))
    assert "<script>" not in page
    well_formed(page)
    assert html.link("x", 'javascript:"').count('"') == 2
