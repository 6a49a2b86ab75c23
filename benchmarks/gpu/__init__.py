"""dmlindex on a D3D12 device beside torch, CuPy and raw CUDA kernels on the same card."""
