"""What DirectML leaves undefined, found in the data: `audit`, `find_duplicates`, and addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmlindex import (
    DataType,
    DescriptorError,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
    reference,
)
from dmlindex.directml import Finding
from dmlindex.directml.addresses import addresses, lookup
from dmlindex.reference import directml
from tests.descriptors.desc_strategies import Array, Problem, problems

scatters = problems("SCATTER_ELEMENTS") | problems("SCATTER_ND")


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def of_rule(findings: list[Finding], rule: str) -> list[Finding]:
    return [finding for finding in findings if finding.rule == rule]


def targets(problem: Problem) -> list[int]:
    """By the rule in plain loops, the addresses of the items in C order."""
    indices = problem.buffers[1].reshape(-1)
    return [address for _, address in directml.addresses(problem.desc, indices)]


@given(problem=problems())
def test_addresses_are_those_of_the_rule(problem: Problem) -> None:
    found = addresses(lookup(problem.desc), problem.views()[1])
    assert found.values.reshape(-1).tolist() == targets(problem)


@given(problem=scatters)
def test_duplicates_are_those_of_the_rule(problem: Problem) -> None:
    desc, all_targets = problem.desc, targets(problem)
    held = desc.output_tensor.total_bytes // desc.output_tensor.data_type.dtype.itemsize
    expected = [
        position
        for position, target in enumerate(all_targets)
        if target < held and target in all_targets[position + 1 :]
    ]
    for mode in (None, "directml"):
        found = desc.find_duplicates(problem.buffers[1], mode)
        assert found.dtype == np.int64
        assert found.tolist() == expected


@given(problem=scatters, mode=st.sampled_from(["raise", "clamp", "wrap", "drop"]))
def test_duplicates_change_nothing(problem: Problem, mode: str) -> None:
    """Without what find_duplicates names, the output is the same; the next to go changes it."""
    desc = problem.desc
    try:
        found = desc.find_duplicates(problem.buffers[1], mode)
    except IndexError:
        assert mode == "raise"
        return
    x, i, u = problem.views()
    stamps = np.arange(1, u.size + 1).reshape(u.shape)  # each update knows its position
    zeros: Array = np.zeros(x.shape, np.int64)
    kept = set(problem.natural(zeros, i, stamps, mode=mode).reshape(-1).tolist()) - {0}
    gone = set((found + 1).tolist())
    assert kept.isdisjoint(gone)
    if mode in ("raise", "clamp", "wrap"):
        assert kept | gone == set(range(1, u.size + 1))


@given(problem=problems())
def test_a_clean_audit_means_one_answer(problem: Problem) -> None:
    """Without findings no index is out of range, and the order of updates does not count."""
    desc, (x, i, *updates) = problem.desc, problem.views()
    findings = desc.audit(*problem.buffers, limit=None)
    size_of_finding = {finding.count for finding in findings}
    assert size_of_finding <= {1}
    try:
        problem.natural(x, i, *updates, mode="raise")
        raised = False
    except IndexError:
        raised = True
    assert raised == ("index-out-of-range" in rules(findings))
    past = [a for a in targets(problem) if a > lookup(desc).last]
    assert len(of_rule(findings, "past-the-end")) == len(past)
    if updates and not raised and "duplicate-targets" not in rules(findings):
        turned = reference.run(desc, *problem.buffers, mode="directml")
        seen: dict[int, bytes] = {}
        for target, value in zip(targets(problem), updates[0].reshape(-1), strict=True):
            assert seen.setdefault(target, value.tobytes()) == value.tobytes()
        assert turned.dtype == x.dtype


X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_where_an_index_past_a_row_leads() -> None:
    i = np.array([[3, -4], [0, 1]])
    found = GatherElementsOperatorDesc.infer(X, i, 1).audit(X, i)
    assert list(map(str, found[:2])) == [
        "GATHER_ELEMENTS: indices[0, 0] is 3, out of range for axis 1 of size 3: "
        "output[0, 0] is input[1, 0] [index-out-of-range]",
        "GATHER_ELEMENTS: indices[0, 1] is -4, out of range for axis 1 of size 3: "
        "output[0, 1] is the last element, input[1, 2] [index-out-of-range]",
    ]
    assert [(f.tensor, f.position, f.address) for f in found] == [
        ("indices", (0, 0), 3),
        ("indices", (0, 1), 2**32 - 1),
        ("output", (0, 1), 2**32 - 1),  # wraps
        ("output", (0, 1), 2**32 - 1),  # and is behind the last
    ]
    assert [f.rule for f in found[2:]] == ["address-wraps", "past-the-end"]


def test_only_the_low_bits_of_an_index_count() -> None:
    i = np.array([2**32 + 1])
    found = GatherOperatorDesc.infer(X, i).audit(X, i)
    assert rules(found) == {"index-out-of-range", "address-wraps"}
    assert found[0].result == "output[0, 0] (and 2 elements more) is input[1, 0]"


def test_where_a_scatter_writes() -> None:
    i, u = np.array([[3], [-1]]), np.array([[7], [8]], np.float32)
    desc = ScatterElementsOperatorDesc.infer(X, i, u, 1)
    assert [str(f) for f in desc.audit(X, i, u)] == [
        "SCATTER_ELEMENTS: indices[0, 0] is 3, out of range for axis 1 of size 3: "
        "updates[0, 0] is written to output[1, 0] [index-out-of-range]"
    ]
    i[0] = 6
    assert "is written nowhere: address 6 is behind the last, 5" in str(desc.audit(X, i, u)[0])
    assert desc.find_duplicates(np.array([[3], [0]])).tolist() == [0]
    assert desc.find_duplicates(np.array([[3], [0]]), "drop").tolist() == []


def test_updates_that_differ() -> None:
    i = np.array([[1], [0], [1], [1]])
    u = np.array([[1, 5], [2, 6], [3, 5], [1, 5]], np.float32)
    desc = ScatterNDOperatorDesc.infer((4, 2), i, u)
    found = desc.audit(np.zeros((4, 2), np.float32), i, u)
    assert [str(f) for f in found] == [
        "SCATTER_ND: updates[0, 0] is 1.0, and updates[2, 0] = 3.0, updates[3, 0] = 1.0: for one "
        "element: any of them may be in output[1, 0] [duplicate-targets]"
    ]
    assert desc.find_duplicates(i).tolist() == [0, 1, 4, 5]


def test_slices_that_meet_in_a_part() -> None:
    """Out of range a slice may begin inside another's."""
    desc = ScatterNDOperatorDesc.infer((2, 3), (2, 1), data_type=DataType.INT8)
    tensor = TensorDesc(DataType.INT8, (2, 3), strides=(2, 1), total_tensor_size_in_bytes=12)
    wide = GatherOperatorDesc.infer(tensor, (1,)).audit(np.zeros(12, np.int8), np.array([5]))
    assert wide[0].result == "output[0, 0] (and 2 elements more) is input's padding, element 10"
    assert desc.find_duplicates([[0], [1]]).tolist() == []


