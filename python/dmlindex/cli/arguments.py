"""What the command line takes."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import Any, NoReturn

import dmlindex
from dmlindex.cli import commands, dxdispatch, fuzz, models
from dmlindex.cli.commands import OPTIONS
from dmlindex.cli.errors import printable
from dmlindex.cli.files import file_path
from dmlindex.cli.streams import say


class _Parser(argparse.ArgumentParser):
    """Argparse, but an error is one line, without the usage above it."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: error: {printable(message)} (see {self.prog} --help)\n")

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is sys.stdout:  # help and version; argparse is silent about what cannot be written
            say(message.removesuffix("\n"))
        else:  # some of Python 3.11's argparse let it out that standard error is full
            with contextlib.suppress(OSError):
                super()._print_message(message, file)


def parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dmlindex",
        description="DirectML's gather and scatter operators for NumPy.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dmlindex {dmlindex.__version__}")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)

    devices = subparsers.add_parser("devices", help="list the devices, and say what is missing")
    _add_json(devices)
    devices.add_argument(
        "--tune",
        action="store_true",
        help="measure which kernels are fast on the D3D12 devices, and keep it for later",
    )
    devices.set_defaults(command=commands.devices)

    versions = subparsers.add_parser("versions", help="what a bug report should say")
    _add_json(versions)
    versions.set_defaults(command=commands.versions)

    demo = subparsers.add_parser(
        "demo", help="every operator on a pair of photos, on one PNG sheet"
    )
    demo.add_argument(
        "--out", type=file_path, default=Path("sheet.png"), help="default: %(default)s"
    )
    _add_device(demo)
    demo.set_defaults(command=commands.demo)

    run = subparsers.add_parser(
        "run",
        help="one operator on .npy files",
        description="One operator on .npy files. A file may be a pipe, or - for standard input "
        "(one of the arrays) and standard output.",
    )
    operators = run.add_subparsers(metavar="OPERATOR", dest="operator", required=True)
    for operator in OPTIONS:
        _add_operator(operators.add_parser(operator, help=f"dmlindex.{operator}"), operator)

    explain = subparsers.add_parser("explain", help="a descriptor's broken rules, or its plan")
    explain.add_argument("desc", metavar="desc.json", help="a file, or - for standard input")
    _add_json(explain)
    explain.set_defaults(command=commands.explain)

    check = subparsers.add_parser("check", help="an ONNX model's gathers and scatters on DirectML")
    _add_json(check)
    models.add_arguments(check)

    dxdispatch.add_parsers(
        subparsers.add_parser("dxdispatch", help="models of DirectML's test program DxDispatch")
    )
    fuzz.add(subparsers)
    return parser


def _add_operator(parser: argparse.ArgumentParser, operator: str) -> None:
    scatters = operator.startswith("scatter")
    arrays = ("input", "indices", "updates") if scatters else ("input", "indices")
    options = OPTIONS[operator]
    for array in arrays:
        parser.add_argument(array, type=file_path, metavar=f"{array}.npy")
    parser.add_argument("-o", "--out", type=file_path, required=True, metavar="out.npy")
    if "axis" in options:
        parser.add_argument("--axis", type=int, default=0, help="default: 0")
    if "batch_dims" in options:
        parser.add_argument("--batch-dims", type=int, default=0, metavar="N", help="default: 0")
    if "reduction" in options:
        choices = ("none", "add", "mul", "min", "max")
        parser.add_argument("--reduction", choices=choices, default="none", help="default: none")
    modes = ("raise", "clamp", "wrap", "drop" if scatters else "fill")
    parser.add_argument(
        "--mode", choices=modes, default="raise", help="for indices out of range (default: raise)"
    )
    if "fill_value" in options:
        parser.add_argument(
            "--fill-value",
            type=_number,
            default=0,
            metavar="VALUE",
            help="what --mode fill writes (default: 0; negative ones as --fill-value=-inf)",
        )
    if "unique_indices" in options:
        parser.add_argument(
            "--unique-indices", action="store_true", help="promise that no two targets are the same"
        )
    _add_device(parser)
    parser.set_defaults(command=commands.run, arrays=arrays)


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="cpu", help="see `dmlindex devices` (default: cpu)")


def _add_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the same for machines")


def _number(text: str) -> complex:
    """An int where it is one, so that no digit of a large one is lost; else float or complex."""
    for kind in (int, float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"{text!r} is not a number")
