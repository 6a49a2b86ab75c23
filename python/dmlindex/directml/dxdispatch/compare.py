"""Compares what a machine wrote with what a folder expects, bit for bit, and explains."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import numpy as np

from dmlindex.directml.dxdispatch import npy
from dmlindex.directml.dxdispatch.errors import DxDispatchError, printable
from dmlindex.directml.dxdispatch.execute import Memory
from dmlindex.directml.dxdispatch.explain import DUPLICATES, Dispatched
from dmlindex.directml.dxdispatch.folders import InputFolders
from dmlindex.directml.dxdispatch.model import Binding, Bytes, Dispatch, Model, Operator, WriteFile
from dmlindex.directml.dxdispatch.operators import IndexingOperator, typed
from dmlindex.directml.dxdispatch.parse import parse_model
from dmlindex.directml.dxdispatch.writer import ACTUAL, EXPECTED

_MOST_EXPLAINED = 10_000  # elements whose cause is looked for


@dataclass(frozen=True)
class Comparison:
    """One output: same, differs, missing, or order (it differs as DirectML allows)."""

    model: str
    output: str
    outcome: str
    words: str = ""
    about: str = ""

    def __str__(self) -> str:
        about = f" ({printable(self.about)})" if self.about else ""
        return f"{self.model}: {self.output}{about}: {self.words or self.outcome}"


def compare_model(name: str, text: str, folder: Path) -> list[Comparison]:
    """Each file that the model writes, in the order in which it does; name is the model's own.

    The outputs are in the folder's `actual`, the expected ones in its `expected`.
    """
    files = InputFolders(folder)
    model = parse_model(text, files.read)
    comparer = _Comparer(name, files)
    about: dict[str, str] = {}  # of what wrote a resource last
    for number, command in enumerate(model.commands):
        if isinstance(command, Dispatch):
            (binding,) = command.bindings.get("OutputTensor", [Binding("")])
            about[binding.resource] = model.dispatchables[command.dispatchable].about
        elif isinstance(command, WriteFile) and command.target.parts[0] == ACTUAL:
            comparer.compare(number, command.target, about.get(command.resource, ""))
    if not comparer.found:
        raise DxDispatchError(f"writes nothing to {ACTUAL}: not a model that write made")
    if comparer.differing:
        comparer.explain(model)
    return list(comparer.found.values())


class _Comparer:
    """Compares files first; only where some differ, the model is run for what there is to say."""

    def __init__(self, name: str, files: InputFolders) -> None:
        self._name = name
        self._files = files
        self.found: dict[int, Comparison] = {}  # by the number of the command
        self.differing: dict[int, tuple[Bytes, Bytes]] = {}

    def compare(self, number: int, target: PurePosixPath, about: str) -> None:
        output = str(target.relative_to(ACTUAL))
        self.found[number] = Comparison(self._name, output, "same", about=about)
        expected = _contents(self._files, EXPECTED / target.relative_to(ACTUAL))
        if not self._files.has(str(target)):
            self._found(number, "missing", "was not written: did DirectML refuse the model?")
            return
        actual = _contents(self._files, target)
        if actual.size != expected.size:
            self._found(number, "differs", f"has {actual.size} bytes, expected {expected.size}")
        elif not np.array_equal(actual, expected):
            self.differing[number] = (expected, actual)

    def explain(self, model: Model) -> None:
        resources = {model.commands[number].resource for number in self.differing}  # type: ignore[union-attr]
        memory = Memory(model)
        written: dict[str, list[_Written]] = {}
        for number, command in enumerate(model.commands):
            if isinstance(command, WriteFile) and number in self.differing:
                expected, actual = self.differing[number]
                outcome, words = _explanation(written[command.resource], expected, actual)
                self._found(number, outcome, words)
            elif isinstance(command, Dispatch):
                (binding,) = command.bindings["OutputTensor"]
                if binding.resource in resources:
                    operator = model.dispatchables[command.dispatchable].operator
                    inputs, output = memory.operands(command)
                    before = [each.copy() for each in (*inputs, output)]
                    each = _Written(operator, before[:-1], before[-1], binding.offset)
                    written.setdefault(binding.resource, []).append(each)
                memory.dispatch(command, "cpu")

    def _found(self, number: int, outcome: str, words: str) -> None:
        self.found[number] = replace(self.found[number], outcome=outcome, words=words)


@dataclass(frozen=True)
class _Written:
    """A dispatch that wrote to a resource: as it was before."""

    operator: Operator
    inputs: list[Bytes]
    before: Bytes
    offset: int


def _explanation(written: list[_Written], expected: Bytes, actual: Bytes) -> tuple[str, str]:
    """The outcome and what is to say of files that differ."""
    differing = np.flatnonzero(actual != expected)
    wrote = [each for each in written if each.offset <= differing[0]]
    if not wrote:
        return "differs", f"byte {differing[0]} differs, which no dispatch writes"
    last = wrote[-1]
    tensor = last.operator.output()
    width = tensor.data_type.dtype.itemsize
    elements = np.unique((differing - last.offset) // width)
    count = f"{elements.size} of {(expected.size - last.offset) // width} elements differ"
    if not isinstance(last.operator, IndexingOperator):
        return "differs", f"{last.operator.type}: {count}, the first is element {elements[0]}"
    run = Dispatched(last.operator, last.inputs, last.before, expected[last.offset :])
    values = typed(actual[last.offset :], tensor)
    looked_at = [int(element) for element in elements[:_MOST_EXPLAINED] if element < values.size]
    if not looked_at:
        return "differs", f"byte {differing[0]} differs, behind the last whole element"
    causes = Counter(run.cause(element) for element in looked_at)
    told = ", ".join(f"{cause} {n}" for cause, n in causes.most_common())
    words = f"{count} ({told}); the first: {run.words(looked_at[0], values)}"
    only_order = set(causes) == {DUPLICATES} and len(looked_at) == elements.size
    if only_order and all(run.allowed(element, values) for element in looked_at):
        return "order", words
    return "differs", words


def _contents(files: InputFolders, path: PurePosixPath) -> Bytes:
    data = files.read(str(path), str(path))
    if path.suffix == ".npy":
        data, _ = npy.read(str(path), data)
    return np.frombuffer(data, np.uint8)
