"""A call as Python code that makes it again, with the function that was called."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.memory import Block, bits, blocks_of, place

if TYPE_CHECKING:
    from dmlindex.testing.call import Call

Array = npt.NDArray[Any]
_MOST_SHOWN = 64  # elements of an array that are written down as numbers


def script(call: Call, function: str, imports: str) -> str:
    """Code that imports and makes the call, and prints its answer."""
    arrays = call.arrays()
    plain = {id(array) for array in arrays if _is_plain(array, arrays)}
    blocks = blocks_of(array for array in arrays if id(array) not in plain)
    lines = ["import numpy as np", "from numpy import dtype, inf, nan"]
    if any("StringDType" in repr(array.dtype) for array in arrays):
        lines.append("from numpy.dtypes import StringDType")
    if types := sorted({a.dtype.name for a in arrays if a.dtype.type.__module__ == "ml_dtypes"}):
        lines.append(f"from ml_dtypes import {', '.join(types)}")
    lines.append(imports)
    lines += [
        f'memory_{i} = bytearray.fromhex("{block.read().hex()}")' for i, block in enumerate(blocks)
    ]
    names: dict[int, str] = {}
    for name, value in call.given().items():
        if isinstance(value, np.ndarray) and id(value) not in names:
            names[id(value)] = name
            made = _as_numbers(value) if id(value) in plain else _construction(value, blocks)
            lines.append(f"{name} = {made}")
            if not value.flags.writeable:
                lines.append(f"{name}.flags.writeable = False")
    shown = [names.get(id(value), repr(value)) for value in call.arguments]
    shown += [f"{key}={names.get(id(v), repr(v))}" for key, v in call.options.items()]
    lines.append(f"print({function}({', '.join(shown)}))")
    return "\n".join(lines)


def name_of(function: Callable[..., Any]) -> tuple[str, str]:
    """How a script calls a function, and the line that makes it known.

    >>> name_of(np.take)
    ('take', 'from numpy import take')
    >>> name_of(lambda x: x)
    ('FUNCTION', 'FUNCTION = …  # the function under test: <lambda>')
    """
    name = getattr(function, "__name__", repr(function))
    for module in _homes(function):
        try:
            known = getattr(importlib.import_module(module), name, None) is function
            if known and module != "__main__":
                return name, f"from {module} import {name}"
        except Exception:  # a module that cannot be imported again
            continue
    return "FUNCTION", f"FUNCTION = …  # the function under test: {name}"


def _homes(function: Callable[..., Any]) -> tuple[str, ...]:
    """Where a function may be found: the package above its module first."""
    module = getattr(function, "__module__", None) or "__main__"
    return (module.partition(".")[0], module)


def _is_plain(array: Array, arrays: list[Array]) -> bool:
    """Whether an array is all that its memory is for, so that its numbers say everything."""
    if array.size > _MOST_SHOWN or not (array.flags.c_contiguous and array.flags.aligned):
        return False
    dtype = array.dtype
    if dtype.hasobject or not dtype.isnative or dtype.fields or dtype.char in "gG":
        return False  # of long doubles some bytes mean nothing
    if any(other is not array and np.may_share_memory(other, array) for other in arrays):
        return False
    try:
        names = {"np": np, "dtype": np.dtype, "inf": np.inf, "nan": np.nan}
        again = eval(_as_numbers(array), names)
    except Exception:  # a dtype that numbers do not say
        return False
    alike = (again.dtype, again.shape, again.strides) == (dtype, array.shape, array.strides)
    return alike and np.array_equal(bits(again), bits(array))


def _as_numbers(array: Array) -> str:
    made = f"np.array({array.tolist()!r}, dtype={str(array.dtype)!r})"
    return made if 0 not in array.shape else f"np.empty({array.shape}, dtype={str(array.dtype)!r})"


def _construction(array: Array, blocks: list[Block]) -> str:
    """Code that makes the array, out of its block's memory."""
    if array.dtype.hasobject:
        return f"np.array({array.tolist()!r}, {array.dtype!r}).reshape({array.shape})"
    i, offset = place(array, blocks)
    return f"np.ndarray({array.shape}, {array.dtype!r}, memory_{i}, {offset}, {array.strides})"
