"""dmlindex.testing.fuzz: it finds what is planted, shrinks it, and says what it did not compare."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import reference, testing
from dmlindex.reference.memory import as_bytes
from dmlindex.testing import replay
from dmlindex.testing.choices import HypothesisChoices, SeededChoices, UnfitError
from dmlindex.testing.drawing import draw_call
from dmlindex.testing.peers import peer
from dmlindex.testing.space import OPERATORS, space
from tests.functions.planted_bugs import BUGS

OURS = {name: getattr(dmlindex, name) for name in OPERATORS}


def fuzz(*arguments: Any, **options: Any) -> testing.Report:
    return testing.fuzz(*arguments, progress=False, **options)


@pytest.mark.parametrize("against", ["numpy", "reference"])
def test_dmlindex_agrees(against: str) -> None:
    report = fuzz(OURS, against, examples=1500, seed=11)
    assert report.differences == []
    assert report.calls == 1500
    assert {operator for operator, _, _ in report.coverage} == set(OPERATORS)


def test_a_seed_draws_the_same_calls() -> None:
    one, two = (fuzz(OURS, "numpy", examples=300, seed=5) for _ in range(2))
    assert one.coverage == two.coverage
    assert one.filtered == two.filtered
    assert one.coverage != fuzz(OURS, "numpy", examples=300, seed=6).coverage


def last_bit(input: Any, indices: Any, axis: int = 0) -> Any:
    """Wrong in the third element, where it is a float that is not 0."""
    answer = reference.gather(input, indices, axis)
    if answer.dtype.kind == "f" and answer.size > 2:
        answer.flat[2] = -answer.flat[2]
    return answer


def test_a_difference_is_as_small_as_can_be() -> None:
    report = fuzz(last_bit, operator="gather", examples=3000, seed=1)
    (found,) = report.differences
    assert found.call.run(reference.gather).size == 3  # no smaller answer has a third element
    assert not np.asarray(found.call.arguments[0]).any()
    assert "0.0 (bytes" in found.problem
    assert f"from {__name__} import last_bit" in found.script
    assert "print(last_bit(input, indices" in found.script
    assert str(found) in str(report)
    assert "last_bit(input, indices" in report._repr_html_()


def test_keep_going_collects_distinct_differences() -> None:
    def broken(*arguments: Any, mode: str = "raise", **options: Any) -> Any:
        answer = reference.gather(*arguments, mode=mode, **options)
        return answer[..., np.newaxis] if mode in ("clamp", "wrap") else answer

    report = fuzz(
        broken, operator="gather", examples=400, keep_going=True, shrink=False, mistakes=False
    )
    assert sorted(found.call.options["mode"] for found in report.differences) == ["clamp", "wrap"]
    assert report.calls == 400


def test_what_is_not_compared_is_counted() -> None:
    report = fuzz(OURS, "numpy", examples=2000, dtypes=["f4", "c8"], with_lists=False)
    assert report.filtered["nan-bits"] > 0
    assert "not compared, rule nan-bits: " in str(report)
    assert "rule nan-bits" in report._repr_html_()
    whys = {rule.name: rule.why for rule in peer("numpy").rules}
    assert set(report.filtered) <= set(whys)
    assert all(whys.values())


def test_arguments_that_a_function_lacks_are_left_out() -> None:
    seen: set[str] = set()

    def scatter_nd(input: Any, indices: Any, updates: Any, *, mode: str = "raise") -> Any:
        seen.add(mode)
        return reference.scatter_nd(input, indices, updates, mode=mode)

    assert fuzz(scatter_nd, examples=300).differences == []
    assert {"raise", "clamp", "wrap", "drop"} <= seen


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((np.take,), {}, "operator is 'take', expected one of gather"),
        (({"take": np.take},), {}, "function has 'take', expected any of gather"),
        ((np.take, "cupy"), {"operator": "gather"}, "against is 'cupy', expected one of reference"),
        ((np.take, "os:nothing"), {"operator": "gather"}, "no MODULE:FUNCTION"),
        ((np.take, "os:name"), {"operator": "gather"}, "is a str, expected a function"),
        ((np.take,), {"operator": "gather", "modes": ["x"]}, "modes is 'x', expected one of"),
    ],
)
def test_what_is_refused(arguments: Any, options: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fuzz(*arguments, **options)


def drawn(seed: int, count: int) -> list[testing.Call]:
    choices = SeededChoices(np.random.default_rng(seed))
    found: list[testing.Call] = []
    while len(found) < count:
        choices.begin()
        try:
            found.append(draw_call(choices, space()))
        except UnfitError:
            continue
    return found


def test_a_replay_file_holds_the_very_call() -> None:
    for call in drawn(3, 400):
        again, notes = replay.from_json(replay.to_json(call, against="numpy"))
        assert repr(again) == repr(call)
        assert notes["against"] == "numpy"
        for a, b in zip(call.arrays(), again.arrays(), strict=True):
            assert (a.dtype, a.shape, a.strides) == (b.dtype, b.shape, b.strides)
            assert as_bytes(a).tobytes() == as_bytes(b).tobytes()
            assert a.flags.writeable == b.flags.writeable
        if "out" in call.options:
            shares = [np.may_share_memory(call.options["out"], a) for a in call.arrays()]
            assert shares == [np.may_share_memory(again.options["out"], a) for a in again.arrays()]


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[1]", "null", '{"format": "dmlindex call 1"}', "[" * 100_000,
     '{"format": "dmlindex call 1", "operator": "os.system", "memory": [], "arguments": []}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": ["00"], "note": "", '
     '"options": {}, "arguments": [{"array": 0, "dtype": "<f8", "shape": [9], "strides": [8], '
     '"block": 0, "offset": 0, "writeable": true}]}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": ["0000000000000000"], '
     '"note": "", "options": {}, "arguments": [{"array": 0, "dtype": "O", "shape": [1], '
     '"strides": [8], "block": 0, "offset": 0, "writeable": true}]}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": ["4141414141414141"], '
     '"note": "", "options": {}, "arguments": [{"array": 0, "dtype": {"ml_dtypes": "finfo"}, '
     '"shape": [1], "strides": [8], "block": 0, "offset": 0, "writeable": true}]}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": [], "note": "", '
     '"options": {"axis=print()": 0}, "arguments": []}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": [], "note": "", '
     '"options": {}, "arguments": [{"array": 0, "dtype": "<f8", "shape": [0], "strides": [8], '
     '"block": 3, "offset": 0, "writeable": true}]}',
     '{"format": "dmlindex call 1", "operator": "gather", "memory": ["0000"], "note": "", '
     '"options": {}, "arguments": [{"array": 0, "dtype": "<u2", "shape": [3], '
     '"strides": [-9223372036854775808], "block": 0, "offset": 0, "writeable": true}]}'],
)  # fmt: skip
def test_a_file_that_is_no_call_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        replay.from_json(text)


def test_hypothesis_and_the_generator_draw_alike() -> None:
    """The choices of one make the same call in the other: what shrinking starts from."""
    from dmlindex.testing.shrinking import shrunk

    choices, done = SeededChoices(np.random.default_rng(8)), 0
    while done < 15:
        choices.begin()
        try:
            call = draw_call(choices, space())
        except UnfitError:
            continue
        done += 1
        first: list[testing.Call] = []

        def passes(other: testing.Call, first: list[testing.Call] = first) -> bool:
            first.append(other)
            return False

        def draw(c: Any) -> testing.Call:
            assert isinstance(c, HypothesisChoices)
            return draw_call(c, space())

        shrunk(draw, list(choices.taken), passes)
        assert repr(first[0]) == repr(call)
        for a, b in zip(first[0].arrays(), call.arrays(), strict=True):
            assert as_bytes(a).tobytes() == as_bytes(b).tobytes()


@pytest.mark.parametrize(("tries", "least"), [(0, None), (1, 7), (3000, 3)])
def test_shrinking_takes_so_many_tries(tries: int, least: int | None) -> None:
    from dmlindex.testing.shrinking import shrunk

    def draw(choices: Any) -> testing.Call:
        return testing.Call("gather", (choices.integer(0, 9), 0))

    small = shrunk(draw, [7], lambda call: call.arguments[0] >= 3, tries)
    assert (small and small.arguments[0]) == least


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_is_found(name: str) -> None:
    operator, function = BUGS[name]
    report = fuzz(function, operator=operator, examples=20_000, seed=2, shrink=False)
    assert report.differences, f"{name}: not found in {report.calls} calls"
