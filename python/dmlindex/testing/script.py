"""A call as Python code that makes it again, with the function that was called."""

from __future__ import annotations

import base64
import importlib
import operator
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.memory import Block, bits, blocks_of, has_block, place

if TYPE_CHECKING:
    from dmlindex.testing.call import Call

Array = npt.NDArray[Any]
_MOST_SHOWN = 1000  # elements that are written down one by one, and bytes that are as hex


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
    memory = [_as_code(block.read()) for block in blocks]
    if any("zlib" in code for code in memory):
        lines.append("import base64, zlib")
    lines += [f"memory_{i} = {code}" for i, code in enumerate(memory)]
    names: dict[int, str] = {}
    for name, value in call.given().items():
        if isinstance(value, np.ndarray) and id(value) not in names:
            names[id(value)] = name
            made = _as_numbers(name, value) if id(value) in plain else []
            lines += made or [f"{name} = {_construction(value, blocks)}"]
            if not value.flags.writeable:
                lines.append(f"{name}.flags.writeable = False")
    shown = [names.get(id(value)) or _as_value(value) for value in call.arguments]
    shown += [f"{key}={names.get(id(v)) or _as_value(v)}" for key, v in call.options.items()]
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
    qualified = getattr(function, "__qualname__", name)
    for home in _homes(function):
        try:
            module = importlib.import_module(home)
            names = [known for known, value in vars(module).items() if value is function]
            if not names and operator.attrgetter(qualified)(module) == function:
                names = [qualified]  # of a class
        except Exception:  # a module that cannot be imported again, or has no such name
            continue
        if names and home != "__main__":
            chosen = name if name in names else names[0]
            return chosen, f"from {home} import {chosen.partition('.')[0]}"
    return "FUNCTION", f"FUNCTION = …  # the function under test: {name}"


def _homes(function: Callable[..., Any]) -> tuple[str, ...]:
    """Where a function may be found: the package above its module first."""
    module = getattr(function, "__module__", None) or "__main__"
    return (module.partition(".")[0], module)


def _is_plain(array: Array, arrays: list[Array]) -> bool:
    """Whether an array is all that its memory is for, so that its numbers say everything."""
    flags = array.flags
    if not has_block(array) or not flags.c_contiguous or not (flags.aligned or not array.size):
        return False
    if array.dtype.char in "gG":
        return False  # of long doubles some bytes mean nothing
    if any(other is not array and np.may_share_memory(other, array) for other in arrays):
        return False
    names: dict[str, Any] = {"np": np, "dtype": np.dtype, "inf": np.inf, "nan": np.nan}
    try:
        exec("\n".join(_as_numbers("again", array)), names)
    except Exception:  # a dtype that numbers do not say
        return False
    again = names["again"]
    alike: bool = (again.dtype, again.shape) == (array.dtype, array.shape)
    alike &= again.strides == array.strides or not array.size  # NumPy's own choice, if empty
    return alike and np.array_equal(bits(again), bits(array))


def _as_numbers(name: str, array: Array) -> list[str]:
    """Lines that make the array of its elements: one by one, or those that are not as most are."""
    dtype = array.dtype
    if dtype.kind in "mM":  # as the integers that they are
        lines = _as_numbers(name, array.view(f"{dtype.byteorder}i8"))
        return [*lines, f"{name} = {name}.view({dtype.str!r})"]
    shown = repr(dtype) if dtype.fields else repr(str(dtype))
    if array.size == 0:
        return [f"{name} = np.empty({array.shape}, dtype={shown})"]
    if array.size > _MOST_SHOWN:
        rows, flat = bits(array), array.reshape(-1)
        _, first, counts = np.unique(rows, axis=0, return_index=True, return_counts=True)
        most = first[counts.argmax()]
        places = np.flatnonzero((rows != rows[most]).any(axis=1))
        if places.size <= _MOST_SHOWN:
            lines = [f"{name} = np.full({array.shape}, {flat[most].tolist()!r}, dtype={shown})"]
            few = f"{name}.flat[{places.tolist()}] = {flat[places].tolist()!r}"
            return lines + [few] * (places.size > 0)
    return [f"{name} = np.array({array.tolist()!r}, dtype={shown})"]


def _as_value(value: object) -> str:
    """An expression for an argument that is no array; scalars' repr hangs on NumPy's release.

    >>> _as_value(np.float32(0.5))
    'np.float32(0.5)'
    >>> _as_value(np.str_(""))
    "np.str_('')"
    >>> _as_value(np.datetime64("2000-01-01", "D"))
    "np.int64(10957).view('<M8[D]')"
    """
    if not isinstance(value, np.generic):
        return repr(value)
    if value.dtype.kind in "mM":  # as the integer that it is
        return f"np.int64({value.view(np.int64)}).view({value.dtype.str!r})"
    if isinstance(value, (np.bool_, np.number, np.character)) and value.dtype.char not in "gG":
        return f"np.{type(value).__name__}({value.item()!r})"
    return f"np.frombuffer({value.tobytes()!r}, {value.dtype!r})[0]"


def _as_code(memory: bytes) -> str:
    """An expression for bytes."""
    if len(memory) <= _MOST_SHOWN:
        return f'bytearray.fromhex("{memory.hex()}")'
    packed = base64.b64encode(zlib.compress(memory, 9)).decode()
    return f'bytearray(zlib.decompress(base64.b64decode("{packed}")))'


def _construction(array: Array, blocks: list[Block]) -> str:
    """Code that makes the array, out of its block's memory."""
    if has_block(array):
        i, offset = place(array, blocks)
        return f"np.ndarray({array.shape}, {array.dtype!r}, memory_{i}, {offset}, {array.strides})"
    kind = "np.ma.array" if isinstance(array, np.ma.MaskedArray) else "np.array"
    return f"{kind}({array.tolist()!r}, {array.dtype!r}).reshape({array.shape})"
