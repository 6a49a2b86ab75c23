"""Cases drawn at random by `dmlindex.testing`, as programs that DirectML accepts."""

from __future__ import annotations

import tempfile
from typing import Any

from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.writer import Case
from dmlindex.directml.legal import Program, legalize
from dmlindex.directml.values import FeatureLevel

_MOST_TURNS = 20  # of twice as many calls as cases are wanted


def drawn_cases(
    count: int, seed: int, *, feature_level: FeatureLevel = FeatureLevel.FL_6_4
) -> list[Case]:
    """Calls of the functions, any dtype, shape and mode, with a program at the feature level.

    The same seed gives the same cases, with the same Hypothesis. A call that is an error, or that
    has no program, is passed over. DxDispatchError where Hypothesis is not installed.
    """
    try:
        from hypothesis import HealthCheck, Phase, given, settings
        from hypothesis import seed as seeded
        from hypothesis.configuration import set_hypothesis_home_dir

        from dmlindex import testing
    except ImportError:
        raise DxDispatchError(
            "random cases need Hypothesis: pip install dmlindex[testing]"
        ) from None
    cases: list[Case] = []

    @settings(
        max_examples=2 * count,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(testing.calls(with_out=False, with_lists=False))
    def draw(call: testing.Call) -> None:
        if len(cases) < count and (case := _case(call, len(cases), feature_level)):
            cases.append(case)

    with tempfile.TemporaryDirectory() as home:  # else it leaves files in the current folder
        set_hypothesis_home_dir(home)
        try:
            for turn in range(_MOST_TURNS):
                seeded(f"{seed}, {turn}")(draw)()
                if len(cases) == count:
                    return cases
        finally:
            set_hypothesis_home_dir(None)
    raise DxDispatchError(f"only {len(cases)} of {count} cases were found; ask for fewer")


def _case(call: Any, number: int, feature_level: FeatureLevel) -> Case | None:
    scatters = call.operator.startswith("scatter")
    arrays, position = call.arguments[: 2 + scatters], call.arguments[2 + scatters :]
    where = "batch_dims" if call.operator == "gather_nd" else "axis"
    options = {**call.options, **dict.fromkeys((where,) if position else (), *position)}
    program = legalize(call.operator, arrays, feature_level=feature_level, **options)
    if not isinstance(program, Program) or program.result is None:
        return None
    try:
        program.run(*arrays)
    except IndexError:  # mode raise
        return None
    shown = [f"{call.operator} {arrays[0].dtype} {list(arrays[0].shape)}"]
    shown += [f"{key}={value!r}" for key, value in options.items() if key != "fill_value"]
    return Case(f"case{number + 1:03}", program, arrays, ", ".join(shown))
