"""What the helper operators take at each feature level: the one table that they are held to.

A row is a level from which on an operator takes these numbers of dims and data types, until a later
row of the same operator says otherwise. How each is known:

- read on the operators' documentation pages: all but the next two;
- read in Chromium's lists: REDUCE has MULTIPLY for floats only (its page has more);
- inferred: LOGICAL_OR and LOGICAL_NOT take what LOGICAL_AND's page says.

DirectML itself does not hold a device to its level, and none of this was run on DirectML: a device
may lack a type that a page lists.

CLIP and TILE are not here: CLIP's bounds are FLOAT32, exact to 2^24 only, so MIN and MAX clamp; and
a TILE would serve index tuples of no coordinates, which no operator allows.
"""

from __future__ import annotations

from dataclasses import dataclass

from dmlindex.directml.values import DataType, FeatureLevel

Types = frozenset[DataType]

_FLOATS = frozenset({DataType.FLOAT32, DataType.FLOAT16})
_BYTES = frozenset({DataType.UINT8, DataType.INT8})
_SHORTS = frozenset({DataType.UINT16, DataType.INT16})
_WORDS = frozenset({DataType.UINT32, DataType.INT32})
_LONGS = frozenset({DataType.UINT64, DataType.INT64})
_DOUBLE = frozenset({DataType.FLOAT64})
_TO_32_BITS = _FLOATS | _BYTES | _SHORTS | _WORDS
_MASKS = frozenset({DataType.UINT32, DataType.UINT8})
_HALF = frozenset({DataType.FLOAT16})
_CONDITION = frozenset({DataType.UINT8})


@dataclass(frozen=True)
class Support:
    """From a feature level on: the numbers of dims, and the data types of inputs and output.

    `first` holds the types of the first input where they are others: IF's condition.
    """

    level: FeatureLevel
    least_dims: int
    most_dims: int
    inputs: Types
    output: Types
    first: Types | None = None


def _rows(*rows: tuple[FeatureLevel, int, int, Types]) -> tuple[Support, ...]:
    return tuple(Support(level, low, high, types, types) for level, low, high, types in rows)


def _compared(*rows: tuple[FeatureLevel, int, int, Types, Types]) -> tuple[Support, ...]:
    return tuple(Support(*row) for row in rows)


_L = FeatureLevel
_ARITHMETIC = (
    (_L.FL_1_0, 4, 4, _FLOATS),
    (_L.FL_2_1, 4, 4, _FLOATS | _WORDS),
    (_L.FL_3_0, 1, 8, _FLOATS | _WORDS),
    (_L.FL_4_1, 1, 8, _FLOATS | _WORDS | _LONGS),
    (_L.FL_5_1, 1, 8, _TO_32_BITS | _LONGS),
)
_EXTREMA = (
    (_L.FL_1_0, 4, 4, _FLOATS),
    (_L.FL_2_1, 4, 4, _TO_32_BITS),
    (_L.FL_3_0, 1, 8, _TO_32_BITS),
    (_L.FL_5_0, 1, 8, _TO_32_BITS | _LONGS),
)
_COMPARISONS = (
    (_L.FL_1_0, 4, 4, _FLOATS, frozenset({DataType.UINT32})),
    (_L.FL_2_0, 4, 4, _FLOATS, _MASKS),
    (_L.FL_2_1, 4, 4, _TO_32_BITS, _MASKS),
    (_L.FL_3_0, 1, 8, _TO_32_BITS, _MASKS),
    (_L.FL_4_1, 1, 8, _TO_32_BITS | _LONGS, _MASKS),
)
_LOGIC = (
    (_L.FL_1_0, 4, 4, frozenset({DataType.UINT32})),
    (_L.FL_2_0, 4, 4, _MASKS),
    (_L.FL_3_0, 1, 8, _MASKS),
)
_MOVED = _FLOATS | _SHORTS | _WORDS  # without bytes, at level 1_0

