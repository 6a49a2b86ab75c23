"""Indices made fit for DirectML: another type, no negatives, inside their axis.

DirectML tests no axis, only the address that all coordinates sum up to, so every mode but "raise",
which the host checks, is arithmetic on each coordinate before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Shape, Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType, FeatureLevel

WORD, INTEGER = DataType.UINT32, DataType.INT32
_INTEGER_MAX = 2**31 - 1


@dataclass(frozen=True)
class Places:
    """Indices that DirectML may see; `mask` says which ones were in range, where that matters."""

    indices: Value
    mask: Value | None = None


def prepared(
    b: Builder, raw: Value, limits: Shape, mode: str, *, addresses: bool = False
) -> Places:
    """The indices raw, whose last dim goes through axes of the sizes limits.

    With `addresses` they come as UINT32 from 0 on, to compute with; else as any type that the
    level takes, negative or not. Where the mode leaves out an index it is 0, and the mask 0.
    """
    if mode in ("fill", "drop"):
        return _masked(b, raw, limits, addresses)
    if mode == "wrap":
        raw = _wrapped(b, raw, limits)
    elif mode == "clamp":
        raw = _clamped(b, raw, limits)
    return Places(_counted(b, raw, limits, addresses))


def _is_signed(value: Value) -> bool:
    return value.data_type.name.startswith("INT")


def _limits(
    b: Builder, limits: Shape, data_type: DataType, *, minus: int = 0, sign: int = 1
) -> Value:
    """sign * limit - minus for each, in a type, to broadcast against indices."""
    numbers = [sign * limit - minus for limit in limits]
    if len(set(numbers)) == 1:
        numbers = numbers[:1]
    return b.constant(np.array(numbers, np.int64).astype(data_type.dtype))


def _counted(b: Builder, raw: Value, limits: Shape, addresses: bool) -> Value:
    """Indices in range, in a type that the level takes, or with addresses as UINT32 from 0 on."""
    signed_types = b.level >= FeatureLevel.FL_3_0
    if not addresses and signed_types:
        return raw if raw.itemsize >= 4 else widened(b, raw)
    if raw.itemsize == 8:
        low = INTEGER if _is_signed(raw) else WORD
        raw = raw.low_parts(low, "in range, the low halves are the indices: strides of 2")
    if raw.itemsize < 4:
        raw = widened(b, raw)
    if not _is_signed(raw):
        return raw
    _require_arithmetic(b)
    why = "negative indices count from the end"
    limit = _limits(b, limits, INTEGER)
    counted = b.elementwise("ELEMENT_WISE_MODULUS_FLOOR", raw, limit, why=why)
    return counted.as_type(WORD, "none is negative")


def _require_arithmetic(b: Builder) -> None:
    if b.level < FeatureLevel.FL_2_1:
        raise NoProgram(
            "index-arithmetic",
            f"{b.level.name} computes with floats only: indices must be unsigned, and in range",
        )


def _require_int32(limits: Shape) -> None:
    if max(limits) > _INTEGER_MAX:
        raise NoProgram("axis-size", f"an axis of {max(limits)}, expected at most {_INTEGER_MAX}")


def widened(b: Builder, raw: Value) -> Value:
    """Indices of 8 or 16 bits as 32."""
    signed = _is_signed(raw)
    why = f"{raw.data_type.name} is no index type"
    if takes("CAST", WORD, b.level):
        data_type = INTEGER if signed else WORD
        return b.elementwise("CAST", raw, why=why, data_type=data_type)
    if signed:
        _require_arithmetic(b)
    bits = 8 * raw.itemsize
    if raw.itemsize == 1 and not takes("JOIN", DataType.UINT8, b.level):
        raw = b.elementwise("CAST", raw, why=why, data_type=DataType.UINT16)
    unsigned = DataType[f"UINT{8 * raw.itemsize}"]
    flat = raw.as_type(unsigned, why).reshape((raw.elements, 1), why)
    count = 4 // raw.itemsize - 1
    zeros = b.constant(np.zeros((1, count), unsigned.dtype))
    zeros = zeros.broadcast((raw.elements, count), "repeated: a stride of 0")
    zeros = zeros.view((raw.elements, 1, count), (0, 0, 1), zeros.why)
    lines = flat.reshape((raw.elements, 1, 1), why)
    joined = b.join([lines, zeros], 2, f"{why}: zeros behind each make it UINT32")
    words = joined.as_whole(WORD, "little-endian: the number and its zeros are one UINT32")
    words = words.reshape(raw.sizes, words.why)
    if not signed:
        return words
    most = b.number(2 ** (bits - 1) - 1, WORD)
    negative = b.compare("LESS_THAN", most, words, "the sign bit is set", as_number=True)
    weight = b.number(2**bits, WORD)
    lost = b.elementwise("ELEMENT_WISE_MULTIPLY", negative, weight, why="what the sign is worth")
    number = b.elementwise("ELEMENT_WISE_SUBTRACT", words, lost, why="the signed number")
    return number.as_type(INTEGER, "two's complement")


def high_words(b: Builder, raw: Value) -> Value:
    """The high halves of 64-bit indices."""
    parts = raw.as_parts(INTEGER if _is_signed(raw) else WORD, "64 bits as 2 of 32")
    high = b.take(parts, len(parts.sizes) - 1, 1, 1, "the high halves")
    return high.reshape(raw.sizes, "the high halves")


def saturated(b: Builder, raw: Value, limits: Shape) -> Value:
    """Any indices as INT32: those beyond are INT32's least and largest, as far out of range."""
    _require_arithmetic(b)
    _require_int32(limits)
    if raw.itemsize < 4:
        return widened(b, raw).as_type(INTEGER, "small enough for INT32")
    if raw.data_type == INTEGER:
        return raw
    largest = b.number(_INTEGER_MAX, WORD)
    if raw.data_type == WORD:
        why = "what INT32 cannot hold is out of range"
        return b.elementwise("ELEMENT_WISE_MIN", raw, largest, why=why).as_type(INTEGER, why)
    high = high_words(b, raw)
    if not _is_signed(raw):
        low = raw.low_parts(WORD, "the low halves: strides of 2")
        why = "what INT32 cannot hold is out of range"
        small = b.elementwise("ELEMENT_WISE_MIN", low, largest, why=why)
        fits = b.compare("EQUALS", high, b.number(0, WORD), "32 bits hold it")
        chosen = b.where(fits, small, largest, why="else INT32's largest")
        return chosen.as_type(INTEGER, why)
    low = raw.low_parts(INTEGER, "the low halves: strides of 2")
    zero = b.number(0, INTEGER)
    low_sign = b.compare("LESS_THAN", low, zero, "the low half's sign", as_number=True)
    extended = b.elementwise(
        "ELEMENT_WISE_SUBTRACT", b.number(0, WORD), low_sign, why="-1 where it is set"
    )
    extended = extended.as_type(INTEGER, "two's complement")
    fits = b.compare("EQUALS", high, extended, "32 bits hold it")
    high_sign = b.compare("LESS_THAN", high, zero, "the index is negative", as_number=True)
    end = b.elementwise("ELEMENT_WISE_ADD", high_sign, largest, why="INT32's largest, or least")
    return b.where(fits, low, end.as_type(INTEGER, "two's complement"), why="saturated to 32 bits")


