"""The C++ library installs its public headers, nothing of what is behind them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADERS = ("compile.hpp", "descs.hpp", "error.hpp", "threads.hpp", "validate.hpp")
BESIDE = "dmlindex/directml.hpp"  # for those who have DirectML's own structs
INSTALLED = ("dmlindex.hpp", BESIDE, *(f"dmlindex/{name}" for name in HEADERS))
COMPILER = os.environ.get("CXX", "c++")


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The include folder of an installed library. The library itself is empty."""
    if not all(map(shutil.which, ("cmake", "ninja", COMPILER))):
        pytest.skip("installing takes CMake, Ninja and a C++ compiler")
    build, prefix = tmp_path_factory.mktemp("build"), tmp_path_factory.mktemp("prefix")
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DDMLINDEX_D3D12=OFF"]
    subprocess.run(configure, check=True, capture_output=True)
    (build / "libdmlindex_core.a").touch()
    install = ["cmake", "--install", str(build), "--component", "development"]
    subprocess.run([*install, "--prefix", str(prefix)], check=True, capture_output=True)
    return prefix / "include"


def test_these_headers_are_installed(include: Path) -> None:
    found = {path.relative_to(include).as_posix() for path in include.rglob("*") if path.is_file()}
    assert found == set(INSTALLED)


def test_the_one_header_has_all() -> None:
    text = (ROOT / "include/dmlindex.hpp").read_text("utf-8")
    assert [line for line in text.splitlines() if line.startswith("#include")] == [
        f'#include "dmlindex/{name}"' for name in HEADERS
    ]


@pytest.mark.parametrize("header", INSTALLED)
def test_each_compiles_alone(include: Path, header: str) -> None:
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", f"-I{include}"]
    result = subprocess.run(
        [COMPILER, *flags, "-x", "c++", "-"],
        input=f"#include <{header}>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
