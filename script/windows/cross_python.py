"""Make a folder with a Windows CPython to run, and what compiling modules for it takes.

usage: cross_python.py FOLDER EMBEDDED.zip BUILD_NUMPY.whl

EMBEDDED.zip holds Windows' embeddable CPython, in a folder of its own. The headers are those of the
Python that runs this, which must be of the same version, with a pyconfig.h for Windows; the import
library is made of what the DLL exports; and BUILD_NUMPY.whl, for Windows, brings NumPy's headers.

    python/    python.exe, which also looks for packages in python/site-packages
    include/   CPython's headers
    numpy/     NumPy's headers
    lib/       the import library
"""

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

TOOLS = "x86_64-w64-mingw32-"


def unpack(archive: Path, inside: str, folder: Path) -> None:
    """The files below a folder of the archive."""
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            if name.startswith(inside) and not name.endswith("/"):
                target = folder / name.removeprefix(inside)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(files.read(name))


def exported_names(dll: Path) -> list[str]:
    command = [f"{TOOLS}objdump", "-p", dll]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table = told.partition("[Ordinal/Name Pointer] Table")[2]
    return re.findall(r"^\s+\[\s*\d+\].* ([A-Za-z_]\w*)$", table, re.MULTILINE)


def make_import_library(dll: Path, library: Path) -> None:
    library.parent.mkdir()
    definition = library.with_suffix(".def")
    names = exported_names(dll)
    definition.write_text("\n".join([f"LIBRARY {dll.name}", "EXPORTS", *names, ""]))
    subprocess.run([f"{TOOLS}dlltool", "-d", definition, "-l", library], check=True)


def make_empty_libraries(folder: Path) -> None:
    """CMake hands on what this machine's Python wants to be linked with, such as -ldl."""
    for option in (sysconfig.get_config_var("LIBS") or "").split():
        if option.startswith("-l"):
            library = folder / f"lib{option.removeprefix('-l')}.a"
            subprocess.run([f"{TOOLS}ar", "rcs", library], check=True)


def main(folder: Path, embedded: Path, numpy: Path) -> None:
    version = "{}{}".format(*sys.version_info)
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python"
    unpack(embedded, f"cp{version}/", python)
    # It would leave out site-packages, and the current folder of `python -m`.
    (python / f"python{version}._pth").unlink()
    library = folder / "lib" / f"libpython{version}.dll.a"
    make_import_library(python / f"python{version}.dll", library)
    make_empty_libraries(folder / "lib")
    shutil.copytree(sysconfig.get_path("include"), folder / "include")
    shutil.copy2(Path(__file__).with_name("pyconfig.h"), folder / "include")
    unpack(numpy, "numpy/_core/include/", folder / "numpy")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
