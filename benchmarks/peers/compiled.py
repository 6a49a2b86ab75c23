"""A call as a compiled descriptor: what a tiny call costs when its checks are done once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.call import Array, Buffers, Call, Idiom

COMPILED = "compiled"
_MOST_ELEMENTS = 64  # above, moving the bytes is what costs


def compiled_idioms(dmlindex: Any, call: Call, buffers: Buffers) -> list[Idiom]:
    """The descriptor in its default mode, for tiny calls of as many dims as a descriptor wants."""
    wants_equal_ranks = call.operator != "scatter_nd"
    ranks = {buffers.input.ndim, buffers.indices.ndim} if wants_equal_ranks else {1}
    if buffers.out.size > _MOST_ELEMENTS or len(ranks) != 1 or call.reduction != "none":
        return []
    # A gather_nd's result is padded on the left to input's dims.
    missing = buffers.input.ndim - buffers.out.ndim
    out = buffers.out.reshape([1] * missing + list(buffers.out.shape))

    def tensor(array: Array) -> Any:
        return dmlindex.TensorDesc(dmlindex.DataType[array.dtype.name.upper()], array.shape)

    x, i, o = tensor(buffers.input), tensor(buffers.indices), tensor(out)
    dims = (buffers.input.ndim, buffers.indices.ndim)
    make: dict[str, Callable[[], Any]] = {
        "gather": lambda: dmlindex.GatherOperatorDesc(x, i, o, call.axis, dims[1]),
        "gather_elements": lambda: dmlindex.GatherElementsOperatorDesc(x, i, o, call.axis),
        "gather_nd": lambda: dmlindex.GatherND1OperatorDesc(x, i, o, *dims, call.batch_dims),
        "scatter_elements": lambda: dmlindex.ScatterElementsOperatorDesc(
            x, i, tensor(_updates(buffers)), o, call.axis
        ),
        "scatter_nd": lambda: dmlindex.ScatterNDOperatorDesc(
            x, i, tensor(_updates(buffers)), o, *dims
        ),
    }
    desc = make[call.operator]()
    operator = dmlindex.Device("cpu").compile(desc)
    names = {"x": buffers.input, "i": buffers.indices, "u": buffers.updates, "op": operator}
    names |= {"padded": out, "out": buffers.out}
    arguments = "x, i, u" if call.is_scatter else "x, i"
    code = f"op({arguments}, out=padded)  # {type(desc).__name__}, mode={operator.mode!r}"
    return [Idiom("dmlindex", code, names, True, False, mode=COMPILED, result="out")]


def _updates(buffers: Buffers) -> Array:
    assert buffers.updates is not None
    return buffers.updates
