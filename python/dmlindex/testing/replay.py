"""A call as JSON, and back: what `dmlindex fuzz --replay` reads. Nothing in it is executed."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex.testing.call import Call
from dmlindex.testing.memory import blocks_of, has_block, place
from dmlindex.testing.space import OPERATORS
from dmlindex.testing.values import dtypes_of

Array = npt.NDArray[Any]
FORMAT = "dmlindex call 1"


def to_json(call: Call, **notes: Any) -> str:
    """The call, layout and shared memory included; notes are kept beside it.

    TypeError for arrays of Python objects, and for masked ones.
    """
    arrays = call.arrays()
    if not all(map(has_block, arrays)):
        raise TypeError(
            "to_json: an array of Python objects, or a masked one; expected arrays of plain bytes"
        )
    blocks = blocks_of(arrays)
    numbers: dict[int, dict[str, Any]] = {}
    for array in {id(array): array for array in arrays}.values():
        block, offset = place(array, blocks)
        numbers[id(array)] = {
            "array": len(numbers),
            "dtype": _dtype_to_json(array.dtype),
            "shape": list(array.shape),
            "strides": list(array.strides),
            "block": block,
            "offset": offset,
            "writeable": bool(array.flags.writeable),
        }

    def shown(value: Any) -> Any:
        return numbers[id(value)] if isinstance(value, np.ndarray) else _value_to_json(value)

    return json.dumps(
        {
            "format": FORMAT,
            "operator": call.operator,
            "note": call.note,
            "arguments": [shown(value) for value in call.arguments],
            "options": {name: shown(value) for name, value in call.options.items()},
            "memory": [block.read().hex() for block in blocks],
            **notes,
        },
        indent=1,
    )


def from_json(text: str) -> tuple[Call, dict[str, Any]]:
    """The call and the notes; ValueError where the text is no such call.

    >>> call = Call("gather", (np.arange(3), np.array([2])), {"mode": "clamp"})
    >>> again, notes = from_json(to_json(call, against="numpy"))
    >>> again, notes["against"]
    (gather(input=<int64 (3,)>, indices=<int64 (1,)>, mode='clamp'), 'numpy')
    """
    try:
        read = json.loads(text)
        if read["format"] != FORMAT:
            raise ValueError(f"format is {read['format']!r}, expected {FORMAT!r}")
        if read["operator"] not in OPERATORS:
            raise ValueError(f"operator is {read['operator']!r}")
        memory = [bytearray.fromhex(block) for block in read["memory"]]
        made: dict[int, Array] = {}

        def value(shown: Any) -> Any:
            if not (isinstance(shown, dict) and "array" in shown):
                return _value_from_json(shown)
            number = int(shown["array"])
            if number not in made:
                made[number] = _array(shown, memory)
            return made[number]

        for name in read["options"]:
            if not name.isidentifier():  # it would stand in a script
                raise ValueError(f"{name!r} is no name of an argument")
        if not read["note"].isprintable():
            raise ValueError("the note has characters that cannot be printed")
        arguments = tuple(value(one) for one in read["arguments"])
        options = {str(name): value(one) for name, one in read["options"].items()}
        return Call(read["operator"], arguments, options, str(read["note"])), read
    except ValueError:
        raise
    except Exception as error:  # there are many ways not to be a call
        raise ValueError(f"not a call that `dmlindex fuzz` wrote: {error!r}") from None


def _array(shown: dict[str, Any], memory: list[bytearray]) -> Array:
    shape, strides = tuple(map(int, shown["shape"])), tuple(map(int, shown["strides"]))
    dtype = _dtype_from_json(shown["dtype"])
    block, offset = memory[int(shown["block"])], int(shown["offset"])
    steps = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = offset + sum(step for step in steps if step < 0)
    high = offset + dtype.itemsize + sum(step for step in steps if step > 0)
    if 0 not in shape and not 0 <= low <= high <= len(block):  # NumPy looks with 64 bits only
        raise ValueError(f"an array of shape {shape} and strides {strides} leaves its memory")
    array: Array = np.ndarray(shape, dtype, block, offset, strides)
    array.flags.writeable = bool(shown["writeable"])
    return array


def _dtype_to_json(dtype: np.dtype[Any]) -> Any:
    if dtype.type.__module__ == "ml_dtypes":
        return {"ml_dtypes": dtype.name}
    if dtype.fields and dtype.names:
        fields = [dtype.fields[name] for name in dtype.names]
        return {
            "names": list(dtype.names),
            "formats": [_dtype_to_json(field[0]) for field in fields],
            "offsets": [field[1] for field in fields],
            "itemsize": dtype.itemsize,
            "aligned": dtype.isalignedstruct,
        }
    if dtype.subdtype:
        return {"base": _dtype_to_json(dtype.subdtype[0]), "shape": list(dtype.subdtype[1])}
    return dtype.str


def _dtype_from_json(shown: Any) -> np.dtype[Any]:
    if isinstance(shown, str):
        dtype = np.dtype(shown)
        if dtype.hasobject:
            raise ValueError(f"dtype {shown!r} holds Python objects")
        return dtype
    if "ml_dtypes" in shown:
        for small in dtypes_of("ml_dtypes"):
            if small.name == shown["ml_dtypes"]:
                return small
        raise ValueError(f"ml_dtypes has no dtype {shown['ml_dtypes']!r}, or is not installed")
    if "base" in shown:
        return np.dtype((_dtype_from_json(shown["base"]), tuple(map(int, shown["shape"]))))
    record: Any = {name: shown[name] for name in ("names", "offsets", "itemsize", "aligned")}
    record["formats"] = [_dtype_from_json(one) for one in shown["formats"]]
    made: np.dtype[Any] = np.dtype(record)
    return made


def _value_to_json(value: Any) -> Any:
    """A number or a list by its repr, NumPy's scalars by their bytes."""
    if isinstance(value, np.generic):
        return {"scalar": _dtype_to_json(value.dtype), "bytes": value.tobytes().hex()}
    if isinstance(value, complex):
        return {"complex": [value.real.hex(), value.imag.hex()]}
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, (list, tuple)):
        return [_value_to_json(one) for one in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    raise TypeError(f"to_json: a {type(value).__name__}, expected arrays, numbers, text or lists")


def _value_from_json(shown: Any) -> Any:
    if isinstance(shown, list):
        return [_value_from_json(one) for one in shown]
    if not isinstance(shown, dict):
        return shown
    if "float" in shown:
        return float.fromhex(shown["float"])
    if "complex" in shown:
        return complex(*map(float.fromhex, shown["complex"]))
    scalar = np.frombuffer(bytes.fromhex(shown["bytes"]), _dtype_from_json(shown["scalar"]))
    return scalar[0]
