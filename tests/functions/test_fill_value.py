"""fill_value: 0 is all bytes zero in any dtype; Python's own numbers are rounded to a dtype with
room for them; anything else must be a value the dtype has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import reference

both = pytest.mark.parametrize("module", [dmlindex, reference])


INEXACT: list[tuple[Any, str]] = [
    (np.float64(0.1), "f4"), (65520, "f2"), (1e39, "f4"), (10**400, "f8"), (1j, "f8"),
    (np.int64(2**63 - 1), "f8"), (np.array(2**53 + 1), "f8"), (np.float64(1e39), "f4"),
    (2**63, "i8"), (-1, "u1"), (256, "u1"), (np.nan, "i4"), (2, "?"), (1, "?"), (object(), "i4"),
    ("a", "f8"), ([0], "f8"), ((), "f8"), (None, "f8"), (1, "S1"), ("abc", "U2"),
    (1, "M8[s]"), (np.datetime64("2020-01-01T01"), "M8[D]"),
]  # fmt: skip

EXACT: list[tuple[Any, str]] = [
    (0.1, "f4"), (2**53 + 1, "f8"), (0.1 + 0.2j, "c8"),
    (0.5, "f2"), (2**53, "f8"), (2**70, "f4"), (True, "f8"), (-0.0, "f8"), (1 + 2j, "c8"),
    (255.0, "u1"), (2**63, "u8"), (3, ">i4"), (np.float32(0.5), ">f8"), (np.array(7), "i8"),
    (np.inf, "f2"), (np.nan, "f4"), ("ab", "U2"), (b"ab", "S2"),
    (np.datetime64("2020"), "M8[ns]"), (np.datetime64("NaT", "D"), "M8[s]"),
]  # fmt: skip


@both
@pytest.mark.parametrize(("value", "dtype"), INEXACT)
def test_it_must_be_exact(module: Any, value: Any, dtype: str) -> None:
    with pytest.raises(ValueError, match="fill_value"):
        module.gather(np.zeros(2, dtype), [5], mode="fill", fill_value=value)


@both
@pytest.mark.parametrize(("value", "dtype"), EXACT)
@pytest.mark.parametrize("operator", ["gather", "gather_elements", "gather_nd"])
def test_it_keeps_its_value(module: Any, operator: str, value: Any, dtype: str) -> None:
    indices = [[5]] if operator == "gather_nd" else [5]
    x = np.ones(2, dtype)
    filled = getattr(module, operator)(x, indices, mode="fill", fill_value=value)
    assert filled.dtype == dtype
    assert filled.tobytes() == np.array([value]).astype(dtype).tobytes()


@both
def test_a_complex_number_without_imaginary_part_is_a_number(module: Any) -> None:
    assert module.gather(np.zeros(2, "i4"), [5], mode="fill", fill_value=3 + 0j).tolist() == [3]


@both
@pytest.mark.parametrize("zero", [0, 0.0, False, np.int8(0), np.float32(0)])
@pytest.mark.parametrize(
    "dtype", ["f4", "?", "M8[s]", "S3", "U1", "V5", [("a", "i2"), ("b", "f8")]]
)
def test_0_is_zero_bytes_in_every_dtype(module: Any, dtype: Any, zero: Any) -> None:
    x = np.frombuffer(b"\1" * 2 * np.dtype(dtype).itemsize, dtype)
    filled = module.gather(x, [0, 9], mode="fill", fill_value=zero)
    size = np.dtype(dtype).itemsize
    assert filled.tobytes() == b"\1" * size + bytes(size)


@both
def test_small_floats(module: Any) -> None:
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    x = np.zeros(1, bfloat16)
    assert module.gather(x, [3], mode="fill", fill_value=1.5)[0] == 1.5
    assert module.gather(x, [3], mode="fill", fill_value=bfloat16(3))[0] == 3
    with pytest.raises(ValueError, match="bfloat16 holds exactly"):
        module.gather(x, [3], mode="fill", fill_value=np.float32(257))
    assert module.gather(x, [3], mode="fill", fill_value=257)[0] == 256  # rounded
    with pytest.raises(ValueError, match=r"3\.4e\+38"):
        module.gather(x, [3], mode="fill", fill_value=3.4e38)


@both
def test_it_is_checked_in_every_mode(module: Any) -> None:
    with pytest.raises(ValueError, match="fill_value"):
        module.gather(np.zeros(2, "i4"), [0], mode="clamp", fill_value=0.5)


@both
def test_a_filled_slice(module: Any) -> None:
    x = np.arange(12, dtype=np.int16).reshape(3, 4)
    filled = module.gather_nd(x, [[1], [3], [-1]], mode="fill", fill_value=-7)
    assert filled.tolist() == [[4, 5, 6, 7], [-7] * 4, [8, 9, 10, 11]]
    either = module.gather_nd(x, [[0, 0], [0, 4], [3, 0]], mode="fill", fill_value=-7)
    assert either.tolist() == [0, -7, -7]


@both
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("element", ["u1", "u2", "f4", "f8", "c16"])
def test_an_axis_without_places_is_all_fill(module: Any, dtype: str, element: str) -> None:
    nothing = np.zeros(5, element)[:0]  # with strides, unlike np.zeros(0)
    indices = np.zeros(150, dtype)
    for function in (module.gather, module.gather_elements):
        assert (function(nothing, indices, mode="fill", fill_value=7) == 7).all()
    filled = module.gather_nd(nothing, indices[:, np.newaxis], mode="fill", fill_value=7)
    assert (filled == 7).all()
