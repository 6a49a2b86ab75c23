"""DirectML's indexing operators for NumPy: gather and scatter, exact, fast, and with reasons.

>>> import numpy as np
>>> import dmlindex
>>> dmlindex.gather_nd(np.array([[1, 2], [3, 4]]), [[0, 0], [1, 1]])
array([1, 4])
"""

import importlib
from typing import TYPE_CHECKING, Any

from dmlindex import _core
from dmlindex._core import (
    CompiledOperator,
    DescriptorError,
    DeviceError,
    DeviceTensor,
    __version__,
    find_duplicates,
    gather,
    gather_elements,
    gather_nd,
    get_buffer_cache,
    get_num_threads,
    scatter_elements,
    scatter_nd,
    set_buffer_cache,
    set_num_threads,
)

if _core.environment_error:
    from dmlindex import _environment

    _environment.refuse(_core.environment_error)

__all__ = [
    "CompiledOperator",
    "DataType",
    "DescriptorError",
    "Device",
    "DeviceError",
    "DeviceInfo",
    "DeviceTensor",
    "FeatureLevel",
    "GatherElementsOperatorDesc",
    "GatherND1OperatorDesc",
    "GatherNDOperatorDesc",
    "GatherOperatorDesc",
    "ScatterElementsOperatorDesc",
    "ScatterNDOperatorDesc",
    "TensorDesc",
    "TensorFlags",
    "Violation",
    "__version__",
    "desc_from_json",
    "desc_to_json",
    "devices",
    "draw",
    "explain",
    "find_duplicates",
    "from_onnx_node",
    "gather",
    "gather_elements",
    "gather_nd",
    "get_buffer_cache",
    "get_num_threads",
    "scatter_elements",
    "scatter_nd",
    "set_buffer_cache",
    "set_num_threads",
    "show_versions",
]

if TYPE_CHECKING:
    from dmlindex import reference as reference
    from dmlindex import testing as testing
    from dmlindex._device import Device
    from dmlindex._devices import DeviceInfo, devices
    from dmlindex._display.draw import draw
    from dmlindex._explain.explanation import explain
    from dmlindex._versions import show_versions
    from dmlindex.directml import (
        DataType,
        FeatureLevel,
        GatherElementsOperatorDesc,
        GatherND1OperatorDesc,
        GatherNDOperatorDesc,
        GatherOperatorDesc,
        ScatterElementsOperatorDesc,
        ScatterNDOperatorDesc,
        TensorDesc,
        TensorFlags,
        Violation,
        desc_from_json,
        desc_to_json,
    )
    from dmlindex.onnx import from_onnx_node
else:
    # What is imported at first use: calls of the functions on arrays need none of it.
    _MODULES = ("reference", "testing")
    _HOMES = {
        "Device": "dmlindex._device",
        "DeviceInfo": "dmlindex._devices",
        "devices": "dmlindex._devices",
        "draw": "dmlindex._display.draw",
        "explain": "dmlindex._explain.explanation",
        "from_onnx_node": "dmlindex.onnx",
        "show_versions": "dmlindex._versions",
    }  # the other names' is dmlindex.directml

    def __getattr__(name: str) -> Any:
        if name in __all__:
            home = importlib.import_module(_HOMES.get(name, "dmlindex.directml"))
            globals()[name] = found = getattr(home, name)
            return found
        if name not in _MODULES:
            raise AttributeError(f"module 'dmlindex' has no attribute {name!r}")
        try:
            return importlib.import_module(f"dmlindex.{name}")
        except ModuleNotFoundError as error:
            if error.name != "hypothesis":
                raise
            # An AttributeError, so that help(dmlindex) and hasattr pass over it.
            raise AttributeError(
                "dmlindex.testing needs Hypothesis: pip install dmlindex[testing]"
            ) from error

    def __dir__() -> list[str]:
        return sorted({*__all__, *_MODULES})
