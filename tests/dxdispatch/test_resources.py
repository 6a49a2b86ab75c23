"""What a resource holds: every form of initial values, .npy files, sizes, and what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import DataType
from dmlindex.directml import dxdispatch
from dmlindex.directml.dxdispatch import DxDispatchError, npy
from dmlindex.directml.dxdispatch.model import Resource
from tests.dxdispatch.models import no_files

TYPES = [
    "FLOAT16",
    "FLOAT32",
    "FLOAT64",
    *(f"{s}INT{b}" for s in ("", "U") for b in (8, 16, 32, 64)),
]


def resource(files: dict[str, bytes] | None = None, /, **fields: Any) -> Resource:
    """The resource that the fields describe."""
    model = {"resources": {"x": fields}, "dispatchables": {}, "commands": []}

    def read(where: str, path: str) -> bytes:
        return (files or {})[path]

    return dxdispatch.parse_model(json.dumps(model), read).resources["x"]


def refused(files: dict[str, bytes] | None = None, /, **fields: Any) -> str:
    with pytest.raises(DxDispatchError) as caught:
        resource(files, **fields)
    assert str(caught.value).startswith("resource 'x'")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def values(type_name: str, given: Any) -> list[Any]:
    found = resource(initialValuesDataType=type_name, initialValues=given)
    array = np.frombuffer(found.values, DataType[type_name].dtype)
    listed: list[Any] = array.tolist()
    return listed


@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("prefix", ["", "DML_TENSOR_DATA_TYPE_"])
def test_a_list_of_numbers(type_name: str, prefix: str) -> None:
    found = resource(initialValuesDataType=prefix + type_name, initialValues=[1, 2, 100])
    expected = np.array([1, 2, 100], DataType[type_name].dtype)
    assert found.values == expected.tobytes()
    assert found.data_type is DataType[type_name]
    assert found.size_in_bytes == -(-expected.nbytes // 4) * 4


def test_floats_have_three_words_and_take_exact_integers() -> None:
    assert str(values("FLOAT32", ["inf", "-INF", "NaN", -0.0, 2**60])) == (
        "[inf, -inf, nan, -0.0, 1.152921504606847e+18]"
    )
    assert values("FLOAT16", [1e9, 0.1, 2049.0]) == [np.inf, float(np.float16(0.1)), 2048.0]
    assert "2^53" not in refused(initialValuesDataType="FLOAT32", initialValues=[2**53 + 1])


def test_one_value_many_times() -> None:
    assert values("INT16", {"valueCount": 3, "value": -2}) == [-2, -2, -2]


@given(st.integers(0, 300), st.integers(-128, 127), st.integers(-128, 127))
def test_a_sequence_of_narrow_integers_wraps(count: int, start: int, delta: int) -> None:
    if not count:
        return
    found = values("INT8", {"valueCount": count, "valueStart": start, "valueDelta": delta})
    assert found == [(start + i * delta + 128) % 256 - 128 for i in range(count)]


def test_a_sequence_of_wide_integers_wraps_at_64_bits() -> None:
    given = {"valueCount": 3, "valueStart": 2**62, "valueDelta": 2**62 + 3}
    assert values("INT64", given) == [2**62, -(2**63) + 3, -(2**62) + 6]
    assert values("UINT64", given) == [2**62, 2**63 + 3, 2**63 + 2**62 + 6]


def test_halves_are_rounded_by_way_of_floats() -> None:
    just_above_the_middle = 1 + 2**-11 + 2**-30
    assert float(np.float16(just_above_the_middle)) == 1 + 2**-10
    assert values("FLOAT16", [just_above_the_middle]) == [1.0]


@pytest.mark.parametrize("type_name", ["FLOAT16", "FLOAT32", "FLOAT64"])
def test_a_sequence_of_floats_gathers_rounding_errors(type_name: str) -> None:
    dtype = DataType[type_name].dtype
    total, expected = dtype.type(0.1), []
    for _ in range(1000):
        expected.append(float(total))
        total = total + dtype.type(0.1)
    assert values(type_name, {"valueCount": 1000, "valueStart": 0.1, "valueDelta": 0.1}) == expected


def test_a_mixed_list_is_packed_without_gaps() -> None:
    mixed = [{"type": "UINT8", "value": 7, "name": "a comment"}, {"type": "FLOAT32", "value": 1.5}]
    found = resource(initialValues=mixed)
    assert found.values == b"\x07" + np.float32(1.5).tobytes()
    assert (found.data_type, found.size_in_bytes) == (DataType.UNKNOWN, 8)
    assert "FLOAT16" in refused(initialValues=[{"type": "FLOAT16", "value": 1}])


@pytest.mark.parametrize(
    ("type_name", "given", "reason"),
    [
        ("INT32", [1.0], "initialValues[0] is 1.0, expected an integer"),
        ("INT32", [True], "is true, expected an integer"),
        ("INT32", [2**31], "-2147483648 to 2147483647"),
        ("UINT8", [3, -1], "initialValues[1] is -1, expected an integer, 0 to 255"),
        ("INT32", ["1"], "is '1'"),
        ("FLOAT32", ["infinity"], "'infinity', expected a number"),
        ("FLOAT32", [None], "is null"),
        ("FLOAT32", [False], "is false"),
        ("FLOAT32", [2**64 - 1], "that a double holds"),
        ("INT32", [], "is empty"),
        ("INT32", {"valueCount": 0, "value": 1}, "is empty"),
        ("INT32", {"valueCount": 2**32, "value": 1}, "0 to 4294967295"),
        ("INT64", {"valueCount": 2**32 - 1, "value": 1}, "the most that is run here"),
        ("INT64", {"valueCount": 2**32 - 1, "valueStart": 1, "valueDelta": 1}, "the most that"),
        ("INT32", {"valueCount": 1.5, "value": 1}, "valueCount is 1.5"),
        ("INT32", {"value": 1}, "has no field valueCount"),
        ("INT32", {"valueCount": 2, "valueStart": 1}, "has no field valueDelta"),
        ("INT32", {"valueCount": 2, "value": 1, "valueStart": 1}, "value and valueStart"),
        ("INT32", {}, "has no value, valueStart or sourcePath"),
        ("INT32", "deferred", "only ONNX models"),
        ("INT32", "later", "expected numbers, an object, or deferred"),
        ("INT32", 3, "is 3, expected numbers"),
        ("INT4", [1], "found INT4"),
        ("FLOAT8", [1], "'FLOAT8', expected one of"),
        ("float32", [1], "'float32', expected one of"),
        ("INT32", {"sourcePath": "a.PNG"}, "a picture"),
        ("INT32", {"sourcePath": 3}, "expected a string"),
        ("INT32", {"sourcePath": "a\0b"}, "not text"),
        ("INT32", {"sourcePath": "\ud800.bin"}, "not text"),
    ],
)
def test_values_that_are_refused(type_name: str, given: Any, reason: str) -> None:
    assert reason in refused(initialValuesDataType=type_name, initialValues=given)


def test_the_type_may_be_missing_only_where_the_values_tell_it() -> None:
    file = npy.write(bytes(4), DataType.UINT16, (2,))
    found = resource({"a.npy": file}, initialValues={"sourcePath": "a.npy"})
    assert (found.values, found.data_type) == (bytes(4), DataType.UINT16)
    assert "expected an object" in refused(initialValues=[1, 2])
    assert "found UNKNOWN" in refused(initialValues={"valueCount": 1, "value": 2})
    assert "found UNKNOWN" in refused({"a.bin": b"1"}, initialValues={"sourcePath": "a.bin"})


def test_a_size_that_is_given_is_taken_as_it_is() -> None:
    given: dict[str, Any] = {"initialValuesDataType": "INT8", "initialValues": [1, 2, 3]}
    assert resource(**given).size_in_bytes == 4
    assert resource(**given, sizeInBytes=3).size_in_bytes == 3
    assert resource(**given, sizeInBytes=10).size_in_bytes == 10
    assert "too small for 3 bytes" in refused(**given, sizeInBytes=2)
    assert "too small" in refused(**given, sizeInBytes=3, initialValuesOffsetInBytes=1)
    assert "leave it out" in refused(**given, sizeInBytes=8, initialValuesOffsetInBytes=4)
    assert "the most that is run here" in refused(**given, sizeInBytes=2**63)


def test_all_resources_together_have_a_limit() -> None:
    large = {
        "initialValuesDataType": "INT8",
        "initialValues": [1],
        "sizeInBytes": 600 * 2**20,
    }
    model = {"resources": {"a": large, "b": large}, "dispatchables": {}, "commands": []}
    with pytest.raises(DxDispatchError, match="the resources need more than"):
        dxdispatch.parse_model(json.dumps(model), no_files)


def saved(array: npt.NDArray[Any], **options: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, **options)
    return file.getvalue()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("type_name", TYPES)
def test_numpys_files_are_read(type_name: str, version: tuple[int, int]) -> None:
    array = np.arange(6).astype(DataType[type_name].dtype).reshape(2, 3)
    assert npy.read("f", saved(array, version=version)) == (array.tobytes(), DataType[type_name])


@pytest.mark.parametrize(
    ("array", "data_type"),
    [
        (np.array([True, False]), DataType.INT8),
        (np.array([1j]), DataType.UNKNOWN),
        (np.zeros(2, "V2"), DataType.UNKNOWN),
        (np.zeros(2, [("a", "i4")]), DataType.UNKNOWN),
        (np.float32(3), DataType.FLOAT32),
    ],
)
def test_the_type_that_the_tool_takes_others_for(array: Any, data_type: DataType) -> None:
    array = np.asarray(array)
    assert npy.read("f", saved(array)) == (array.tobytes(), data_type)


def test_bytes_of_an_unknown_type_take_the_one_that_is_given() -> None:
    files = {"a.npy": saved(np.zeros(2, "V2")), "i.npy": saved(np.zeros(2, np.int16))}
    found = resource(files, initialValuesDataType="UINT16", initialValues={"sourcePath": "a.npy"})
    assert (found.values, found.data_type) == (bytes(4), DataType.UINT16)
    assert "holds INT16, but initialValuesDataType is UINT16" in refused(
        files, initialValuesDataType="UINT16", initialValues={"sourcePath": "i.npy"}
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not a .npy file"),
        (b"\x93NUMPY\x04\x00" + bytes(8), "version 4"),
        (b"\x93NUMPY\x02\x00\x00\x00", "truncated"),
        (b"\x93NUMPY\x01\x00\xff\xffab", "its header is cut off"),
        (b"\x93NUMPY\x01\x00\x03\x00[1]", "not a dictionary"),
        (b"\x93NUMPY\x01\x00\x04\x00((((", "not a dictionary"),
        (saved(np.zeros((2, 3), order="F")), "Fortran order"),
        (saved(np.zeros(3, ">i4")), "big-endian"),
        (saved(np.zeros(3, "<i4"))[:-1], "truncated"),
        (saved(np.zeros(3, "<i4")).replace(b"(3,)", b"-1  "), "its shape is"),
    ],
)
def test_npy_files_that_are_refused(content: bytes, reason: str) -> None:
    with pytest.raises(DxDispatchError, match="the file: ") as caught:
        npy.read("the file", content)
    assert reason in str(caught.value)


@given(st.lists(st.tuples(st.integers(0, 140), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_npy_file_is_an_array_or_one_line(damage: list[tuple[int, int]]) -> None:
    content = bytearray(saved(np.arange(6, dtype=np.int32)))
    for offset, value in damage:
        content[offset] = value
    reason = ""
    try:
        npy.read("f", bytes(content))
    except DxDispatchError as error:
        reason = str(error)
    assert "\n" not in reason


@given(st.sampled_from(TYPES), st.lists(st.integers(0, 4), max_size=4), st.integers(0, 3))
def test_what_is_written_numpy_reads(type_name: str, sizes: list[int], more: int) -> None:
    dtype = DataType[type_name].dtype
    array = np.arange(np.prod(sizes, dtype=int)).astype(dtype).reshape(sizes)
    content = npy.write(array.tobytes() + bytes(more), DataType[type_name], tuple(sizes))
    np.testing.assert_array_equal(np.load(io.BytesIO(content)), array, strict=True)
    assert npy.read("f", content) == (array.tobytes() + bytes(more), DataType[type_name])
