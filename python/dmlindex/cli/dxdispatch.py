"""`dmlindex dxdispatch`: DxDispatch's models, run here, written, and compared."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Any

import dmlindex
from dmlindex._progress import progress
from dmlindex.cli import files
from dmlindex.cli.commands import OPTIONS
from dmlindex.cli.errors import CommandError, FileError, printable, reason
from dmlindex.cli.streams import say

_FAILED = 1
_MOST_MODEL_BYTES = 1 << 26
_MOST_DRAWN = 1000
_OPTIONS = ("axis", "batch_dims", "mode", "reduction")
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
    what.add_argument(
        "--function",
        choices=list(OPTIONS),
        metavar="NAME",
        help="a function of dmlindex, as a program of what DirectML accepts",
    )
    what.add_argument("--conformance", action="store_true", help="a few hundred cases")
    what.add_argument("--random", type=int, metavar="N", help="N cases drawn by dmlindex.testing")
    writer.add_argument("--seed", type=int, default=0, metavar="S", help="of --random (default: 0)")
    for name in _ARRAYS:
        writer.add_argument(f"--{name}", type=files.file_path, metavar=f"{name}.npy")
    of_function = writer.add_argument_group("of --function")
    of_function.add_argument("--axis", type=int, metavar="N", help="default: 0")
    of_function.add_argument("--batch-dims", type=int, metavar="N", help="default: 0")
    of_function.add_argument("--mode", metavar="MODE", help="default: raise")
    of_function.add_argument("--reduction", metavar="R", help="default: none")
    of_function.add_argument(
        "--feature-level", default="6_4", metavar="L", help="such as 4_1 (default: 6_4)"
    )
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
    if given and parsed.desc is None and parsed.function is None:
        raise CommandError(f"--{given[0]} goes with --desc and --function")
    given = [name for name in _OPTIONS if getattr(parsed, name) is not None]
    for name in given:
        if name not in OPTIONS.get(parsed.function, ()):
            whose = parsed.function or "what is written: it goes with --function"
            raise CommandError(f"--{name.replace('_', '-')} is no option of {whose}")
    try:
        contents = _contents(parsed)
        with files.new_folder(parsed.folder) as folder:
            pack.save(folder, contents)
    except ValueError as error:
        raise CommandError(str(error)) from None
    models = sum(path.suffix == ".json" for path in contents)
    outputs = sum(path.parts[0] == EXPECTED for path in contents)
    counted = f"{_count(outputs, 'output')} of {_count(models, 'model')}"
    say(f"{printable(parsed.folder)}: {counted}; see its README.md")
    return 0


def _contents(parsed: argparse.Namespace) -> dict[PurePosixPath, bytes]:
    from dmlindex.directml.dxdispatch import pack

    if parsed.conformance:
        return pack.conformance_pack()
    if parsed.random is not None:
        return _drawn_pack(parsed)
    arrays = tuple(
        files.read_array(path) for name in _ARRAYS if (path := getattr(parsed, name)) is not None
    )
    if parsed.function is not None:
        return _pack_of_function(parsed, arrays)
    return _pack_of_desc(parsed, arrays)


def _drawn_pack(parsed: argparse.Namespace) -> dict[PurePosixPath, bytes]:
    from dmlindex.directml.dxdispatch import pack
    from dmlindex.directml.dxdispatch.drawn import drawn_cases

    if not 1 <= parsed.random <= _MOST_DRAWN:
        raise CommandError(f"--random is {parsed.random}, expected 1 to {_MOST_DRAWN}")
    cases = drawn_cases(parsed.random, parsed.seed)
    title = f"{_count(len(cases), 'random case')}, seed {parsed.seed}"
    # Each has a model of its own: where a device refuses one, the others run.
    return pack.packs_of({f"{case.name}.json": [case] for case in cases}, title)


def _pack_of_desc(
    parsed: argparse.Namespace, arrays: tuple[Any, ...]
) -> dict[PurePosixPath, bytes]:
    from dmlindex.directml import dxdispatch

    name, text = files.read_text(parsed.desc, _MOST_MODEL_BYTES)
    try:
        desc = dmlindex.desc_from_json(text)
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    case = dxdispatch.Case(desc.operator.lower(), desc, arrays)
    return dxdispatch.pack_of([case], f"{desc.operator} by DxDispatch")


def _pack_of_function(
    parsed: argparse.Namespace, arrays: tuple[Any, ...]
) -> dict[PurePosixPath, bytes]:
    from dmlindex.directml import dxdispatch
    from dmlindex.directml.legal import legalize

    name = f"FL_{parsed.feature_level}"
    if name not in dmlindex.FeatureLevel.__members__:
        known = ", ".join(level.name.removeprefix("FL_") for level in dmlindex.FeatureLevel)
        raise CommandError(f"--feature-level is {parsed.feature_level}, expected one of {known}")
    given = {key: value for key in _OPTIONS if (value := getattr(parsed, key)) is not None}
    try:
        level = dmlindex.FeatureLevel[name]
        program = legalize(parsed.function, arrays, feature_level=level, **given)
        case = dxdispatch.Case(parsed.function, program, arrays)
        return dxdispatch.pack_of([case], f"{parsed.function} by DxDispatch")
    except (TypeError, IndexError) as error:
        raise CommandError(str(error)) from None


def compare(parsed: argparse.Namespace) -> int:
    from dmlindex.directml import dxdispatch

    results = []
    paths = models(str(parsed.folder))
    for path in progress(paths, len(paths), "models"):
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
    if set(counts) == {"missing"}:
        words["missing"] += ": first run the command that README.md says"
    found = [f"{counts[outcome]} {said}" for outcome, said in words.items() if counts[outcome]]
    return f"{_count(sum(counts.values()), 'output')}: {'; '.join(found)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
