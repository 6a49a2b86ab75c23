"""DirectML and ONNX: what becomes of a node, and our operators for ONNX's own evaluator.

`lower_node` and `from_onnx_node` need no other package; for the rest `pip install dmlindex[onnx]`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from dmlindex.onnx.lowering import Lowering, from_onnx_node, lower_node
from dmlindex.onnx.report import Finding, Report

__all__ = [
    "Backend",
    "Finding",
    "Lowering",
    "Report",
    "check_model",
    "from_onnx_node",
    "lower_node",
    "new_ops",
]

if TYPE_CHECKING:
    from dmlindex.onnx.checking import check_model
    from dmlindex.onnx.reference_ops import Backend, new_ops
else:
    _MODULES = {"Backend": "reference_ops", "check_model": "checking", "new_ops": "reference_ops"}

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module 'dmlindex.onnx' has no attribute {name!r}")
        try:
            module = importlib.import_module(f"dmlindex.onnx.{_MODULES[name]}")
        except ModuleNotFoundError as error:
            if error.name != "onnx":
                raise
            # An AttributeError, so that help(dmlindex.onnx) and hasattr pass over it.
            raise AttributeError(
                f"dmlindex.onnx.{name} needs ONNX: pip install dmlindex[onnx]"
            ) from error
        return getattr(module, name)

    def __dir__() -> list[str]:
        return sorted(__all__)
