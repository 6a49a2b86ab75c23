"""How fast dmlindex is beside NumPy, PyTorch, ONNX Runtime and JAX: see README.md."""
