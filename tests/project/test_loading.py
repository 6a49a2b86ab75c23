"""Why D3D12 is not there, for every way in which loading it on Linux can fail.

A small audit library (see rtld-audit(7)) sends the dynamic loader to another place for a library:
to one where nothing is, or where another file is.
"""

import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest

AUDIT = """
#define _GNU_SOURCE
#include <link.h>
#include <stdlib.h>
#include <string.h>
unsigned la_version(unsigned version) { return version; }
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
    return strstr(name, getenv("AUDIT_LIBRARY")) ? getenv("AUDIT_FILE") : (char *)name;
}
"""


@pytest.fixture(scope="module", autouse=True)
def _vkd3d(is_vkd3d: bool) -> None:
    if not is_vkd3d:
        pytest.skip("this build's D3D12 is not vkd3d's, or not available")


@pytest.fixture(scope="module")
def audit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    folder = tmp_path_factory.mktemp("audit")
    (folder / "audit.c").write_text(AUDIT)
    library = folder / "audit.so"
    subprocess.run(
        [compiler, "-xc", "-shared", "-fPIC", folder / "audit.c", "-o", library], check=True
    )
    return library


def reason(**environment: str) -> str:
    """What devices() says of D3D12 in a process of its own, where it must not be there."""
    code = """
import dmlindex
last = dmlindex.devices()[-1]
assert (last.kind, last.available) == ("d3d12", False), last
try:
    dmlindex.Device("d3d12")
except dmlindex.DeviceError as error:
    assert last.reason in str(error), error
print(last.reason)
"""
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.count("\n") == 1
    return result.stdout.strip()


@pytest.mark.parametrize(
    ("library", "advice"),
    [("libvulkan.so.1", "libvulkan1"), ("libvkd3d.so.1", "libvkd3d1")],
)
class TestLibrary:
    def test_missing(self, audit: Path, library: str, advice: str) -> None:
        found = reason(LD_AUDIT=str(audit), AUDIT_LIBRARY=library, AUDIT_FILE=f"/nowhere/{library}")
        assert f"{library} is not here: install " in found
        assert advice in found

    def test_damaged(self, tmp_path: Path, library: str, advice: str) -> None:
        (tmp_path / library).write_bytes(b"not a library " * 100)
        found = reason(LD_LIBRARY_PATH=str(tmp_path))
        assert f"{library} is here, but cannot be loaded (" in found
        assert "invalid ELF header" in found
        assert advice in found

    def test_for_another_processor(
        self, tmp_path: Path, audit: Path, library: str, advice: str
    ) -> None:
        """A 32-bit file, which would be passed over if another one were in a later folder."""
        file = tmp_path / library
        ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
        header = struct.pack("<HHIIIIIHHHHHH", 3, 3, 1, 0, 52, 0, 0, 52, 32, 0, 40, 0, 0)
        file.write_bytes(ident + header + bytes(4096))
        found = reason(
            LD_LIBRARY_PATH=str(tmp_path),
            LD_AUDIT=str(audit),
            AUDIT_LIBRARY=library,
            AUDIT_FILE=str(file),
        )
        assert f"{library} is here, but cannot be loaded (" in found
        assert "wrong ELF class" in found
        assert "for the processor type that this Python is built for" in found
        assert advice in found


def test_two_are_told_at_once(tmp_path: Path) -> None:
    for library in ("libvulkan.so.1", "libvkd3d.so.1"):
        (tmp_path / library).write_bytes(b"not a library " * 100)
    found = reason(LD_LIBRARY_PATH=str(tmp_path))
    assert found.count("is here, but cannot be loaded (") == 2
    assert "libvulkan1" in found
    assert "libvkd3d1" in found


def test_what_vkd3d_needs_is_damaged(tmp_path: Path) -> None:
    """The library that cannot be loaded is another one than that which is asked for."""
    shader = tmp_path / "libvkd3d-shader.so.1"
    shader.write_bytes(b"not a library " * 100)
    found = reason(LD_LIBRARY_PATH=str(tmp_path))
    assert f"libvkd3d.so.1 is here, but cannot be loaded ({shader}" in found
    assert "with all that it needs" in found


def test_vkd3d_proton_does_not_do(audit: Path, tmp_path: Path) -> None:
    (tmp_path / "libvkd3d-proton-d3d12.so").touch()
    vkd3d = "libvkd3d.so.1"
    environment = {
        "LD_AUDIT": str(audit),
        "AUDIT_LIBRARY": vkd3d,
        "AUDIT_FILE": f"/nowhere/{vkd3d}",
    }
    assert "proton" not in reason(**environment)
    found = reason(**environment, LD_LIBRARY_PATH=str(tmp_path))
    assert f"{vkd3d} is not here" in found
    assert "libvkd3d-proton-d3d12.so is here, but is no substitute" in found


def test_another_library_by_the_name(tmp_path: Path) -> None:
    empty = tmp_path / "empty.c"
    empty.write_text("int dmlindex_nothing;")
    compiler = shutil.which("cc") or shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C compiler here")
    library = tmp_path / "libvkd3d.so.1"
    subprocess.run([compiler, "-xc", "-shared", "-fPIC", empty, "-o", library], check=True)
    found = reason(LD_LIBRARY_PATH=str(tmp_path))
    assert "libvkd3d.so.1 lacks functions of version 1.2" in found


def test_no_vulkan_driver() -> None:
    found = reason(VK_ICD_FILENAMES="/nowhere.json", VK_DRIVER_FILES="/nowhere.json")
    assert "install a " in found
    assert "driver" in found
    assert "mesa-vulkan-drivers" in found
