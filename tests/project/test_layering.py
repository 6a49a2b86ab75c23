"""The C++ folders depend on each other in one direction only: meaning, then plan, then backends.

And no file is too long to read.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CPP = ROOT / "cpp"
INCLUDE = ROOT / "include"

# What the files of a folder may include, beside their own folder.
ALLOWED = {
    "plan": set(),
    "parallel": set(),
    "operators": {"plan", "parallel"},
    "cpu": {"plan", "parallel"},
    "d3d12": {"plan", "parallel"},
    "binding": {"operators", "cpu", "d3d12", "plan", "parallel"},
    ".": {"operators", "cpu"},  # compile.cpp, behind the public header of that name
}
# The public headers that they may: what is below the descriptors knows none.
PUBLIC = {
    "plan": {"error.hpp"},
    "parallel": {"error.hpp", "threads.hpp"},
    "cpu": {"error.hpp"},
    "d3d12": {"error.hpp"},
}
# The rooms of a folder, from the ground up, and what their files may include beside their own room.
# What lies in no room is "".
ROOMS: dict[str, dict[str, set[str]]] = {
    "operators": {"": set(), "descriptors": {""}},
    "cpu": {"": set(), "kernels": {""}, "run": {"", "kernels"}},
    "d3d12": {
        "": {"host"},  # for Adapter
        "shaders": {"generated"},
        "host": set(),
        "memory": {"host", "shaders"},
        "queue": {"memory", "host", "shaders"},
        "encode": {"", "queue", "memory", "host", "shaders"},
        "device": {"", "encode", "queue", "memory", "host", "shaders"},
    },
    "binding": {
        "python": set(),
        "arrays": {"python"},
        "device": {"python", "arrays"},
        "call": {"python", "arrays", "device"},
        "descriptors": {"python", "arrays", "device", "call"},
        "": {"python", "arrays", "device", "call", "descriptors"},  # module.cpp
    },
}
# All that other folders see of these.
DOORS = {"cpu": {"cpu/backend.hpp"}, "d3d12": {"d3d12/backend.hpp"}}
OPERATOR_NAMES = re.compile(r"gather_nd|gather_elements|scatter_nd|scatter_elements", re.IGNORECASE)


def sources(*folders: str) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted(CPP.glob("*.[ch]pp" if folder == "." else f"{folder}/**/*.[ch]pp"))
        if "generated" not in path.parts
    ]


def includes(path: Path) -> list[str]:
    return re.findall(r'^#\s*include\s+[<"]([^>"]+)[>"]', path.read_text("utf-8"), re.MULTILINE)


def relative(path: Path) -> str:
    return path.relative_to(CPP).as_posix()


def room(name: str) -> str:
    """Of a file's name from its folder on."""
    return "/".join(name.split("/")[1:-1])


def test_every_folder_has_a_rule() -> None:
    assert {path.name for path in CPP.iterdir() if path.is_dir()} | {"."} == set(ALLOWED)


@pytest.mark.parametrize("folder", [folder for folder in ALLOWED if folder != "."])
def test_every_room_has_a_rule(folder: str) -> None:
    found = {room(relative(path)) for path in sources(folder)}
    assert found == set(ROOMS.get(folder, {"": set()}))


@pytest.mark.parametrize(("folder", "own"), [(f, own) for f in ROOMS for own in ROOMS[f]])
def test_rooms_are_seen_from_above(folder: str, own: str) -> None:
    wrong = [
        f"{relative(path)} includes {name}"
        for path in sources(folder)
        if room(relative(path)) == own
        for name in includes(path)
        if name.startswith(f"{folder}/") and room(name) not in ROOMS[folder][own] | {own}
    ]
    assert not wrong


@pytest.mark.parametrize("folder", DOORS)
def test_backends_have_one_door(folder: str) -> None:
    wrong = [
        f"{relative(path)} includes {name}"
        for path in sources(*(ALLOWED.keys() - {folder}))
        for name in includes(path)
        if name.startswith(f"{folder}/") and name not in DOORS[folder]
    ]
    assert not wrong


def test_public_headers_see_each_other_only() -> None:
    wrong = [
        f"{path.name} includes {name}"
        for path in INCLUDE.rglob("*.hpp")
        for name in includes(path)
        if "/" in name and not (INCLUDE / name).exists()
    ]
    assert not wrong


@pytest.mark.parametrize("folder", PUBLIC)
def test_what_is_below_the_descriptors_knows_none(folder: str) -> None:
    wrong = [
        f"{relative(path)} includes {name}"
        for path in sources(folder)
        for name in includes(path)
        if name.startswith("dmlindex") and name.removeprefix("dmlindex/") not in PUBLIC[folder]
    ]
    assert not wrong


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
        for match in OPERATOR_NAMES.finditer(path.read_text("utf-8"))
    ]
    assert not wrong


def test_only_gil_hpp_lets_go_of_the_gil() -> None:
    """pybind11's own class ends the process where a daemon thread is in it at the very end."""
    wrong = [
        relative(path)
        for path in sources("binding")
        if path.name != "gil.hpp"
        and re.search(
            r"gil_scoped_release|PyEval_SaveThread|ALLOW_THREADS", path.read_text("utf-8")
        )
    ]
    assert not wrong


def test_only_errors_cpp_raises_python_exceptions() -> None:
    wrong = [
        relative(path)
        for path in sources("binding")
        if path.name != "errors.cpp"
        and re.search(r"PyErr_(Format|SetString)", path.read_text("utf-8"))
    ]
    assert not wrong


FOLDERS = (".ci", "benchmarks", "cmake", "cpp", "examples", "include", "python", "script", "tests")
SOURCES = {".c", ".cmake", ".cpp", ".h", ".hlsl", ".hlsli", ".hpp", ".py", ".pyi", ""}
# In a file that is written by hand but for some lines.
GENERATED = re.compile(r"^# Generated by .*?^# End of what is generated\.$", re.M | re.S)


def test_no_file_written_by_hand_is_long() -> None:
    files = [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and (path.suffix in SOURCES or path.name == "CMakeLists.txt")
        and not {"generated", "data", "__pycache__"} & set(path.parts)
    ]
    assert len(files) > 400
    lines = {
        path.relative_to(ROOT).as_posix(): GENERATED.sub("", path.read_text("utf-8")).count("\n")
        for path in files
    }
    assert {name: count for name, count in lines.items() if count > 300} == {}
