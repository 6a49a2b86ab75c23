"""Descriptors as C++ that fills the structs of DirectML.h."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING

from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import TensorFlags

if TYPE_CHECKING:
    from dmlindex.directml.descs import OperatorDesc


def desc_to_cpp(desc: OperatorDesc, name: str) -> str:
    """See `OperatorDesc.to_cpp`."""
    if not name.isidentifier() or not name.isascii():
        raise ValueError(f"to_cpp: name is {name!r}, expected an identifier")
    lines: list[str] = []
    values: list[str] = []
    for field in fields(desc):  # type: ignore[arg-type]
        value = getattr(desc, field.name)
        member = field.name.title().replace("_", "")
        if not field.name.endswith("_tensor"):
            values.append(f"{name}_fields.{member} = {value};")
        elif value is None:
            values.append(f"{name}_fields.{member} = nullptr;")
        else:
            variable = f"{name}_{field.name.removesuffix('_tensor')}"
            lines += [*tensor_lines(value, variable), ""]
            values.append(f"{name}_fields.{member} = &{variable};")
    # SCATTER_ELEMENTS is another name of SCATTER, which every version of the header knows.
    operator = desc.operator.replace("SCATTER_ELEMENTS", "SCATTER")
    lines += [
        f"DML_{operator}_OPERATOR_DESC {name}_fields = {{}};",
        *values,
        f"const DML_OPERATOR_DESC {name} = {{DML_OPERATOR_{operator}, &{name}_fields}};",
    ]
    return "\n".join(lines) + "\n"


def tensor_lines(desc: TensorDesc, name: str) -> Iterator[str]:
    buffer = f"{name}_buffer"
    known = desc.flags in TensorFlags.__members__.values()
    values = {
        "DataType": f"DML_TENSOR_DATA_TYPE_{desc.data_type.name}",
        "Flags": f"DML_TENSOR_FLAG_{desc.flags.name}"
        if known
        else f"static_cast<DML_TENSOR_FLAGS>({int(desc.flags)})",
        "DimensionCount": str(len(desc.sizes)),
        "Sizes": f"{name}_sizes" if desc.sizes else "nullptr",
        "Strides": f"{name}_strides" if desc.strides else "nullptr",
        "TotalTensorSizeInBytes": f"{_total(desc)}ULL",
        "GuaranteedBaseOffsetAlignment": str(desc.guaranteed_base_offset_alignment),
    }
    for array, numbers in (("sizes", desc.sizes), ("strides", desc.strides)):
        if numbers:
            yield f"const UINT {name}_{array}[] = {{{', '.join(map(str, numbers))}}};"
    yield f"DML_BUFFER_TENSOR_DESC {buffer} = {{}};"
    yield from (f"{buffer}.{member} = {value};" for member, value in values.items())
    yield f"const DML_TENSOR_DESC {name} = {{DML_TENSOR_TYPE_BUFFER, &{buffer}}};"


def _total(desc: TensorDesc) -> int:
    try:
        return desc.total_bytes
    except ValueError:  # a data type without a size: no operator takes it, whatever the total
        return 0
