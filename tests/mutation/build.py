"""Builds the copy that holds all mutants, without those that do not compile."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pybind11

from tests.mutation.sources import ROOT, Mutant, choose, files, write_copy

MOST_ROUNDS = 60
# GCC's path:line:column: error: … and FXC's path(line,columns): error …
MESSAGE = re.compile(r"^(?:In file included from )?\S*?([\w.]+)[:(](\d+)[:,)]\S* *(\w*)", re.M)


def run(*command: str | Path) -> str:
    """What a command says that fails, else nothing."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr if done.returncode != 0 else ""


def compile_shaders(copy: Path) -> str:
    """As script/shaders does, in the copy, unless nothing has changed there."""
    shaders = sorted((copy / "cpp/d3d12/shaders").glob("*.h*"))
    stamp, inputs = copy / "shaders.stamp", "".join(path.read_text() for path in shaders)
    if stamp.exists() and stamp.read_text() == inputs:
        return ""
    shutil.copytree(ROOT / "script", copy / "script", dirs_exist_ok=True)
    shutil.copy2(ROOT / "apt-packages.txt", copy)
    if not (copy / ".venv").exists():
        (copy / ".venv").symlink_to(sys.prefix)
    said = run(copy / "script/shaders")
    if not said:
        stamp.write_text(inputs)
    return said


def compile_cpp(copy: Path, build: Path, *options: str, target: str = "all") -> str:
    flags = f"-include {ROOT / 'tests/mutation/mutant.hpp'} -w -fmax-errors=0"
    said = run(
        *("cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DDMLINDEX_TESTS=ON", "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=OFF", *options),
        *(f"-DCMAKE_CXX_FLAGS={flags}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG"),
    )
    return said or run("cmake", "--build", build, "--target", target, "--", "-k", "0")


def compile_module(copy: Path, build: Path) -> str:
    """Python's, too, which goes into the copy's package."""
    pybind11_dir = f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"
    python = ("-DDMLINDEX_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", pybind11_dir)
    to = build / "installed"
    install = ("cmake", "--install", build, "--component", "python", "--prefix", to)
    said = compile_cpp(copy, build, *python) or run(*install)
    for module in (to / "dmlindex").glob("*.so"):
        shutil.copy2(module, copy / "python/dmlindex")
    return said


def compile_for_arm(copy: Path, build: Path) -> str:
    """The C++ unit tests for 64-bit Arm, whose kernels are in neon.cpp; qemu runs them."""
    toolchain = f"-DCMAKE_TOOLCHAIN_FILE={copy / 'cmake/aarch64-linux-gnu.cmake'}"
    return compile_cpp(copy, build, toolchain, "-DDMLINDEX_D3D12=OFF", target="dmlindex_tests")


def blamed(said: str, mutants: list[Mutant]) -> list[Mutant]:
    """The mutants on lines with errors, else those that a compiler quotes, else those on lines that
    it speaks of; of several on a line the last."""
    found: dict[bool, dict[tuple[str, int], Mutant]] = {True: {}, False: {}}
    for name, line, kind in MESSAGE.findall(said):
        for mutant in mutants:
            place = (mutant.file, mutant.line)
            if mutant.line == int(line) - 1 and mutant.file.endswith(f"/{name}"):
                found[kind in ("error", "fatal")][place] = mutant
    quoted = {
        (mutant.file, mutant.line): mutant for mutant in mutants if str(mutant.number) in said
    }
    return list((found[True] or quoted or found[False]).values())


def build_mutants(folder: Path, per_file: int, only: list[str]) -> list[Mutant]:
    """Chooses mutants, builds them all, and returns those whose number or file has a part of only.
    Those refused are remembered for the next time."""
    known = folder / "refused.txt"
    folder.mkdir(parents=True, exist_ok=True)
    refused = set(known.read_text().splitlines()) if known.exists() else set()
    for _ in range(MOST_ROUNDS):
        mutants = [mutant for path in files() for mutant in choose(path, per_file, refused)]
        write_copy(folder / "source", mutants)
        print(f"building {len(mutants)} mutants", flush=True)
        asked = [m for m in mutants if any(part in f"{m.number} {m.file}" for part in only)]
        said = compile_shaders(folder / "source")
        said += compile_module(folder / "source", folder / "build")
        if any("neon" in mutant.file for mutant in asked):
            said += compile_for_arm(folder / "source", folder / "aarch64")
        if not said:
            return asked
        bad = blamed(said, mutants)
        if not bad:
            raise SystemExit(f"the mutated copy does not compile:\n{said[-8000:]}")
        print(f"{len(bad)} do not compile: others take their places", flush=True)
        refused |= {mutant.key for mutant in bad}
        known.write_text("".join(f"{key}\n" for key in sorted(refused)))
    raise SystemExit(f"the mutated copy does not compile after {MOST_ROUNDS} rounds")
