"""Random calls in every mode, beside the same call with all indices in range and mode="raise".

python -m benchmarks.modes [--calls 200] [--seed 0] [--threads 1] [--outside 0.05] [--worst 3]

What a mode costs: of clamp, wrap, fill and drop, with a share of the indices out of range.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from dataclasses import replace
from statistics import geometric_mean, median

import numpy as np

import dmlindex
from benchmarks.call import Array, Call, Idiom
from benchmarks.measure import Effort, interleave, timed_once
from benchmarks.sweep.draw import CPU, draw
from dmlindex import reference

_EFFORT = Effort(seconds=0.03, rounds=(7, 25))
_FURTHEST = 2**30
_COMPARED_BYTES = 2**16  # the reference is slow


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.modes", description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--calls", type=int, default=200, help="default: 200")
    add("--seed", type=int, default=0, help="which random calls; default: 0")
    add("--threads", type=int, default=1, help="dmlindex's; default: 1")
    add("--outside", type=float, default=0.05, help="the share out of range; default: 0.05")
    add("--worst", type=int, default=3, help="how many to list of each; default: 3")
    options = parser.parse_args()
    dmlindex.set_num_threads(options.threads)
    found: dict[tuple[str, str], list[tuple[float, str]]] = defaultdict(list)
    for number in range(options.calls):
        drawn = draw(options.seed, number, CPU)
        for mode, ratio in measured(drawn.call, options.outside, [options.seed, number, 2]).items():
            found[drawn.call.operator, mode].append((ratio, str(drawn)))
    for (operator, mode), results in sorted(found.items()):
        results.sort(reverse=True)
        mean = geometric_mean(ratio for ratio, _ in results)
        print(f"{operator} {mode}: {len(results)} calls, {mean:.2f} on average")
        for ratio, text in results[: options.worst]:
            print(f"    {ratio:.2f}  {text}")


def measured(call: Call, share: float, seed: list[int]) -> dict[str, float]:
    """Of each mode the time ÷ that of mode="raise" without an index out of range."""
    outside = replace(call, indices=some_outside(np.random.default_rng(seed), call.indices, share))
    idioms = [idiom(call, "raise")]
    for mode in ("clamp", "wrap", "drop" if call.is_scatter else "fill"):
        check(outside, mode)
        idioms.append(idiom(outside, mode))
    contestants = [timed_once(one) for one in idioms]
    interleave(contestants, _EFFORT)
    raised, *others = (median(one.samples_ns) for one in contestants)
    return {one.peer: time / raised for one, time in zip(idioms[1:], others, strict=True)}


def some_outside(rng: np.random.Generator, indices: Array, share: float) -> Array:
    return np.where(rng.random(indices.shape) < share, indices.dtype.type(_FURTHEST), indices)


def idiom(call: Call, mode: str) -> Idiom:
    names = {"dmlindex": dmlindex, "x": call.input, "i": call.indices, "u": call.updates}
    return Idiom(mode, call.code(f"mode={mode!r}"), names, False, True)


def check(call: Call, mode: str) -> None:
    """Against the reference, where that does not take long."""
    if max(call.indices.size * call.input.itemsize, call.input.nbytes) > _COMPARED_BYTES:
        return
    found, wanted = (call.made_by(module, mode=mode) for module in (dmlindex, reference))
    if found.tobytes() != wanted.tobytes() and not np.array_equal(found, wanted, equal_nan=True):
        raise AssertionError(f"{call.code()} with mode={mode!r} differs from the reference")


if __name__ == "__main__":
    main()
