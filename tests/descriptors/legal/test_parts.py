"""Calls past 2^32 - 1 elements: tried with a smaller limit, and lowered at their real sizes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import FeatureLevel
from dmlindex.directml.legal import Impossible, Program, legalize, steps

SMALL: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("gather", [((6, 8, 4), "uint8"), ((4,), "int64")], {"axis": 1}),
    ("gather", [((2, 3, 8, 4), "uint8"), ((2, 2), "int64")], {"axis": 2, "mode": "clamp"}),
    ("gather", [((9, 4), "uint32"), ((50,), "int16")], {}),
    ("gather", [((9, 4), "uint32"), ((50,), "int64")], {"mode": "fill"}),
    ("gather_elements", [((6, 24), "float32"), ((5, 24), "int32")], {"axis": 1}),
    ("gather_elements", [((9,), "float64"), ((150,), "int64")], {"mode": "wrap"}),
    ("gather_nd", [((8, 4, 4), "int32"), ((8, 4, 1), "int32")], {"batch_dims": 1}),
    ("gather_nd", [((8, 4), "uint16"), ((30, 1), "int64")], {}),
    (
        "scatter_elements",
        [((16, 24), "float32"), ((9, 4), "int32"), ((9, 4), "float32")],
        {"axis": 1},
    ),
]


@pytest.mark.parametrize("level", ["FL_2_1", "FL_6_4"])
@pytest.mark.parametrize(("function", "shapes", "options"), SMALL)
def test_the_answer_of_all_parts(
    monkeypatch: pytest.MonkeyPatch, function: str, shapes: Any, options: Any, level: str
) -> None:
    monkeypatch.setattr(steps, "MOST_ELEMENTS", 110)
    program = legalize(function, shapes, feature_level=FeatureLevel[level], **options)
    assert isinstance(program, Program), program
    assert program.violations() == []
    assert any("parts, of" in note for note in program.notes)
    bound = [t for step in program.operators if not step.is_helper for _, t, _ in step.tensors()]
    assert max(np.prod(tensor.sizes) for tensor in bound) <= 110
    rng = np.random.default_rng(1)
    x, *u = [rng.integers(0, 99, s).astype(t) for s, t in (shapes[0], *shapes[2:])]
    size = x.shape[options.get("axis", options.get("batch_dims", 0))]
    limit = size + (3 if "mode" in options else 0)
    i = rng.integers(-limit, limit, shapes[1][0]).astype(shapes[1][1])
    expected = getattr(dmlindex, function)(x, i, *u, **options)
    assert program.run(x, i, *u).tobytes() == expected.tobytes()


LARGE: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("gather", [((10, 2**20), "uint16"), ((2**13,), "int64")], {}),
    ("gather", [((64, 2**27, 2), "uint8"), ((8,), "int64")], {"axis": 1}),
    ("gather_elements", [((64, 2**26), "float32"), ((64, 2**27), "int32")], {"axis": 1}),
    ("gather_nd", [((64, 2**27), "float32"), ((64, 4, 1), "int32")], {"batch_dims": 1}),
]


@pytest.mark.parametrize(("function", "shapes", "options"), LARGE)
def test_real_sizes(function: str, shapes: Any, options: Any) -> None:
    """Nothing is run: 2^33 elements and more."""
    program = legalize(function, shapes, **options)
    assert isinstance(program, Program), program
    assert len(program.operators) > 1
    assert program.violations() == []
    offsets = {b.offset for step in program.operators for _, _, b in step.tensors()}
    assert len(offsets) > 1
    assert all(offset % 16 == 0 for offset in offsets)


def test_what_cannot_be_split() -> None:
    cases: list[tuple[str, list[Any]]] = [
        ("gather", [((2**33,), "uint8"), ((5,), "int64")]),
        ("scatter_nd", [((64, 2**27), "u1"), ((3, 1), "i4"), ((3, 2**27), "u1")]),
    ]
    for function, shapes in cases:
        refused = legalize(function, shapes, unique_indices=True)
        assert isinstance(refused, Impossible)
        assert [name for name, _ in refused.reasons] == ["size"]