SUPPORT: dict[str, tuple[Support, ...]] = {
    "ELEMENT_WISE_IDENTITY": _rows(
        (_L.FL_1_0, 4, 5, _FLOATS),
        (_L.FL_2_1, 4, 5, _TO_32_BITS),
        (_L.FL_3_0, 1, 8, _TO_32_BITS),
        (_L.FL_4_1, 1, 8, _TO_32_BITS | _LONGS | _DOUBLE),
    ),
    "ELEMENT_WISE_ADD": _rows(*_ARITHMETIC),
    "ELEMENT_WISE_SUBTRACT": _rows(*_ARITHMETIC),
    "ELEMENT_WISE_MULTIPLY": _rows(*_ARITHMETIC),
    "ELEMENT_WISE_MIN": _rows(*_EXTREMA),
    "ELEMENT_WISE_MAX": _rows(*_EXTREMA),
    "ELEMENT_WISE_MODULUS_FLOOR": _rows(
        (_L.FL_2_1, 4, 4, _TO_32_BITS),
        (_L.FL_3_0, 1, 8, _TO_32_BITS),
        (_L.FL_6_0, 1, 8, _TO_32_BITS | _LONGS),
    ),
    "ELEMENT_WISE_LOGICAL_EQUALS": _compared(*_COMPARISONS),
    "ELEMENT_WISE_LOGICAL_LESS_THAN": _compared(*_COMPARISONS),
    "ELEMENT_WISE_LOGICAL_AND": _rows(*_LOGIC),
    "ELEMENT_WISE_LOGICAL_OR": _rows(*_LOGIC),
    "ELEMENT_WISE_LOGICAL_NOT": _rows(*_LOGIC),
    "ELEMENT_WISE_IF": (
        Support(_L.FL_2_0, 4, 4, _HALF, _HALF, _CONDITION),
        Support(_L.FL_3_0, 1, 8, _TO_32_BITS, _TO_32_BITS, _CONDITION),
        Support(
            _L.FL_5_0,
            1,
            8,
            _TO_32_BITS | _LONGS | _DOUBLE,
            _TO_32_BITS | _LONGS | _DOUBLE,
            _CONDITION,
        ),
    ),
    "CAST": _rows(
        (_L.FL_1_0, 4, 4, _FLOATS | _SHORTS | _BYTES),
        (_L.FL_3_0, 4, 4, _TO_32_BITS | _LONGS),
        (_L.FL_3_1, 1, 8, _TO_32_BITS | _LONGS),
        (_L.FL_4_1, 1, 8, _TO_32_BITS | _LONGS | _DOUBLE),
    ),
    "JOIN": _rows(
        (_L.FL_1_0, 4, 4, _MOVED),
        (_L.FL_2_1, 4, 4, _TO_32_BITS),
        (_L.FL_3_0, 4, 5, _TO_32_BITS),
        (_L.FL_4_1, 1, 8, _TO_32_BITS | _LONGS | _DOUBLE),
    ),
    "SLICE": _rows(
        (_L.FL_1_0, 4, 5, _MOVED),
        (_L.FL_2_1, 4, 5, _TO_32_BITS),
        (_L.FL_3_0, 1, 8, _TO_32_BITS),
        (_L.FL_4_1, 1, 8, _TO_32_BITS | _LONGS | _DOUBLE),
    ),
    "FILL_VALUE_SEQUENCE": _rows(
        (_L.FL_2_1, 4, 4, _TO_32_BITS),
        (_L.FL_4_0, 1, 8, _TO_32_BITS),
        (_L.FL_5_0, 1, 8, _TO_32_BITS | _LONGS),
    ),
    "REDUCE": _rows(  # MIN and MAX
        (_L.FL_1_0, 4, 4, _FLOATS),
        (_L.FL_2_1, 4, 4, _FLOATS | _WORDS),
        (_L.FL_3_0, 1, 8, _TO_32_BITS),
        (_L.FL_5_0, 1, 8, _TO_32_BITS | _LONGS),
    ),
}
# Functions of REDUCE that take fewer types than MIN and MAX.
REDUCE_FUNCTIONS: dict[str, tuple[Support, ...]] = {
    "SUM": _rows(
        (_L.FL_1_0, 4, 4, _FLOATS),
        (_L.FL_2_1, 4, 4, _FLOATS | _WORDS),
        (_L.FL_3_0, 1, 8, _FLOATS | _WORDS),
        (_L.FL_5_0, 1, 8, _FLOATS | _WORDS | _LONGS),
    ),
    "MULTIPLY": _rows((_L.FL_1_0, 4, 4, _FLOATS), (_L.FL_3_0, 1, 8, _FLOATS)),
}


def support(operator: str, level: FeatureLevel, function: str = "") -> Support | None:
    """The row that holds for an operator at a level; None where the level does not have it."""
    rows = REDUCE_FUNCTIONS.get(function, SUPPORT[operator])
    held = [row for row in rows if row.level <= level]
    return held[-1] if held else None


def takes(operator: str, data_type: DataType, level: FeatureLevel, function: str = "") -> bool:
    """Whether an operator's inputs have the data type at a level."""
    row = support(operator, level, function)
    return row is not None and data_type in row.inputs
