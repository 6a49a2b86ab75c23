"""DirectML and ONNX: which descriptor a node becomes."""

from dmlindex.onnx.lowering import Lowering, from_onnx_node, lower_node

__all__ = ["Lowering", "from_onnx_node", "lower_node"]
