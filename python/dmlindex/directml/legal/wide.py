"""Elements of 64 bits and more, compared and summed where the level's operators take less."""

from __future__ import annotations

from typing import Any

import numpy as np

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.indices import WORD, widened
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType

LONG, INTEGER64 = DataType.UINT64, DataType.INT64
_IS_EXTENDED = np.finfo(np.longdouble).nmant == 63  # x86's long double, of 80 bits


def extreme(b: Builder, old: Value, items: Value, dtype: np.dtype[Any], reduction: str) -> Value:
    """min and max: compared as a whole or by parts, chosen as words of 32 bits."""
    low, high = (items, old) if reduction == "min" else (old, items)
    if dtype.kind != "f":
        better = _less(b, low, high, DataType.of(dtype))
    elif takes("ELEMENT_WISE_SUBTRACT", INTEGER64, b.level):
        better = _less_float(b, low, high, dtype)
        spread = [_nan(b, value, dtype) for value in (old, items)]
        number = b.elementwise("ELEMENT_WISE_LOGICAL_NOT", spread[0], why="input is no NaN")
        better = b.elementwise("ELEMENT_WISE_LOGICAL_AND", better, number, why="a NaN stays")
        better = b.elementwise("ELEMENT_WISE_LOGICAL_OR", better, spread[1], why="or spreads")
    else:
        raise NoProgram("reduction-data-type", f"{b.level.name} cannot compare {dtype}")
    count = better.elements
    mask = better.reshape((count, 1), "one for each element")
    chosen = b.where(mask, _words(items, count), _words(old, count), why=f"the {reduction}")
    if old.itemsize == 8:
        chosen = chosen.reshape((old.elements, 2), "64 bits again")
        return chosen.as_whole(old.data_type, "64 bits again")
    return chosen.reshape(old.sizes, "all elements again")


