"""`dmlindex explain` and the JSON form: what is said, and one clear line for hostile text."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex.cli import main
from tests.descriptors.descs import data, gather, gather_elements, index, scatter_nd

VALID = gather_elements(data(2, 3, strides=(4, 1)), (2, 2), (2, 2), 1)


def explain(
    text: str | bytes, capsys: pytest.CaptureFixture[str], folder: Path, *options: str
) -> tuple[int, str, str]:
    path = folder / "desc.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    code = main(["explain", str(path), *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err.replace(str(path), "desc.json")


def test_a_valid_desc(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = explain(dmlindex.desc_to_json(VALID), capsys, tmp_path)
    assert (code, err) == (0, "")
    assert out == (
        "GATHER_ELEMENTS: valid, from feature level 3_0 on\n"
        "  input    FLOAT32  {2, 3}, strides {4, 1}\n"
        "  indices  INT64    {2, 2}, packed\n"
        "  output   FLOAT32  {2, 2}, packed\n"
        "plan (all strides in bytes):\n"
        "  at each of 2 by 2 positions: read 1 index, move 4 bytes to output\n"
        "  dim 0, of 2: steps of 16 in input, 8 in output, 16 in indices\n"
        "  dim 1, of 2: steps of 0 in input, 4 in output, 8 in indices\n"
        "  each index along axis 1 of input, -3 to 2 (mode directml), steps of 4 in input\n"
    )


def test_a_scatter_starts_with_a_copy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    desc = scatter_nd((5, 3), index(4, 1, data_type=dmlindex.DataType.UINT32), (4, 3), (5, 3), 2, 2)
    code, out, _ = explain(dmlindex.desc_to_json(desc), capsys, tmp_path)
    assert code == 0
    assert "copy input to output" in out
    assert "move 12 bytes from updates" in out
    assert "0 to 4 (mode directml)" in out


def test_an_invalid_desc_is_exit_code_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    desc = gather((2, 3), (1, 4), (2, 5), 7, 1)
    code, out, err = explain(dmlindex.desc_to_json(desc), capsys, tmp_path)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "GATHER: not valid, 1 broken rule",
        "  GATHER: axis is 7, expected less than 2, the dims of input [axis]",
    ]


def test_json_for_machines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = explain(dmlindex.desc_to_json(VALID), capsys, tmp_path, "--json")
    report = json.loads(out)
    assert code == 0
    assert report["valid"]
    assert report["violations"] == []
    assert report["feature_level"] == "3_0"
    assert report["plan"]["dims"][0] == {
        "size": 2,
        "table_stride": 16,
        "item_stride": 8,
        "index_stride": 16,
    }
    broken = dmlindex.desc_to_json(gather((2, 3), (1, 4), (2, 5), 1, 1))
    code, out, _ = explain(broken, capsys, tmp_path, "--json")
    report = json.loads(out)
    assert code == 1
    assert not report["valid"]
    assert report["violations"][0]["rule"] == "output-sizes"
    assert "plan" not in report


def test_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = io.TextIOWrapper(io.BytesIO(dmlindex.desc_to_json(VALID).encode()))
    monkeypatch.setattr("sys.stdin", text)
    assert main(["explain", "-"]) == 0
    assert capsys.readouterr().out.startswith("GATHER_ELEMENTS: valid")


def changed(path: str, value: Any) -> str:
    """The valid desc with one field, as in "input.sizes", set to a value."""
    desc = json.loads(dmlindex.desc_to_json(VALID))
    *parents, key = path.split(".")
    inner = desc
    for parent in parents:
        inner = inner[parent]
    inner[key] = value
    return json.dumps(desc)


def without(key: str) -> str:
    desc = json.loads(dmlindex.desc_to_json(VALID))
    del desc[key]
    return json.dumps(desc)


HOSTILE: list[tuple[str | bytes, str]] = [
    ("", "not JSON"),
    ("{", "not JSON"),
    (b"\xff\xfe{}", "not UTF-8"),
    (b"\xef\xbb\xbf{}", "not JSON"),
    ("[]", "expected an object"),
    ("7", "expected an object"),
    ("null", "expected an object"),
    ("[" * 100_000, "nested too deep"),
    ('{"a":' * 100_000, "nested too deep"),
    ("9" * 5000, "not a descriptor"),
    (changed("axis", 1).replace('"axis": 1', '"axis": ' + "9" * 5000), "not a descriptor"),
    (without("operator"), 'no "operator"'),
    (without("input"), "has no input"),
    (without("axis"), "has no axis"),
    (changed("operator", "CONVOLUTION"), '"CONVOLUTION", expected one of GATHER'),
    (changed("operator", ["GATHER"]), "operator is"),
    (changed("axis", -1), "axis is -1, expected 0 to 4294967295"),
    (changed("axis", 2**32), "axis is 4294967296, expected 0 to 4294967295"),
    (changed("axis", 10**900), "a huge number"),
    (changed("axis", 1.0), "axis is of type float"),
    (changed("axis", "1"), "axis is of type str"),
    (changed("axis", True), "axis is True"),
    (changed("axis", None), "axis is of type NoneType"),
    (changed("axis", [1]), "axis is of type list"),
    (changed("axis", 1).replace('"axis": 1', '"axis": NaN'), "NaN is not a number"),
    (changed("axis", 1).replace('"axis": 1', '"axis": -Infinity'), "-Infinity is not a number"),
    (changed("axis", 1).replace('"axis": 1', '"axis": 1e999'), "axis is of type float"),
    (changed("axis", 1).replace('"axis": 1', '"axis": 1, "axis": 0'), "stands twice"),
    (changed("input", 7), "GATHER_ELEMENTS.input is 7, expected an object"),
    (changed("input", {}), "GATHER_ELEMENTS.input has no data_type, sizes"),
    (changed("input.sizes", None), "sizes is of type NoneType"),
    (changed("input.sizes", "23"), "sizes is of type str"),
    (changed("input.sizes", {"2": 3}), "sizes is of type dict"),
    (changed("input.sizes", [2, -3]), "sizes[1] is -3"),
    (changed("input.sizes", [2, [3]]), "sizes[1] is of type list"),
    (changed("input.sizes", [2, 2**32]), "sizes[1] is 4294967296"),
    (changed("input.strides", [0.5, 1]), "strides[0] is of type float"),
    (changed("input.data_type", "FLOAT8"), '"FLOAT8", expected one of UNKNOWN'),
    (changed("input.data_type", 1), "data_type is 1"),
    (changed("input.flags", -1), "flags is -1"),
    (changed("input.flags", "NONE"), 'flags is "NONE"'),
    (changed("input.total_tensor_size_in_bytes", 2**64), "total_tensor_size_in_bytes is"),
    (changed("input.guaranteed_base_offset_alignment", "x"), "of type str"),
    (changed("input.stride", [1]), 'unknown field "stride"'),
    (changed("updates", None), 'unknown field "updates"'),
    (changed("x" * 10_000, 1), "unknown field"),
]


@pytest.mark.parametrize(("text", "message"), HOSTILE, ids=[m[:40] for _, m in HOSTILE])
def test_hostile_json_is_one_clear_line(
    text: str | bytes, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, err = explain(text, capsys, tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith("dmlindex: error: desc.json: ")
    assert message in err
    assert err.count("\n") == 1
    assert len(err) < 500


def test_a_missing_file_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "no such file"]) == 2
    assert capsys.readouterr().err == ("dmlindex: error: no such file: No such file or directory\n")
    assert main(["explain", "."]) == 2


@pytest.mark.parametrize("key", ["input", "indices", "output"])
def test_many_dims_and_null_tensors_are_violations(key: str) -> None:
    long = [1] * 100_000
    tensor = {"data_type": "FLOAT32", "sizes": long, "strides": long}
    for value in (None, tensor, {"data_type": "INT4", "sizes": []}):
        violations = dmlindex.desc_from_json(changed(key, value)).violations()
        assert violations
        assert all(len(str(violation)) < 1000 for violation in violations)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
FIELDS = [
    *("operator", "axis", "input", "indices", "output"),
    *("input.sizes", "input.strides", "input.data_type", "input.flags", "indices.sizes"),
    *("input.total_tensor_size_in_bytes", "output.guaranteed_base_offset_alignment"),
]


@given(st.sampled_from(FIELDS), json_values)
def test_any_json_in_any_field_is_a_desc_or_a_value_error(field: str, value: object) -> None:
    """And a desc that is not valid is never compiled."""
    try:
        desc = dmlindex.desc_from_json(changed(field, value))
    except ValueError:
        return
    assert dmlindex.desc_from_json(dmlindex.desc_to_json(desc)) == desc
    if desc.violations():
        with pytest.raises(dmlindex.DescriptorError):
            dmlindex.Device().compile(desc)
    else:
        dmlindex.Device().compile(desc)


@given(st.text() | json_values.map(json.dumps))
def test_any_text_is_a_desc_or_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$"):
        dmlindex.desc_from_json(text)
