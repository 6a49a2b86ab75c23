"""The calls whose allocations fail: `python -m tests.faults.memory_calls GROUP COUNT`, in a process
with failing_memory.c, prints what came of them. COUNT is how many calls are drawn of each operator.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex import Device
from dmlindex.testing.call import Call
from dmlindex.testing.choices import SeededChoices, UnfitError
from dmlindex.testing.drawing import draw_call
from dmlindex.testing.mistakes import MISTAKES
from dmlindex.testing.space import OPERATORS, space
from dmlindex.testing.strategies import draw_mistake
from tests.descriptors import descs
from tests.faults.failing_memory import Trial, leaked, only_ours, sweep
from tests.faults.tally import Tally

Array = npt.NDArray[Any]
Trials = Iterator[Callable[[], Trial]]

RNG = np.random.default_rng(0)
LARGE = 60_000  # elements of 8 bytes, which two threads share


class SmallChoices(SeededChoices):
    def large(self) -> bool:
        return False


def drawn(count: int) -> Trials:
    """Valid calls and mistakes in turn, of every operator."""
    only_ours()  # of strange dtypes: NumPy and ml_dtypes do not survive all of their own
    for operator in OPERATORS:
        choices, calls = SmallChoices(np.random.default_rng(len(operator))), 0
        while calls < count:
            try:
                wrong = calls % 2 == 1
                one = space(operator)
                call = (
                    draw_mistake(choices, one, sorted(MISTAKES))
                    if wrong
                    else draw_call(choices, one)
                )
            except UnfitError:
                continue
            calls += 1
            yield functools.partial(trial_of, call)


def trial_of(call: Call) -> Trial:
    copy, memory = call.copied()
    function = getattr(dmlindex, copy.operator)
    return Trial(
        functools.partial(function, *copy.arguments, **copy.options),
        lambda: [bytes(block) for block in memory],
    )


def operands(operator: str, size: int) -> tuple[list[Any], Array]:
    """Of about size elements, and an out of the right shape that holds something."""
    x = RNG.standard_normal((size // 4, 4))
    rows = RNG.integers(-len(x), len(x), size // 8)
    items = RNG.standard_normal((len(rows), 4))
    spread = np.repeat(rows[:, None], 4, 1)
    arguments = {
        "gather": [x, rows],
        "gather_elements": [x, spread],
        "gather_nd": [x, rows[:, None]],
        "scatter_elements": [x, spread, items],
        "scatter_nd": [x, rows[:, None], items],
    }[operator]
    return arguments, np.full_like(x if operator.startswith("scatter") else items, 7)


def options_of(operator: str) -> Iterator[dict[str, Any]]:
    scatters = operator.startswith("scatter")
    for mode in ("raise", "clamp", "wrap", "drop" if scatters else "fill"):
        yield {"mode": mode}
    if scatters:
        yield from ({"reduction": reduction} for reduction in ("add", "mul", "min", "max"))


def plain(size: int) -> Trials:
    """Every operator, mode and reduction, with and without out, in place, and with a bad index."""
    for operator in OPERATORS:
        arguments, out = operands(operator, size)
        bad = [arguments[0], arguments[1] + len(arguments[0]), *arguments[2:]]
        for options in options_of(operator):
            yield functools.partial(trial_on, operator, arguments, None, options)
            yield functools.partial(trial_on, operator, arguments, out, options)
            yield functools.partial(trial_on, operator, bad, out, options)
            if operator.startswith("scatter"):
                yield functools.partial(trial_on, operator, arguments, arguments[0], options)
        strided = np.repeat(out, 2, -1)[..., ::2]
        yield functools.partial(
            trial_on, operator, [np.asfortranarray(arguments[0]), *arguments[1:]], strided, {}
        )
        if size < 100:
            yield functools.partial(trial_on, operator, [x.tolist() for x in arguments], None, {})
        yield functools.partial(trial_on, operator, [arguments[0][0], *arguments[1:]], out, {})
    for axis in (0, None):
        places = RNG.integers(-size, size, (size // 8, 1))
        places = places[:, 0] if axis == 0 else places
        yield functools.partial(
            trial_on, "find_duplicates", [(size,), places], None, {"axis": axis}
        )


def trial_on(operator: str, arguments: list[Any], out: Any, options: dict[str, Any]) -> Trial:
    function = getattr(dmlindex, operator)
    if out is None:
        return Trial(functools.partial(function, *arguments, **options), list)
    in_place = out is arguments[0]
    out = out.copy(order="K")
    if in_place:
        arguments = [out, *arguments[1:]]
    return Trial(
        functools.partial(function, *arguments, **options, out=out), lambda: [out.tobytes()]
    )


def threads(_: int) -> Trials:
    """Once both have worked: glibc ends a process that has no memory for what a library keeps for
    each thread, which a new one asks for at some time."""
    dmlindex.set_num_threads(2)
    arguments, out = operands("gather", LARGE)
    for _call in range(300):
        dmlindex.gather(*arguments, out=out)
    yield from plain(LARGE)


def one_thread(_: int) -> Trials:
    dmlindex.set_num_threads(1)
    yield from plain(64)
    yield from plain(LARGE)


def cached(_: int) -> Trials:
    """Results from the buffer cache."""
    dmlindex.set_buffer_cache(64 << 20)
    arguments, _out = operands("gather", 8 * LARGE)
    yield functools.partial(trial_on, "gather", arguments, None, {})


DESCS: dict[str, Any] = {
    "gather": descs.gather((6, 4), (1, 5), (5, 4), 0, 1),
    "gather_elements": descs.gather_elements((6, 4), (5, 4), (5, 4), 0),
    "gather_nd": descs.gather_nd((6, 4), (5, 1), (5, 4), 2, 2),
    "gather_nd1": descs.gather_nd1((6, 4), (6, 1), (1, 6), 2, 2, 1),
    "scatter_elements": descs.scatter_elements((6, 4), (5, 4), (5, 4), (6, 4), 0),
    "scatter_nd": descs.scatter_nd((6, 4), (5, 1), (5, 4), (6, 4), 2, 2),
}


def compiled(_: int) -> Trials:
    if sys.version_info >= (3, 12):  # compile() runs Python code
        only_ours()
    for name, desc in DESCS.items():
        x = RNG.standard_normal((6, 4)).astype(np.float32)
        indices = RNG.integers(-3, 3, desc.indices_tensor.sizes)
        updates = [x[: desc.updates_tensor.sizes[0]]] if name.startswith("scatter") else []
        out = np.full(desc.output_tensor.sizes, 7, np.float32)
        for mode in ("directml", "raise", "clamp"):
            operator = Device().compile(desc, mode=mode)
            yield functools.partial(trial_compiled, operator, [x, indices, *updates], out)
            yield functools.partial(trial_compiled, operator, [x, indices + 9, *updates], out)
            yield functools.partial(trial_compiled, operator, [x, indices, *updates], None)
        yield functools.partial(trial_compiling, desc)


def trial_compiling(desc: Any) -> Trial:
    return Trial(lambda: len(str(Device().compile(desc).desc)), list)


def trial_compiled(operator: Any, arguments: list[Any], out: Any) -> Trial:
    if out is None:
        return Trial(functools.partial(operator, *arguments), list)
    fresh = out.copy()
    return Trial(functools.partial(operator, *arguments, out=fresh), lambda: [fresh.tobytes()])


def device(_: int) -> Trials:
    """A D3D12 device, whose errors may come as late as with the result."""
    only_ours()
    there = Device("d3d12")
    x, rows = np.arange(60.0, dtype=np.float32).reshape(30, 2), np.array([2, 0, -1] * 5)
    table, places, items = there.tensor(x), there.tensor(rows), there.tensor(x[:15])
    calls: dict[str, Callable[[Any], Any]] = {
        "upload": lambda out: there.tensor(x),
        "gather": lambda out: dmlindex.gather(table, rows),
        "gather to out": lambda out: dmlindex.gather(table, rows, out=out[:15]),
        "arrays": lambda out: dmlindex.gather(x, rows, device=there),
        "a bad index": lambda out: dmlindex.gather(table, rows + 30).numpy(),
        "a mistake": lambda out: dmlindex.gather(table, rows, axis=7),
        "scatter": lambda out: dmlindex.scatter_nd(table, rows[:, None], items, out=out),
        "in place": lambda out: dmlindex.scatter_nd(out, rows[:, None], items, out=out),
        "sum": lambda out: dmlindex.scatter_nd(
            table, rows[:, None], items, reduction="add", out=out
        ),
        "indices there": lambda out: dmlindex.gather(table, places, mode="clamp"),
        "a part": lambda out: table[2:6],
    }
    for name, call in calls.items():
        is_late = name == "a bad index"  # where there was no memory to tell of it
        yield functools.partial(trial_on_device, there, call, x, is_late)


def trial_on_device(there: Device, call: Callable[[Any], Any], x: Array, is_late: bool) -> Trial:
    out = there.tensor(x)

    def written() -> list[bytes]:
        with contextlib.suppress(*[IndexError] * is_late):
            there.synchronize()
        return [out.numpy().tobytes()]

    return Trial(functools.partial(call, out), written)


GROUPS = {group.__name__: group for group in (drawn, one_thread, threads, cached, compiled, device)}


def main(group: str, count: int) -> None:
    total = Tally()
    for trial in GROUPS[group](count):
        total += sweep(trial)
    # NumPy's own are left alone now: it keeps blocks when one of its allocations fails.
    for trial in itertools.islice(GROUPS[group](min(count, 4)), 0, None, 6):
        total.blocks_left += leaked(trial)
    print(*(f"{name}={value}" for name, value in vars(total).items()))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
