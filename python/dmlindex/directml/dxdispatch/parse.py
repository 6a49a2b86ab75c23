"""From the JSON of a DxDispatch model to the model; what the tool refuses is refused, by name."""

from __future__ import annotations

from typing import Any

from dmlindex.directml.dxdispatch import relaxed_json
from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.fields import Fields, string
from dmlindex.directml.dxdispatch.folders import relative
from dmlindex.directml.dxdispatch.helpers import helper_operator
from dmlindex.directml.dxdispatch.initial_values import MOST_BYTES, ReadFile, initial_values
from dmlindex.directml.dxdispatch.model import (
    Binding,
    Bindings,
    Command,
    Dispatch,
    Dispatchable,
    Model,
    Operator,
    Print,
    Resource,
    WriteFile,
)
from dmlindex.directml.dxdispatch.operators import indexing_operator
from dmlindex.directml.dxdispatch.relaxed_json import JsonObject
from dmlindex.directml.values import DataType

_OTHER_KINDS = ("hlsl", "onnx", "dmlserializedgraph")
_COMPILE_TYPES = ("DmlCompileOp", "DmlCompileGraph")
_FLAGS = (
    "NONE",
    "ALLOW_HALF_PRECISION_COMPUTATION",
    "DISABLE_META_COMMANDS",
    "DESCRIPTORS_VOLATILE",
)


def parse_model(text: str, read_file: ReadFile) -> Model:
    """The model in the text; read_file gives the files that it names, see `InputFolders.read`.

    DxDispatchError, in one line, for what DxDispatch would refuse, for what it would crash over,
    and for what is not run here: other operators, shaders, pictures, ONNX models.
    """
    root = Fields("the model", relaxed_json.parse(text))
    resources: dict[str, Resource] = {}
    total = 0
    for name, value in _members(root, "resources"):
        resources[name] = _resource(Fields(f"resource {shown(name)}", value), read_file)
        total += resources[name].size_in_bytes
        if total > MOST_BYTES:
            raise DxDispatchError(
                f"the resources need more than {MOST_BYTES} bytes, the most that is run here"
            )
    dispatchables = {
        name: _dispatchable(Fields(f"dispatchable {shown(name)}", value), resources)
        for name, value in _members(root, "dispatchables")
    }
    commands = tuple(
        _command(Fields(f"commands[{i}]", value), resources, dispatchables)
        for i, value in enumerate(root.array("commands"))
    )
    return Model(resources, dispatchables, commands)


def _members(root: Fields, name: str) -> list[tuple[str, Any]]:
    value = root.value(name)
    if not isinstance(value, JsonObject):
        raise DxDispatchError(f"{root.place(name)} is {shown(value)}, expected an object {{…}}")
    return [(string(f"a name in {name}", key), member) for key, member in value.pairs]


def _resource(fields: Fields, read_file: ReadFile) -> Resource:
    values, data_type = initial_values(fields, read_file)
    rounded = -(-len(values) // 4) * 4  # a size that is given is taken as it is
    size = fields.integer("sizeInBytes", rounded, bits=64)
    offset = fields.integer("initialValuesOffsetInBytes", 0, bits=64)
    if len(values) + offset > size:
        raise DxDispatchError(
            f"{fields.place('sizeInBytes')} is {size}, too small for {len(values)} bytes of "
            f"initialValues at offset {offset}"
        )
    if offset:
        raise DxDispatchError(
            f"{fields.place('initialValuesOffsetInBytes')} is {offset}, but DxDispatch puts the "
            "values at byte 0 all the same: leave it out"
        )
    if size > MOST_BYTES:
        raise DxDispatchError(
            f"{fields.place('sizeInBytes')} is {size}, more than {MOST_BYTES}, the most that is "
            "run here"
        )
    return Resource(data_type, values, size)


def _dispatchable(fields: Fields, resources: dict[str, Resource]) -> Dispatchable:
    type_name = fields.string("type")
    if type_name.lower() in _OTHER_KINDS:
        raise DxDispatchError(f"{fields.place('type')} is {shown(type_name)}: not run here")
    fields.flags("executionFlags", "DML_EXECUTION_FLAG_", _FLAGS)
    fields.choice("dmlCompileType", "", _COMPILE_TYPES)
    name = next((key for key in ("Desc", "desc") if key in fields), None)
    attributes = Fields(fields.place(name), fields.value(name)) if name else fields
    operator = _operator(type_name.removeprefix("DML_OPERATOR_"), attributes)
    if operator is None:
        raise DxDispatchError(
            f"{fields.place('type')} is {shown(type_name)}, an operator that is not run here"
        )
    if problems := operator.problems():
        raise DxDispatchError(
            f"{fields.where}: DirectML answers E_INVALIDARG: {'; '.join(problems)}"
        )
    bindings = _bindings(fields, resources) if "bindings" in fields else {}
    about = fields.value("about", "")
    return Dispatchable(operator, bindings, about if isinstance(about, str) else "")


def _operator(type_name: str, attributes: Fields) -> Operator | None:
    return indexing_operator(type_name, attributes) or helper_operator(type_name, attributes)


def _command(
    fields: Fields, resources: dict[str, Resource], dispatchables: dict[str, Dispatchable]
) -> Command:
    kind = fields.string("type").lower()
    if kind == "dispatch":
        name = fields.string("dispatchable")
        if name not in dispatchables:
            raise DxDispatchError(
                f"{fields.place('dispatchable')} is {shown(name)}, and there is none of that name"
            )
        return Dispatch(name, _bindings(fields, resources))
    if kind == "print":
        return Print(_resource_name(fields, "resource", resources), fields.flag("verbose", False))
    if kind == "writefile":
        target = relative(fields.place("targetPath"), fields.string("targetPath"))
        dimensions = fields.integers("dimensions", ())
        return WriteFile(_resource_name(fields, "resource", resources), target, dimensions)
    raise DxDispatchError(
        f"{fields.place('type')} is {shown(kind)}, expected dispatch, print or writeFile"
    )


def _bindings(fields: Fields, resources: dict[str, Resource]) -> Bindings:
    value = fields.value("bindings")
    where = fields.place("bindings")
    if not isinstance(value, JsonObject):
        raise DxDispatchError(f"{where} is {shown(value)}, expected an object {{…}}")
    bindings: Bindings = {}
    for name, sources in value.pairs:
        listed = sources if isinstance(sources, list) else [sources]
        place = f"{where}: {string('a name in bindings', name)}"
        bindings[name] = tuple(_binding(place, source, resources) for source in listed)
    return bindings


def _binding(where: str, source: object, resources: dict[str, Resource]) -> Binding:
    if isinstance(source, str):
        source = JsonObject([("name", source)])
    fields = Fields(where, source)
    name = _resource_name(fields, "name", resources)
    fields.integer("elementCount", 0, bits=64)  # the tool passes over it
    size = fields.integer("elementSizeInBytes", 0, bits=64)
    if not size and (data_type := resources[name].data_type) is not DataType.UNKNOWN:
        size = data_type.dtype.itemsize
    return Binding(name, fields.integer("elementOffset", 0, bits=64) * size)


def _resource_name(fields: Fields, field: str, resources: dict[str, Resource]) -> str:
    name: str = fields.string(field)
    if name not in resources:
        raise DxDispatchError(
            f"{fields.place(field)} is {shown(name)}, and there is no resource of that name"
        )
    return name
