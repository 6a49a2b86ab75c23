"""docs/d3d12.md: its examples run, and its table is what the code does."""

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

from dmlindex import Device

PAGE = Path(__file__).parents[2] / "docs" / "d3d12.md"
REDUCTIONS = ("add", "mul", "min", "max")


@pytest.mark.usefixtures("device")
def test_examples() -> None:
    result = doctest.testfile(str(PAGE), module_relative=False)
    assert result.attempted > 0
    assert result.failed == 0


def test_table_of_reductions(device: Device) -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    rows = re.findall(
        r"^\| ([\w ,']+) \| (yes|no) \| (yes|no) \| (yes|no) \| (yes|no) \|$",
        PAGE.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    said = {}
    for names, *answers in rows:
        found = re.findall(
            r"\b(?:bool|u?int\d+|b?float\w*\d\w*|longdouble|complex\d+|clongdouble)\b", names
        )
        assert found, names
        for name in found:
            said[name] = dict(zip(REDUCTIONS, (answer == "yes" for answer in answers), strict=True))
    assert len(said) == 19
    for name, answers in said.items():
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        answers = said.get(dtype.name, answers)  # longdouble is float64 on Windows
        for reduction in REDUCTIONS:
            assert device.has_reduction(dtype, reduction) == answers[reduction], (name, reduction)
