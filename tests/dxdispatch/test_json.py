"""The JSON that DxDispatch's parser takes, and that anything else is one line of error."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.relaxed_json import JsonObject, parse

GAPS = ["", " ", "\n", "\t", "// , ] } \" '\n", '/* , ] " // */', "/**/"]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("ab/*,\\\"'", max_size=4), inner),
    max_leaves=20,
)


def plain(value: Any) -> Any:
    if isinstance(value, JsonObject):
        return {key: plain(each) for key, each in value.first().items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


@given(VALUES, st.data())
def test_comments_and_trailing_commas_change_nothing(value: Any, data: st.DataObject) -> None:
    tokens = re.findall(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', json.dumps(value))
    text = ""
    before = ""
    for token in tokens:
        if token in ("]", "}") and before not in ("[", "{", "") and data.draw(st.booleans()):
            text += "," + data.draw(st.sampled_from(GAPS))
        text += token + data.draw(st.sampled_from(GAPS))
        before = token
    rest = data.draw(st.sampled_from([" ", " } ]", " /* no end", ' "'])) if tokens else ""
    assert plain(parse(text + rest)) == value


def test_of_equal_names_the_first_counts() -> None:
    assert parse('{"a": 1, "b": 2, "a": 3}').first() == {"a": 1, "b": 2}


def test_integers_of_more_than_64_bits_are_doubles() -> None:
    assert parse("[18446744073709551615, 18446744073709551616]") == [2**64 - 1, 2.0**64]
    assert [type(number) for number in parse("[18446744073709551616, -9223372036854775809]")] == [
        float,
        float,
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "line 1 column 1"),
        ("{", "line 1 column 2"),
        ('{\n "a": nul}', "line 2 column 7"),
        ("[,]", "a comma with nothing before it: line 1 column 2"),
        ("[ /* x */ ,]", "a comma with nothing before it"),
        ("[1,,]", "not JSON"),
        ('{"a":,}', "not JSON"),
        ("[1 /* no end ]", "not JSON"),
        ('["no end', "not JSON"),
        ("[01]", "not JSON"),
        ("[1.]", "not JSON"),
        ("['a']", "not JSON"),
        ("[NaN]", '"nan"'),
        ("[-Infinity]", '"-inf"'),
        ("[1e999]", "too large for a double"),
        ("[" + "9" * 5000 + "]", "too large for a double"),
        ("[" * 100_000, "nested too deep"),
        ('{"a":' * 100_000, "nested too deep"),
        ("\ufeff{}", "byte order mark"),
        ('"' + '\\"' * 50_000, "not JSON"),
        ("/* " * 50_000, "not JSON"),
        ("\x00", "not JSON"),
    ],
)
def test_what_is_no_json_says_where(text: str, reason: str) -> None:
    with pytest.raises(DxDispatchError) as caught:
        parse(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


@given(st.text('[]{},:"/*\\ \n10.eE-tfn', max_size=40))
def test_any_text_is_a_value_or_one_line(text: str) -> None:
    reason = ""
    try:
        parse(text)
    except DxDispatchError as error:
        reason = str(error)
    assert "\n" not in reason
