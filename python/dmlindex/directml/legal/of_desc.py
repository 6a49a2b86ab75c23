"""Programs for a descriptor: accepted as it is, or as the call that it stands for."""

from __future__ import annotations

from typing import Any

from dmlindex._operators import FUNCTIONS
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Shape, Value, packed_strides
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request, read_request
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType

# Rules of DirectML's that the functions do not have: a desc that breaks only these has a meaning.
_CURABLE = {
    "dimension-count",
    "sizes-positive",
    "indices-data-type",
    "indices-sizes",
    "indices-axis-size",
    "cropped-index-dims",
    "feature-level-operator",
    "feature-level-dimension-count",
    "feature-level-data-type",
}


def tensors_of(desc: OperatorDesc) -> dict[str, TensorDesc]:
    """The desc's tensors by name, output last; NoProgram where one is null or breaks a rule."""
    incurable = [v for v in desc.violations() if v.rule not in _CURABLE]
    if incurable:
        raise NoProgram("descriptor", "; ".join(map(str, incurable)))
    fields: dict[str, Any] = vars(desc)
    return {
        name.removesuffix("_tensor"): tensor
        for name, tensor in fields.items()
        if isinstance(tensor, TensorDesc)
    }


def request_of(desc: OperatorDesc, options: dict[str, Any]) -> Request:
    """The call of the function that the desc stands for, without the 1s in front."""
    tensors = tensors_of(desc)
    x, i = tensors["input"].sizes, tensors["indices"].sizes
    fields: dict[str, Any] = vars(desc)
    if "input_dimension_count" in fields:
        x = x[len(x) - fields["input_dimension_count"] :]
    q = fields.get("indices_dimension_count", fields.get("index_dimensions", len(i)))
    i = i[len(i) - q :]
    given = [(x, tensors["input"].data_type.dtype), (i, tensors["indices"].data_type.dtype)]
    options = options | {
        "axis": fields.get("axis", 0),
        "batch_dims": fields.get("batch_dimension_count", 0),
    }
    try:
        r = read_request(FUNCTIONS[desc.operator], given, options)
    except (TypeError, ValueError) as error:
        raise NoProgram("descriptor", str(error)) from None
    expected = {"output": r.shape, **({"updates": r.updates_shape} if r.scatters else {})}
    for name, shape in expected.items():
        found = tensors[name].sizes
        if _behind_ones(found) != _behind_ones(shape):
            raise NoProgram("descriptor", f"{name} has sizes {found}, expected {shape}")
    return r


def _behind_ones(sizes: Shape) -> Shape:
    lead = next((d for d, size in enumerate(sizes) if size != 1), len(sizes))
    return sizes[lead:]


def as_it_is(b: DescBuilder, desc: OperatorDesc) -> Value:
    """The program of a desc that the level accepts, for every index."""
    values = [
        Value(name, tensor.data_type, tensor.sizes, tensor.strides or packed_strides(tensor.sizes))
        for name, tensor in tensors_of(desc).items()
    ]
    for value in values:
        b.add_desc_buffer(value.buffer)
    return b.emit(desc, values[:-1], values[-1], "the level takes the desc as it is")


class DescBuilder(Builder):
    """A builder whose arguments lie as a desc says: strided ones are packed first."""

    def __init__(self, b: Builder, tensors: dict[str, TensorDesc]) -> None:
        super().__init__(b.level, b.limit)
        self.tensors = tensors

    def add_desc_buffer(self, name: str) -> None:
        """The buffer of a tensor: of its sizes, or with strides of its total size."""
        tensor = self.tensors[name]
        kind = "output" if name == "output" else "input"
        shape = buffer_shape(tensor)
        dtype = tensor.data_type.dtype
        self.add_buffer(name, kind, tensor.data_type, shape, shape=shape, dtype=dtype)
        self.label(self._laid_out(name))

    def _laid_out(self, name: str) -> Value:
        tensor = self.tensors[name]
        strides = tensor.strides or packed_strides(tensor.sizes)
        return Value(name, tensor.data_type, tensor.sizes, strides)

    def _as_bits(self, name: str) -> Value:
        laid_out = self._laid_out(name)
        bits = DataType[f"UINT{8 * laid_out.itemsize}"]
        return laid_out.as_type(bits, "as the desc lays it out")

    def argument(
        self, name: str, kind: str, array: Any, data_type: DataType, sizes: Shape
    ) -> Value:
        if self.tensors[name].strides is None:
            return super().argument(name, kind, array, data_type, sizes)
        self.add_desc_buffer(name)
        if kind == "output":
            return self.temporary(data_type, sizes)
        packed = self.pack(self._as_bits(name), "the recipes want it packed")
        if packed.itemsize > data_type.dtype.itemsize:
            packed = packed.as_parts(data_type, "the parts of each element")
        else:
            packed = packed.as_type(data_type, "as the recipes want it")
        return packed.reshape(sizes, packed.why)

    def finish(self, result: Value) -> Value:
        """The result where the desc's output lies."""
        if self.tensors["output"].strides is None:
            return result
        target = self._as_bits("output")
        whole = result
        if whole.itemsize < target.itemsize:
            count = target.itemsize // whole.itemsize
            whole = whole.reshape((*target.sizes, count), "the parts of each element")
            whole = whole.as_whole(target.data_type, "whole elements")
        whole = whole.as_type(target.data_type, "whole elements").reshape(target.sizes, "sizes")
        return self.pack(whole, "output lies as the desc says", out=target)


def buffer_shape(tensor: TensorDesc) -> Shape:
    """Of the array that stands for a tensor: its sizes, or with strides one dim."""
    if tensor.strides is None:
        return tensor.sizes
    total = tensor.total_tensor_size_in_bytes or tensor.implied_size_in_bytes
    return (total // tensor.data_type.dtype.itemsize,)
