"""What each recipe is made of, and what the programs say of themselves."""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import FeatureLevel
from dmlindex.directml.legal import REASONS, Impossible, Operator, Program, View, legalize

L = FeatureLevel


def program_of(
    function: str, *shapes: Any, level: FeatureLevel = L.FL_6_4, **options: Any
) -> Program:
    program = legalize(function, shapes, feature_level=level, **options)
    assert isinstance(program, Program), program
    assert program.violations() == []
    return program


def operators(program: Program) -> list[str]:
    names = (step.desc.operator.removeprefix("ELEMENT_WISE_") for step in program.operators)
    return [name.removeprefix("LOGICAL_") for name in names]


def reasons(function: str, *shapes: Any, **options: Any) -> list[str]:
    refused = legalize(function, shapes, **options)
    assert isinstance(refused, Impossible), refused
    return [name for name, _ in refused.reasons]


FLOATS, PLACES = ((5, 7), "f4"), ((3,), "i8")
ROWS = ((5, 7, 2), "f4")
TUPLES, TAKEN = ((3, 1), "u4"), ((3, 7), "f4")
UNIQUE = {"unique_indices": True}
RECIPES: list[tuple[str, list[Any], dict[str, Any], str, str, str]] = [
    # function, shapes, options, level, outcome, operators
    ("gather", [FLOATS, PLACES], {}, "FL_3_0", "direct", "GATHER"),
    ("gather", [((5, 7), "?"), PLACES], {}, "FL_3_0", "views", "GATHER"),
    ("gather", [((5, 7), "i8"), PLACES], {}, "FL_4_0", "views", "GATHER"),
    ("gather", [((5, 7), "c16"), PLACES], {}, "FL_4_1", "views", "GATHER"),
    ("gather", [((1,) * 9, "f4"), PLACES], {}, "FL_6_4", "views", "GATHER"),
    ("gather", [FLOATS, ((3,), "u8")], {}, "FL_1_0", "views", "GATHER"),
    ("gather", [FLOATS, PLACES], {}, "FL_2_1", "helpers", "MODULUS_FLOOR GATHER"),
    ("gather", [FLOATS, ((3,), "i2")], {}, "FL_3_0", "helpers", "CAST GATHER"),
    ("gather", [FLOATS, ((3,), "u2")], {}, "FL_2_1", "helpers", "JOIN GATHER"),
    ("gather", [FLOATS, PLACES], {"mode": "clamp"}, "FL_5_0", "helpers", "MAX MIN GATHER"),
    ("gather", [FLOATS, PLACES], {"mode": "wrap"}, "FL_6_0", "helpers", "MODULUS_FLOOR GATHER"),
    ("gather_elements", [FLOATS, ((3, 2), "i8")], {}, "FL_3_0", "views", "GATHER_ELEMENTS"),
    ("gather_nd", [ROWS, ((5, 1), "i8")], {"batch_dims": 1}, "FL_3_0", "direct", "GATHER_ND1"),
    (
        *("gather_nd", [ROWS, ((5, 1), "u4")], {"batch_dims": 1}, "FL_2_1", "helpers"),
        "FILL_VALUE_SEQUENCE MULTIPLY ADD GATHER",
    ),
    (
        *("gather_nd", [((2,) * 9, "f4"), ((3, 9), "u4")], {}, "FL_6_4", "helpers"),
        "MULTIPLY REDUCE GATHER",
    ),
    ("scatter_nd", [FLOATS, TUPLES, TAKEN], UNIQUE, "FL_6_4", "direct", "SCATTER_ND"),
    ("scatter_nd", [FLOATS, ((0, 1), "i8"), ((0, 7), "f4")], {}, "FL_6_4", "helpers", "IDENTITY"),
    (
        *("scatter_nd", [FLOATS, TUPLES, TAKEN], UNIQUE | {"mode": "drop"}, "FL_6_4", "helpers"),
        "LESS_THAN IF IF IDENTITY SCATTER_ND",
    ),
    (
        *("scatter_nd", [FLOATS, TUPLES, TAKEN], UNIQUE | {"reduction": "add"}, "FL_6_4"),
        *("helpers", "IDENTITY GATHER ADD SCATTER_ND"),
    ),
    (
        *("scatter_elements", [FLOATS, ((3, 2), "i8"), ((3, 2), "f4")], UNIQUE, "FL_6_4"),
        *("helpers", "IDENTITY SCATTER_ELEMENTS"),
    ),
    (
        *("scatter_elements", [((2,), "f4"), ((2,), "u4"), ((2,), "f4")], {}, "FL_2_0", "helpers"),
        "IDENTITY SCATTER_ELEMENTS SLICE SLICE SCATTER_ELEMENTS",
    ),
]


@pytest.mark.parametrize(("function", "shapes", "options", "level", "outcome", "names"), RECIPES)
def test_recipes(
    function: str, shapes: Any, options: Any, level: str, outcome: str, names: str
) -> None:
    program = program_of(function, *shapes, level=FeatureLevel[level], **options)
    assert operators(program) == names.split()
    assert program.outcome == outcome
    assert (len(program.steps) > len(program.operators)) == (outcome != "direct")


def test_a_spare_row_has_the_fill_values_before_level_3_0() -> None:
    program = program_of("gather", FLOATS, ((3,), "u4"), level=L.FL_2_1, mode="fill", fill_value=9)
    assert "JOIN" in operators(program)
    x = np.arange(35, dtype="f4").reshape(5, 7)
    found = program.run(x, np.array([4, 5, 2**31], "u4"))
    assert found.tolist() == [x[4].tolist(), [9] * 7, [9] * 7]


