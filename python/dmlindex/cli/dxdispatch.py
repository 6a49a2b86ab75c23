"""`dmlindex dxdispatch`: DxDispatch's models, run here, written, and compared."""

from __future__ import annotations

import argparse
from pathlib import Path, PurePosixPath

import dmlindex
from dmlindex.cli import files
from dmlindex.cli.errors import CommandError, FileError, printable, reason
from dmlindex.cli.streams import say

_MOST_MODEL_BYTES = 1 << 26


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
