"""How the tests run: Hypothesis profiles, and the devices that the parity tests go through.

DMLINDEX_HYPOTHESIS_PROFILE chooses a profile:

- `quick` (the default): what script/test runs, new examples each time.
- `ci`: the same examples on every run, so that a red run is red again.
- `thorough`: 50 times as many, for a night or a new kernel.

DMLINDEX_TEST_DEVICES lists the devices, "cpu,d3d12" by default. One that is not there is skipped,
and says why.
"""

from __future__ import annotations

import os
from typing import Any

from hypothesis import HealthCheck, settings

_COMMON: dict[str, Any] = {
    "deadline": None,  # a device's first call compiles shaders
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.filter_too_much],
    "print_blob": True,
}
settings.register_profile("quick", max_examples=60, **_COMMON)
settings.register_profile("ci", max_examples=60, derandomize=True, database=None, **_COMMON)
settings.register_profile("thorough", max_examples=3000, **_COMMON)
settings.load_profile(os.environ.get("DMLINDEX_HYPOTHESIS_PROFILE", "quick"))
