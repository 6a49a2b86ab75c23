"""The checked-in DXBC was made from the checked-in HLSL. script/shaders --check compares bytes."""

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SHADERS = ROOT / "cpp/d3d12/shaders"
GENERATED = SHADERS.parent / "generated"


def load_build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_shaders", SHADERS / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


build = load_build()
KERNELS = build.read_kernels()


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_code_was_made_from_these_inputs(kernel: Any) -> None:
    first, _, words = (GENERATED / f"{kernel.name}.inc").read_text("utf-8").partition("\n")
    assert first == f"// inputs: {build.input_hash(kernel)}", (
        "run script/shaders and commit what it writes"
    )
    magic, *_, bytes_in_all = [int(word, 0) for word in words.split(",")[:7]]
    assert magic == int.from_bytes(b"DXBC", "little")
    assert bytes_in_all == 4 * len(words.split(","))


def test_no_file_is_missing_or_left_over() -> None:
    names = {f"{kernel.name}.inc" for kernel in KERNELS} | {"kernels.hpp", "codes.inc"}
    assert {path.name for path in GENERATED.iterdir()} == names
    assert (GENERATED / "kernels.hpp").read_text("utf-8") == build.kernel_list(KERNELS)
    assert (GENERATED / "codes.inc").read_text("utf-8") == build.code_list(KERNELS)


def test_every_source_is_used() -> None:
    used = {name for kernel in KERNELS for name in build.sources_of(kernel.source)}
    assert {path.name for pattern in ("*.hlsl*", "*.h") for path in SHADERS.glob(pattern)} == used


def test_git_knows_what_is_generated() -> None:
    attributes = (ROOT / ".gitattributes").read_text("utf-8")
    assert "\ncpp/d3d12/generated/** linguist-generated -diff text eol=lf\n" in attributes
