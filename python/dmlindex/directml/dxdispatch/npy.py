"""DxDispatch's .npy files: what its reader makes of one, and what its writer writes.

The shape is read and dropped: a buffer is flat. NumPy writes bool as |b1, which the tool reads as
INT8; a type that it does not know (complex, V2 for bfloat16) is bytes of whatever type the model
says. Fortran order and foreign byte order are refused here; the tool gets the latter wrong.
"""

from __future__ import annotations

import ast
import io
import struct
import warnings
from typing import Any

import numpy as np

from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.values import DataType

_MAGIC = np.lib.format.MAGIC_PREFIX
_MOST_HEADER_BYTES = 1 << 16
_TYPES = {
    **{f"f{size}": DataType[f"FLOAT{8 * size}"] for size in (2, 4, 8)},
    **{f"i{size}": DataType[f"INT{8 * size}"] for size in (1, 2, 4, 8)},
    **{f"u{size}": DataType[f"UINT{8 * size}"] for size in (1, 2, 4, 8)},
    "b1": DataType.INT8,
    "?": DataType.UINT8,
    "b": DataType.INT8,
    "B": DataType.UINT8,
    "h": DataType.INT16,
    "H": DataType.UINT16,
    "i": DataType.INT32,
    "u": DataType.UINT32,
    "f": DataType.FLOAT32,
    "d": DataType.FLOAT64,
}


def read(name: str, content: bytes) -> tuple[bytes, DataType]:
    """The bytes of the elements and their type, UNKNOWN where the tool knows none for it."""
    if content[:6] != _MAGIC or len(content) < 10:
        raise DxDispatchError(f"{name}: not a .npy file; write one with numpy.save")
    if (major := content[6]) not in (1, 2, 3):
        raise DxDispatchError(f"{name}: a .npy file of version {major}, expected 1 to 3")
    begin, layout = (10, "<H") if major == 1 else (12, "<I")
    if len(content) < begin:
        raise DxDispatchError(f"{name}: a truncated .npy file")
    (length,) = struct.unpack_from(layout, content, 8)
    if length > _MOST_HEADER_BYTES or begin + length > len(content):
        raise DxDispatchError(f"{name}: a damaged or truncated .npy file: its header is cut off")
    header = _header(name, content[begin : begin + length])
    data_type = _data_type(name, header.get("descr"))
    if header.get("fortran_order") is not False:
        raise DxDispatchError(
            f"{name}: in Fortran order, which DxDispatch refuses; use numpy.ascontiguousarray"
        )
    data = content[begin + length :]
    if data_type is not DataType.UNKNOWN:
        _require_all(name, len(data), header.get("shape"), data_type)
    return data, data_type


def _header(name: str, text: bytes) -> dict[Any, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python's parser, about a strange header
            header = ast.literal_eval(text.decode("utf-8").strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        header = None
    if not isinstance(header, dict):
        raise DxDispatchError(f"{name}: a damaged .npy file: its header is not a dictionary")
    return header


def _data_type(name: str, descr: object) -> DataType:
    if not isinstance(descr, str):  # records
        return DataType.UNKNOWN
    if descr.startswith(">") and descr not in (">i1", ">u1", ">b1"):
        raise DxDispatchError(
            f"{name}: big-endian ({shown(descr)}), which DxDispatch reads wrongly; save it as "
            "array.astype(array.dtype.newbyteorder('<'))"
        )
    return _TYPES.get(descr.lstrip("<>=|"), DataType.UNKNOWN)


def _require_all(name: str, found: int, shape: object, data_type: DataType) -> None:
    sizes = shape if isinstance(shape, tuple) else None
    if sizes is None or not all(type(size) is int and 0 <= size < 2**32 for size in sizes):
        raise DxDispatchError(f"{name}: a damaged .npy file: its shape is {shown(shape)}")
    expected = data_type.dtype.itemsize
    for size in sizes:
        expected *= size
        if expected > found and 0 not in sizes:
            raise DxDispatchError(
                f"{name}: a truncated .npy file: it holds {found} bytes, its shape needs more"
            )


def write(data: bytes, data_type: DataType, sizes: tuple[int, ...]) -> bytes:
    """A file of version 1 whose data may go on behind what the sizes need, as the tool's does.

    >>> np.load(io.BytesIO(write(bytes(8), DataType.INT16, (3,))))
    array([0, 0, 0], dtype=int16)
    """
    file = io.BytesIO()
    descr = data_type.dtype.newbyteorder("<").str
    header = {"descr": descr, "fortran_order": False, "shape": sizes}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + data
