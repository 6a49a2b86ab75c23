"""Random calls whose arrays lie in memory in any way, beside NumPy's idioms.

python -m benchmarks.layouts [--calls 200] [--seed 0] [--threads 1] [--worst 20]

Columns first, axes in another order, backwards, every other element, at odd addresses, one row over
and over. A result has to be C-contiguous, as ours always is: NumPy's often lies as its input does,
and is copied then. Half of the scatters are in place.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from statistics import geometric_mean, median

import numpy as np

import dmlindex
from benchmarks.call import Array, Buffers, Call, Idiom
from benchmarks.measure import Effort, difference, interleave, timed_once
from benchmarks.peers import OURS
from benchmarks.peers.numpy_idioms import Contestant, expected
from benchmarks.sweep.draw import Space, draw

_SPACE = Space(input=(1024, 2**21), output=(64, 2**20), records=(), in_place=0.5)
_EFFORT = Effort(seconds=0.03, rounds=(7, 25))
_HOPELESS = 3.0  # an idiom this much slower than the best is not timed on
LAYOUTS = ("as it is", "columns first", "turned", "backwards", "every other", "odd", "one row")


@dataclass(frozen=True)
class Result:
    ratio: float  # NumPy's time ÷ ours
    text: str
    ours_ns: float
    best_ns: float


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.layouts", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--calls", type=int, default=200, help="default: 200")
    add("--seed", type=int, default=0, help="which random calls; default: 0")
    add("--threads", type=int, default=1, help="dmlindex's; default: 1")
    add("--worst", type=int, default=20, help="how many to list; default: 20")
    options = parser.parse_args()
    dmlindex.set_num_threads(options.threads)
    found = [measured(options.seed, number) for number in range(options.calls)]
    found.sort(key=lambda result: result.ratio)
    ratios = [result.ratio for result in found]
    fifth = ratios[len(ratios) // 20]
    print(f"{len(ratios)} calls: {geometric_mean(ratios):.2f} / {fifth:.2f} / {ratios[0]:.2f}")
    for result in found[: options.worst]:
        times = f"{result.ours_ns / 1e3:.1f} µs, NumPy {result.best_ns / 1e3:.1f} µs"
        print(f"{result.ratio:.2f}  {times}  {result.text}")


def measured(seed: int, number: int) -> Result:
    drawn = draw(seed, number, _SPACE)
    rng = np.random.default_rng([seed, number, 1])
    layouts: list[str] = []

    def lay(array: Array, layouts_for_it: tuple[str, ...]) -> Array:
        layouts.append(str(rng.choice(layouts_for_it)))
        return laid(rng, array, layouts[-1])

    call = drawn.call
    # Not one row over and over, where that is written to, or updates of one place would differ.
    own = LAYOUTS[:-1]
    x = lay(call.input, own if call.in_place else LAYOUTS)
    call = replace(call, input=x, indices=lay(call.indices, own if call.is_scatter else LAYOUTS))
    if call.updates is not None:
        call = replace(call, updates=lay(call.updates, own))
    return timed(call, f"{drawn}: {', '.join(layouts)}")


def timed(call: Call, text: str) -> Result:
    """The answers are compared first, as elsewhere; in place from a copy of the input's values."""
    x = call.input
    call = replace(call, input=x.copy()) if call.in_place else call
    buffers = Buffers(x, call.indices, call.updates, np.empty(call.output_shape, x.dtype))
    names = {"dmlindex": dmlindex, "x": x, "i": call.indices, "u": call.updates}
    options = ("out=x",) if call.in_place else ()
    idioms = [Idiom(OURS, call.code(*options), names, call.in_place, True)]
    for idiom in Contestant(1).idioms(call, buffers):
        if idiom.into_out != call.in_place:
            continue
        code = idiom.code if call.is_scatter else f"np.ascontiguousarray({idiom.code})"
        idioms.append(replace(idiom, code=code))
    want = expected(call)
    contestants = [
        timed_once(idiom) for idiom in idioms if not difference(idiom, call, buffers, want)
    ]
    best = min(one.once_ns for one in contestants)
    likely = [
        one for one in contestants if one.idiom.peer == OURS or one.once_ns <= _HOPELESS * best
    ]
    interleave(likely, _EFFORT)
    ours = median(likely[0].samples_ns)
    rivals = [median(one.samples_ns) for one in likely[1:]]
    theirs = min(rivals or [one.once_ns for one in contestants[1:]])
    return Result(theirs / ours, text, ours, theirs)


def laid(rng: np.random.Generator, array: Array, layout: str) -> Array:
    """Its values, but for "one row"."""
    axes = range(array.ndim)
    if layout == "columns first":
        return np.asfortranarray(array)
    if layout == "turned":
        order = rng.permutation(array.ndim)
        return array.transpose(order).copy().transpose(np.argsort(order))
    if layout == "backwards":
        turn = tuple(slice(None, None, -1 if rng.random() < 0.5 else 1) for _ in axes)
        return array[turn].copy()[turn]
    if layout == "every other":
        axis = int(rng.integers(array.ndim))
        return np.repeat(array, 2, axis)[
            tuple(slice(None, None, 2 if d == axis else 1) for d in axes)
        ]
    if layout == "odd":
        buffer = np.empty(array.nbytes + 1, "u1")
        odd = np.ndarray(array.shape, array.dtype, buffer.data, 1)
        odd[...] = array
        return odd
    if layout == "one row":
        return np.broadcast_to(array[:1], array.shape)
    return array


if __name__ == "__main__":
    main()
