"""Counts what legalize makes of drawn calls: python -m tests.descriptors.legal.outcomes [CALLS].

A line for each feature level: how many calls are one operator as they are, the six and views alone,
programs with helper operators, and impossible, with the reasons.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings

from dmlindex import FeatureLevel, testing
from dmlindex.directml.legal import Impossible, legalize
from dmlindex.testing.call import PARAMETERS

Counts = dict[FeatureLevel, Counter[str]]


def program_of(call: testing.Call, level: FeatureLevel, known: bool = False) -> Any:
    """The call's program for any indices, or (known) for its own."""
    options = dict(zip(PARAMETERS[call.operator], call.arguments, strict=False)) | call.options
    x, i, _ = (options.pop(name, None) for name in ("input", "indices", "updates"))
    shapes = [(x.shape, x.dtype), i if known else (np.shape(i), np.asarray(i).dtype)]
    return legalize(call.operator, shapes, feature_level=level, **options)


def count(calls: int, levels: list[FeatureLevel]) -> Counts:
    """Outcomes of so many calls, the same ones each time."""
    counts: Counts = {level: Counter() for level in levels}

    @settings(
        max_examples=calls,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(testing.calls(with_out=False, with_lists=False))
    def draw(call: testing.Call) -> None:
        for level in levels:
            program = program_of(call, level)
            if isinstance(program, Impossible):
                counts[level]["impossible"] += 1
                counts[level][f"impossible: {program.reasons[0][0]}"] += 1
            else:
                counts[level][program.outcome] += 1

    draw()
    return counts


if __name__ == "__main__":
    for feature_level, found in count(
        int((sys.argv[1:] or ["1000"])[0]), list(FeatureLevel)
    ).items():
        outcomes = ("direct", "views", "helpers", "impossible")
        total = sum(found[name] for name in outcomes)
        shares = ", ".join(f"{name} {found[name]} ({found[name] / total:.1%})" for name in outcomes)
        reasons = {name: n for name, n in found.items() if ":" in name}
        print(f"{feature_level.name}: {shares} {reasons}")
