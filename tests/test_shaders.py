"""The checked-in DXBC was made from the checked-in HLSL. script/shaders --check compares bytes."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

SHADERS = Path(__file__).parents[1] / "cpp/d3d12/shaders"
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
def test_header_was_made_from_these_inputs(kernel: tuple[str, str, str]) -> None:
    text = (GENERATED / f"{kernel[0]}.h").read_text()
    match = re.search(r"^// inputs: ([0-9a-f]{64})$", text, re.MULTILINE)
    assert match is not None
    assert match[1] == build.input_hash(kernel), "run script/shaders and commit what it writes"
    assert "{\n    68,88,66,67," in text, "DXBC begins with its name"


def test_no_header_is_missing_or_left_over() -> None:
    names = {f"{kernel.name}.h" for kernel in KERNELS} | {"kernels.h"}
    assert {path.name for path in GENERATED.iterdir()} == names
    assert (GENERATED / "kernels.h").read_text() == build.list_header(KERNELS)


def test_every_source_is_used() -> None:
    used = {name for kernel in KERNELS for name in build.sources_of(kernel.source)}
    assert {path.name for path in SHADERS.glob("*.hlsl*")} == used
