"""Fuzzing: calls by the thousand against a peer, until one is answered otherwise.

A seeded NumPy generator draws, so that a small call takes microseconds and a seed gives the same
calls again; what is found is shrunk by Hypothesis, from the very choices that the generator made.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dmlindex._progress import Progress
from dmlindex.testing import values
from dmlindex.testing.call import Call
from dmlindex.testing.choices import Choices, SeededChoices, UnfitError
from dmlindex.testing.compare import difference
from dmlindex.testing.coverage import features
from dmlindex.testing.drawing import draw_call
from dmlindex.testing.mistakes import named_mistakes
from dmlindex.testing.peers import Peer, peer
from dmlindex.testing.report import Difference, Report, kind_of
from dmlindex.testing.shrinking import shrunk
from dmlindex.testing.space import OPERATORS, Space, space
from dmlindex.testing.strategies import draw_mistake

_ADVICE = 'use device="cpu"'
_MISTAKE_IN = 8  # one call of so many has a mistake
_MOST_TRIES = 10_000  # at one call
Functions = Mapping[str, Callable[..., Any]]


def fuzz(
    function: Callable[..., Any] | Functions,
    against: str | Callable[..., Any] = "reference",
    *,
    operator: str = "",
    device: str = "",
    examples: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    keep_going: bool = False,
    shrink: bool = True,
    mistakes: bool | str | Sequence[str] = True,
    progress: bool = True,
    **restrictions: Any,
) -> Report:
    """Calls function with drawn calls and compares each answer with the peer's, bit for bit.

    Parameters
    ----------
    function
        of one operator, which its name or `operator` says; or a dict of functions by operator, such
        as `{"gather": my_gather, "scatter_nd": my_scatter_nd}`.
    against
        "reference" (the meaning, slow), "numpy", "torch", "onnxruntime", "jax", "onnx-reference",
        "module:function", or a function.
    operator
        which operator the function is, where its name does not say.
    device
        given to function with every call, such as "d3d12".
    examples, seconds
        when to stop; 10 seconds where neither is given.
    seed
        the same seed draws the same calls.
    keep_going
        collect every distinct difference instead of stopping at the first.
    shrink
        make what is found as small as it gets in some thousand tries.
    mistakes
        one call in eight is wrong on purpose, and must be an exception of the reference's type
        (where the peer knows the types). False for none, or the names of those wanted, as in
        `dmlindex.testing.invalid_calls`.
    progress
        a bar with rate and coverage: in notebooks, and on terminals.
    restrictions
        those of `dmlindex.testing.calls`; what function's signature lacks is left out by itself.

    Returns
    -------
    Report
        Print it, or let a notebook show it. Calls that a peer answers otherwise on purpose are
        counted by rule, never hidden.

    Examples
    --------
    >>> import dmlindex
    >>> report = fuzz(dmlindex.gather, "numpy", examples=50, progress=False)
    >>> report.differences, report.calls
    ([], 50)
    """
    functions = _functions(function, operator)
    _check_length(examples, seconds, seed)
    other = peer(against) if isinstance(against, str) else _peer_of(against)
    if other.dtypes:
        restrictions = {"dtypes": values.named_dtypes(other.dtypes), **restrictions}
    spaces = {
        name: space(name, **{"function": one, **restrictions}) for name, one in functions.items()
    }
    if other.name != "reference":
        # What Python's own numbers become is ours to say, no other library's.
        spaces = {name: replace(one, with_lists=False) for name, one in spaces.items()}
    report = Report(_title(functions), other.name, seed)
    wrong = named_mistakes(() if isinstance(mistakes, bool) else mistakes)
    if not mistakes or not other.knows_mistakes:
        wrong = []
    fuzzer = _Fuzzer(functions, spaces, other, wrong, device, shrink)
    if examples is None and seconds is None:
        seconds = 10.0
    # Calls are counted where their number is known, else seconds.
    total, unit = (examples, "calls") if examples is not None else (seconds, "s")
    with Progress(total, unit, wanted=progress) as bar:

        def show(report: Report) -> None:
            done = report.calls if examples is not None else round(report.seconds, 1)
            bar.at(done, f"{report.calls:,} calls, {len(report.coverage)} features")

        fuzzer.run(report, examples, seconds, keep_going, show)
    return report


class _Fuzzer:
    def __init__(
        self,
        functions: Functions,
        spaces: dict[str, Space],
        other: Peer,
        mistakes: list[str],
        device: str,
        shrink: bool,
    ) -> None:
        self.functions = functions
        self.spaces = spaces
        self.names = tuple(spaces)
        self.other = other
        self.answers = {name: without_device(other.run(name)) for name in spaces}
        self.device = {"device": device} if device else {}
        self.shrink = shrink
        self.mistakes = mistakes

    def run(
        self,
        report: Report,
        examples: int | None,
        seconds: float | None,
        keep_going: bool,
        shown: Callable[[Report], None],
    ) -> None:
        choices = SeededChoices(np.random.default_rng(report.seed))
        known: set[tuple[str, ...]] = set()
        start, tries = time.perf_counter(), 0
        while (examples is None or report.calls < examples) and (
            seconds is None or time.perf_counter() - start < seconds
        ):
            choices.begin()
            try:
                call = self.draw(choices)
            except UnfitError:
                tries += 1
                if tries == _MOST_TRIES:
                    raise ValueError(f"no call in {tries:,} tries: is there any?") from None
                continue
            tries = 0
            report.calls += 1
            problem = self.problem(call, report.filtered)
            report.seconds = time.perf_counter() - start
            report.coverage.update(features(call))
            shown(report)
            if problem and (kind := kind_of(call, problem)) not in known:
                known.add(kind)
                report.differences.append(self.explained(choices, call, problem, report))
                if not keep_going:
                    break
        report.seconds = time.perf_counter() - start

    def draw(self, choices: Choices) -> Call:
        one = self.spaces[choices.pick(self.names)]
        if self.mistakes and choices.one_in(_MISTAKE_IN):
            call = draw_mistake(choices, one, self.mistakes)
        else:
            call = draw_call(choices, one)
        call.options.update(self.device)
        return call

    def problem(self, call: Call, filtered: Counter[str]) -> str:
        rule = self.other.rule(call)
        if rule is not None:
            filtered[rule.name] += 1
            return ""
        function, answer = self.functions[call.operator], self.answers[call.operator]
        found = difference(function, answer, call, any_order=self.other.any_order)
        if self.device and found.startswith("raised DeviceError") and _ADVICE in found:
            filtered["device-lacks"] += 1  # docs/d3d12.md lists what a device has not
            return ""
        return found

    def explained(
        self, choices: SeededChoices, call: Call, problem: str, report: Report
    ) -> Difference:
        kind = kind_of(call, problem)

        def still(smaller: Call) -> bool:
            found = self.problem(smaller, Counter())
            return bool(found) and kind_of(smaller, found) == kind

        taken = list(choices.taken)
        small = (shrunk(self.draw, taken, still) if self.shrink else None) or call
        problem = self.problem(small, Counter()) or problem
        script = small.script(self.functions[small.operator])
        return Difference(small, problem, script, report.calls)


def without_device(function: Callable[..., Any]) -> Callable[..., Any]:
    """A peer has none."""

    def answer(*arguments: Any, device: str = "", **options: Any) -> Any:
        del device
        return function(*arguments, **options)

    return answer


def _check_length(examples: int | None, seconds: float | None, seed: int) -> None:
    for name, value, least in (
        ("examples", 1 if examples is None else examples, 1),
        ("seed", seed, 0),
    ):
        if not isinstance(value, (int, np.integer)) or value < least:
            raise ValueError(f"{name} is {value!r}, expected an integer of at least {least}")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds is {seconds!r}, expected more than 0")


def _functions(function: Callable[..., Any] | Functions, operator: str) -> dict[str, Any]:
    expected = ", ".join(OPERATORS)
    if isinstance(function, Mapping):
        for name, one in function.items():
            if name not in OPERATORS:
                raise ValueError(f"function has {name!r}, expected any of {expected}")
            _check_callable(f"function[{name!r}]", one)
        if not function:
            raise ValueError(f"function is empty, expected a function for any of {expected}")
        return dict(function)
    _check_callable("function", function)
    name = operator or getattr(function, "__name__", "")
    if name not in OPERATORS:
        raise ValueError(
            f"operator is {name!r}, expected one of {expected}: which is the function?"
        )
    return {name: function}


def _check_callable(name: str, value: Any) -> None:
    if not callable(value):
        raise TypeError(f"{name} is a {type(value).__name__}, expected a function")


def _peer_of(function: Callable[..., Any]) -> Peer:
    _check_callable("against", function)
    return Peer(getattr(function, "__name__", "a function"), lambda operator: function)


def _title(functions: Functions) -> str:
    return ", ".join(getattr(one, "__name__", name) for name, one in functions.items())
