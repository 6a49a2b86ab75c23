"""What script/leaks measures by: a small leak is seen, and a call that keeps nothing is none."""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.leaks import fails, function_calls, growth, leaks
from tests.sanitizers import without_sanitizer

pytestmark = without_sanitizer

CALLS = 1000  # a round's


@pytest.fixture
def kept() -> Iterator[list[int]]:
    """Open files, closed at the end."""
    files: list[int] = []
    yield files
    for file in files:
        os.close(file)


def test_a_leak_of_c_memory_is_seen() -> None:
    malloc = ctypes.CDLL(None).malloc
    assert leaks(growth(lambda: malloc(16), CALLS), 8 * CALLS)


def test_a_leak_of_objects_is_seen() -> None:
    objects: list[object] = []
    assert leaks(growth(lambda: objects.append(object()), CALLS), 8 * CALLS)


def test_a_leak_of_files_is_seen(kept: list[int]) -> None:
    number = itertools.count()

    def call() -> None:
        if next(number) % CALLS == 0:
            kept.append(os.open(Path(__file__), os.O_RDONLY))

    assert leaks(growth(call, CALLS), 8 * CALLS)


def test_an_error_that_does_not_come_is_told() -> None:
    with pytest.raises(AssertionError, match="no ValueError"):
        fails(ValueError, lambda: None)()


def test_calls_leak_nothing() -> None:
    for name, call in function_calls("cpu"):
        if name in ("gather", "scatter_nd, bad index"):
            assert not leaks(found := growth(call, CALLS), 8 * CALLS), (name, found)
