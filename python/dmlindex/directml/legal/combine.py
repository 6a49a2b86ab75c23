"""One step of a reduction in DirectML's arithmetic: old values and updates, element by element.

Each takes two packed lines of the elements' bits and gives a third. Integers and types of 8 bits
come out bit for bit; of floats the values do, since a device may flush tiny ones and choose NaNs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import dmlindex
from dmlindex.directml.legal import doubles, wide
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.gathers import emit_gather
from dmlindex.directml.legal.indices import WORD, widened
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import bare_type
from dmlindex.directml.legal.support import takes
from dmlindex.directml.values import DataType

Combine = Callable[[Value, Value], Value]
OPERATORS = {
    "add": "ELEMENT_WISE_ADD",
    "mul": "ELEMENT_WISE_MULTIPLY",
    "min": "ELEMENT_WISE_MIN",
    "max": "ELEMENT_WISE_MAX",
}
SINGLE = DataType.FLOAT32


def combiner(b: Builder, dtype: np.dtype[Any], reduction: str) -> Combine:
    """The step for a dtype; NoProgram where DirectML cannot compute it."""
    operator = OPERATORS[reduction]
    data_type = DataType.UINT8 if dtype.kind == "b" else bare_type(dtype)
    if dtype.kind == "b":
        operator = OPERATORS["max" if reduction in ("add", "max") else "min"]
    if dtype.kind in "fc" or dtype.name == "bfloat16":
        b.promise = "values"
    if dtype.name == "complex64":
        return lambda old, items: _complex(b, old, items, reduction)
    if dtype.name == "bfloat16":
        return lambda old, items: _bfloat16(b, old, items, reduction)
    if data_type is None and dtype.itemsize == 1:
        return lambda old, items: _looked_up(b, old, items, dtype, reduction)
    if data_type in (DataType.FLOAT16, SINGLE):
        return lambda old, items: _float(b, old, items, data_type, reduction)
    if data_type is not None and takes(operator, data_type, b.level):
        return lambda old, items: _typed(b, operator, old, items, data_type)
    if dtype.kind in "iu" and dtype.itemsize < 4:
        return lambda old, items: _widened(b, operator, old, items)
    if dtype.itemsize >= 8 and reduction in ("min", "max"):
        return lambda old, items: wide.extreme(b, old, items, dtype, reduction)
    if dtype.name in ("float64", "complex128") and takes(operator, DataType.UINT64, b.level):
        return lambda old, items: _double(b, old, items, dtype, reduction)
    if dtype.kind in "iu" and reduction == "add":
        return lambda old, items: wide.carried(b, old, items)
    raise NoProgram(
        "reduction-data-type", f"{reduction} on {dtype}: {b.level.name} has no arithmetic for it"
    )


def _typed(b: Builder, operator: str, old: Value, items: Value, data_type: DataType) -> Value:
    """In a type that the operator takes."""
    why = f"the bits are {data_type.name}"
    pair = [value.as_type(data_type, why) for value in (old, items)]
    return b.elementwise(operator, *pair, why="combined").as_type(old.data_type, "moved as bits")


def _float(b: Builder, old: Value, items: Value, data_type: DataType, reduction: str) -> Value:
    """min and max choose by comparing: what MIN and MAX make of a NaN is not said anywhere."""
    if reduction in ("add", "mul"):
        return _typed(b, OPERATORS[reduction], old, items, data_type)
    x, y = (value.as_type(data_type, "the bits are floats") for value in (old, items))
    if data_type == DataType.FLOAT16 and not b.has_if:
        why = "only numbers of 32 bits can be selected"
        x, y = (b.elementwise("CAST", value, why=why, data_type=SINGLE) for value in (x, y))
        chosen = _extreme(b, x, y, reduction).as_type(SINGLE, "floats again")
        chosen = b.elementwise("CAST", chosen, why="as short as before", data_type=data_type)
        return chosen.as_type(old.data_type, "moved as bits")
    return _extreme(b, x, y, reduction).as_type(old.data_type, "moved as bits")


def _extreme(b: Builder, x: Value, y: Value, reduction: str) -> Value:
    """y where it is less (more) than x, or a NaN; else x."""
    low, high = (y, x) if reduction == "min" else (x, y)
    better = b.compare("LESS_THAN", low, high, f"the new {reduction}")
    number = b.compare("EQUALS", y, y, "no NaN")
    nan = b.elementwise("ELEMENT_WISE_LOGICAL_NOT", number, why="a NaN, which spreads")
    taken = b.elementwise("ELEMENT_WISE_LOGICAL_OR", better, nan, why="the update is taken")
    bits = DataType[f"UINT{8 * x.itemsize}"]
    x, y = (value.as_type(bits, "the bits as they are") for value in (x, y))
    return b.where(taken, y, x, why=reduction)


def _complex(b: Builder, old: Value, items: Value, reduction: str) -> Value:
    """Pairs of FLOAT32."""
    if reduction == "add":
        return _typed(b, OPERATORS["add"], old, items, SINGLE)

    def product(x: Value, y: Value) -> Value:
        return b.elementwise(OPERATORS["mul"], x, y, why="a product of parts")

    a, c, d, e = _parts(b, old, items, SINGLE)
    real = b.elementwise("ELEMENT_WISE_SUBTRACT", product(a, d), product(c, e), why="real part")
    imaginary = b.elementwise(OPERATORS["add"], product(a, e), product(c, d), why="imaginary part")
    return _paired(b, real, imaginary, old)


def _double(b: Builder, old: Value, items: Value, dtype: np.dtype[Any], reduction: str) -> Value:
    """float64, or pairs of them, in integers."""
    if reduction == "add":
        return doubles.sums(b, old, items)
    if dtype.kind == "f":
        return doubles.products(b, old, items)
    a, c, d, e = (
        b.packed(part, part.why).reshape((part.elements,), part.why)
        for part in _parts(b, old, items, old.data_type)
    )
    minus = doubles.negated(b, doubles.products(b, c, e))
    real = doubles.sums(b, doubles.products(b, a, d), minus)
    imaginary = doubles.sums(b, doubles.products(b, a, e), doubles.products(b, c, d))
    return _paired(b, real, imaginary, old)


def _parts(b: Builder, old: Value, items: Value, data_type: DataType) -> list[Value]:
    """The real and the imaginary parts of both."""
    parts = []
    for value in (old, items):
        pairs = value.as_type(data_type, "pairs of floats").reshape(
            (value.elements // 2, 2), "pairs"
        )
        parts += [b.take(pairs, 1, i, 1, name) for i, name in enumerate(("real", "imaginary"))]
    return parts


def _paired(b: Builder, real: Value, imaginary: Value, like: Value) -> Value:
    parts = [part.reshape((part.elements, 1), "one by one") for part in (real, imaginary)]
    joined = b.join(parts, 1, "pairs again")
    return joined.as_type(like.data_type, "moved as bits").reshape(like.sizes, "all elements")


def _bfloat16(b: Builder, old: Value, items: Value, reduction: str) -> Value:
    """As FLOAT32, whose high half a bfloat16 is; rounded to nearest even."""
    x, y = (_single(b, value) for value in (old, items))
    if reduction in ("min", "max"):
        return _high_half(b, _extreme(b, x, y, reduction), old)
    result = b.elementwise(OPERATORS[reduction], x, y, why="combined as FLOAT32")
    bits = result.as_type(WORD, "the bits of the floats")
    half = b.take(
        bits.as_parts(DataType.UINT16, "halves"), len(bits.sizes), 1, 1, "the high halves"
    )
    half = widened(b, b.packed(half.reshape(bits.sizes, half.why), half.why))
    odd = b.elementwise("ELEMENT_WISE_MODULUS_FLOOR", half, b.number(2, WORD), why="its last bit")
    bias = b.elementwise(OPERATORS["add"], odd, b.number(0x7FFF, WORD), why="to nearest even")
    rounded = b.elementwise(OPERATORS["add"], bits, bias, why="rounded")
    number = b.compare("EQUALS", result, result, "no NaN")
    return _high_half(b, b.where(number, rounded, b.number(0x7FC00000, WORD), why="NaN"), old)


def _single(b: Builder, value: Value) -> Value:
    """bfloat16 as FLOAT32: zeros in front of each, in little-endian."""
    lines = value.reshape((value.elements, 1), "one by one")
    zeros = b.constant(np.zeros((1, 1), np.uint16)).broadcast(lines.sizes, "repeated: stride 0")
    joined = b.join([_rows(zeros), _rows(lines)], 2, "bfloat16 is the high half of a FLOAT32")
    return joined.as_whole(SINGLE, "as FLOAT32").reshape(value.sizes, "as FLOAT32")


def _rows(value: Value) -> Value:
    return value.view((value.sizes[0], 1, 1), (value.strides[0], 0, 0), value.why)


def _high_half(b: Builder, value: Value, like: Value) -> Value:
    parts = value.as_type(WORD, "").as_parts(DataType.UINT16, "halves")
    half = b.take(parts, len(parts.sizes) - 1, 1, 1, "the high halves: bfloat16")
    return b.packed(half.reshape(like.sizes, half.why), half.why)


def _looked_up(b: Builder, old: Value, items: Value, dtype: np.dtype[Any], reduction: str) -> Value:
    """Types of 8 bits: a table of all 65,536 pairs holds each answer."""
    numbers = np.arange(2**16)
    table = (numbers // 256).astype(np.uint8).view(dtype)
    updates = (numbers % 256).astype(np.uint8).view(dtype)
    scatter: Any = dmlindex.scatter_elements
    table = scatter(table, numbers, updates, reduction=reduction, unique_indices=True)
    answers = b.constant(table.view(np.uint8)).reshape((1, 2**16, 1), "a table of answers")
    lines = [value.reshape((value.elements, 1), "one by one") for value in (items, old)]
    pairs = b.join(lines, 1, "pairs of bytes").as_whole(DataType.UINT16, "a number for each pair")
    found = b.temporary(DataType.UINT8, (1, old.elements, 1))
    emit_gather(b, answers, widened(b, pairs), found)
    return found.reshape(old.sizes, "all elements")


def _widened(b: Builder, operator: str, old: Value, items: Value) -> Value:
    """Integers of 8 and 16 bits in arithmetic of 32, of which the low bits are kept."""
    wide = [widened(b, value) for value in (old, items)]
    return b.elementwise(operator, *wide, why="combined in 32 bits").low_parts(
        old.data_type, "the low bits: strides"
    )
