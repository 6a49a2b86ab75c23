"""A folder that runs as it is on a Windows machine: models, inputs, expected outputs, README."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path, PurePosixPath

from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.execute import execute
from dmlindex.directml.dxdispatch.parse import parse_model
from dmlindex.directml.dxdispatch.programs import add_program
from dmlindex.directml.dxdispatch.writer import ACTUAL, EXPECTED, INPUTS, Case, ModelWriter

Files = dict[PurePosixPath, bytes]


def pack_of(cases: Iterable[Case], about: str) -> Files:
    """The files of a folder with one model of these cases; about is its README's title.

    >>> import numpy as np
    >>> from dmlindex import GatherElementsOperatorDesc
    >>> x, i = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[2], [0]])
    >>> case = Case("row_ends", GatherElementsOperatorDesc.infer(x, i, axis=1), (x, i))
    >>> [str(path) for path in pack_of([case], "Row ends")]  # doctest: +NORMALIZE_WHITESPACE
    ['model.json', 'inputs/row_ends.input.npy', 'inputs/row_ends.indices.npy',
     'expected/row_ends.npy', 'README.md']
    """
    return packs_of({"model.json": cases}, about)


def packs_of(models: Mapping[str, Iterable[Case]], about: str, *, inline: bool = False) -> Files:
    """The same with several models, by the names of their files.

    inline: short inputs stand in the models themselves.
    """
    writers = {}
    for model, cases in models.items():
        writers[model] = ModelWriter(inline=inline)
        for case in cases:
            if isinstance(case.desc, OperatorDesc):
                writers[model].add(case)
            else:
                add_program(writers[model], case)
    return _pack(writers, about)


def conformance_pack() -> Files:
    """The files of a folder with a few hundred cases, the same ones each time."""
    from dmlindex.directml.dxdispatch.conformance import conformance_cases

    title = "What a driver does with DirectML's gathers and scatters"
    return packs_of(conformance_cases(), title, inline=True)


def _pack(models: dict[str, ModelWriter], about: str) -> Files:
    """Each model is run here for what it is expected to write."""
    files: Files = {}
    for name, writer in models.items():
        text = writer.text()
        files[PurePosixPath(name)] = text.encode("ascii")
        files.update(writer.files)
        model = parse_model(text, partial(_written, writer.files))
        for target, content in execute(model).files.items():
            files[EXPECTED / target.relative_to(ACTUAL)] = content
    if len(models) > 1:
        files[PurePosixPath("run.cmd")] = _RUN_ALL.encode("ascii")
    files[PurePosixPath("README.md")] = _readme(list(models), about).encode("utf-8")
    return files


def _written(files: Files, _: str, path: str) -> bytes:
    return files[PurePosixPath(path)]


def save(folder: Path, files: Files) -> None:
    """Writes the files into a folder, which is new or empty: else DxDispatchError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise DxDispatchError(f"{folder}: is not empty; give the name of a new folder")
        for path, content in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(content)
    except OSError as error:
        raise DxDispatchError(f"{folder}: cannot be written: {error.strerror or error}") from None


_RUN_ALL = f"""\
@echo off
rem Runs every model of this folder; what DxDispatch says of one is in {ACTUAL}\\MODEL.log.
cd /d "%~dp0"
if not exist {ACTUAL} mkdir {ACTUAL}
for %%m in (*.json) do (
    dxdispatch.exe "%%m" > "{ACTUAL}\\%%~nm.log" 2>&1 || echo %%m failed: see {ACTUAL}\\%%~nm.log
)
echo Done. Now compare: python -m dmlindex dxdispatch compare .
""".replace("\n", "\r\n")


_MODEL_REFUSED = """\
A model whose type the device lacks (FLOAT64 without double precision, say) fails as a whole; the
others run all the same."""
_OPERATOR_REFUSED = """\
Where DirectML refuses the operator, the tool says E_INVALIDARG, and with `-d` a little more."""


def _readme(models: list[str], about: str) -> str:
    several = len(models) > 1
    command = "run.cmd" if several else f"dxdispatch.exe {models[0]}"
    refused = _MODEL_REFUSED if several else _OPERATOR_REFUSED
    return f"""\
# {about}

On Windows, with DxDispatch (https://github.com/microsoft/DirectML, folder DxDispatch) in the PATH,
in this folder:

```
{command}
```

It writes to the folder `{ACTUAL}`. {refused}
Then, anywhere, in this folder or a copy of it:

```
python -m dmlindex dxdispatch compare .
```

- `*.json`: the models. Each dispatchable is a case; `about` says what it is about.
- `{INPUTS}`: the inputs that do not stand in the models.
- `{EXPECTED}`: what DirectML 1.15.4's own shaders compute, padding included: before, all bytes of
  an output are A5.
- `{ACTUAL}`: what the machine wrote.
"""