def _words(value: Value, count: int) -> Value:
    """Each of so many elements as words of 32 bits."""
    why = "in words of 32 bits"
    words = value.as_parts(WORD, why) if value.itemsize == 8 else value
    return words.reshape((count, words.elements // count), why)


def _halves(b: Builder, value: Value) -> tuple[Value, Value]:
    """The low and the high half of each 64-bit element."""
    words = _words(value, value.elements * value.itemsize // 8)
    return b.take(words, 1, 0, 1, "the low halves"), b.take(words, 1, 1, 1, "the high halves")


def _less(b: Builder, low: Value, high: Value, data_type: DataType) -> Value:
    """Which integers are less."""
    why = "which is less"
    if takes("ELEMENT_WISE_LOGICAL_LESS_THAN", data_type, b.level):
        low, high = (value.as_type(data_type, "the bits are integers") for value in (low, high))
        return b.compare("LESS_THAN", low, high, why)
    top = DataType.INT32 if data_type == INTEGER64 else WORD
    (low_a, high_a), (low_b, high_b) = _halves(b, low), _halves(b, high)
    high_a, high_b = (value.as_type(top, "the high halves") for value in (high_a, high_b))
    return _lexicographic(b, (high_a, low_a), (high_b, low_b))


def _lexicographic(b: Builder, left: tuple[Value, Value], right: tuple[Value, Value]) -> Value:
    """Less in the first, or equal there and less in the second."""
    first = b.compare("LESS_THAN", left[0], right[0], "less by the first")
    equal = b.compare("EQUALS", left[0], right[0], "the first are equal")
    second = b.compare("LESS_THAN", left[1], right[1], "less by the second")
    tied = b.elementwise("ELEMENT_WISE_LOGICAL_AND", equal, second, why="and less by the second")
    return b.elementwise("ELEMENT_WISE_LOGICAL_OR", first, tied, why="which is less")


def _less_float(b: Builder, low: Value, high: Value, dtype: np.dtype[Any]) -> Value:
    """Which floats are less, where none is a NaN, by integers of the same order."""
    if dtype.name == "float64":  # longdouble, too, on Windows
        return b.compare("LESS_THAN", _key(b, low), _key(b, high), "which is less")
    _require_extended(dtype)
    return _lexicographic(b, _extended_key(b, low), _extended_key(b, high))


def _require_extended(dtype: np.dtype[Any]) -> None:
    if not (_IS_EXTENDED and dtype.type is np.longdouble):
        raise NoProgram("reduction-data-type", f"nothing in DirectML compares {dtype}")


def _key(b: Builder, value: Value) -> Value:
    """FLOAT64 as INT64 of the same order: where it is negative, the least INT64 minus the bits."""
    bits = value.as_type(INTEGER64, "the bits as an integer")
    negative = b.compare("LESS_THAN", bits, b.number(0, INTEGER64), "negative")
    least = b.constant(np.array([-(2**63)]))
    turned = b.elementwise("ELEMENT_WISE_SUBTRACT", least, bits, why="negative ones turned over")
    return where_long(b, negative, turned, bits, "in the order of the numbers")


def where_long(b: Builder, mask: Value, left: Value, right: Value, why: str) -> Value:
    """64-bit integers chosen as pairs of 32, which IF takes before level 5_0."""
    count = mask.elements
    mask = mask.reshape((count, 1), mask.why)
    chosen = b.where(mask, _words(left, count), _words(right, count), why=why)
    return chosen.as_whole(left.data_type, "64 bits again")


def _nan(b: Builder, value: Value, dtype: np.dtype[Any]) -> Value:
    """Beyond the infinities, by the bits."""
    if dtype.name == "float64":  # longdouble, too, on Windows
        key = _key(b, value)
        infinity = np.array([np.inf]).view(np.int64)
        above = b.compare("LESS_THAN", b.constant(infinity), key, "above infinity: a NaN")
        below = b.compare("LESS_THAN", key, b.constant(-infinity), "below -infinity: a NaN")
        return b.elementwise("ELEMENT_WISE_LOGICAL_OR", above, below, why="a NaN")
    mantissa, top = _extended(b, value)
    ends = [b.compare("EQUALS", top, b.number(n, WORD), "no number") for n in (0x7FFF, 0xFFFF)]
    end = b.elementwise("ELEMENT_WISE_LOGICAL_OR", *ends, why="an infinity or a NaN")
    one = b.constant(np.array([2**63], np.uint64))
    beyond = b.compare("LESS_THAN", one, mantissa, "no infinity")
    return b.elementwise("ELEMENT_WISE_LOGICAL_AND", end, beyond, why="a NaN")


def _extended(b: Builder, value: Value) -> tuple[Value, Value]:
    """The mantissas of x86's long doubles, and their signs with exponents as UINT32."""
    count = value.elements // 2
    pairs = value.as_type(LONG, "the bits").reshape((count, 2), "mantissa; sign and exponent")
    why = "the mantissas"
    mantissa = b.packed(b.take(pairs, 1, 0, 1, why), why).reshape((count,), why)
    why = "sign and exponent"
    top = b.take(pairs, 1, 1, 1, why).low_parts(DataType.UINT16, why)
    return mantissa, widened(b, b.packed(top, why)).reshape((count,), why)


def _extended_key(b: Builder, value: Value) -> tuple[Value, Value]:
    """Integers that order long doubles, the first above the second."""
    mantissa, top = _extended(b, value)
    last = b.number(0x7FFF, WORD)
    negative = b.compare("LESS_THAN", last, top, "negative")
    turned = b.elementwise("ELEMENT_WISE_SUBTRACT", last, top, why="negative exponents turned over")
    first = b.where(negative, turned, top, why="in the order of the numbers")
    most = b.constant(np.array([2**64 - 1], np.uint64))
    back = b.elementwise("ELEMENT_WISE_SUBTRACT", most, mantissa, why="and their mantissas")
    second = where_long(b, negative, back, mantissa, "in the order of the numbers")
    return first.as_type(DataType.INT32, "two's complement"), second


def carried(b: Builder, old: Value, items: Value) -> Value:
    """64-bit sums in 32-bit arithmetic."""
    (low_a, high_a), (low_b, high_b) = _halves(b, old), _halves(b, items)
    low = b.elementwise("ELEMENT_WISE_ADD", low_a, low_b, why="the low halves")
    carry = b.compare("LESS_THAN", low, low_a, "what carries over", as_number=True)
    high = b.elementwise("ELEMENT_WISE_ADD", high_a, high_b, why="the high halves")
    high = b.elementwise("ELEMENT_WISE_ADD", high, carry, why="and what carries over")
    joined = b.join([low, high], 1, "64 bits again")
    if old.itemsize == 8:
        return joined.as_whole(old.data_type, "64 bits again")
    return joined.reshape(old.sizes, "64 bits again")
