"""The smallest call that still fails, found by Hypothesis from the choices that made the first."""

from __future__ import annotations

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
    draw: Callable[[Choices], Call], taken: Sequence[int | bytes], fails: Callable[[Call], bool]
) -> Call | None:
    """The smallest call that `draw` makes and that fails; None if the first does not fail again."""

    @st.composite
    def calls(draw_one: st.DrawFn) -> Call:
        try:
            return draw(HypothesisChoices(draw_one, large=True))
        except UnfitError:
            reject()

    database = InMemoryExampleDatabase()
    database.save(_NOT_YET_SHRUNK, choices_to_bytes(taken))
    try:
        return find(
            calls(),
            fails,
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
        return None