def _clamped(b: Builder, raw: Value, limits: Shape) -> Value:
    if raw.itemsize < 4:
        raw = widened(b, raw)
    if not takes("ELEMENT_WISE_MIN", raw.data_type, b.level):
        raw = saturated(b, raw, limits)
    if raw.itemsize == 4 and _is_signed(raw):
        _require_int32(limits)
    if _is_signed(raw):
        least = _limits(b, limits, raw.data_type, sign=-1)
        raw = b.elementwise("ELEMENT_WISE_MAX", raw, least, why="clamp: not below -N")
    most = _limits(b, limits, raw.data_type, minus=1)
    return b.elementwise("ELEMENT_WISE_MIN", raw, most, why="clamp: not above N - 1")


def _wrapped(b: Builder, raw: Value, limits: Shape) -> Value:
    _require_arithmetic(b)
    if raw.itemsize < 4:
        raw = widened(b, raw)
    if not takes("ELEMENT_WISE_MODULUS_FLOOR", raw.data_type, b.level):
        return _wrapped_digits(b, raw, limits)
    if raw.data_type == INTEGER:
        _require_int32(limits)
    limit = _limits(b, limits, raw.data_type)
    return b.elementwise("ELEMENT_WISE_MODULUS_FLOOR", raw, limit, why="wrap: modulo N")


