"""NumPy's best ways. The plainest of them also gives the expected answers."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.call import Array, Buffers, Call, Idiom
from benchmarks.peers.coordinates import batch_arrays, grid_arrays, grid_code, tuple_code

_UFUNCS = {"add": "np.add", "mul": "np.multiply", "min": "np.minimum", "max": "np.maximum"}


class Contestant:
    def __init__(self, threads: int) -> None:
        del threads  # NumPy has one
        self.version = str(importlib.import_module("numpy").__version__)

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        names: dict[str, Any] = {
            "np": np,
            "x": buffers.input,
            "i": buffers.indices,
            "u": buffers.updates,
            "out": buffers.out,
        }
        if call.operator.endswith("_nd"):
            names |= batch_arrays(call)
        if call.operator == "scatter_elements":
            names |= grid_arrays(call)
        return _scatters(call, names) if call.is_scatter else _gathers(call, names)


def expected(call: Call) -> Array:
    """What the call must give, by the plainest idiom on arrays of its own."""
    idiom = Contestant(1).idioms(call, Buffers.of(call))[0]
    if not idiom.result:
        return np.asarray(eval(idiom.code, idiom.names))
    exec(idiom.code, idiom.names)
    return np.asarray(idiom.names[idiom.result])


def _gathers(call: Call, names: dict[str, Any]) -> list[Idiom]:
    if call.operator == "gather":
        plain = f"x[{':, ' * call.axis}i]"
    elif call.operator == "gather_elements":
        plain = f"np.take_along_axis(x, i, {call.axis})"
    else:
        plain = f"x[{tuple_code(call)}]"
    found = [
        Idiom("numpy", plain, names, into_out=False, raises=True),
        Idiom("numpy", f"out[...] = {plain}", names, into_out=True, raises=True, result="out"),
    ]
    for out, result in (("", ""), (", out=out", "out")):
        found += [
            Idiom("numpy", code, names, bool(out), raises, result=result)
            for code, raises in _takes(call, out)
        ]
    return found


def _takes(call: Call, out: str) -> list[tuple[str, bool]]:
    """The ways through np.take, and whether each refuses a bad index."""
    # mode='clip' does not count negatives from the end, as all the others here do.
    clips = not call.has_negative_indices
    if call.operator == "gather":
        plain, clipped = f"np.take(x, i, {call.axis}{out}", ", mode='clip'"
    elif call.operator == "gather_nd" and call.indices.shape[-1] == 1 and not call.batch_dims:
        plain, clipped = f"np.take(x, i[..., 0], 0{out}", ", mode='clip'"
    elif call.operator == "gather_nd" and clips and not call.batch_dims:
        k = call.indices.shape[-1]
        rows = "x.reshape(-1)" if k == call.input.ndim else f"x.reshape(-1, *x.shape[{k}:])"
        flat = f"np.ravel_multi_index(({tuple_code(call)}), x.shape[:{k}])"
        plain, clipped = f"np.take({rows}, {flat}, 0{out}, mode='clip'", ""
    else:
        return []
    found = [(f"{plain})", True)]
    if clips and clipped:
        found.append((f"{plain}{clipped})", False))
    return found


def _scatters(call: Call, names: dict[str, Any]) -> list[Idiom]:
    def place(target: str) -> str:
        if call.operator == "scatter_elements" and call.reduction == "none":
            return f"np.put_along_axis({target}, i, u, {call.axis})"
        where = tuple_code(call) if call.operator == "scatter_nd" else grid_code(call)
        if call.reduction == "none":
            return f"{target}[{where}] = u"
        return f"{_UFUNCS[call.reduction]}.at({target}, ({where}), u)"

    if call.in_place:
        return [Idiom("numpy", place("x"), names, into_out=True, raises=True, result="x")]
    return [
        Idiom("numpy", f"y = x.copy(); {place('y')}", names, False, True, result="y"),
        Idiom("numpy", f"np.copyto(out, x); {place('out')}", names, True, True, result="out"),
    ]
