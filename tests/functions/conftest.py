"""What the tests of the functions share."""

from collections.abc import Iterator

import pytest

import dmlindex
from dmlindex import _core

MIB = 1 << 20


@pytest.fixture
def cache() -> Iterator[None]:
    """On, with room for 64 MiB; off and empty before and after."""
    dmlindex.set_buffer_cache(0)  # what the default has kept of other tests
    assert _core.buffer_cache_held() == 0
    dmlindex.set_buffer_cache(64 * MIB)
    yield
    dmlindex.set_buffer_cache(0)
    assert _core.buffer_cache_held() == 0
