// The docstrings of the raw entry points, below their signatures.
#pragma once

namespace dmlindex::binding {

inline constexpr char kGatherDoc[] =
    R"doc(
Take the slices of input that indices name along an axis.

output[o..., q..., i...] = input[o..., indices[q...], i...], where o are the dims before axis and i
those behind it.

Parameters
----------
input : array of any dtype without Python objects, rank >= 1
indices : array of integers of any shape; negative ones count from the end
axis : int, the axis of input that indices count along
mode : "raise" (IndexError), "clamp" (to the nearest end), "wrap" (modulo the size) or "fill"
    What an index out of range does.
fill_value : what "fill" writes; 0 is all bytes zero in any dtype
    A Python bool, int, float or complex is rounded to input's dtype, where that has room for it; any
    other value must be one that the dtype has.
out : array of the result's shape and input's dtype, or None for a new one
    It may overlap the inputs, and is left as it was if the call fails.
device : None, "cpu" or another name that devices() lists, or a Device

Returns
-------
array
    Of input's dtype and shape input.shape[:axis] + indices.shape + input.shape[axis + 1:].

Raises
------
IndexError
    For an index out of range.
TypeError
    For a wrong type or dtype.
ValueError
    For a wrong shape, axis, mode, fill_value or out.
DeviceError
    For a device that is not there.

Notes
-----
Source: DirectML's DML_GATHER_OPERATOR_DESC.

Examples
--------
>>> import numpy as np
>>> from dmlindex import gather
>>> gather(np.array([[1, 2], [3, 4], [5, 6]]), [2, 0])
array([[5, 6],
       [1, 2]])
>>> gather(np.array([1.5, 2.5]), [1, 7], mode="fill", fill_value=np.nan)
array([2.5, nan])
)doc";

inline constexpr char kGatherElementsDoc[] =
    R"doc(
Take one element of input for every index, along an axis.

output[p] = input[p with p[axis] := indices[p]], as numpy.take_along_axis does.

Parameters
----------
input : array of any dtype without Python objects, rank >= 1
indices : array of integers of input's rank; off the axis no dim larger than input's
axis : int, the axis of input that indices count along
mode, fill_value, out, device : as for gather

Returns
-------
array
    Of input's dtype and the shape of indices.

Raises
------
The same as gather.

Notes
-----
Source: DirectML's DML_GATHER_ELEMENTS_OPERATOR_DESC.

Examples
--------
>>> import numpy as np
>>> from dmlindex import gather_elements
>>> gather_elements(np.array([[1, 2], [3, 4], [5, 6]]), [[2, 0]])
array([[5, 2]])
)doc";

inline constexpr char kGatherNdDoc[] =
    R"doc(
Take the slices of input that tuples of indices name.

output[b..., q..., s...] = input[b..., indices[b..., q..., :], s...], where b are batch_dims dims that
input and indices share, and the last dim of indices holds the tuples.

Parameters
----------
input : array of any dtype without Python objects, rank >= 1
indices : array of integers, rank >= 1; its last dim k is 1 to input.ndim - batch_dims
    Of a mask: numpy.argwhere(mask), and not numpy.nonzero(mask), which has the tuples in columns.
    indices.shape[:batch_dims] equals input.shape[:batch_dims].
batch_dims : int, less than the ranks of input and indices
mode, fill_value, out, device : as for gather

Returns
-------
array
    Of input's dtype and shape indices.shape[:-1] + input.shape[batch_dims + k:].

Raises
------
The same as gather.

Notes
-----
Source: DirectML's DML_GATHER_ND_OPERATOR_DESC and DML_GATHER_ND1_OPERATOR_DESC.

Examples
--------
>>> import numpy as np
>>> from dmlindex import gather_nd
>>> grid = np.array([[1, 2], [3, 4]])
>>> gather_nd(grid, [[0, 0], [1, 1]])
array([1, 4])
>>> gather_nd(grid, [[1], [0]], batch_dims=1)
array([2, 3])
)doc";

inline constexpr char kScatterElementsDoc[] =
    R"doc(
Copy input and write one update for every index, along an axis.

output = input; then output[p with p[axis] := indices[p]] = updates[p] for every p in C order, so that
the last of several updates to one place wins.

