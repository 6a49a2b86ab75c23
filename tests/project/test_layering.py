"""The C++ folders depend on each other in one direction only: meaning, then plan, then backends."""

import re
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"

# What the files of a folder may include, beside error.hpp and their own folder.
ALLOWED = {
    "plan": set(),
    "parallel": set(),
    "operators": {"plan", "parallel"},
    "cpu": {"plan", "parallel"},
    "d3d12": {"plan", "parallel"},
    "binding": {"operators", "cpu", "d3d12", "plan", "parallel"},
}
# The rooms of the D3D12 backend, from the ground up, and what their files may include beside their
# own room and backend.hpp, which is all that others see of it.
ROOMS = {
    "shaders": {"generated"},
    "host": set(),
    "memory": {"host", "shaders"},
    "queue": {"memory", "host", "shaders"},
    "encode": {"queue", "memory", "host", "shaders"},
    "device": {"encode", "queue", "memory", "host", "shaders"},
}
OPERATOR_NAMES = re.compile(r"gather_nd|gather_elements|scatter_nd|scatter_elements", re.IGNORECASE)


def sources(*folders: str) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((CPP / folder).rglob("*.[ch]pp"))
        if "generated" not in path.parts
    ]


def includes(path: Path) -> list[str]:
    return re.findall(r'^#\s*include\s+[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(CPP).as_posix()


def test_every_folder_has_a_rule() -> None:
    assert {path.parent.relative_to(CPP).parts[0] for path in CPP.glob("*/*.cpp")} <= set(ALLOWED)


def rooms_included(path: Path) -> list[str]:
    """Of the D3D12 backend, what a file includes: a room, or a file in none."""
    parts = [name.split("/")[1] for name in includes(path) if name.startswith("d3d12/")]
    return [part for part in parts if part != "backend.hpp"]


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_of_d3d12_are_seen_from_above(room: str) -> None:
    found = {p: set(rooms_included(p)) - ROOMS[room] - {room} for p in sources(f"d3d12/{room}")}
    assert not {relative(path): rooms for path, rooms in found.items() if rooms}


def test_d3d12_has_one_door() -> None:
    assert {path.name for path in (CPP / "d3d12").iterdir()} == {*ROOMS, "generated", "backend.hpp"}
    assert set(rooms_included(CPP / "d3d12/backend.hpp")) == {"host"}  # for Adapter
    others = sources(*(ALLOWED.keys() - {"d3d12"}))
    assert not {relative(path): rooms_included(path) for path in others if rooms_included(path)}


@pytest.mark.parametrize("folder", ALLOWED)
def test_includes_point_one_way(folder: str) -> None:
    allowed = ALLOWED[folder] | {folder}
    wrong = [
        f"{relative(path)} includes {name}"
        for path in sources(folder)
        for name in includes(path)
        if name.split("/")[0] in ALLOWED and name.split("/")[0] not in allowed
    ]
    assert not wrong


def test_only_the_binding_sees_python() -> None:
    wrong = [
        f"{relative(path)} includes {name}"
        for path in sources(*(ALLOWED.keys() - {"binding"}))
        for name in includes(path)
        if name.startswith(("pybind11/", "numpy/")) or name == "Python.h"
    ]
    assert not wrong


def test_only_parallel_sees_tbb() -> None:
    wrong = [
        relative(path)
        for path in sources(*(ALLOWED.keys() - {"parallel"}))
        if any(name.startswith(("tbb/", "oneapi/")) for name in includes(path))
    ]
    assert not wrong


def test_no_backend_knows_an_operator() -> None:
    wrong = [
        f"{relative(path)} names {match[0]}"
        for path in sources("cpu", "d3d12", "plan")
        for match in OPERATOR_NAMES.finditer(path.read_text())
    ]
    assert not wrong


def test_only_gil_hpp_lets_go_of_the_gil() -> None:
    """pybind11's own class ends the process where a daemon thread is in it at the very end."""
    wrong = [
        relative(path)
        for path in sources("binding")
        if path.name != "gil.hpp"
        and re.search(r"gil_scoped_release|PyEval_SaveThread|ALLOW_THREADS", path.read_text())
    ]
    assert not wrong


def test_only_errors_cpp_raises_python_exceptions() -> None:
    wrong = [
        relative(path)
        for path in sources("binding")
        if path.name != "errors.cpp" and re.search(r"PyErr_(Format|SetString)", path.read_text())
    ]
    assert not wrong
