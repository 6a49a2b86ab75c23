"""`dmlindex.reference.run`: what a compiled descriptor computes, by the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import descriptor_error
from dmlindex.reference import directml

Array = npt.NDArray[Any]


def run(
    desc: Any,
    input: Array,
    indices: Array,
    updates: Array | None = None,
    *,
    out: Array | None = None,
    mode: str | None = None,
    fill_value: Any = 0,
) -> Array:
    """What `Device.compile(desc, mode=mode, fill_value=fill_value)` computes, in plain loops.

    Without a mode that is what DirectML does ("directml", see `directml.py`); the other
    modes are those of the functions. A packed tensor takes an array of its sizes, or like one with
    strides a 1-D buffer of its total size (rounded down to elements; it may be larger). Returns
    out, or a new array: of the output's sizes if that is packed, else a 1-D buffer with padding
    zero. In a given out the padding stays, but where a scatter of mode "directml" writes to it.

    DescriptorError for a desc that is not valid, TypeError and ValueError for arrays that are not
    the desc's, IndexError for an index that the mode gives no place.

    >>> from dmlindex import DataType, GatherElementsOperatorDesc, TensorDesc
    >>> x = TensorDesc(DataType.INT32, (2, 3))
    >>> i = TensorDesc(DataType.INT64, (2, 1))
    >>> y = TensorDesc(DataType.INT32, (2, 1))
    >>> desc = GatherElementsOperatorDesc(x, i, y, axis=1)
    >>> rows = np.array([[10, 11, 12], [20, 21, 22]], np.int32)
    >>> run(desc, rows, np.array([[3], [9]]))  # past the end of a row is the next one's begin
    array([[20],
           [22]], dtype=int32)
    """
    if broken := desc.violations():
        raise descriptor_error(broken)
    scatters = hasattr(desc, "updates_tensor")
    names = ["input", "indices", "updates"] if scatters else ["input", "indices"]
    arrays = dict(zip(names, (input, indices, updates), strict=False))
    buffers = [
        _buffer(name, getattr(desc, f"{name}_tensor"), array).copy()
        for name, array in arrays.items()
    ]
    table: TensorDesc = desc.output_tensor
    if out is None:
        shape = table.sizes if table.strides is None else (_core.buffer_elements(table),)
        out = np.zeros(shape, table.data_type.dtype)
    result = _buffer("out", table, out).copy()
    if mode is None or mode == "directml":
        directml.execute(desc, *buffers, result)
    else:
        options = {"mode": mode} if scatters else {"mode": mode, "fill_value": fill_value}
        _function(desc, buffers, options, _view(table, result))
    out[...] = result.reshape(out.shape)
    return out


def _buffer(name: str, tensor: TensorDesc, array: Array | None) -> Array:
    """The array as one line of elements."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"run: {name} is a {type(array).__name__}, expected a numpy.ndarray")
    if array.dtype != (expected := tensor.data_type.dtype):
        raise TypeError(f"run: {name} has dtype {array.dtype}, expected {expected}")
    needed = _core.buffer_elements(tensor)
    if tensor.strides is None and array.shape == tensor.sizes:
        return array.reshape(-1)
    if array.ndim != 1 or array.size < needed:
        sizes = f"shape {tensor.sizes} or " if tensor.strides is None else ""
        raise ValueError(
            f"run: {name} has shape {array.shape}, expected {sizes}one dimension of at least "
            f"{needed} elements"
        )
    return array


def _view(tensor: TensorDesc, buffer: Array) -> Array:
    """The tensor in a buffer, as an array of its sizes."""
    strides = tuple(s * buffer.itemsize for s in tensor.element_strides)
    return np.lib.stride_tricks.as_strided(buffer, tensor.sizes, strides)


def _function(desc: Any, buffers: list[Array], options: dict[str, Any], result: Array) -> None:
    """Writes result with the function that the descriptor stands for, on arrays of natural rank."""
    from dmlindex import reference  # which has run, too

    input, indices = (
        _view(t, b) for t, b in zip((desc.input_tensor, desc.indices_tensor), buffers, strict=False)
    )
    if desc.operator == "GATHER":
        indices = _last_dims(indices, desc.index_dimensions)
        output = reference.gather(input, indices, desc.axis, **options)
    elif desc.operator == "GATHER_ELEMENTS":
        output = reference.gather_elements(input, indices, desc.axis, **options)
    elif desc.operator == "SCATTER_ELEMENTS":
        updates = _view(desc.updates_tensor, buffers[2])
        output = reference.scatter_elements(input, indices, updates, desc.axis, **options)
    else:
        input = _last_dims(input, desc.input_dimension_count)
        indices = _last_dims(indices, desc.indices_dimension_count)
        if desc.operator == "SCATTER_ND":
            shape = indices.shape[:-1] + input.shape[indices.shape[-1] :]
            updates = _view(desc.updates_tensor, buffers[2]).reshape(shape)
            output = reference.scatter_nd(input, indices, updates, **options)
        else:
            batch_dims = getattr(desc, "batch_dimension_count", 0)
            output = reference.gather_nd(input, indices, batch_dims, **options)
    result[...] = output.reshape(result.shape)


def _last_dims(array: Array, rank: int) -> Array:
    """Without the dims in front, which have size 1."""
    return array.reshape(array.shape[array.ndim - rank :])