Parameters
----------
input : array of any dtype without Python objects, rank >= 1
indices : array of integers of input's rank; off the axis no dim larger than input's
updates : array of input's dtype and the shape of indices, or a single value for all of them
    Python's own numbers and lists of them take input's dtype, as in NumPy; it must have room for them.
axis : int, the axis of input that indices count along
reduction : "none", "add", "mul", "min" or "max"
    How an update and the value already there combine, one by one in C order. Integers wrap; floats
    narrower than float32 round after each step; a NaN propagates through min and max.
mode : "raise" (IndexError), "clamp" (to the nearest end), "wrap" (modulo the size) or "drop"
    What an index out of range does.
unique_indices : bool, the caller's promise that no two updates go to one place
ordered : bool; False permits a reduction to combine updates in any order and grouping
    The CPU and D3D12 take C order all the same; Dask arrays are reduced chunk by chunk first.
out : array of input's shape and dtype, or None for a new one
    It may be input itself: then nothing is copied.
device : None, "cpu" or another name that devices() lists, or a Device

Returns
-------
array
    Of input's dtype and shape.

Raises
------
TypeError
    For a reduction that the dtype does not have, too; the others as for gather.

Notes
-----
Source: DirectML's DML_SCATTER_ELEMENTS_OPERATOR_DESC (DML_SCATTER_OPERATOR_DESC).

Examples
--------
>>> import numpy as np
>>> from dmlindex import scatter_elements
>>> scatter_elements(np.zeros(4, int), [1, 3, 1], np.array([5, 6, 7]))
array([0, 7, 0, 6])
>>> scatter_elements(np.zeros(4, int), [1, 3, 1], np.array([5, 6, 7]), reduction="add")
array([ 0, 12,  0,  6])
)doc";

inline constexpr char kScatterNdDoc[] =
    R"doc(
Copy input and write the slices of updates where tuples of indices say.

output = input; then output[indices[q..., :], s...] = updates[q..., s...] for every q in C order, so that
the last of several updates to one place wins.

Parameters
----------
input : array of any dtype without Python objects, rank >= 1
indices : array of integers, rank >= 1; its last dim k, the tuple, is 1 to input.ndim
updates : array of input's dtype and shape indices.shape[:-1] + input.shape[k:], or a single value
    Python's own numbers and lists of them take input's dtype, as in scatter_elements.
reduction, mode, unique_indices, ordered, out, device : as for scatter_elements

Returns
-------
array
    Of input's dtype and shape.

Raises
------
The same as scatter_elements.

Notes
-----
Source: DirectML's DML_SCATTER_ND_OPERATOR_DESC.

Examples
--------
>>> import numpy as np
>>> from dmlindex import scatter_nd
>>> scatter_nd(np.zeros((2, 2), int), [[0, 1], [1, 0]], np.array([5, 6]))
array([[0, 5],
       [6, 0]])
>>> x = np.array([3.0, 7.0, 9.0])
>>> scatter_nd(x, np.argwhere(x > 5), 0)
array([3., 0., 0.])
)doc";

inline constexpr char kFindDuplicatesDoc[] =
    R"doc(
The updates of a scatter that a later one overwrites.

Parameters
----------
input_or_shape : the scatter's input, or its shape as a sequence of ints
    Of an array or DeviceTensor, only the shape counts.
indices : array of integers, as the scatter would get it
axis : int for scatter_elements, None for scatter_nd
mode : "raise", "clamp", "wrap" or "drop", as the scatter would get it
    An update that "drop" skips neither overwrites another nor is overwritten.

Returns
-------
int64 array
    Positions, ascending: flat in C order of indices (scatter_elements), or of the tuples in it
    (scatter_nd).

Raises
------
The same as the scatter.

Examples
--------
>>> from dmlindex import find_duplicates
>>> find_duplicates((4,), [1, 3, 1], axis=0)
array([0])
>>> find_duplicates((2, 2), [[0, 1], [1, 0]])
array([], dtype=int64)
>>> find_duplicates((4,), [3, 9], axis=0, mode="clamp")
array([0])
)doc";

}  // namespace dmlindex::binding
