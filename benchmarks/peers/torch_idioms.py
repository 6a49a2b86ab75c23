"""PyTorch's best ways. Its tensors are views of the same memory."""

from __future__ import annotations

import importlib
from typing import Any

from benchmarks.call import Buffers, Call, Idiom
from benchmarks.peers.coordinates import batch_arrays, tuple_code

_REDUCE = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}


class Contestant:
    def __init__(self, threads: int) -> None:
        self.torch = importlib.import_module("torch")
        self.torch.set_num_threads(threads)
        self.version = str(self.torch.__version__)

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        view = self.torch.from_numpy
        names: dict[str, Any] = {
            "torch": self.torch,
            "x": view(buffers.input),
            "i": view(buffers.indices),
            "u": None if buffers.updates is None else view(buffers.updates),
            "out": view(buffers.out),
        }
        if call.operator.endswith("_nd"):
            names |= {name: view(array) for name, array in batch_arrays(call).items()}
        if call.is_scatter:
            return _scatters(call, names)
        found = []
        for code, out in _gathers(call, _index(call)):
            found.append(Idiom("torch", code, names, into_out=False, raises=True))
            if out:
                found.append(Idiom("torch", out, names, into_out=True, raises=True, result="out"))
        return found


def _index(call: Call) -> str:
    """The indices as an integer tensor, none of them negative: uint8 ones would be a mask."""
    i = "i" if call.indices.dtype.name in ("int32", "int64") else "i.long()"
    if call.operator.endswith("_nd") or not call.has_negative_indices:
        return i
    return f"torch.where({i} < 0, {i} + {call.input.shape[call.axis]}, {i})"


def _index_shape(call: Call) -> tuple[int, ...]:
    """The shape of the indices, without the tuples' dim."""
    return call.indices.shape[:-1] if call.operator == "gather_nd" else call.indices.shape


def _gathers(call: Call, i: str) -> list[tuple[str, str]]:
    """Each way, fresh and with out ('' where it has none). torch always checks the indices."""
    if call.operator == "gather_elements":
        gather = f"torch.gather(x, {call.axis}, {i}"
        return [(f"{gather})", f"{gather}, out=out)")]
    if not _index_shape(call):  # torch's x[i] is a view then, which moves nothing
        where = tuple_code(call) if call.operator == "gather_nd" else f"{':, ' * call.axis}{i}"
        return [(f"x[{where}].clone()", f"out.copy_(x[{where}])")]
    if call.operator == "gather" and call.axis:
        return _selects(call, i, call.axis) or [(f"x[{':, ' * call.axis}{i}]", "")]
    if call.operator == "gather":
        where = i
        ways = _selects(call, i, 0)
        if call.input.ndim == 2:
            ways.append((f"torch.nn.functional.embedding({i}, x)", ""))
    else:
        where = tuple_code(call)
        one_number = call.indices.shape[-1] == 1 and not call.batch_dims
        ways = _selects(call, "i[..., 0]", 0) if one_number else []
    ways.append((f"x[{where}]", f"torch.ops.aten.index(x, [{where}], out=out)"))
    return ways


def _selects(call: Call, i: str, axis: int) -> list[tuple[str, str]]:
    """index_select: one dim of indices, which are not negative."""
    shape = _index_shape(call)
    if call.operator == "gather_nd" and call.has_negative_indices:
        return []
    if len(shape) == 1:
        select = f"torch.index_select(x, {axis}, {i}"
        return [(f"{select})", f"{select}, out=out)")]
    after = f"{axis}, {axis + len(shape) - 1}"
    select = f"torch.index_select(x, {axis}, {i}.reshape(-1)"
    return [
        (f"{select}).unflatten({axis}, {shape})", f"{select}, out=out.flatten({after}))"),
    ]


def _scatters(call: Call, names: dict[str, Any]) -> list[Idiom]:
    reduction = "" if call.reduction == "none" else f", {_REDUCE[call.reduction]!r}"
    ways: list[tuple[str, str, str]] = []  # fresh, into out, in place
    if call.operator == "scatter_elements":
        verb = "scatter_reduce" if reduction else "scatter"
        i = _index(call)
        arguments = f"{call.axis}, {i}, u{reduction}"
        ways.append(_three(verb, arguments))
        if call.reduction == "add":
            ways.append(_three("scatter_add", f"{call.axis}, {i}, u"))
    else:
        if call.reduction not in ("none", "add"):
            return []
        accumulate = ", accumulate=True" if reduction else ""
        place = f"index_put_(({tuple_code(call)},), u{accumulate})"
        fresh = f"x.index_put(({tuple_code(call)},), u{accumulate})"
        ways.append((fresh, f"out.copy_(x).{place}", f"x.{place}"))
        if call.indices.shape[-1] == 1 and call.indices.ndim == 2:
            verb = "index_add" if reduction else "index_copy"
            ways.append(_three(verb, "0, i[:, 0], u"))
    found = []
    for fresh, out, in_place in ways:
        if call.in_place:
            found.append(Idiom("torch", in_place, names, True, True, result="x"))
        else:
            found.append(Idiom("torch", fresh, names, into_out=False, raises=True))
            found.append(Idiom("torch", out, names, True, True, result="out"))
    return found


def _three(verb: str, arguments: str) -> tuple[str, str, str]:
    return (
        f"torch.{verb}(x, {arguments})",
        f"torch.{verb}(x, {arguments}, out=out)",
        f"x.{verb}_({arguments})",
    )
