"""Tests that need a Python process of their own."""

from __future__ import annotations

import os
import subprocess
import sys

# How many times as much as in CI what looks for rare faults does.
EFFORT = int(os.environ.get("DMLINDEX_TEST_EFFORT", "1"))


def in_child(code: str, timeout: float = 120, **environment: str) -> str:
    """What a Python of its own prints."""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=timeout,
    )
    return result.stdout.strip()
