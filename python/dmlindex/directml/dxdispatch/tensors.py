"""Tensors in DxDispatch's JSON, both ways."""

from __future__ import annotations

from typing import Any

from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.fields import Fields
from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import TensorFlags


def tensor_from_json(where: str, value: object) -> TensorDesc:
    """A tensor, which may be wrapped as {"Type": "BUFFER", "Desc": {…}}.

    DimensionCount may be less than there are sizes: the first ones count. Where it is more, or
    there are fewer strides, the tool reads past its arrays: refused here.
    """
    fields = Fields(where, value)
    fields.choice("Type", "DML_TENSOR_TYPE_", ("BUFFER",))
    if "Desc" in fields:
        fields = Fields(fields.place("Desc"), fields.value("Desc"))
    sizes, strides = fields.integers("Sizes"), fields.integers("Strides", ())
    count = fields.integer("DimensionCount", len(sizes))
    for name, values in (("Sizes", sizes), ("Strides", strides)):
        if len(values) < count and (values or name == "Sizes"):
            raise DxDispatchError(
                f"{fields.place(name)} has {len(values)} numbers, expected {count}, one for each "
                "dimension: DxDispatch would read past the end"
            )
    flags = fields.flags("Flags", "DML_TENSOR_FLAG_", ("NONE", "OWNED_BY_DML"))
    return TensorDesc(
        fields.data_type("DataType"),
        sizes[:count],
        strides[:count] or None,
        fields.integer("TotalTensorSizeInBytes", 0, bits=64) or None,
        fields.integer("GuaranteedBaseOffsetAlignment", 0),
        TensorFlags.OWNED_BY_DML if "OWNED_BY_DML" in flags else TensorFlags.NONE,
    )


def tensor_to_json(tensor: TensorDesc) -> dict[str, Any]:
    """What `tensor_from_json` reads, without what is left at its default."""
    data: dict[str, Any] = {"DataType": tensor.data_type.name, "Sizes": list(tensor.sizes)}
    if tensor.strides is not None:
        data["Strides"] = list(tensor.strides)
    if tensor.total_tensor_size_in_bytes is not None:
        data["TotalTensorSizeInBytes"] = tensor.total_tensor_size_in_bytes
    if tensor.guaranteed_base_offset_alignment:
        data["GuaranteedBaseOffsetAlignment"] = tensor.guaranteed_base_offset_alignment
    if tensor.flags:
        data["Flags"] = tensor.flags.name
    return data
