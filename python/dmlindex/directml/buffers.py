"""The array that is a tensor: of its sizes, natural or whole, or a buffer that it lies in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex.directml.tensor import TensorDesc

Array = npt.NDArray[Any]


def view(tensor: TensorDesc, buffer: Array, what: str) -> Array:
    """See `TensorDesc.view`; what is how messages begin. The tensor is valid by itself."""
    if not isinstance(buffer, np.ndarray):
        raise TypeError(f"{what} is a {type(buffer).__name__}, expected a numpy.ndarray")
    if buffer.dtype != (expected := tensor.data_type.dtype):
        raise TypeError(f"{what} has dtype {buffer.dtype}, expected {expected}")
    added = len(tensor.sizes) - buffer.ndim
    if added >= 0 and (1,) * added + buffer.shape == tensor.sizes:
        array = buffer[(None,) * added] if added else buffer
        if tensor.strides is None or _has_strides(array, tensor.strides):
            return array
    needed = _core.buffer_elements(tensor)
    is_flat = tensor.strides is None and buffer.size == math.prod(tensor.sizes)
    if buffer.ndim == 1 and (is_flat or buffer.size >= needed):
        strides = tuple(stride * buffer.strides[0] for stride in tensor.element_strides)
        return np.lib.stride_tricks.as_strided(buffer, tensor.sizes, strides)
    line = f"one dimension of at least {needed} elements"
    expected_shape = (
        f"{tensor.sizes} or {line}"
        if tensor.strides is None
        else f"{line}, or {tensor.sizes} with the desc's strides"
    )
    raise ValueError(f"{what} has shape {buffer.shape}, expected {expected_shape}")


def host_view(tensor: TensorDesc, value: Any, what: str) -> Array:
    """The same of an array-like or a device tensor, which is copied to the host."""
    if isinstance(value, _core.DeviceTensor):
        value = value.numpy()
    return view(tensor, np.asarray(value), what)


def _has_strides(array: Array, strides: tuple[int, ...]) -> bool:
    """Whether the array's strides are these, in elements; those of dims of size 1 do not count."""
    return all(
        size == 1 or found == stride * array.itemsize
        for size, found, stride in zip(array.shape, array.strides, strides, strict=True)
    )
