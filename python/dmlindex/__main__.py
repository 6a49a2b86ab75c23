"""The command line: `python -m dmlindex`, also installed as `dmlindex`.

    dmlindex devices                                  what there is, and why not what is missing
    dmlindex demo --out sheet.png                     every operator on a pair of photos
    dmlindex run gather_nd x.npy i.npy -o y.npy       one operator on .npy files
    dmlindex explain desc.json                        a descriptor's broken rules, or its plan

What the user got wrong (files, shapes, arguments) is one line on stderr and exit code 2. A demo
whose results are wrong and a descriptor that is not valid exit with 1, Ctrl-C with 130.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

import dmlindex
from dmlindex._files import FileError, check_target, read_array, replacing

_FAILED = 1
_USER_ERROR = 2
_INTERRUPTED = 130  # what a shell reports for a program that SIGINT ended

# The keyword arguments of each function that are options here, beside device.
_OPTIONS = {
    "gather": ("axis", "mode", "fill_value"),
    "gather_elements": ("axis", "mode", "fill_value"),
    "gather_nd": ("batch_dims", "mode", "fill_value"),
    "scatter_elements": ("axis", "reduction", "mode", "unique_indices"),
    "scatter_nd": ("reduction", "mode", "unique_indices"),
}


class CommandError(Exception):
    """Something the user can put right, in one line."""


class _Parser(argparse.ArgumentParser):
    """Argparse, but an error is one line, without the usage above it."""

    def error(self, message: str) -> NoReturn:
        self.exit(_USER_ERROR, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; the exit code."""
    parsed = _parser().parse_args(arguments)
    try:
        code: int = parsed.command(parsed)
        sys.stdout.flush()
        return code
    except (CommandError, FileError) as error:
        print(f"dmlindex: error: {error}", file=sys.stderr)
        return _USER_ERROR
    except KeyboardInterrupt:
        print("dmlindex: interrupted", file=sys.stderr)
        return _INTERRUPTED
    except BrokenPipeError:  # whoever read our output, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dmlindex",
        description="DirectML's gather and scatter operators for NumPy.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dmlindex {dmlindex.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    devices = commands.add_parser("devices", help="list the devices, and say what is missing")
    devices.set_defaults(command=_devices)

    demo = commands.add_parser("demo", help="every operator on a pair of photos, on one PNG sheet")
    demo.add_argument("--out", type=Path, default=Path("sheet.png"), help="default: %(default)s")
    _add_device(demo)
    demo.set_defaults(command=_demo)

    run = commands.add_parser("run", help="one operator on .npy files")
    operators = run.add_subparsers(metavar="OPERATOR", dest="operator", required=True)
    for operator in _OPTIONS:
        _add_operator(operators.add_parser(operator, help=f"dmlindex.{operator}"), operator)

    explain = commands.add_parser("explain", help="a descriptor's broken rules, or its plan")
    explain.add_argument("desc", metavar="desc.json", help="a file, or - for standard input")
    explain.add_argument("--json", action="store_true", help="the same for machines")
    explain.set_defaults(command=_explain)
    return parser


def _add_operator(parser: argparse.ArgumentParser, operator: str) -> None:
    scatters = operator.startswith("scatter")
    arrays = ("input", "indices", "updates") if scatters else ("input", "indices")
    options = _OPTIONS[operator]
    for array in arrays:
        parser.add_argument(array, type=Path, metavar=f"{array}.npy")
    parser.add_argument("-o", "--out", type=Path, required=True, metavar="out.npy")
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
    parser.set_defaults(command=_run, arrays=arrays)


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="cpu", help="see `dmlindex devices` (default: cpu)")


def _number(text: str) -> complex:
    """An int where it is one, so that no digit of a large one is lost; else float or complex."""
    for kind in (int, float, complex):
        try:
            return kind(text)
        except ValueError:
            continue
    raise argparse.ArgumentTypeError(f"{text!r} is not a number")


def _devices(_: argparse.Namespace) -> int:
    infos = dmlindex.devices()
    width = max(len(info.name) for info in infos)
    for info in infos:
        state = "available" if info.available else "missing"
        words = [info.description if info.available else info.reason]
        if info.available and info.memory_bytes:
            words.append(f"{info.memory_bytes / 2**30:.1f} GiB")
        print(f"{info.name:{width}}  {state:9}  {', '.join(words)}")
    return 0


def _demo(parsed: argparse.Namespace) -> int:
    check_target(parsed.out)
    try:
        from dmlindex import demo, sheet

        scene = demo.load_scene()
    except ImportError as error:
        raise CommandError(
            f"the demo needs scikit-image and Pillow ({error}): pip install 'dmlindex[demo]'"
        ) from None
    print("Checking each result bit for bit against the reference, a slow loop: about 20 seconds.")
    print(demo.table_line(demo.TABLE_HEADER))
    results = []
    try:
        for step in demo.steps(scene):
            results.append(demo.run(step, parsed.device))
            print(demo.table_line(results[-1].row), flush=True)
    except (ValueError, dmlindex.DeviceError) as error:  # no such device, or it cannot do that
        raise CommandError(str(error)) from None
    except demo.DemoError as error:
        print(f"dmlindex: the demo failed: {error}", file=sys.stderr)
        return _FAILED
    print(demo.summary(scene, results))
    with replacing(parsed.out) as file:
        sheet.draw(scene, results, parsed.device).save(file, format="PNG")
    print(f"The pictures: {parsed.out.resolve()}")
    return 0


def _run(parsed: argparse.Namespace) -> int:
    check_target(parsed.out)
    result = _result(parsed)
    # By now the inputs' memory maps are gone, so that out may be one of them on Windows too.
    with replacing(parsed.out) as file:
        np.save(file, result, allow_pickle=False)
    print(f"{parsed.out}: {result.dtype} {result.shape}")
    return 0


def _explain(parsed: argparse.Namespace) -> int:
    from dmlindex.explain import explain, in_words

    name = "standard input" if parsed.desc == "-" else parsed.desc
    try:
        data = sys.stdin.buffer.read() if parsed.desc == "-" else Path(parsed.desc).read_bytes()
        desc = dmlindex.desc_from_json(data.decode("utf-8"))
    except OSError as error:
        raise CommandError(f"{name}: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise CommandError(f"{name}: not UTF-8 text, expected JSON") from None
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    report = explain(desc)
    print(json.dumps(report) if parsed.json else in_words(report))
    return 0 if report["valid"] else _FAILED


def _result(parsed: argparse.Namespace) -> np.ndarray[Any, Any]:
    arrays = [read_array(getattr(parsed, name)) for name in parsed.arrays]
    options = {name: getattr(parsed, name) for name in _OPTIONS[parsed.operator]}
    operator = getattr(dmlindex, parsed.operator)
    try:
        output: np.ndarray[Any, Any] = operator(*arrays, **options, device=parsed.device)
    except (TypeError, ValueError, IndexError, MemoryError, dmlindex.DeviceError) as error:
        raise CommandError(str(error) or f"{parsed.operator}: out of memory") from None
    return output


if __name__ == "__main__":
    sys.exit(main())
