"""The fields of a JSON object, each with the type that DxDispatch's parser wants there."""

from __future__ import annotations

from typing import Any

from dmlindex.directml.dxdispatch.errors import DxDispatchError, shown
from dmlindex.directml.dxdispatch.relaxed_json import JsonObject
from dmlindex.directml.values import DataType

_REQUIRED: Any = object()


class Fields:
    """An object's fields by name; `where` is what messages call the object."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, JsonObject):
            raise DxDispatchError(f"{where} is {shown(value)}, expected an object {{…}}")
        self.where = where
        self._values = value.first()

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def place(self, name: str) -> str:
        """What messages call a field."""
        return f"{self.where}: {name}"

    def value(self, name: str, default: Any = _REQUIRED) -> Any:
        if name in self._values:
            return self._values[name]
        if default is _REQUIRED:
            raise DxDispatchError(f"{self.where} has no field {name}")
        return default

    def string(self, name: str, default: Any = _REQUIRED) -> Any:
        if name not in self._values and default is not _REQUIRED:
            return default
        return string(self.place(name), self.value(name))

    def integer(self, name: str, default: Any = _REQUIRED, *, bits: int = 32) -> Any:
        """An unsigned integer, which must be written as one: not as 1.0."""
        if name not in self._values and default is not _REQUIRED:
            return default
        return integer(self.place(name), self.value(name), 0, 2**bits - 1)

    def integers(self, name: str, default: Any = _REQUIRED) -> Any:
        if name not in self._values and default is not _REQUIRED:
            return default
        return tuple(
            integer(f"{self.place(name)}[{i}]", value, 0, 2**32 - 1)
            for i, value in enumerate(self.array(name))
        )

    def array(self, name: str) -> list[Any]:
        return array(self.place(name), self.value(name))

    def flag(self, name: str, default: bool) -> bool:
        value = self.value(name, default)
        if not isinstance(value, bool):
            raise DxDispatchError(f"{self.place(name)} is {shown(value)}, expected true or false")
        return value

    def data_type(self, name: str, default: Any = _REQUIRED) -> DataType:
        if name not in self._values and isinstance(default, DataType):
            return default
        value = self.string(name)
        try:
            return DataType[value.removeprefix("DML_TENSOR_DATA_TYPE_")]
        except KeyError:
            known = ", ".join(DataType.__members__)
            raise DxDispatchError(
                f"{self.place(name)} is {shown(value)}, expected one of {known}"
            ) from None

    def choice(self, name: str, prefix: str, known: tuple[str, ...]) -> str:
        """One of the words known, with or without the prefix; the first if it is not given."""
        word: str = self.string(name, known[0]).removeprefix(prefix)
        if word not in known:
            raise DxDispatchError(
                f"{self.place(name)} is {shown(word)}, expected {' or '.join(known)}"
            )
        return word

    def flags(self, name: str, prefix: str, known: tuple[str, ...]) -> list[str]:
        """A word or an array of them."""
        value = self.value(name, [])
        words = value if isinstance(value, list) else [value]
        place = self.place(name)
        each = [Fields(self.where, JsonObject([(name, string(place, word))])) for word in words]
        return [one.choice(name, prefix, known) for one in each]


def string(where: str, value: object) -> str:
    if not isinstance(value, str):
        raise DxDispatchError(f"{where} is {shown(value)}, expected a string")
    if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
        raise DxDispatchError(f"{where} is {shown(value)}, which is not text that UTF-8 can hold")
    return value


def integer(where: str, value: object, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise DxDispatchError(f"{where} is {shown(value)}, expected an integer, {least} to {most}")
    return value


def array(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise DxDispatchError(f"{where} is {shown(value)}, expected an array […]")
    return value
