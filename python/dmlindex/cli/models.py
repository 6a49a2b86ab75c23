"""`dmlindex check`: what becomes of an ONNX model's gathers and scatters on DirectML."""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from dmlindex.cli.errors import CommandError, FileError, printable, reason
from dmlindex.cli.streams import say
from dmlindex.onnx.lowering import PROFILE
from dmlindex.onnx.report import Report, as_data, in_words

_REFUSED = 1


def check(parsed: argparse.Namespace) -> int:
    try:
        from dmlindex.onnx.checking import check_model
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise CommandError("check needs ONNX: pip install 'dmlindex[onnx]'") from None
    name = printable(parsed.model)
    inputs = dict(parsed.input)
    if len(inputs) < len(parsed.input):
        raise CommandError("--input names an input twice")
    try:
        report = check_model(
            Path(parsed.model),
            inputs=inputs,
            device_doubles=parsed.device_doubles,
            fused=not parsed.no_fusion,
            dynamic_shapes=parsed.dynamic_shapes,
            constant_folding=not parsed.no_constant_folding,
        )
    except FileNotFoundError:
        raise FileError(f"{name}: no such file") from None
    except OSError as error:
        raise FileError(f"{name}: cannot be read: {reason(error)}") from None
    except MemoryError:
        raise CommandError(f"{name}: out of memory") from None
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    if parsed.json:
        say(json.dumps({"model": parsed.model, "profile": PROFILE} | as_data(report)))
    else:
        say(f"{name}, as {PROFILE} runs it on DirectML")
        say(in_words(_printable(report)))
    return _REFUSED if report.refused else 0


def _printable(report: Report) -> Report:
    """With names as they can stand in a terminal; sizes are named in the model, too."""
    return Report(
        tuple(
            replace(
                finding,
                node=printable(finding.node),
                place=printable(finding.place),
                inputs=tuple(map(printable, finding.inputs)),
                why=printable(finding.why),
            )
            for finding in report.findings
        ),
        tuple(map(printable, report.notes)),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "What ONNX Runtime's DirectML provider makes of each Gather and Scatter of a model. "
        "The exit code is 1 where one is refused."
    )
    parser.add_argument("model", metavar="model.onnx")
    parser.add_argument(
        "--input",
        type=_named_shape,
        action="append",
        default=[],
        metavar="NAME=SHAPE",
        help="the shape of an input with open dims, such as image=1x3x224x224",
    )
    parser.add_argument("--profile", choices=[PROFILE], default=PROFILE, help=f"only {PROFILE}")
    for option, meaning in (
        ("--device-doubles", "the GPU has double-precision shader operations"),
        ("--dynamic-shapes", "sizes are known at run only, whatever the model says"),
        ("--no-fusion", "as with ep.dml.disable_graph_fusion=1"),
        ("--no-constant-folding", "as with all graph optimisations off"),
    ):
        parser.add_argument(option, action="store_true", help=meaning)
    parser.set_defaults(command=check)


def _named_shape(text: str) -> tuple[str, tuple[int, ...]]:
    """An argument NAME=1x3x224x224; NAME= is a scalar's."""
    name, equals, sizes = text.rpartition("=")
    try:
        shape = tuple(int(size) for size in sizes.split("x")) if sizes else ()
    except ValueError:
        shape = (-1,)
    if not equals or any(not 0 <= size < 2**63 for size in shape):
        raise argparse.ArgumentTypeError(f"{text!r} is no shape, expected NAME=1x3x224x224")
    return name, shape
