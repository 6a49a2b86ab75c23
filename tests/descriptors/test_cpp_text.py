"""The C++ of `to_cpp`, compiled against a stand-in for DirectML.h, fills the structs."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from dmlindex import (
    DataType,
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
    ScatterElementsOperatorDesc,
    ScatterNDOperatorDesc,
    TensorDesc,
    TensorFlags,
)

STAND_IN = Path(__file__).parents[1] / "cpp" / "directml"
TYPES = {"GATHER": 67, "SCATTER_ELEMENTS": 94, "GATHER_ELEMENTS": 107, "GATHER_ND": 108}
TYPES |= {"SCATTER_ND": 109, "GATHER_ND1": 140}
X = TensorDesc(DataType.FLOAT16, (2, 3), (4, 1), 64, 32, TensorFlags.OWNED_BY_DML)
DESCS: list[Any] = [
    GatherOperatorDesc.infer(X, (1, 2), axis=1, dimension_count=4),
    GatherElementsOperatorDesc.infer((4, 3), (2, 3), data_type=DataType.INT8),
    GatherNDOperatorDesc.infer((3, 4, 5, 6, 7), (1, 1, 1, 2, 3), 5, 3),
    GatherND1OperatorDesc.infer((3, 2, 2), (3, 2, 2), batch_dimension_count=1),
    ScatterElementsOperatorDesc.infer((5,), (4,)),
    ScatterNDOperatorDesc.infer((8, 2), (4, 1)),
    # What is not valid is C++ all the same.
    ScatterNDOperatorDesc(None, TensorDesc(DataType.UINT4, ()), X, None, 2**32 - 1, 0),
    GatherElementsOperatorDesc(
        *(TensorDesc(DataType.INT32, (0,), None, 2**64 - 1, 3, TensorFlags(6)),) * 3, axis=7
    ),
]
SHOW = r"""
#include <DirectML.h>

#include <cstdio>

void show(const DML_TENSOR_DESC* tensor) {
    if (tensor == nullptr) return void(std::puts("none"));
    const auto& desc = *static_cast<const DML_BUFFER_TENSOR_DESC*>(tensor->Desc);
    std::printf("%d %d %d:", tensor->Type, desc.DataType, desc.Flags);
    for (UINT d = 0; d < desc.DimensionCount; ++d) std::printf(" %u", desc.Sizes[d]);
    std::printf(desc.Strides != nullptr ? ", strides" : "");
    for (UINT d = 0; d < desc.DimensionCount && desc.Strides != nullptr; ++d) {
        std::printf(" %u", desc.Strides[d]);
    }
    std::printf(", %llu, %u\n", static_cast<unsigned long long>(desc.TotalTensorSizeInBytes),
                desc.GuaranteedBaseOffsetAlignment);
}

int main() {
"""


def members(desc: Any) -> list[tuple[str, Any]]:
    """By DirectML's names."""
    return [(f.name.title().replace("_", ""), getattr(desc, f.name)) for f in fields(desc)]


def shown(tensor: TensorDesc | None) -> str:
    if tensor is None:
        return "none"
    sizes = "".join(f" {size}" for size in tensor.sizes)
    strides = "".join(f" {stride}" for stride in tensor.strides or ())
    total = 0 if tensor.data_type is DataType.UINT4 else tensor.total_bytes
    return (
        f"1 {int(tensor.data_type)} {int(tensor.flags)}:{sizes}"
        f"{', strides' if strides else ''}{strides}, {total}, "
        f"{tensor.guaranteed_base_offset_alignment}"
    )


def test_the_structs_are_as_the_descs(tmp_path: Path) -> None:
    body, expected = [], []
    for number, desc in enumerate(DESCS):
        name = f"d{number}"
        body += [desc.to_cpp(name), f'std::printf("%d\\n", {name}.Type);']
        expected.append(str(TYPES[desc.operator]))
        for member, value in members(desc):
            field = f"{name}_fields.{member}"
            is_tensor = member.endswith("Tensor")
            body.append(f"show({field});" if is_tensor else f'std::printf("%u\\n", {field});')
            expected.append(shown(value) if is_tensor else str(value))
    source, program = tmp_path / "descs.cpp", tmp_path / "descs"
    source.write_text(SHOW + "\n".join(body) + "\n}\n")
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler here")
    command = [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", f"-I{STAND_IN}"]
    built = subprocess.run([*command, source, "-o", program], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == expected