def test_no_more_than_the_limit() -> None:
    i = np.full(10, 9)
    desc = GatherOperatorDesc.infer((4,), i)
    x = np.zeros(4, np.float32)
    found = of_rule(desc.audit(x, i, limit=3), "index-out-of-range")
    assert [f.count for f in found] == [1, 1, 1, 7]
    assert str(found[-1]) == "GATHER: 7 more in indices [index-out-of-range]"
    assert len(of_rule(desc.audit(x, i, limit=None), "past-the-end")) == 10
    assert len(desc.audit(x, i, limit=9)) == len(desc.audit(x, i, limit=10)) == 20
    with pytest.raises(ValueError, match="limit is -1"):
        desc.audit(x, i, limit=-1)


def test_buffers_that_directml_does_not_bind() -> None:
    memory = np.zeros(64, np.uint8)
    begin = -memory.ctypes.data % 16
    x, i = memory[begin + 4 : begin + 9], np.array([0])
    found = GatherOperatorDesc.infer(x, i).audit(x, i)
    assert [str(f) for f in found] == [
        "GATHER: input begins 4 bytes behind a multiple of 16: DirectML binds no buffer there "
        "[buffer-alignment]",
        "GATHER: input holds 5 bytes, less than the total size, 8: DirectML binds no buffer so "
        "short [buffer-size]",
    ]
    aligned = TensorDesc(DataType.UINT8, (4,), guaranteed_base_offset_alignment=32)
    desc = GatherOperatorDesc.infer(aligned, (1,))
    first = -memory.ctypes.data % 32
    places = [memory[begin : begin + 4] for begin in (first, first + 16)]
    assert [len(desc.audit(place, i)) for place in places] == [0, 1]


def test_a_result_without_dims() -> None:
    """The one item of a vector's element."""
    i = np.array(7)
    desc = GatherOperatorDesc.infer((4,), i)
    assert desc.audit(np.zeros(4, np.float32), i)[0].position == (0,)
    pair = np.array([[0, 9]])
    desc_nd: Any = GatherND1OperatorDesc.infer((2, 3), pair[0])
    assert desc_nd.audit(X, pair)[0].position == (0, 1)


def test_what_is_no_call() -> None:
    desc = GatherOperatorDesc.infer((4,), (2,))
    x, i = np.zeros(4, np.float32), np.array([0, 1])
    with pytest.raises(TypeError, match="it is a gather"):
        desc.audit(x, i, x)
    with pytest.raises(ValueError, match="GATHER: input has shape"):
        desc.audit(x[:3], i)
    with pytest.raises(TypeError, match="GATHER: indices has dtype int32"):
        desc.audit(x, i.astype(np.int32))
    with pytest.raises(TypeError, match="updates are missing"):
        ScatterElementsOperatorDesc.infer((4,), (2,)).audit(x, i)
    with pytest.raises(DescriptorError):
        GatherOperatorDesc(None, None, None, 0, 0).audit(x, i)
    scatter = ScatterElementsOperatorDesc.infer((4,), (2,))
    with pytest.raises(IndexError, match=r"find_duplicates: indices\[0\] = 9"):
        scatter.find_duplicates([9, 0], "raise")
    with pytest.raises(ValueError, match="mode"):
        scatter.find_duplicates([9, 0], "fill")  # type: ignore[arg-type]


def test_the_first_address_behind_the_table() -> None:
    """Nothing is written there, so that no update is overwritten."""
    desc = ScatterElementsOperatorDesc.infer((4,), (2,))
    assert desc.find_duplicates([4, 4]).tolist() == []
    assert desc.find_duplicates([3, 3]).tolist() == [0]
    cut = TensorDesc(DataType.INT16, (3,), total_tensor_size_in_bytes=9)  # its fifth is cut off
    desc = ScatterElementsOperatorDesc(cut, TensorDesc(DataType.INT64, (2,)), None, cut, 0)
    updates = TensorDesc(DataType.INT16, (2,))
    desc = replace(desc, updates_tensor=updates)
    assert desc.find_duplicates([3, 3]).tolist() == [0]
    assert desc.find_duplicates([4, 4]).tolist() == []


def test_products_that_wrap() -> None:
    wide = TensorDesc(DataType.UINT8, (2,), strides=(2**31,))
    found = addresses(lookup(GatherOperatorDesc.infer(wide, (4,))), np.array([1, 2, 3, -1]))
    assert found.values.tolist() == [2**31, 0, 2**31, 2**31]
    assert found.wrapped.tolist() == [False, True, True, False]
