"""A resource's initial values: every form that DxDispatch's parser takes, as bytes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dmlindex.directml.dxdispatch import npy
from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.fields import Fields, array, integer
from dmlindex.directml.dxdispatch.relaxed_json import JsonObject
from dmlindex.directml.values import DataType

MOST_BYTES = 1 << 30  # of a resource, and of all of a model together

ReadFile = Callable[[str, str], bytes]  # of what messages call a file, and its path

_NAMED_FLOATS = {"inf": np.inf, "-inf": -np.inf, "nan": np.nan}
NO_VALUES = (DataType.UNKNOWN, DataType.UINT4, DataType.INT4)
_IMAGES = (".png", ".jpg")


def initial_values(fields: Fields, read_file: ReadFile) -> tuple[bytes, DataType]:
    """The bytes of a resource's values, and their type: UNKNOWN for a list of mixed ones."""
    data_type = fields.data_type("initialValuesDataType", DataType.UNKNOWN)
    values = fields.value("initialValues")
    where = fields.place("initialValues")
    if isinstance(values, list):
        data = _mixed(where, values) if data_type is DataType.UNKNOWN else None
        data = _numbers(where, values, data_type).tobytes() if data is None else data
    elif isinstance(values, JsonObject):
        data, data_type = _generated(Fields(where, values), data_type, read_file)
    elif values == "deferred":
        raise DxDispatchError(f"{where} is deferred, which only ONNX models need: not run here")
    else:
        raise DxDispatchError(
            f"{where} is {shown(values)}, expected numbers, an object, or deferred"
        )
    if not data:
        raise DxDispatchError(f"{where} is empty, expected one value or more")
    return data, data_type


def _generated(fields: Fields, data_type: DataType, read_file: ReadFile) -> tuple[bytes, DataType]:
    if "value" in fields:
        if others := [name for name in ("valueStart", "sourcePath") if name in fields]:
            raise DxDispatchError(f"{fields.where} has value and {others[0]}, expected one of them")
        count = _count(fields, data_type)
        value = _numbers(fields.place("value"), [fields.value("value")], data_type)
        return value.tobytes() * count, data_type
    if "valueStart" in fields:
        return _sequence(fields, data_type).tobytes(), data_type
    if "sourcePath" in fields:
        return _file(fields, data_type, read_file)
    raise DxDispatchError(f"{fields.where} has no value, valueStart or sourcePath")


def _count(fields: Fields, data_type: DataType) -> int:
    _require_type(fields.where, data_type)
    count: int = fields.integer("valueCount")
    if count * data_type.dtype.itemsize > MOST_BYTES:
        raise DxDispatchError(
            f"{fields.place('valueCount')} is {count}, which makes more than {MOST_BYTES} bytes, "
            "the most that is run here"
        )
    return count


def _sequence(fields: Fields, data_type: DataType) -> np.ndarray[Any, Any]:
    """Accumulated in the type itself: narrow integers wrap, floats gather rounding errors."""
    count = _count(fields, data_type)
    ends = [fields.value(name) for name in ("valueStart", "valueDelta")]
    first, delta = _numbers(fields.where, ends, data_type)
    if data_type.dtype.kind == "f":
        steps = np.full(count, delta)
        steps[:1] = first
        with np.errstate(all="ignore"):
            return np.add.accumulate(steps, dtype=data_type.dtype)
    wide = np.arange(count, dtype=np.uint64) * np.uint64(int(delta) % 2**64)
    wide += np.uint64(int(first) % 2**64)
    return wide.astype(data_type.dtype)


def _file(fields: Fields, data_type: DataType, read_file: ReadFile) -> tuple[bytes, DataType]:
    path = fields.string("sourcePath")
    name = f"{fields.place('sourcePath')} {shown(path)}"
    if path.lower().endswith(_IMAGES):
        raise DxDispatchError(f"{name} is a picture, which is not read here; use .npy or .bin")
    data = read_file(name, path)
    if path.lower().endswith(".npy"):
        data, found = npy.read(name, data)
        if DataType.UNKNOWN not in (found, data_type) and found is not data_type:
            raise DxDispatchError(
                f"{name} holds {found.name}, but initialValuesDataType is {data_type.name}"
            )
        data_type = found if data_type is DataType.UNKNOWN else data_type
    _require_type(name, data_type)
    return data, data_type


def _require_type(where: str, data_type: DataType) -> None:
    if data_type in NO_VALUES:
        raise DxDispatchError(
            f"{where} needs an initialValuesDataType of 8 bits or more, found {data_type.name}"
        )


def _mixed(where: str, values: list[Any]) -> bytes:
    """[{"type": T, "value": v}, …], one behind the other without gaps."""
    parts = []
    for i, value in enumerate(values):
        fields = Fields(f"{where}[{i}]", value)
        data_type = fields.data_type("type")
        if data_type is DataType.FLOAT16:
            raise DxDispatchError(
                f"{fields.place('type')} is FLOAT16, which a mixed list cannot have"
            )
        parts.append(_numbers(fields.place("value"), [fields.value("value")], data_type).tobytes())
    return b"".join(parts)


def _numbers(where: str, values: list[Any], data_type: DataType) -> np.ndarray[Any, Any]:
    _require_type(where, data_type)
    dtype = data_type.dtype
    if dtype.kind == "f":
        doubles = [_double(f"{where}[{i}]", value) for i, value in enumerate(array(where, values))]
        with np.errstate(all="ignore"):
            if dtype == np.float16:  # by way of float, as the tool does
                return np.array(doubles, np.float32).astype(np.float16)
            return np.array(doubles, np.float64).astype(dtype)
    info = np.iinfo(dtype)
    least, most = int(info.min), int(info.max)
    checked = [integer(f"{where}[{i}]", value, least, most) for i, value in enumerate(values)]
    return np.array(checked, dtype)


def _double(where: str, value: object) -> float:
    if isinstance(value, float):
        return value
    if isinstance(value, str) and value.lower() in _NAMED_FLOATS:
        return _NAMED_FLOATS[value.lower()]
    if isinstance(value, int) and not isinstance(value, bool) and int(float(value)) == value:
        return float(value)
    raise DxDispatchError(
        f'{where} is {shown(value)}, expected a number that a double holds, "nan", "inf" or "-inf"'
    )
