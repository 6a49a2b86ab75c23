"""JAX, jitted. It has no out (an in-place scatter donates its input), and it never raises."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.call import Buffers, Call, Idiom
from benchmarks.peers.coordinates import batch_arrays, grid_arrays, grid_code, tuple_code

_VERBS = {"none": "set", "add": "add", "mul": "multiply", "min": "min", "max": "max"}


class Contestant:
    def __init__(self, threads: int) -> None:
        del threads  # XLA asks which processors the process may use: see worker.py
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)  # int64 indices stay int64
        self.jax.config.update("jax_platforms", "cpu")
        self.version = str(self.jax.__version__)

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        device = self.jax.numpy.asarray
        names: dict[str, Any] = {
            "x": device(buffers.input),
            "i": device(buffers.indices),
            "u": None if buffers.updates is None else device(buffers.updates),
        }
        arrays: dict[str, Any] = {"jnp": self.jax.numpy}
        if call.operator.endswith("_nd"):
            arrays |= batch_arrays(call)
        if call.operator == "scatter_elements":
            arrays |= grid_arrays(call)
        if call.in_place:
            body = _scatter(call)
            names["f"] = self._jit(f"lambda x, i, u: {body}", arrays, donate_argnums=0)
            names["box"] = [self.jax.numpy.array(call.input)]
            names["result"] = _Boxed(names["box"])
            code = f"box[0] = f(box[0], i, u); box[0].block_until_ready()  # {body}, x donated"
            return [Idiom("jax", code, names, into_out=True, raises=False, result="result")]
        found = []
        for body in [_scatter(call)] if call.is_scatter else _gathers(call):
            arguments = "x, i, u" if call.is_scatter else "x, i"
            function = self._jit(f"lambda {arguments}: {body}", arrays)
            code = f"f({arguments}).block_until_ready()  # {body}"
            found.append(Idiom("jax", code, names | {"f": function}, into_out=False, raises=False))
        return found

    def _jit(self, code: str, names: dict[str, Any], **options: Any) -> Callable[..., Any]:
        function: Callable[..., Any] = self.jax.jit(eval(code, names), **options)
        return function


class _Boxed:
    """The array that the donated input has become, read only when asked."""

    def __init__(self, box: list[Any]) -> None:
        self.box = box

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        del dtype, copy
        return self.box[0].__array__()


def _gathers(call: Call) -> list[str]:
    found = []
    for mode in ("clip", "promise_in_bounds"):
        if call.operator == "gather":
            found.append(f"x.at[{':, ' * call.axis}i].get(mode={mode!r})")
        elif call.operator == "gather_elements":
            found.append(f"jnp.take_along_axis(x, i, {call.axis}, mode={mode!r})")
        else:
            found.append(f"x.at[{tuple_code(call)}].get(mode={mode!r})")
    return found


def _scatter(call: Call) -> str:
    where = tuple_code(call) if call.operator == "scatter_nd" else grid_code(call)
    return f"x.at[{where}].{_VERBS[call.reduction]}(u, mode='drop')"
