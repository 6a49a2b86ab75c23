"""Tests that say nothing under a sanitizer, which has the C library's allocator's place."""

import re
from pathlib import Path

import pytest

_MAPS = Path("/proc/self/maps")

without_sanitizer = pytest.mark.skipif(
    _MAPS.exists() and re.search(r"lib[at]san\.so", _MAPS.read_text()) is not None,
    reason="a sanitizer keeps what is freed, and ends the process where there is no memory",
)
