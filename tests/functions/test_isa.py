"""Every instruction set of this machine gives the same bits: the parity tests, forced onto each."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dmlindex import _core
from tests.children import in_child

FILES = [
    "test_parity.py",
    "test_indices.py",
    "test_extreme.py",
    "test_out.py",
    "test_empty_axis.py",
    "test_few_slices.py",
    "test_one_place.py",
    "test_shared_indices.py",
    "test_large.py",
    "test_columns.py",
    "test_copied_rows.py",
    "test_outside.py",
    "test_threads.py",
    "test_updates.py",
    "test_reductions.py",
    "test_fill_value.py",
    "test_find_duplicates.py",
    "../descriptors/test_numerics.py",
    "../descriptors/test_numerics_large.py",
]


@pytest.mark.parametrize("isa", _core.cpu_isas())
def test_the_one_that_is_forced_is_chosen(isa: str) -> None:
    code = "from dmlindex import _core; print(_core.cpu_isa())"
    assert in_child(code, DMLINDEX_CPU=isa) == isa


@pytest.mark.parametrize("isa", _core.cpu_isas())
def test_parity_on(isa: str) -> None:
    """In a process of its own: the choice is made once, at the first call."""
    if isa == _core.cpu_isa():
        return  # what this process runs on
    here, root = Path(__file__).parent, Path(__file__).parents[2]
    environment = {
        **os.environ,
        "DMLINDEX_CPU": isa,
        "DMLINDEX_TEST_DEVICES": "cpu",
        "DMLINDEX_HYPOTHESIS_PROFILE": os.environ.get("DMLINDEX_HYPOTHESIS_PROFILE", "brief"),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += ["-k", "not result_of_more_than"]  # a slow one; the others reach as far
    command += [str(here / name) for name in FILES]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=root)
    assert run.returncode == 0, f"with DMLINDEX_CPU={isa}:\n{run.stdout[-8000:]}"
