"""Models for the tests: short ones as data, to change in one place and turn into JSON."""

from __future__ import annotations

import copy
import io
import json
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest

from dmlindex.directml import dxdispatch
from dmlindex.directml.dxdispatch import DxDispatchError, Model, Outcome

# A row of x is padded: 7 elements, of which 3 is none of the tensor's.
GATHER: dict[str, Any] = {
    "resources": {
        "x": {
            "initialValuesDataType": "INT32",
            "initialValues": {"valueCount": 7, "valueStart": 0, "valueDelta": 1},
        },
        "i": {"initialValuesDataType": "INT64", "initialValues": [2, 0, 1, 1]},
        "out": {"initialValuesDataType": "INT32", "initialValues": {"valueCount": 4, "value": -1}},
    },
    "dispatchables": {
        "g": {
            "type": "GATHER_ELEMENTS",
            "desc": {
                "InputTensor": {"DataType": "INT32", "Sizes": [2, 3], "Strides": [4, 1]},
                "IndicesTensor": {"DataType": "INT64", "Sizes": [2, 2]},
                "OutputTensor": {"DataType": "INT32", "Sizes": [2, 2]},
                "Axis": 1,
            },
        }
    },
    "commands": [
        {
            "type": "dispatch",
            "dispatchable": "g",
            "bindings": {"InputTensor": "x", "IndicesTensor": "i", "OutputTensor": "out"},
        },
        {"type": "print", "resource": "out"},
        {"type": "writeFile", "resource": "out", "targetPath": "out.npy", "dimensions": [2, 2]},
    ],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """GATHER with another value at the path, such as "resources/x/sizeInBytes"; None removes it."""
    model = copy.deepcopy(GATHER)
    *keys, last = path.split("/")
    place: Any = model
    for key in keys:
        place = place[int(key) if isinstance(place, list) else key]
    if value is None:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return model


def no_files(where: str, path: str) -> bytes:
    raise AssertionError(f"{where} wants {path}")


def parsed(model: dict[str, Any]) -> Model:
    return dxdispatch.parse_model(json.dumps(model), no_files)


def executed(model: dict[str, Any]) -> Outcome:
    return dxdispatch.execute(parsed(model))


def output(model: dict[str, Any]) -> list[int]:
    """The four numbers that the model writes."""
    content = executed(model).files[PurePosixPath("out.npy")]
    numbers: list[int] = np.load(io.BytesIO(content)).reshape(-1).tolist()
    return numbers


def refused(model: dict[str, Any]) -> str:
    with pytest.raises(DxDispatchError) as caught:
        executed(model)
    assert "\n" not in str(caught.value)
    return str(caught.value)
