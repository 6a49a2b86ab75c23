"""DirectML's descriptors: enums, TensorDesc, the six operator descs, and their JSON form.

`legalize` makes programs of them, of what a feature level accepts.
"""

from typing import TYPE_CHECKING, Any

from dmlindex.directml.audit import Finding
from dmlindex.directml.desc_json import desc_from_json, desc_to_json
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.gather_descs import (
    GatherElementsOperatorDesc,
    GatherND1OperatorDesc,
    GatherNDOperatorDesc,
    GatherOperatorDesc,
)
from dmlindex.directml.scatter_descs import ScatterElementsOperatorDesc, ScatterNDOperatorDesc
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType, FeatureLevel, TensorFlags, Violation

__all__ = [
    "DataType",
    "FeatureLevel",
    "Finding",
    "GatherElementsOperatorDesc",
    "GatherND1OperatorDesc",
    "GatherNDOperatorDesc",
    "GatherOperatorDesc",
    "OperatorDesc",
    "ScatterElementsOperatorDesc",
    "ScatterNDOperatorDesc",
    "TensorDesc",
    "TensorFlags",
    "Violation",
    "desc_from_json",
    "desc_to_json",
    "legalize",
]

if TYPE_CHECKING:
    from dmlindex.directml.legal import legalize as legalize
else:

    def __getattr__(name: str) -> Any:
        if name != "legalize":  # which few programs need, and which needs all of dmlindex
            raise AttributeError(f"module 'dmlindex.directml' has no attribute {name!r}")
        from dmlindex.directml.legal import legalize

        return legalize
