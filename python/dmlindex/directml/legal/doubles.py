"""FLOAT64, which DirectML does not compute with, in 64-bit integers, rounded to nearest even."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.gathers import emit_gather
from dmlindex.directml.legal.indices import WORD
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.wide import LONG, where_long

_SIGN, _INFINITY, _NAN = 2**63, 0x7FF << 52, 0xFFF8 << 48
_GUARD_BITS = 10  # a mantissa of 53 bits and these leave one bit for the carry


@dataclass(frozen=True)
class _Parts:
    """The sign as 0 or 1 and the rest of the bits; exponent and mantissa follow from those."""

    sign: Value
    magnitude: Value


def sums(b: Builder, old: Value, items: Value) -> Value:
    """old + items, of lines of the bits."""
    x, y = (value.as_type(LONG, "the bits of FLOAT64") for value in (old, items))
    a, c = _ordered(b, x, y)
    larger, smaller = _split(b, a), _split(b, c)
    exponent, wide = _unpacked(b, larger.magnitude)
    exponent_c, wide_c = _unpacked(b, smaller.magnitude)
    distance = _word(b, "SUBTRACT", exponent, exponent_c, "how far apart")
    distance = _word(b, "MIN", distance, b.number(63, WORD), "beyond that all is lost")
    near = _shifted_right(b, wide_c, distance)
    same = b.compare("EQUALS", larger.sign, smaller.sign, "the signs are equal")
    total = _long(b, "ADD", wide, near, "sum")
    rest = _long(b, "SUBTRACT", wide, near, "difference")
    total = where_long(b, same, total, rest, "by the signs")
    bits = _rounded(b, total, exponent)
    sign = _long(b, "MULTIPLY", _cast(b, larger.sign), _number(b, _SIGN), "the sign bit")
    zero = b.compare("EQUALS", total, _number(b, 0), "nothing is left")
    nothing = where_long(b, same, sign, _line(b, 0, sign), "-0 of two -0 only")
    signed = _long(b, "ADD", bits, sign, "with its sign")
    signed = where_long(b, zero, nothing, signed, "zero")
    return _with_infinities(b, a, larger, smaller, same, signed).as_type(old.data_type, "as bits")


def products(b: Builder, old: Value, items: Value) -> Value:
    """old * items, of lines of the bits."""
    x, y = (_split(b, value.as_type(LONG, "the bits of FLOAT64")) for value in (old, items))
    (exponent_x, front_x), (exponent_y, front_y) = (_normalized(b, v.magnitude) for v in (x, y))
    total = _high_product(b, front_x, front_y)
    exponent = _word(b, "ADD", exponent_x, exponent_y, "the exponents together")
    least = b.number(1150, WORD)  # both are 64 too large; from here on the result's is at least 1
    upper = _word(b, "MAX", exponent, least, "the least exponent")
    distance = _word(b, "SUBTRACT", upper, exponent, "how far below it")
    distance = _word(b, "MIN", distance, b.number(63, WORD), "beyond that all is lost")
    total = _shifted_right(b, total, distance)
    upper = _word(b, "SUBTRACT", upper, b.number(1149, WORD), "the exponent")
    bits = _rounded(b, total, upper)
    zero = b.compare("EQUALS", total, _number(b, 0), "nothing is left")
    bits = where_long(b, zero, _line(b, 0, bits), bits, "zero")
    sign = _word(b, "ADD", x.sign, y.sign, "minus by minus")
    sign = _word(b, "MODULUS_FLOOR", sign, b.number(2, WORD), "is plus")
    bit = _long(b, "MULTIPLY", _cast(b, sign), _number(b, _SIGN), "the sign bit")
    return _with_no_numbers(b, x.magnitude, y.magnitude, bits, bit).as_type(old.data_type, "bits")


def negated(b: Builder, value: Value) -> Value:
    """With the other sign bit: adding it wraps around."""
    bits = value.as_type(LONG, "the bits of FLOAT64")
    return _long(b, "ADD", bits, _number(b, _SIGN), "the other sign").as_type(
        value.data_type, "as bits"
    )


def _number(b: Builder, value: int) -> Value:
    return b.constant(np.array([value], np.uint64))


def _line(b: Builder, value: int, like: Value) -> Value:
    """The number for each element, with memory of its own."""
    return b.pack(_number(b, value).broadcast(like.sizes, "repeated"), "one for each")


def _long(b: Builder, operator: str, x: Value, y: Value, why: str) -> Value:
    return b.elementwise(f"ELEMENT_WISE_{operator}", x, y, why=why, data_type=LONG)


def _word(b: Builder, operator: str, x: Value, y: Value, why: str) -> Value:
    return b.elementwise(f"ELEMENT_WISE_{operator}", x, y, why=why, data_type=WORD)


def _cast(b: Builder, value: Value) -> Value:
    return b.elementwise("CAST", value, why="in 64 bits", data_type=LONG)


def _half(b: Builder, value: Value, which: int) -> Value:
    """The low (0) or the high (1) word of each."""
    words = value.as_parts(WORD, "words")
    why = "the high words" if which else "the low words"
    return b.packed(b.take(words, 1, which, 1, why), why).reshape((value.elements,), why)


def _split(b: Builder, value: Value) -> _Parts:
    sign = b.compare("LESS_THAN", _number(b, _SIGN - 1), value, "negative", as_number=True)
    bit = _long(b, "MULTIPLY", _cast(b, sign), _number(b, _SIGN), "the sign bit")
    return _Parts(sign, _long(b, "SUBTRACT", value, bit, "without its sign"))


def _ordered(b: Builder, x: Value, y: Value) -> tuple[Value, Value]:
    """The one of the larger magnitude, and the other."""
    less = b.compare("LESS_THAN", _split(b, x).magnitude, _split(b, y).magnitude, "smaller")
    return where_long(b, less, y, x, "the larger"), where_long(b, less, x, y, "the smaller")


def _unpacked(b: Builder, magnitude: Value) -> tuple[Value, Value]:
    """Exponent, at least 1, and mantissa with its leading bit, shifted by the guard bits."""
    high = _long(b, "MULTIPLY", _cast(b, _half(b, magnitude, 1)), _number(b, 2**12), "shifted")
    one = b.number(1, WORD)
    exponent = _word(b, "MAX", _half(b, high, 1), one, "the exponent")
    above = _cast(b, _word(b, "SUBTRACT", exponent, one, "what is not of the mantissa"))
    above = _long(b, "MULTIPLY", above, _number(b, 2**52), "in its place")
    mantissa = _long(b, "SUBTRACT", magnitude, above, "the mantissa")
    return exponent, _long(b, "MULTIPLY", mantissa, _number(b, 2**_GUARD_BITS), "guard bits")


def _looked_up(b: Builder, table: list[int], indices: Value) -> Value:
    numbers = b.constant(np.array(table, np.uint64)).reshape((1, len(table), 1), "powers of 2")
    found = b.temporary(LONG, (1, indices.elements, 1))
    return emit_gather(b, numbers, indices, found).reshape(indices.sizes, "one for each")


def _shifted_right(b: Builder, value: Value, distance: Value) -> Value:
    """By up to 63 bits; where a bit is lost, the last one is set."""
    far = b.compare("LESS_THAN", b.number(31, WORD), distance, "by a word or more")
    low, zero = _half(b, value, 0), b.number(0, WORD)
    lost = b.compare("LESS_THAN", zero, low, "a word is lost")
    lost = b.elementwise("ELEMENT_WISE_LOGICAL_AND", far, lost, why="and it was not 0")
    near = where_long(b, far, _cast(b, _half(b, value, 1)), value, "by the word")
    power = _looked_up(b, [2 ** (32 - d % 32) for d in range(64)], distance)
    high = _long(b, "MULTIPLY", _cast(b, _half(b, near, 1)), power, "the high word, shifted")
    below = _long(b, "MULTIPLY", _cast(b, _half(b, near, 0)), power, "the low word, shifted")
    shifted = _long(b, "ADD", high, _cast(b, _half(b, below, 1)), "shifted")
    more = b.compare("LESS_THAN", zero, _half(b, below, 0), "bits are lost")
    lost = b.elementwise("ELEMENT_WISE_LOGICAL_OR", lost, more, why="anything is lost")
    return _with_last_bit(b, shifted, lost)


def _leading_zeros(b: Builder, value: Value) -> Value:
    powers = b.constant(np.array([2**k for k in range(64)], np.uint64))
    lines = value.reshape((value.elements, 1), "one by one")
    zeros = b.compare("LESS_THAN", lines, powers, "which powers are larger", as_number=True)
    return b.reduce(zeros, "SUM", "leading zeros").reshape(value.sizes, "leading zeros")


def _normalized(b: Builder, magnitude: Value) -> tuple[Value, Value]:
    """Exponent, 64 larger, and mantissa with its first bit in front."""
    exponent, wide = _unpacked(b, magnitude)
    zeros = _leading_zeros(b, wide)
    shift = _word(b, "MIN", zeros, b.number(63, WORD), "of zero")
    power = _looked_up(b, [2**k for k in range(64)], shift)
    exponent = _word(b, "ADD", exponent, b.number(64, WORD), "never negative")
    exponent = _word(b, "SUBTRACT", exponent, zeros, "that much less")
    return exponent, _long(b, "MULTIPLY", wide, power, "the first bit in front")


def _high_product(b: Builder, x: Value, y: Value) -> Value:
    """The high 64 bits of the product; where any below is set, the last one is set."""
    (low_x, high_x), (low_y, high_y) = (
        tuple(_cast(b, _half(b, value, which)) for which in (0, 1)) for value in (x, y)
    )
    low = _long(b, "MULTIPLY", low_x, low_y, "low by low")
    cross = [
        _long(b, "MULTIPLY", *pair, "crosswise") for pair in ((low_x, high_y), (high_x, low_y))
    ]
    top = _long(b, "MULTIPLY", high_x, high_y, "high by high")
    middle = _cast(b, _half(b, low, 1))
    for product in cross:
        middle = _long(b, "ADD", middle, _cast(b, _half(b, product, 0)), "the middle")
        top = _long(b, "ADD", top, _cast(b, _half(b, product, 1)), "carried up")
    top = _long(b, "ADD", top, _cast(b, _half(b, middle, 1)), "carried up")
    zero = b.number(0, WORD)
    parts = [b.compare("LESS_THAN", zero, _half(b, v, 0), "below") for v in (middle, low)]
    lost = b.elementwise("ELEMENT_WISE_LOGICAL_OR", *parts, why="anything below")
    return _with_last_bit(b, top, lost)


def _with_last_bit(b: Builder, value: Value, wanted: Value) -> Value:
    """Set where the mask wants it."""
    zero = b.number(0, WORD)
    even = _word(b, "MODULUS_FLOOR", _half(b, value, 0), b.number(2, WORD), "the last bit")
    even = b.compare("EQUALS", even, zero, "it is 0")
    sticky = b.elementwise("ELEMENT_WISE_LOGICAL_AND", wanted, even, why="to be set")
    ones = b.where(sticky, b.number(1, WORD), zero, why="the bit for what is lost")
    return _long(b, "ADD", value, _cast(b, ones), "with that bit")


def _rounded(b: Builder, total: Value, exponent: Value) -> Value:
    """The bits of total * 2^exponent, without a sign: its first bit brought to the front."""
    zeros = _leading_zeros(b, total)
    shift = _word(b, "MIN", zeros, exponent, "no further than the least exponent")
    shift = _word(b, "MIN", shift, b.number(63, WORD), "of zero")
    power = _looked_up(b, [2**k for k in range(64)], shift)
    front = _long(b, "MULTIPLY", total, power, "the first bit in front")
    step = _number(b, 2**21)
    high = _long(b, "MULTIPLY", _cast(b, _half(b, front, 1)), step, "53 bits of it")
    low = _long(b, "MULTIPLY", _cast(b, _half(b, front, 0)), step, "and of the low word")
    mantissa = _long(b, "ADD", high, _cast(b, _half(b, low, 1)), "the mantissa")
    whole = _long(b, "MULTIPLY", mantissa, _number(b, 2**11), "in its place")
    rest = _long(b, "SUBTRACT", front, whole, "the bits behind it")
    odd = _word(b, "MODULUS_FLOOR", _half(b, mantissa, 0), b.number(2, WORD), "odd")
    rest = _long(b, "ADD", rest, _cast(b, odd), "ties to even")
    up = b.compare("LESS_THAN", _number(b, 2**10), rest, "rounded up", as_number=True)
    mantissa = _long(b, "ADD", mantissa, _cast(b, up), "rounded")
    left = _cast(b, _word(b, "SUBTRACT", exponent, shift, "the exponent that is left"))
    left = _long(b, "MULTIPLY", left, _number(b, 2**52), "in its place")
    bits = _long(b, "ADD", left, mantissa, "exponent and mantissa")
    finite = b.compare("LESS_THAN", bits, _number(b, _INFINITY), "finite")
    return where_long(b, finite, bits, _line(b, _INFINITY, bits), "or infinity")


def _with_infinities(
    b: Builder, a: Value, larger: _Parts, smaller: _Parts, same: Value, sum_: Value
) -> Value:
    """What is larger than all numbers stays; NaN where infinities of two signs meet."""
    infinity = _number(b, _INFINITY)
    nan = b.compare("LESS_THAN", infinity, larger.magnitude, "a NaN")
    both = b.compare("EQUALS", infinity, smaller.magnitude, "two infinities")
    differ = b.elementwise("ELEMENT_WISE_LOGICAL_NOT", same, why="the signs differ")
    both = b.elementwise("ELEMENT_WISE_LOGICAL_AND", both, differ, why="of two signs")
    bad = b.elementwise("ELEMENT_WISE_LOGICAL_OR", nan, both, why="no number")
    kept = where_long(b, bad, _line(b, _NAN, a), a, "infinity or NaN")
    number = b.compare("LESS_THAN", larger.magnitude, infinity, "numbers")
    return where_long(b, number, sum_, kept, "the sum")


def _with_no_numbers(b: Builder, x: Value, y: Value, bits: Value, sign: Value) -> Value:
    """Infinity by a number is infinity; by zero, or a NaN by anything, a NaN."""
    infinity, zero = _number(b, _INFINITY), _number(b, 0)

    def either(operator: str, left: Value, name: str) -> Value:
        masks = [b.compare(operator, left, value, name) for value in (x, y)]
        return b.elementwise("ELEMENT_WISE_LOGICAL_OR", *masks, why=name)

    nan = either("LESS_THAN", infinity, "a NaN")
    endless = either("EQUALS", infinity, "an infinity")
    nothing = either("EQUALS", zero, "a zero")
    lost = b.elementwise("ELEMENT_WISE_LOGICAL_AND", endless, nothing, why="infinity by zero")
    bad = b.elementwise("ELEMENT_WISE_LOGICAL_OR", nan, lost, why="no number")
    bits = where_long(b, endless, _line(b, _INFINITY, bits), bits, "infinity")
    signed = _long(b, "ADD", bits, sign, "with its sign")
    return where_long(b, bad, _line(b, _NAN, bits), signed, "NaN")
