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
    draw: Callable[[Choices], Call],
    taken: Sequence[int | bytes],
    fails: Callable[[Call], bool],
    tries: int = 3000,
) -> Call | None:
    """The smallest call found in so many tries that `draw` makes and that fails; None if the first
    does not fail again. A hundred tries are common."""
    search = _Search(draw, fails, tries)
    while search.shrinks(taken) and search.smallest != taken:  # one in a hundred ends too early
        taken = search.smallest
    return search.found


class _Search:
    """`found` is the smallest call up to now, and `smallest` are its choices."""

    def __init__(
        self, draw: Callable[[Choices], Call], fails: Callable[[Call], bool], tries: int
    ) -> None:
        self.draw, self.fails, self.tries = draw, fails, tries
        self.found: Call | None = None
        self.smallest: Sequence[int | bytes] = ()
        self._tried: Sequence[int | bytes] = ()

    def shrinks(self, taken: Sequence[int | bytes]) -> bool:
        """Whether a call of these choices, or of smaller ones, fails, and tries are left."""

        @st.composite
        def calls(draw_one: st.DrawFn) -> Call:
            choices = HypothesisChoices(draw_one, large=True)
            try:
                call = self.draw(choices)
            except UnfitError:
                reject()
            self._tried = choices.taken
            return call

        database = InMemoryExampleDatabase()
        database.save(_NOT_YET_SHRUNK, choices_to_bytes(taken))
        try:
            find(
                calls(),
                self._still_fails,
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
            return False  # the tries are over, or the function answers now so and now so
        return self.tries > 0

    def _still_fails(self, call: Call) -> bool:
        self.tries -= 1
        if self.tries < 0 or not self.fails(call):
            return False
        self.found, self.smallest = call, self._tried  # what is tried next is smaller
        return True
