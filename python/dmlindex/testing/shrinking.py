"""The smallest call that still fails, found by Hypothesis from the choices that made the first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hypothesis import HealthCheck, Phase, Verbosity, find, reject, settings
from hypothesis import strategies as st
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import HypothesisException, NoSuchExample

from dmlindex.testing.call import Call
from dmlindex.testing.choices import Choices, HypothesisChoices, UnfitError

_KEY = b"found by a fuzzer"
_NOT_YET_SHRUNK = _KEY + b".secondary"  # under _KEY itself Hypothesis takes it for shrunk


def shrunk(
    draw: Callable[[Choices], Call],
    taken: Sequence[int | bytes],
    fails: Callable[[Call], bool],
    seconds: float = 30.0,
) -> Call | None:
    """The smallest call found in that time that `draw` makes and that fails; None if the first does
    not fail again."""
    end = time.monotonic() + seconds
    found: Call | None = None

    @st.composite
    def calls(draw_one: st.DrawFn) -> Call:
        try:
            return draw(HypothesisChoices(draw_one, large=True))
        except UnfitError:
            reject()

    def still_fails(call: Call) -> bool:
        nonlocal found
        if time.monotonic() > end or not fails(call):
            return False
        found = call  # Hypothesis tries what is smaller than the last
        return True

    database = InMemoryExampleDatabase()
    database.save(_NOT_YET_SHRUNK, choices_to_bytes(taken))
    try:
        return find(
            calls(),
            still_fails,
            settings=settings(
                database=database,
                phases=(Phase.reuse, Phase.shrink),
                max_examples=1000,
                deadline=None,
                derandomize=False,
                suppress_health_check=list(HealthCheck),
                verbosity=Verbosity.quiet,
            ),
            database_key=_KEY,
        )
    except (NoSuchExample, HypothesisException):
        return found  # the time is over, or the function answers now so and now so
