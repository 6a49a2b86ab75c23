"""Calls that a type checker must take, and calls that it must refuse: `# E` marks each of those.

Not run: tests/project/test_types.py gives this file to mypy and pyright.
"""

from typing import Any, assert_type

import numpy as np
import numpy.typing as npt

import dmlindex

floats = np.zeros((3, 4), np.float32)
bytes_ = np.zeros(3, np.uint8)
integers = np.array([[0], [2]], np.int64)
anything: npt.NDArray[Any] = floats
tensor = dmlindex.Device("d3d12").tensor(floats)


class Lazy:
    """What of a dask.array.Array counts, whose hints are few."""

    def __dask_graph__(self) -> Any: ...
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: ...


lazy = Lazy()

# The dtype is kept.
assert_type(dmlindex.gather(floats, integers), npt.NDArray[np.float32])
assert_type(dmlindex.gather_elements(bytes_, integers[:, 0], axis=-1), npt.NDArray[np.uint8])
assert_type(dmlindex.gather_nd(floats, integers, 0, mode="clamp"), npt.NDArray[np.float32])
assert_type(dmlindex.scatter_nd(bytes_, integers, bytes_[:2]), npt.NDArray[np.uint8])
assert_type(dmlindex.scatter_elements(floats, [[0]], [[1.5]], 1), npt.NDArray[np.float32])
assert_type(dmlindex.gather(anything, 0), npt.NDArray[Any])
assert_type(dmlindex.gather([[1, 2], [3, 4]], [0]), npt.NDArray[Any])
assert_type(dmlindex.find_duplicates((3, 4), integers), npt.NDArray[np.int64])

# out is what comes back.
assert_type(dmlindex.gather(floats, [0], out=anything), npt.NDArray[Any])
assert_type(dmlindex.scatter_nd([1, 2], [[0]], [5], out=bytes_).dtype, np.dtype[np.uint8])
assert_type(dmlindex.gather(tensor, [0], out=tensor), dmlindex.DeviceTensor)

# A tensor among the operands gives a tensor.
assert_type(dmlindex.gather(tensor, [0]), dmlindex.DeviceTensor)
assert_type(dmlindex.gather_nd(floats, tensor), dmlindex.DeviceTensor)
assert_type(dmlindex.scatter_nd(floats, [[0]], tensor), dmlindex.DeviceTensor)
assert_type(dmlindex.scatter_nd(tensor, tensor, 0.0).numpy(), npt.NDArray[Any])

# A Dask array among the operands gives a Dask array.
assert_type(dmlindex.gather(lazy, [0]), Lazy)
assert_type(dmlindex.gather_nd(floats, lazy), Lazy)
assert_type(dmlindex.gather_elements(lazy, lazy, 1), Lazy)
assert_type(dmlindex.scatter_nd(floats, [[0]], lazy), Lazy)
assert_type(dmlindex.scatter_elements(lazy, integers, lazy, mode="drop"), Lazy)
assert_type(dmlindex.find_duplicates((3, 4), lazy), Lazy)
dmlindex.gather(lazy, [0.5])  # E

# Indices are integers of any kind, in arrays, lists, tuples and ranges.
dmlindex.gather(floats, np.uint8(1))
dmlindex.gather(floats, (0, np.int32(1)))
dmlindex.gather(floats, range(3))
dmlindex.gather(floats, [[0, 1], (1, 2)])
dmlindex.gather(floats, np.argsort(floats[:, 0]))
dmlindex.gather_nd(floats, np.argwhere(floats > 5))
dmlindex.gather(floats, [])
dmlindex.gather(floats, np.zeros(3))  # E
dmlindex.gather(floats, [0.5])  # E
dmlindex.gather(floats, 1.0)  # E
dmlindex.gather(floats, floats > 0)  # E
dmlindex.gather(floats, None)  # E

# Updates may be numbers and lists.
dmlindex.scatter_nd(floats, np.argwhere(floats > 5), 0.0)
dmlindex.scatter_nd(bytes_, [[0], [1]], [5, 6])
dmlindex.scatter_nd(bytes_ > 0, [[0]], True)
dmlindex.scatter_nd(floats, [[0]], None)  # E
dmlindex.scatter_nd(floats, [[0]], object())  # E
dmlindex.scatter_nd(floats, [[0]])  # E

# Modes and reductions are these, and a scatter's are not a gather's.
dmlindex.gather(floats, [9], mode="fill", fill_value=-np.inf)
dmlindex.gather(floats, [9], mode="fill", fill_value=np.float32(0.1))
dmlindex.scatter_elements(floats, [[9]], [[1.0]], mode="drop", reduction="add")
dmlindex.gather(floats, [9], mode="drop")  # E
dmlindex.gather(floats, [9], mode="clip")  # E
dmlindex.gather(floats, [9], mode="fill", fill_value=None)  # E
dmlindex.gather(floats, [9], fill_value=[1])  # E
dmlindex.scatter_nd(floats, [[9, 9]], 1.0, mode="fill")  # E
dmlindex.scatter_nd(floats, [[0, 0]], 1.0, reduction="sum")  # E
dmlindex.scatter_nd(floats, [[0, 0]], 1.0, reduction=None)  # E
dmlindex.gather_nd(floats, [[0]], reduction="add")  # E

# The rest.
dmlindex.gather(floats, [0], axis=np.int8(1), device=dmlindex.Device())
dmlindex.gather(floats, [0], axis=1.0)  # E
dmlindex.gather(floats, [0], axis="0")  # E
dmlindex.gather(floats, [0], out=[1.0])  # E
dmlindex.gather(floats, [0], device=0)  # E
dmlindex.gather(floats)  # E
dmlindex.gather(None, [0])  # E
dmlindex.gather_nd(floats, [[0]], axis=0)  # E
dmlindex.Device("cpu").compile(floats)  # E

# What is looked at has types, too, and descs take any sequences.
assert_type(dmlindex.draw(dmlindex.gather, floats, [0]).svg, str)
assert_type(dmlindex.explain("gather", floats, [0]).formula, str)
rows = dmlindex.GatherOperatorDesc.infer((3, 4), (2,))
assert_type(rows, dmlindex.GatherOperatorDesc)
assert_type(rows.violations()[0], dmlindex.Violation)
assert_type(rows.explain().formula, str)
assert_type(dmlindex.Device().compile(rows).explain().formula, str)
assert_type(dmlindex.devices()[0], dmlindex.DeviceInfo)
dmlindex.TensorDesc(dmlindex.DataType.INT8, [2, 3], strides=[4, 1])
dmlindex.TensorDesc("INT8", (2, 3))  # E
dmlindex.TensorDesc(dmlindex.DataType.INT8, 3)  # E
dmlindex.draw()  # E
