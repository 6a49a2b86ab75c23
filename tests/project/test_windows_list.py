"""That tests/windows.toml, by which Windows leaves tests out, names tests that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.windows import REASONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("test", REASONS)
def test_a_test_that_is_left_out_exists(test: str) -> None:
    file, _, function = test.partition("[")[0].partition("::")
    text = (ROOT / file).read_text("utf-8")
    assert re.search(rf"^def {function}\(" if function else "^def test_", text, re.MULTILINE)
