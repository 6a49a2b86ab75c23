"""DirectML's indexing operators for NumPy: gather and scatter, exact, fast, and with reasons.

>>> import numpy as np
>>> import dmlindex
>>> dmlindex.gather_nd(np.array([[1, 2], [3, 4]]), [[0, 0], [1, 1]])
array([1, 4])
"""

from dmlindex._core import (
    CompiledOperator,
    DescriptorError,
    DeviceError,
    __version__,
    find_duplicates,
    gather,
    gather_elements,
    gather_nd,
    get_num_threads,
    scatter_elements,
    scatter_nd,
    set_num_threads,
)
from dmlindex._desc_json import desc_from_json, desc_to_json
from dmlindex._descs import (
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
)
from dmlindex._device import Device
from dmlindex._devices import DeviceInfo, devices
from dmlindex._onnx import from_onnx_node

__all__ = [
    "CompiledOperator",
    "DataType",
    "DescriptorError",
    "Device",
    "DeviceError",
    "DeviceInfo",
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
    "find_duplicates",
    "from_onnx_node",
    "gather",
    "gather_elements",
    "gather_nd",
    "get_num_threads",
    "scatter_elements",
    "scatter_nd",
    "set_num_threads",
]
