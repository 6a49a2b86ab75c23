"""What the sweeps of failing_memory.py count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tally:
    """What came of the calls that were tried."""

    calls: int = 0
    tried: int = 0  # allocations that failed
    errors: int = 0  # MemoryError
    went_on: int = 0  # without what could not be had
    pythons: int = 0  # SystemErrors that are Python's own
    blocks_left: int = 0  # in use afterwards that were not before

    def __iadd__(self, other: Tally) -> Tally:
        for name, count in vars(other).items():
            setattr(self, name, getattr(self, name) + count)
        return self
