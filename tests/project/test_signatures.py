"""A function's signature stands in one line; all that repeats it says the same."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

import dmlindex
from dmlindex import _core, reference
from dmlindex.cli import commands
from dmlindex.testing.call import PARAMETERS
from dmlindex.testing.space import OPERATORS

FUNCTIONS = [*OPERATORS, "find_duplicates"]
STUBS = Path(__file__).parents[2] / "script/stubs.py"


def parameters(function: Any) -> list[tuple[str, Any, Any]]:
    return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]


def test_no_list_of_functions_lacks_one() -> None:
    """A function that PARAMETERS lacks would be tested by nothing."""
    found = {
        name
        for name, function in vars(_core).items()
        if inspect.isbuiltin(function)
        and "indices" in (getattr(function, "__text_signature__", None) or "")
    }
    assert found == set(FUNCTIONS)
    assert found <= set(dmlindex.__all__)
    assert found <= set(reference.__all__)
    assert set(commands.OPTIONS) == set(OPERATORS)


def test_the_stub_is_generated() -> None:
    """By script/stubs.py, which is to be run again where this fails."""
    stubs = runpy.run_path(str(STUBS))
    stub = stubs["STUB"].read_text("utf-8")
    assert stubs["with_operators"](stub) == stub


def test_dask_has_them_all() -> None:
    """Calls with Dask's arrays are handed on to the function of the same name."""
    pytest.importorskip("dask")
    from dmlindex import dask

    assert set(dask.__all__) == set(FUNCTIONS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_reference_has_the_same(name: str) -> None:
    """But for the device: it has none."""
    wanted = [p for p in parameters(getattr(dmlindex, name)) if p[0] != "device"]
    assert parameters(getattr(reference, name)) == wanted


@pytest.mark.parametrize("name", OPERATORS)
def test_calls_know_the_positional_ones(name: str) -> None:
    positional = [
        p[0]
        for p in parameters(getattr(dmlindex, name))
        if p[1] is not inspect.Parameter.KEYWORD_ONLY
    ]
    assert PARAMETERS[name] == tuple(positional)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_documentation_explains_every_parameter(name: str) -> None:
    documentation = inspect.getdoc(getattr(dmlindex, name)) or ""
    section = documentation.split("Parameters\n----------\n")[1].split("\n\n")[0]
    explained = re.findall(r"^([a-z_, ]+) : ", section, re.MULTILINE)
    listed = [parameter for group in explained for parameter in group.split(", ")]
    assert listed == [p[0] for p in parameters(getattr(dmlindex, name))]


@pytest.mark.parametrize("name", OPERATORS)
def test_the_command_line_has_options_of_the_function_only(name: str) -> None:
    known = {p[0] for p in parameters(getattr(dmlindex, name))}
    assert set(commands.OPTIONS[name]) <= known


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_parameter_may_be_a_keyword(name: str) -> None:
    function = getattr(dmlindex, name)
    for parameter, kind, _ in parameters(function):
        given = [] if kind is inspect.Parameter.KEYWORD_ONLY else [0, 0, 0, 0]
        words = f"multiple values for argument '{parameter}'|positional|missing"
        with pytest.raises(TypeError, match=words):
            function(*given, **{parameter: 0})
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        function(other=0)
