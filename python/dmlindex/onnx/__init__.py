"""DirectML and ONNX: which descriptor a node becomes."""

from dmlindex.onnx.nodes import from_onnx_node

__all__ = ["from_onnx_node"]
