"""What each command does; each gives the exit code."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

import numpy as np

import dmlindex
from dmlindex.cli import files
from dmlindex.cli.errors import CommandError, printable
from dmlindex.cli.streams import complain, say

_FAILED = 1
_MOST_DESC_BYTES = 1 << 24

# The keyword arguments of each function that are options here, beside device.
OPTIONS = {
    "gather": ("axis", "mode", "fill_value"),
    "gather_elements": ("axis", "mode", "fill_value"),
    "gather_nd": ("batch_dims", "mode", "fill_value"),
    "scatter_elements": ("axis", "reduction", "mode", "unique_indices"),
    "scatter_nd": ("reduction", "mode", "unique_indices"),
}

# What a call says of its arguments and of the environment; anything else is a bug, and told whole.
_REFUSALS = (TypeError, ValueError, IndexError, MemoryError, dmlindex.DeviceError)


def devices(parsed: argparse.Namespace) -> int:
    if parsed.tune:
        from dmlindex.cli.tuning import tune

        tune()
    try:
        infos = dmlindex.devices()
    except _REFUSALS as error:  # a wrong environment variable
        raise CommandError(str(error)) from None
    if parsed.json:
        say(json.dumps([asdict(info) for info in infos]))
        return 0
    width = max(len(info.name) for info in infos)
    for info in infos:
        state = "available" if info.available else "missing"
        words = [info.description if info.available else info.reason]
        if info.available and info.memory_bytes:
            words.append(f"{info.memory_bytes / 2**30:.1f} GiB")
        if info.profile:
            words.append(printable(info.profile))
        say(f"{info.name:{width}}  {state:9}  {', '.join(words)}")
    return 0


def versions(parsed: argparse.Namespace) -> int:
    from dmlindex._versions import in_words, versions

    report = versions()
    say(json.dumps(report) if parsed.json else in_words(report))
    return 0


def demo(parsed: argparse.Namespace) -> int:
    if parsed.out == files.STANDARD:
        raise CommandError("demo: standard output has the table; give --out the name of a file")
    files.check_target(parsed.out)
    try:
        from dmlindex import demo
        from dmlindex.demo import sheet

        scene = demo.load_scene()
    except ImportError as error:
        raise CommandError(
            f"the demo needs scikit-image and Pillow ({error}): pip install 'dmlindex[demo]'"
        ) from None
    say("Checking each result bit for bit against the reference, a slow loop: about 20 seconds.")
    say(demo.table_line(demo.TABLE_HEADER))
    results = []
    try:
        for step in demo.steps(scene):
            results.append(demo.run(step, parsed.device))
            say(demo.table_line(results[-1].row))
    except (ValueError, dmlindex.DeviceError) as error:  # no such device, or it cannot do that
        raise CommandError(str(error)) from None
    except demo.DemoError as error:
        complain(f"the demo failed: {error}")
        return _FAILED
    say(demo.summary(scene, results))
    picture = sheet.draw(scene, results, parsed.device)
    with files.writing(parsed.out) as file:
        picture.save(file, format="PNG")
    say(f"The pictures: {printable(parsed.out.resolve())}")
    return 0


def run(parsed: argparse.Namespace) -> int:
    if [getattr(parsed, name) for name in parsed.arrays].count(files.STANDARD) > 1:
        raise CommandError("only one of the arrays can come from standard input")
    files.check_target(parsed.out)
    result = _result(parsed)
    # By now the inputs' memory maps are gone, so that out may be one of them on Windows too.
    files.save_array(parsed.out, result)
    if parsed.out != files.STANDARD:
        say(f"{printable(parsed.out)}: {result.dtype} {result.shape}")
    return 0


def _result(parsed: argparse.Namespace) -> np.ndarray[Any, Any]:
    arrays = [files.read_array(getattr(parsed, name)) for name in parsed.arrays]
    options = {name: getattr(parsed, name) for name in OPTIONS[parsed.operator]}
    operator = getattr(dmlindex, parsed.operator)
    try:
        output: np.ndarray[Any, Any] = operator(*arrays, **options, device=parsed.device)
    except _REFUSALS as error:
        raise CommandError(str(error) or f"{parsed.operator}: out of memory") from None
    return output


def explain(parsed: argparse.Namespace) -> int:
    from dmlindex._explain.report import desc_report, in_words

    name, text = files.read_text(parsed.desc, _MOST_DESC_BYTES)
    try:
        desc = dmlindex.desc_from_json(text)
    except RecursionError:
        raise CommandError(f"{name}: nested too deeply for a descriptor") from None
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    report = desc_report(desc)
    say(json.dumps(report) if parsed.json else in_words(report))
    return 0 if report["valid"] else _FAILED
