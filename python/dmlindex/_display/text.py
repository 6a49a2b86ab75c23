"""Texts that fit: values in few characters, and nothing that a page would read as markup."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import Any

import numpy as np

MOST_COLUMNS = 12  # of a cell
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: object) -> str:
    """The text for HTML and XML, in attributes too; what XML cannot hold becomes U+FFFD."""
    return html.escape(_NOT_XML.sub("\ufffd", str(text)), quote=True)


def columns(text: str) -> int:
    """How many places of a monospaced font the text takes: wide characters take two.

    >>> columns("ab"), columns("日本")
    (2, 4)
    """
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def shortened(text: str, most: int = MOST_COLUMNS) -> str:
    """The text in at most so many places, with an ellipsis where some is left out."""
    if columns(text) <= most:
        return text
    kept = text[: most - 1]
    while columns(kept) > most - 1:
        kept = kept[:-1]
    return kept + "…"


def value_text(value: Any) -> str:
    """An element in few characters.

    >>> [value_text(np.float32(v)) for v in (0.1, 3, float("nan"))]
    ['0.1', '3', 'nan']
    >>> value_text(np.complex64(1 - 2.5j)), value_text(np.str_("a\\n" * 20))
    ('1-2.5j', "'a\\\\na\\\\na\\\\na…")
    """
    return shortened(_value_text(value))


def full_text(value: Any) -> str:
    """The element with all its digits, for tooltips."""
    return shortened(_in_words(value), 80)


def _value_text(value: Any) -> str:
    if isinstance(value, np.floating) or _is_narrow_float(value):
        return f"{float(value):.6g}"
    if isinstance(value, np.complexfloating):
        return f"{float(value.real):.3g}{float(value.imag):+.3g}j"
    return _in_words(value)


def _in_words(value: Any) -> str:
    if isinstance(value, (np.str_, np.bytes_)):
        return repr(value.item())
    if isinstance(value, np.void) and value.dtype.names is None:
        return f"0x{value.tobytes().hex()}"
    try:
        return str(value)
    except Exception as error:  # an object's own code, in an array that no operator takes
        return f"<{type(value).__name__}: {type(error).__name__}>"


def _is_narrow_float(value: Any) -> bool:
    """Of ml_dtypes: their scalars are no NumPy floats, and print with all their digits."""
    return type(value).__module__ == "ml_dtypes" and "int" not in type(value).__name__


def shape_text(shape: tuple[int, ...]) -> str:
    """The shape as a tuple of Python's ints."""
    return str(tuple(int(size) for size in shape))


def dtype_text(dtype: np.dtype[Any]) -> str:
    return shortened(str(dtype), 40)
