"""write, run here, compare: clean; and an error that is planted is found and explained."""

from __future__ import annotations

import io
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import (
    DataType,
    GatherElementsOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
    TensorFlags,
)
from dmlindex.directml.dxdispatch import (
    Case,
    Comparison,
    DxDispatchError,
    InputFolders,
    compare_model,
    execute,
    npy,
    pack_of,
    parse_model,
    save,
)
from tests.descriptors.desc_strategies import Problem, problems
from tests.descriptors.test_numerics import recorded

Array = npt.NDArray[Any]


def run_in(folder: Path) -> None:
    """What `dmlindex dxdispatch run` writes."""
    for path in sorted(folder.glob("*.json")):
        model = parse_model(path.read_text("ascii"), InputFolders(folder).read)
        for target, content in execute(model).files.items():
            (folder / target).parent.mkdir(exist_ok=True)
            (folder / target).write_bytes(content)


def compared(folder: Path) -> list[Comparison]:
    return [
        comparison
        for path in sorted(folder.glob("*.json"))
        for comparison in compare_model(path.name, path.read_text("ascii"), folder)
    ]


def change(path: Path, element: int, value: Any) -> Array:
    """Writes another element into a .npy file; its buffer as it was before."""
    data, data_type = npy.read(path.name, path.read_bytes())
    buffer = np.frombuffer(data, data_type.dtype).copy()
    before = buffer.copy()
    buffer[element] = value
    path.write_bytes(npy.write(buffer.tobytes(), data_type, buffer.shape))
    return before


