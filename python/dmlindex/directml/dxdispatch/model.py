"""A DxDispatch model: buffers, operators, and commands in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any, Protocol

import numpy as np

from dmlindex.directml.tensor import TensorDesc
from dmlindex.directml.values import DataType

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass(frozen=True)
class Resource:
    """A buffer: its values lie at byte 0, and zeros follow up to its size."""

    data_type: DataType  # UNKNOWN: values of several types
    values: bytes
    size_in_bytes: int


@dataclass(frozen=True)
class Binding:
    """A part of a resource, from an offset in bytes to its end."""

    resource: str
    offset: int = 0


Bindings = dict[str, tuple[Binding, ...]]  # by bind point


class Operator(Protocol):
    """What a dispatchable runs: an operator desc, with DxDispatch's names of its tensors."""

    @property
    def type(self) -> str: ...

    def inputs(self) -> dict[str, tuple[TensorDesc, ...]]:
        """By bind point; most have one tensor."""
        ...

    def output(self) -> TensorDesc: ...

    def problems(self) -> list[str]:
        """Why DirectML answers E_INVALIDARG; empty where it does not."""
        ...

    def run(self, inputs: list[Bytes], output: Bytes, device: str) -> None:
        """Writes output. Each is a buffer's bytes, of the tensor's total size or more."""
        ...


@dataclass(frozen=True)
class Dispatchable:
    operator: Operator
    bindings: Bindings = field(default_factory=dict)  # of inputs that DirectML owns
    about: str = ""  # what `write` says of it; the tool passes over it


@dataclass(frozen=True)
class Dispatch:
    dispatchable: str
    bindings: Bindings


@dataclass(frozen=True)
class Print:
    resource: str
    verbose: bool = False


@dataclass(frozen=True)
class WriteFile:
    resource: str
    target: PurePosixPath
    dimensions: tuple[int, ...] = ()


Command = Dispatch | Print | WriteFile


@dataclass(frozen=True)
class Model:
    resources: dict[str, Resource]
    dispatchables: dict[str, Dispatchable]
    commands: tuple[Command, ...]