def test_nothing_of_the_spare_row_is_left() -> None:
    shapes = [((2,), "i4"), ((3, 1), "i8"), ((3,), "i4")]
    program = program_of("scatter_nd", *shapes, mode="drop")
    found = program.run(
        np.array([1, 2], "i4"), np.array([[5], [-2], [-3]]), np.array([7, 8, 9], "i4")
    )
    assert found.tolist() == [8, 2]


def test_which_duplicate_wins_is_no_longer_a_question() -> None:
    """All updates of a target are made the last one's: no order of the device's can be seen."""
    shapes = [((4,), "i4"), ((5, 1), "i8"), ((5,), "i4")]
    program = program_of("scatter_nd", *shapes)
    assert "REDUCE" in operators(program)
    i, u = np.array([[1], [3], [1], [-3], [0]]), np.arange(5, dtype="i4")
    step = program.operators[-1]
    assert step.desc.operator == "SCATTER_ND"
    assert program.run(np.zeros(4, "i4"), i, u).tolist() == [4, 3, 0, 1]
    known = program_of("scatter_nd", ((4,), "i4"), i, ((5,), "i4"))
    assert known.run(np.zeros(4, "i4"), i, u).tolist() == [4, 3, 0, 1]
    scattered = known.operators[-1].desc
    assert scattered.indices_tensor.sizes == (3, 1)  # type: ignore[union-attr]  # three targets
    with pytest.raises(ValueError, match="indices are others than those"):
        known.run(np.zeros(4, "i4"), i[::-1], u)


ONES = [((3,), "f4"), ((9, 1), "i8"), ((9,), "f4")]
NUMBERS = [((3,), "i4"), ((9, 1), "i8"), ((9,), "i4")]
LONGER = [((3,), np.longdouble), ((1, 1), "i8"), ((1,), np.longdouble)]
FEW: dict[str, Any] = {"max_rounds": 8}
REFUSED: list[tuple[str, str, list[Any], dict[str, Any]]] = [
    ("operator", "gather_elements", [FLOATS, ((3, 7), "u4")], {"feature_level": L.FL_2_0}),
    ("data-type", "gather", [((3,), "i4"), ((3,), "u4")], {"feature_level": L.FL_2_0}),
    ("index-arithmetic", "gather", [FLOATS, PLACES], {"feature_level": L.FL_2_0}),
    ("size", "gather", [((2**33,), "u1"), PLACES], {}),
    ("axis-size", "gather", [((2**31 + 1,), "u1"), ((3,), "i4")], {"mode": "clamp"}),
    ("reduction-data-type", "scatter_nd", LONGER, {"reduction": "add"}),
    ("duplicates", "scatter_nd", ONES, FEW | {"limit": 80}),
    ("cost", "scatter_nd", NUMBERS, FEW | {"reduction": "add", "limit": 26}),
]


@pytest.mark.parametrize(("expected", "function", "shapes", "options"), REFUSED)
def test_reasons(expected: str, function: str, shapes: Any, options: Any) -> None:
    assert reasons(function, *shapes, **options) == [expected]
    assert expected in REASONS


def test_steps_say_what_they_are() -> None:
    program = program_of("gather_elements", FLOATS, ((3, 7), "i2"), mode="clamp", level=L.FL_4_0)
    text = str(program)
    assert text.startswith("gather_elements, mode='clamp', axis=0 at FL_4_0, promises bits")
    assert "CAST(InputTensor=indices INT16, {21}" in text
    assert "clamp: not above N - 1" in text
    for step in program.operators:
        assert step.why
        assert step.feature_level <= L.FL_4_0
    assert all(step.why for step in program.steps if isinstance(step, View))
    page = program._repr_html_()
    assert page.count("<tr") == 1 + len(program.steps)
    assert all(html.escape(step.why) in page for step in program.steps)


def test_json_and_cpp_hold_every_step() -> None:
    shapes = [((4, 3), "f4"), ((9, 1), "i8"), ((9, 3), "f4")]
    program = program_of("scatter_nd", *shapes, reduction="add", mode="drop", max_rounds=4)
    data = json.loads(program.to_json())
    assert [b["name"] for b in data["buffers"]] == list(program.buffers)
    assert len(data["steps"]) == len(program.steps)
    text = program.to_cpp()
    for number, step in enumerate(program.operators, 1):
        assert isinstance(step, Operator)
        assert f"const DML_OPERATOR_DESC op{number} = {{DML_OPERATOR_{step.desc.operator}," in text
    assert "op1_fields.OutputTensor = &op1_tensor" in text
    assert "Function = DML_REDUCE_FUNCTION_SUM;" in text
    assert "const unsigned char c0_contents[] = {" in text


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="no function 'take', expected one of gather,"):
        legalize("take", [FLOATS, PLACES])
    with pytest.raises(TypeError, match="feature_level is a int"):
        legalize("gather", [FLOATS, PLACES], feature_level=0x4000)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="gather's indices is 'x', expected an array or"):
        legalize("gather", [FLOATS, "x"])
    with pytest.raises(ValueError, match="axis is 2, expected"):
        legalize("gather", [FLOATS, PLACES], axis=2)
    program = program_of("gather", FLOATS, PLACES)
    x, i = np.zeros((5, 7), "f4"), np.zeros(3, "i8")
    with pytest.raises(ValueError, match=r"input has shape \(7, 5\), the program is for \(5, 7\)"):
        program.run(x.T, i)
    with pytest.raises(TypeError, match="indices has dtype int32, the program is for int64"):
        program.run(x, i.astype("i4"))
    with pytest.raises(IndexError, match=r"gather: indices\[1\] = 5 is out of range for axis 0"):
        program.run(x, np.array([0, 5, 9]))
    assert program.run(x, i).tobytes() == dmlindex.gather(x, i).tobytes()
