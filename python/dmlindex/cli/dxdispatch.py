"""`dmlindex dxdispatch`: DxDispatch's models, run here, written, and compared."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path, PurePosixPath

import dmlindex
from dmlindex.cli import files
from dmlindex.cli.errors import CommandError, FileError, printable, reason
from dmlindex.cli.streams import say

_FAILED = 1
_MOST_MODEL_BYTES = 1 << 26
_ARRAYS = ("input", "indices", "updates")


def add_parsers(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    run_parser = commands.add_parser(
        "run",
        help="run a model here",
        description="Runs a model's commands on this machine, as DxDispatch does with DirectML.",
    )
    run_parser.add_argument("model", metavar="model.json", help="or a folder, for all in it")
    run_parser.add_argument(
        "--input-path", metavar="P", help="where its files are (default: the model's folder)"
    )
    run_parser.add_argument(
        "--output-path", type=Path, default=Path(), metavar="P", help="default: the current folder"
    )
    run_parser.add_argument("--device", default="cpu", help="see `dmlindex devices`")
    run_parser.set_defaults(command=run)

    writer = commands.add_parser(
        "write",
        help="a folder that runs as it is on a Windows machine",
        description="Writes a folder with a model, its inputs, what DirectML's shaders make of "
        "them, and a README with the command.",
    )
    writer.add_argument("folder", type=Path, metavar="DIR", help="a new folder")
    what = writer.add_mutually_exclusive_group(required=True)
    what.add_argument("--desc", metavar="desc.json", help="a descriptor, as explain takes it")
    what.add_argument("--conformance", action="store_true", help="a few hundred cases")
    for name in _ARRAYS:
        writer.add_argument(f"--{name}", type=files.file_path, metavar=f"{name}.npy")
    writer.set_defaults(command=write)

    comparer = commands.add_parser(
        "compare",
        help="what a machine wrote with what was expected",
        description="Compares bit for bit, and says what would explain a difference. Exit code 1 "
        "where an output differs or is missing.",
    )
    comparer.add_argument("folder", type=Path, metavar="DIR", help="one that write made")
    comparer.add_argument("--json", action="store_true", help="the same for machines")
    comparer.set_defaults(command=compare)


def run(parsed: argparse.Namespace) -> int:
    for model in models(parsed.model):
        _run(model, parsed)
    return 0


def models(path: str) -> list[str]:
    """The model, or all those in a folder."""
    if path == "-" or not Path(path).is_dir():
        return [path]
    found = sorted(str(model) for model in Path(path).glob("*.json"))
    if not found:
        raise CommandError(f"{printable(path)}: a folder without a model; expected *.json in it")
    return found


def _run(model_path: str, parsed: argparse.Namespace) -> None:
    from dmlindex.directml import dxdispatch

    name, text = files.read_text(model_path, _MOST_MODEL_BYTES)
    beside = Path() if model_path == "-" else Path(model_path).parent
    folder = beside if parsed.input_path is None else Path(parsed.input_path)
    try:
        model = dxdispatch.parse_model(text, dxdispatch.InputFolders(folder, Path()).read)
        outcome = dxdispatch.execute(model, device=parsed.device)
    except (ValueError, dmlindex.DeviceError) as error:
        raise CommandError(f"{name}: {error}") from None
    except MemoryError:
        raise CommandError(f"{name}: out of memory") from None
    targets = [(_target(parsed.output_path, path), data) for path, data in outcome.files.items()]
    for words in outcome.printed:
        say(words)
    for target, data in targets:
        with files.replacing(target) as file:
            file.write(data)
        say(printable(target))


def _target(folder: Path, path: PurePosixPath) -> Path:
    """The file's place in the folder, whose subfolders are made; links must not lead out of it."""
    target = folder / path
    try:
        if not target.parent.resolve().is_relative_to(folder.resolve()) or target.is_symlink():
            raise FileError(f"{printable(target)}: a link, expected a place in the output folder")
        target.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise FileError(f"{printable(target)}: cannot be written: {reason(error)}") from None
    files.check_target(target)
    return target


def write(parsed: argparse.Namespace) -> int:
    from dmlindex.directml.dxdispatch import pack
    from dmlindex.directml.dxdispatch.writer import EXPECTED

    given = [name for name in _ARRAYS if getattr(parsed, name) is not None]
    if given and parsed.desc is None:
        raise CommandError(f"--{given[0]} goes with --desc")
    try:
        contents = pack.conformance_pack() if parsed.conformance else _pack_of_desc(parsed)
        with files.new_folder(parsed.folder) as folder:
            pack.save(folder, contents)
    except ValueError as error:
        raise CommandError(str(error)) from None
    models = sum(path.suffix == ".json" for path in contents)
    outputs = sum(path.parts[0] == EXPECTED for path in contents)
    counted = f"{_count(outputs, 'case')} in {_count(models, 'model')}"
    say(f"{printable(parsed.folder)}: {counted}; see its README.md")
    return 0


def _pack_of_desc(parsed: argparse.Namespace) -> dict[PurePosixPath, bytes]:
    from dmlindex.directml.dxdispatch import pack
    from dmlindex.directml.dxdispatch.writer import Case

    name, text = files.read_text(parsed.desc, _MOST_MODEL_BYTES)
    try:
        desc = dmlindex.desc_from_json(text)
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    names = [name for name in _ARRAYS if getattr(parsed, name) is not None]
    arrays = tuple(files.read_array(getattr(parsed, name)) for name in names)
    case = Case(desc.operator.lower(), desc, arrays)
    return pack.pack_of([case], f"{desc.operator} by DxDispatch")


def compare(parsed: argparse.Namespace) -> int:
    from dmlindex.directml import dxdispatch

    results = []
    for path in models(str(parsed.folder)):
        name, text = files.read_text(path, _MOST_MODEL_BYTES)
        try:
            results += dxdispatch.compare_model(Path(path).name, text, Path(path).parent)
        except ValueError as error:
            raise CommandError(f"{name}: {error}") from None
    counts = Counter(result.outcome for result in results)
    if parsed.json:
        say(json.dumps([asdict(result) for result in results]))
    else:
        for result in results:
            if result.outcome != "same":
                say(str(result))
        say(_summary(counts))
    return _FAILED if counts["same"] < len(results) else 0


def _summary(counts: Counter[str]) -> str:
    words = {
        "same": "the same, bit for bit",
        "order": "differ by the order of duplicates alone, which DirectML leaves open",
        "differs": "differ",
        "missing": "missing",
    }
    found = [f"{counts[outcome]} {said}" for outcome, said in words.items() if counts[outcome]]
    return f"{_count(sum(counts.values()), 'output')}: {'; '.join(found)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
