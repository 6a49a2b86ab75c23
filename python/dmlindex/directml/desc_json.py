"""Descriptors as JSON text and back.

    {"operator": "GATHER_ELEMENTS", "axis": 1,
     "input":   {"data_type": "FLOAT32", "sizes": [2, 3], "strides": [4, 1]},
     "indices": {"data_type": "INT64", "sizes": [2, 2]},
     "output":  {"data_type": "FLOAT32", "sizes": [2, 2]}}

A tensor may also have total_tensor_size_in_bytes, guaranteed_base_offset_alignment and flags (a
number), and may be null. A key "verdict", which recorded descriptors have, is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, NoReturn, TypeVar

from dmlindex._tracebacks import short_traceback
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, TensorFlags

OPERATOR_DESCS: dict[str, type[OperatorDesc]] = {
    desc.operator: desc
    for desc in (
        GatherOperatorDesc,
        GatherElementsOperatorDesc,
        GatherNDOperatorDesc,
        GatherND1OperatorDesc,
        ScatterElementsOperatorDesc,
        ScatterNDOperatorDesc,
    )
}
Desc = TypeVar("Desc")
_PASSED_OVER = {"verdict"}


@short_traceback
def desc_from_json(text: str) -> OperatorDesc:
    """The operator desc in the JSON text; ValueError with one clear line where it holds none.

    What the text can say but DirectML refuses (no dims, a null tensor, flags that do not exist)
    makes a desc all the same: its `violations()` say what is wrong.

    >>> desc = desc_from_json('{"operator": "GATHER_ELEMENTS", "axis": 0, "input": null,'
    ...                       ' "indices": null, "output": null}')
    >>> [v.tensor for v in desc.violations()]
    ['input', 'indices', 'output']
    """
    try:
        data = json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_int=_parse_int,
            parse_constant=_refuse_constant,
        )
    except RecursionError:
        raise ValueError("not a descriptor: the JSON is nested too deep") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from None
    data = _object("the descriptor", data)
    if "operator" not in data:
        raise ValueError('the descriptor has no "operator"')
    name = data.pop("operator")
    if not isinstance(name, str) or name not in OPERATOR_DESCS:
        raise ValueError(f"operator is {_shown(name)}, expected one of {', '.join(OPERATOR_DESCS)}")
    desc_type = OPERATOR_DESCS[name]
    # The fields input_tensor, … are called input, … in JSON.
    keys = {field.name.removesuffix("_tensor"): field.name for field in fields(desc_type)}  # type: ignore[arg-type]
    values = _fields(name, data, known=set(keys), required=set(keys))
    arguments = {
        keys[key]: _tensor(f"{name}.{key}", value) if keys[key].endswith("_tensor") else value
        for key, value in values.items()
    }
    return _build(name, lambda: desc_type(**arguments))


@short_traceback
def desc_to_json(desc: OperatorDesc) -> str:
    """The desc as one line of JSON that `desc_from_json` reads; defaults are left out.

    TypeError for what is no operator desc.
    """
    if not isinstance(desc, OperatorDesc):
        raise TypeError(f"desc_to_json: desc is a {type(desc).__name__}, expected an operator desc")
    data: dict[str, Any] = {"operator": desc.operator}
    for field in fields(desc):  # type: ignore[arg-type]
        value = getattr(desc, field.name)
        data[field.name.removesuffix("_tensor")] = (
            tensor_data(value) if isinstance(value, TensorDesc) else value
        )
    return json.dumps(data)


def _tensor(where: str, value: object) -> TensorDesc | None:
    if value is None:
        return None
    data = _object(where, value)
    known = {field.name for field in fields(TensorDesc)}
    required = {field.name for field in fields(TensorDesc) if field.default is MISSING}
    data = _fields(where, data, known=known, required=required)
    type_name = data["data_type"]
    if not isinstance(type_name, str) or type_name not in DataType.__members__:
        raise ValueError(
            f"{where}.data_type is {_shown(type_name)}, expected one of "
            f"{', '.join(DataType.__members__)}"
        )
    data["data_type"] = DataType[type_name]
    if "flags" in data:
        flags = data["flags"]
        if not isinstance(flags, int) or isinstance(flags, bool) or not 0 <= flags < 2**32:
            raise ValueError(f"{where}.flags is {_shown(flags)}, expected 0 to {2**32 - 1}")
        data["flags"] = TensorFlags(flags)
    return _build(where, lambda: TensorDesc(**data))


def tensor_data(desc: TensorDesc) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for field in fields(TensorDesc):
        value = getattr(desc, field.name)
        if field.default is MISSING or value != field.default:
            data[field.name] = value.name if isinstance(value, DataType) else value
    return data


def _build(where: str, make: Callable[[], Desc]) -> Desc:
    try:
        return make()
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {str(error).partition(': ')[2]}") from None


def _object(where: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{where} is {_shown(value)}, expected an object {{…}}")
    return dict(value)


def _fields(
    where: str, data: dict[str, Any], *, known: set[str], required: set[str]
) -> dict[str, Any]:
    if missing := sorted(required - data.keys()):
        raise ValueError(f"{where} has no {', '.join(missing)}")
    if unknown := sorted(data.keys() - known - _PASSED_OVER):
        raise ValueError(
            f"{where} has an unknown field {_shown(unknown[0])}, "
            f"expected {', '.join(sorted(known))}"
        )
    return {key: value for key, value in data.items() if key in known}


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(pairs)
    if len(data) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {_shown(twice)} stands twice in one object")
    return data


def _parse_int(digits: str) -> int:
    if len(digits) > 1000:  # Python itself refuses some thousands, with advice of its own
        raise ValueError(f"not a descriptor: a number of {len(digits)} digits")
    return int(digits)


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number that a descriptor can hold")


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "…"