@given(problem=problems(), data=st.data())
def test_a_byte_that_is_planted_is_found(problem: Problem, data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        save(folder, pack_of([Case("case", problem.desc, problem.buffers)], "A case"))
        run_in(folder)
        assert [comparison.outcome for comparison in compared(folder)] == ["same"]

        path = folder / "actual/case.npy"
        content = bytearray(path.read_bytes())
        size = len(npy.read("", bytes(content))[0])
        byte = data.draw(st.integers(0, size - 1))
        content[len(content) - size + byte] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        (found,) = compared(folder)
        assert found.outcome in ("differs", "order")
        element = byte // problem.desc.output_tensor.data_type.dtype.itemsize
        assert f"; the first: {name_of(problem.desc.output_tensor, element)}: " in found.words
        assert found.words.startswith("1 of ")
        assert "\n" not in found.words


def name_of(tensor: TensorDesc, element: int) -> str:
    strides = tensor.strides or TensorDesc(tensor.data_type, tensor.sizes).element_strides
    for p in np.ndindex(tensor.sizes):
        if sum(i * stride for i, stride in zip(p, strides, strict=True)) == element:
            return f"output[{', '.join(map(str, p))}]"
    return f"element {element} of the buffer"


def test_what_directml_left_compares_clean() -> None:
    """Every 8th recorded call: as expected, but for the order of updates of one element."""
    outcomes: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        calls = list(recorded())[::8]
        cases = [Case(f"case{i}", desc, tuple(inputs)) for i, (desc, inputs, _) in enumerate(calls)]
        files = pack_of(cases, "Recorded calls")
        for i, (_, _, output) in enumerate(calls):
            data, data_type = npy.read("", files[PurePosixPath(f"expected/case{i}.npy")])
            left = output.tobytes() + data[output.nbytes :]  # the last bytes are of no element
            files[PurePosixPath(f"actual/case{i}.npy")] = npy.write(left, data_type, (1,))
        save(folder, files)
        outcomes.update(comparison.outcome for comparison in compared(folder))
    assert set(outcomes) <= {"same", "order"}
    assert outcomes["same"] > 450


ROWS = np.array([[10, 11, 12], [20, 21, 22]], np.int32)


def packed_case(tmp_path: Path, desc: Any, *inputs: Array) -> Path:
    """The folder of a case that was run."""
    save(tmp_path / "case", pack_of([Case("case", desc, inputs)], "A case"))
    run_in(tmp_path / "case")
    return tmp_path / "case/actual/case.npy"


def words(path: Path) -> str:
    (comparison,) = compared(path.parents[1])
    assert comparison.outcome == "differs"
    return comparison.words


def test_an_index_past_its_axis_and_the_mode_that_was_found(tmp_path: Path) -> None:
    indices = np.array([[3, 0], [3, -4]])
    desc = GatherElementsOperatorDesc.infer(ROWS, indices, axis=1)
    path = packed_case(tmp_path, desc, ROWS, indices)
    assert change(path, 0, 12).tolist() == [20, 10, 22, 12]
    assert words(path) == (
        "1 of 4 elements differ (an index past its axis 1); the first: output[0, 0]: expected 20, "
        "found 12; an index past its axis: 3, for axis 1 of size 3; DirectML reads element 3 of "
        "the input; the machine does what mode clamp does"
    )
    change(path, 0, 0)
    assert words(path).endswith("the machine does what mode fill (0) does")
    change(path, 0, 11)
    assert words(path).endswith(
        "DirectML reads element 3 of the input; the machine has what is at element 1"
    )
    change(path, 0, 99)
    assert words(path).endswith("DirectML reads element 3 of the input")
    change(path, 0, 20)
    change(path, 1, np.frombuffer(b"\xa5" * 4, np.int32)[0])
    assert "(no cause known 1)" in words(path)
    assert words(path).endswith("the machine left what was there before")


def test_padding_that_a_gather_wrote(tmp_path: Path) -> None:
    x, i = TensorDesc(DataType.INT32, (2, 3)), TensorDesc(DataType.INT64, (2, 1))
    y = TensorDesc(DataType.INT32, (2, 1), strides=(2, 1))
    desc = GatherElementsOperatorDesc(x, i, y, axis=1)
    path = packed_case(tmp_path, desc, ROWS, np.zeros((2, 1), np.int64))
    change(path, 1, 0)
    assert "1 of 3 elements differ (padding bytes 1)" in words(path)
    assert "element 1 of the buffer: expected -1515870811, found 0; padding bytes" in words(path)


def test_the_order_of_duplicates(tmp_path: Path) -> None:
    indices, updates = np.array([[1, 1, 0]]), np.array([[7, 8, 9]], np.int32)
    table = ROWS[:1]
    desc = ScatterElementsOperatorDesc.infer(table, indices, axis=1)
    path = packed_case(tmp_path, desc, table, indices, updates)
    assert change(path, 1, 7).tolist() == [9, 8, 12]
    (comparison,) = compared(path.parents[1])
    assert comparison.outcome == "order"
    assert comparison.words.endswith(
        "duplicate order: 2 updates (updates[0, 0], updates[0, 1]) go there, and DirectML promises "
        "no order: the machine has updates[0, 0]"
    )
    change(path, 1, 6)
    assert words(path).endswith("the machine has none of them")
    change(path, 1, 7)
    change(path, 2, 6)  # which no order explains
    assert words(path).startswith("2 of 3 elements differ")


def test_an_update_that_was_dropped_or_went_elsewhere(tmp_path: Path) -> None:
    indices, updates = np.array([[3], [2]]), np.array([[7], [8]], np.int32)
    desc = ScatterElementsOperatorDesc.infer(ROWS, indices, axis=1)
    path = packed_case(tmp_path, desc, ROWS, indices, updates)
    assert change(path, 3, 20).tolist() == [10, 11, 12, 7, 21, 8]
    assert words(path).endswith(
        "output[1, 0]: expected 7, found 20; an index past its axis: 3, for axis 1 of size 3; "
        "updates[0, 0] goes there; the machine did not write it"
    )
    change(path, 3, 7)
    change(path, 2, 7)
    assert words(path).endswith(
        "output[0, 2]: expected 12, found 7; no update goes there, so that it stays as it was; the "
        "machine has updates[0, 0]: an index past its axis: 3, for axis 1 of size 3; DirectML "
        "sends it to element 3"
    )


def test_an_update_that_directml_drops(tmp_path: Path) -> None:
    indices, updates = np.array([[0, 9], [0, 1]]), np.array([7, 8], np.int32)
    desc = ScatterNDOperatorDesc.infer(ROWS, indices)
    path = packed_case(tmp_path, desc, ROWS, indices, updates)
    change(path, 5, 7)
    assert words(path).endswith("9, for axis 1 of size 3; DirectML drops it")


def test_bits_of_a_nan_count(tmp_path: Path) -> None:
    rows = np.array([0x7F800001, 0x7FC00000], np.uint32).view(np.float32)
    desc = GatherElementsOperatorDesc.infer(rows, np.array([0, 1]))
    path = packed_case(tmp_path, desc, rows, np.array([0, 1]))
    change(path, 0, rows[1])
    assert "expected nan (bits 0x7f800001), found nan (bits 0x7fc00000)" in words(path)


def test_a_file_of_another_length(tmp_path: Path) -> None:
    desc = GatherElementsOperatorDesc.infer(
        ROWS, ROWS * 0, axis=1, indices_data_type=DataType.INT32
    )
    path = packed_case(tmp_path, desc, ROWS, ROWS * 0)
    path.write_bytes(npy.write(bytes(20), DataType.INT32, (5,)))
    assert words(path) == "has 20 bytes, expected 24"
    path.unlink()
    (comparison,) = compared(path.parents[1])
    assert comparison.outcome == "missing"


def test_inputs_that_directml_owns_are_bound_at_the_dispatchable(tmp_path: Path) -> None:
    x = TensorDesc(DataType.INT32, (2, 3), flags=TensorFlags.OWNED_BY_DML)
    desc = GatherElementsOperatorDesc.infer(x, (2, 2), axis=1)
    path = packed_case(tmp_path, desc, ROWS, np.ones((2, 2), np.int64))
    np.testing.assert_array_equal(np.load(path), [[11, 11], [21, 21]])
    assert '"bindings": {"InputTensor": "case.input"}}' in path.parents[1].joinpath(
        "model.json"
    ).read_text("ascii")


def test_numpy_reads_all_files_of_a_pack() -> None:
    desc = GatherElementsOperatorDesc.infer(ROWS, (2, 2), axis=1)
    files = pack_of([Case("case", desc, (ROWS, np.zeros((2, 2), np.int64)))], "A case")
    arrays = {
        str(path): np.load(io.BytesIO(content))
        for path, content in files.items()
        if path.suffix == ".npy"
    }
    np.testing.assert_array_equal(arrays["inputs/case.input.npy"].reshape(2, 3), ROWS)
    np.testing.assert_array_equal(arrays["expected/case.npy"], [[10, 10], [20, 20]])
    readme = files[PurePosixPath("README.md")].decode()
    assert "dxdispatch.exe model.json" in readme
    assert "python -m dmlindex dxdispatch compare ." in readme


@pytest.mark.parametrize(
    ("name", "inputs", "reason"),
    [
        ("case", (ROWS,), "case: 1 arrays, expected 2: InputTensor, IndicesTensor"),
        ("case", (ROWS, ROWS[:, :2]), "case.indices: an array of int32, expected int64"),
        ("case", (ROWS, np.zeros((2, 3), int)), "an array of shape [2, 3], expected [2, 2] or one"),
        ("case", (ROWS[0], np.zeros((2, 2), int)), "one dimension of 6 elements or more"),
        ("a/b", (ROWS, np.zeros((2, 2), int)), "'a/b', expected letters, digits, _ and -"),
        ("..", (ROWS, np.zeros((2, 2), int)), "'..', expected letters"),
    ],
)
def test_cases_that_are_refused(name: str, inputs: Any, reason: str) -> None:
    desc = GatherElementsOperatorDesc.infer(ROWS, (2, 2), axis=1)
    with pytest.raises(DxDispatchError) as caught:
        pack_of([Case(name, desc, inputs)], "A case")
    assert reason in str(caught.value)


def test_descs_that_are_not_valid_and_equal_names_are_refused() -> None:
    desc = GatherElementsOperatorDesc.infer(ROWS, (2, 2), axis=1)
    case = Case("case", desc, (ROWS, np.zeros((2, 2), int)))
    with pytest.raises(DxDispatchError, match="two cases are called 'case'"):
        pack_of([case, case], "Two")
    wrong = replace(desc, axis=2)
    with pytest.raises(DxDispatchError, match="case: GATHER_ELEMENTS: axis is 2"):
        pack_of([Case("case", wrong, case.inputs)], "Wrong")