def _wrapped_digits(b: Builder, raw: Value, limits: Shape) -> Value:
    """64-bit indices modulo N in 32-bit arithmetic: digit by digit, the highest first."""
    bits = 16 if max(limits) <= 2**16 else 8
    if max(limits) > 2**24:
        raise NoProgram(
            "axis-size", f"wrap over an axis of {max(limits)} needs 64-bit MODULUS_FLOOR: 6_0"
        )
    limit = _limits(b, limits, WORD)
    base = b.number(2**bits, WORD)
    digits = raw.as_parts(DataType[f"UINT{bits}"], f"64 bits as digits of {bits}")
    last = len(digits.sizes) - 1
    rest: Value | None = None
    for place in reversed(range(64 // bits)):
        digit = b.take(digits, last, place, 1, f"digit {place}")
        digit = b.pack(digit, f"digit {place}") if not digit.is_packed else digit
        number = widened(b, digit.reshape(raw.sizes, f"digit {place}"))
        if rest is not None:
            rest = b.elementwise("ELEMENT_WISE_MULTIPLY", rest, base, why="one digit up")
            number = b.elementwise("ELEMENT_WISE_ADD", rest, number, why="and the next digit")
        rest = b.elementwise("ELEMENT_WISE_MODULUS_FLOOR", number, limit, why="wrap: modulo N")
    assert rest is not None
    if not _is_signed(raw):
        return rest
    negative = b.compare(
        "LESS_THAN", high_words(b, raw), b.number(0, INTEGER), "is negative", as_number=True
    )
    missing = [-(2**64) % n for n in limits]
    weight = b.constant(np.array(missing[:1] if len(set(missing)) == 1 else missing, np.uint32))
    lost = b.elementwise("ELEMENT_WISE_MULTIPLY", negative, weight, why="-2^64 modulo N")
    rest = b.elementwise("ELEMENT_WISE_ADD", rest, lost, why="the sign's part")
    return b.elementwise("ELEMENT_WISE_MODULUS_FLOOR", rest, limit, why="wrap: modulo N")


def _masked(b: Builder, raw: Value, limits: Shape, addresses: bool) -> Places:
    """With a mask of those in range, for all coordinates of a tuple together; the others are 0."""
    _require_arithmetic(b)
    if raw.itemsize < 4:
        raw = widened(b, raw)
    wide = raw
    if not takes("ELEMENT_WISE_LOGICAL_LESS_THAN", raw.data_type, b.level):
        wide = raw = saturated(b, raw, limits)
    if raw.data_type != WORD:
        _require_int32(limits)
    if raw.itemsize == 8:
        low = INTEGER if _is_signed(raw) else WORD
        raw = raw.low_parts(low, "in range, the low halves are the indices: strides of 2")
    below = b.compare("LESS_THAN", wide, _limits(b, limits, wide.data_type), "below N")
    mask = below
    if _is_signed(wide):
        least = _limits(b, limits, wide.data_type, minus=1, sign=-1)
        above = b.compare("LESS_THAN", least, wide, "-N or above")
        mask = b.elementwise("ELEMENT_WISE_LOGICAL_AND", above, below, why="in range")
    zero = b.number(0, raw.data_type)
    inside = b.where(mask, raw, zero, why="those out of range read place 0")
    if len(limits) > 1:
        mask = b.reduce(mask, "MIN", "all coordinates are in range")
    return Places(_counted(b, inside, limits, addresses), mask)


def flat_addresses(b: Builder, coordinates: Value, limits: Shape) -> Value:
    """Tuples of coordinates (M, k), UINT32 from 0 on, as one address each: (M, 1)."""
    if len(limits) == 1:
        return coordinates
    steps = [int(np.prod(limits[d + 1 :], dtype=object)) for d in range(len(limits))]
    strides = b.constant(np.array(steps, np.uint32))
    terms = b.elementwise("ELEMENT_WISE_MULTIPLY", coordinates, strides, why="coordinate by stride")
    return b.reduce(terms, "SUM", "the address of each tuple")
