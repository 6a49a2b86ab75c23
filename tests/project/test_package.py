"""The package as installed: its stub, its documentation's examples, its version, its layout."""

import ast
import doctest
import importlib
import importlib.metadata
import inspect
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import dmlindex
from dmlindex import _core

ROOT = Path(__file__).parents[2]
STUB = ast.parse((ROOT / "python/dmlindex/_core.pyi").read_text("utf-8"))
PUBLIC = [name for name in dmlindex.__all__ if name != "__version__"]
PUBLIC_FUNCTIONS = [
    node for node in STUB.body if isinstance(node, ast.FunctionDef) and node.name in PUBLIC
]
PACKAGE = Path(dmlindex.__file__).parent
MODULES = [  # but the command line, whose tests run it
    ".".join(("dmlindex", *path.relative_to(PACKAGE).with_suffix("").parts))
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name not in ("__init__.py", "__main__.py")
    and (path.parent.name != "cli" or path.name == "files.py")
    and not path.name.endswith("_peer.py")  # libraries that tests do not install
] + [f"dmlindex.{name}" for name in ("demo", "reference", "testing")]


def test_stub_agrees_with_the_module() -> None:
    if "this build has no D3D12" in dmlindex.devices()[-1].reason:
        pytest.skip("the stub is that of a build with D3D12")
    result = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "dmlindex._core"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("function", PUBLIC_FUNCTIONS, ids=lambda node: node.name)
def test_signature_is_the_stubs(function: ast.FunctionDef) -> None:
    """help() and editors see the same parameters and defaults that type checkers do."""
    for argument in [*function.args.args, *function.args.kwonlyargs]:
        argument.annotation = None
    names = [argument.arg for argument in function.args.kwonlyargs]
    if "out" in names:  # the overload for calls with out wants it
        function.args.kw_defaults[names.index("out")] = ast.Constant(None)
    found = inspect.signature(getattr(_core, function.name))
    parameters = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in found.parameters.values()
    ]
    assert str(found.replace(parameters=parameters, return_annotation=inspect.Signature.empty)) == (
        f"({ast.unparse(function.args)})"
    )


@pytest.mark.parametrize("name", ["dmlindex", *MODULES])
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module(name)
    public = {name: getattr(dmlindex, name) for name in dmlindex.__all__}
    names = public | vars(module)  # an example may use all that the package exports
    result = doctest.testmod(module, globs=names, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_are_documented(name: str) -> None:
    documentation = inspect.getdoc(getattr(dmlindex, name))
    assert documentation, f"dmlindex.{name} has no docstring"


@pytest.mark.parametrize("function", PUBLIC_FUNCTIONS, ids=lambda node: node.name)
def test_examples_of_compiled_functions(function: ast.FunctionDef) -> None:
    """doctest.testmod passes over functions that are not written in Python."""
    documentation = inspect.getdoc(getattr(_core, function.name)) or ""
    test = doctest.DocTestParser().get_doctest(documentation, {}, function.name, None, None)
    assert test.examples, f"dmlindex.{function.name} has no example"
    assert doctest.DocTestRunner().run(test).failed == 0


def python(code: str) -> str:
    """What a fresh interpreter prints."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_modules_are_imported_at_first_use() -> None:
    code = (
        "import importlib, numpy, sys; before = set(sys.modules)\n"
        "import dmlindex\n"
        "new = set(sys.modules) - before\n"
        "print(*sorted(name for name in new if not name.startswith('numpy.')))\n"
        "print({'reference', 'testing'} <= set(dir(dmlindex)))\n"
        "print('dmlindex.testing' in sys.modules)\n"
        "print(dmlindex.reference.gather([1, 2], [1]), dmlindex.testing.__name__)\n"
    )
    expected = ["dmlindex dmlindex._core", "True", "False", "[2] dmlindex.testing"]
    assert python(code).split("\n") == expected
    with pytest.raises(AttributeError, match=r"no attribute 'tests'"):
        dmlindex.tests  # type: ignore[attr-defined]  # noqa: B018


def test_dir_shows_the_public_names_only() -> None:
    """Also where submodules have been imported, which then are attributes, too."""
    code = "import dmlindex.reference, dmlindex._explain, dmlindex.dask\nprint(*dir(dmlindex))"
    assert python(code).split() == sorted([*dmlindex.__all__, "reference", "testing"])


def test_testing_without_hypothesis_says_what_is_missing() -> None:
    code = (
        "import sys; sys.modules['hypothesis'] = None\n"
        "import dmlindex, inspect\n"
        "inspect.getmembers(dmlindex)  # as help() does\n"
        "try: dmlindex.testing\n"
        "except AttributeError as error: print(error)\n"
    )
    assert "pip install dmlindex[testing]" in python(code)


def test_version_stands_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert dmlindex.__version__ == project["version"]
    assert importlib.metadata.version("dmlindex") == project["version"]
    assert f"## [{project['version']}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_examples_in_the_readme() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_wheels_are_made_for_the_pythons_that_the_classifiers_name() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    classifiers = pyproject["project"]["classifiers"]
    versions = [c.removeprefix("Programming Language :: Python :: ") for c in classifiers]
    named = [f"cp{version.replace('.', '')}-*" for version in versions if version.startswith("3.")]
    assert pyproject["tool"]["cibuildwheel"]["build"] == [*named, "cp314t-*"]
