"""JSON as DxDispatch's parser takes it.

That is JSON with // and /* */ comments and with commas behind the last element, and what follows
the first value is not read. An object keeps its pairs: of a field given twice the first counts, of
a resource's or dispatchable's name the last.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, NoReturn

from dmlindex.directml.dxdispatch.errors import DxDispatchError

_STRING = r'"(?:[^"\\]++|\\.)*+"?'  # perhaps without its end: then the parser complains
_COMMENTS = re.compile(rf"{_STRING}|(//[^\n]*+|/\*.*?(?:\*/|\Z))", re.DOTALL)
_COMMAS = re.compile(rf"{_STRING}|([\[{{][ \t\n\r]*+,)|,(?=[ \t\n\r]*+[\]}}])", re.DOTALL)
_BYTE_ORDER_MARK = "\ufeff"


class JsonObject:
    """The pairs of an object, in order."""

    __slots__ = ("pairs",)

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs

    def first(self) -> dict[str, Any]:
        """The fields, as the tool finds them: of equal names the first counts."""
        return dict(reversed(self.pairs))


def parse(text: str) -> Any:
    """The first value in the text; DxDispatchError, with line and column, where there is none.

    >>> parse('{"a": [1, 2,], /* b */ "a": 3} and more').first()
    {'a': [1, 2]}
    """
    if text.startswith(_BYTE_ORDER_MARK):
        raise DxDispatchError("begins with a byte order mark, which DxDispatch refuses: remove it")
    text = _COMMENTS.sub(_without_comment, text)
    text = _COMMAS.sub(lambda match: _without_comma(text, match), text)
    begin = len(text) - len(text.lstrip(" \t\n\r"))
    try:
        return _DECODER.raw_decode(text, begin)[0]
    except RecursionError:
        raise DxDispatchError("the JSON is nested too deep") from None
    except json.JSONDecodeError as error:
        raise _not_json(text, error.pos, error.msg) from None


def _without_comment(match: re.Match[str]) -> str:
    comment = match[1]
    return match[0] if comment is None else re.sub(r"[^\n]", " ", comment)


def _without_comma(text: str, match: re.Match[str]) -> str:
    if match[1] is not None:
        raise _not_json(text, match.end() - 1, "a comma with nothing before it")
    return " " if match[0] == "," else match[0]


def _not_json(text: str, position: int, reason: str) -> DxDispatchError:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return DxDispatchError(f"not JSON: {reason}: line {line} column {column}")


def _integer(digits: str) -> int | float:
    """Integers of more than 64 bits are floats, as RapidJSON has it."""
    if len(digits) <= 20 and -(2**63) <= (number := int(digits)) < 2**64:
        return number
    return _float(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise DxDispatchError(f"the number {digits[:20]}… is too large for a double")
    return number


def _refuse_constant(constant: str) -> NoReturn:
    raise DxDispatchError(
        f'not JSON: {constant}; in a list of floats write "nan", "inf" or "-inf", with the quotes'
    )


_DECODER = json.JSONDecoder(
    object_pairs_hook=JsonObject,
    parse_int=_integer,
    parse_float=_float,
    parse_constant=_refuse_constant,
)
