"""The conformance pack: what it covers, that it is the same each time, and that it comes clean."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.directml.addresses import addresses, lookup
from dmlindex.directml.dxdispatch import conformance_pack, save
from dmlindex.directml.dxdispatch.conformance import (
    DATA_TYPES,
    INDEX_TYPES,
    KINDS,
    LAYOUTS,
    conformance_cases,
)
from dmlindex.directml.tensor import TensorDesc
from tests.dxdispatch.test_round_trip import compared, run_in

Array = npt.NDArray[Any]
CASES = [case for cases in conformance_cases().values() for case in cases]
OPERATORS = [
    "GATHER",
    "GATHER_ELEMENTS",
    "GATHER_ND",
    "GATHER_ND1",
    "SCATTER_ELEMENTS",
    "SCATTER_ND",
]


def test_every_operator_meets_every_type_layout_and_kind_of_index() -> None:
    met = Counter(
        (case.desc.operator, each)
        for case in CASES
        for each in (
            case.desc.input_tensor.data_type,
            case.desc.indices_tensor.data_type.name,
            *(name for name in (*LAYOUTS, *KINDS) if name in case.about),
            *[len(case.desc.input_tensor.sizes)],
        )
    )
    wanted = [*DATA_TYPES, *(t.name for t in INDEX_TYPES), *LAYOUTS, *KINDS]
    assert [pair for pair in itertools.product(OPERATORS, wanted) if not met[pair]] == []
    assert {rank for _, rank in met if isinstance(rank, int)} >= {1, 2, 3, 4, 8}
    assert 300 <= len(CASES) <= 500


def test_all_descs_are_valid_and_every_name_its_own() -> None:
    assert [case.name for case in CASES if case.desc.violations()] == []
    assert len({case.name for case in CASES}) == len(CASES)


def test_indices_go_past_their_axes_both_ways() -> None:
    for operator in OPERATORS:
        past = before = 0
        for case in CASES:
            if case.desc.operator == operator:
                sizes = [coordinate.size for coordinate in lookup(case.desc).coordinates]
                past += int((case.inputs[1] >= max(sizes)).any())
                before += int((case.inputs[1] < -max(sizes)).any())
        assert past >= 10, operator
        assert before >= 5, operator


def laid_out(tensor: TensorDesc, buffer: Array) -> Array:
    """The tensor in its buffer."""
    strides = tuple(stride * buffer.itemsize for stride in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(buffer.reshape(-1), tensor.sizes, strides)


def test_only_two_cases_depend_on_the_order_of_updates() -> None:
    found = []
    for case in CASES:
        if len(case.inputs) < 3:
            continue
        to = lookup(case.desc)
        indices = laid_out(case.desc.indices_tensor, case.inputs[1])
        targets = addresses(to, indices).values.reshape(-1)
        updates = laid_out(case.desc.updates_tensor, case.inputs[2]).reshape(-1)
        written = targets < to.held
        pairs = set(zip(targets[written].tolist(), updates[written].tolist(), strict=True))
        if len(pairs) > len({target for target, _ in pairs}):
            found.append(case.name)
    assert found == ["scatter_elements_int32_order", "scatter_nd_int32_order"]


def test_the_pack_is_the_same_each_time_and_comes_clean(tmp_path: Path) -> None:
    files = conformance_pack()
    assert files == conformance_pack()
    assert sum(map(len, files.values())) < 2**20
    save(tmp_path / "pack", files)
    run_in(tmp_path / "pack")
    comparisons = compared(tmp_path / "pack")
    assert Counter(comparison.outcome for comparison in comparisons) == {"same": len(CASES)}
    assert b"dxdispatch.exe" in (tmp_path / "pack/run.cmd").read_bytes()
    assert b"\r\n" in (tmp_path / "pack/run.cmd").read_bytes()
