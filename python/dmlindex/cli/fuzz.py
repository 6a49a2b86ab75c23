"""`dmlindex fuzz`: drawn calls against the reference or another library."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import multiprocessing
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dmlindex
from dmlindex._progress import progress
from dmlindex.cli import files
from dmlindex.cli.commands import OPTIONS
from dmlindex.cli.errors import CommandError, printable
from dmlindex.cli.streams import say

if TYPE_CHECKING:
    from dmlindex.testing.report import Report

_FOUND = 1


def add(subparsers: Any) -> None:
    """The command's arguments."""
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "fuzz",
        help="drawn calls against the reference, NumPy, another library or a function of yours",
        description="Draws calls and compares each answer, bit for bit; stops at the first "
        "difference, shrinks it, prints code that shows it and writes a file that replays it. "
        "Exit code 1 if there is one. Calls that a library answers otherwise on purpose are "
        "counted by rule (docs/fuzzing.md).",
    )
    parser.add_argument("--operator", choices=OPTIONS, help="default: all of them")
    parser.add_argument("--device", default="cpu", help="see `dmlindex devices` (default: cpu)")
    parser.add_argument(
        "--against",
        help="reference, numpy, torch, onnxruntime, jax, onnx-reference, or MODULE:FUNCTION, which "
        "is then what is tested, with --operator (default: reference)",
    )
    parser.add_argument("--seconds", type=_positive(float), help="default: 10")
    parser.add_argument("--examples", type=_positive(int), help="stop after so many calls")
    parser.add_argument("--seed", type=int, default=0, help="default: 0")
    parser.add_argument("--workers", type=_positive(int), default=1, help="processes (default: 1)")
    parser.add_argument("--keep-going", action="store_true", help="collect distinct differences")
    parser.add_argument(
        "--mistakes", metavar="NAMES", type=lambda text: text.split(","),
        help="those that wrong calls have, by name and with commas between, or none (default: all)",
    )  # fmt: skip
    parser.add_argument("--max-side", type=_positive(int), help="longest dim of a shape")
    parser.add_argument(
        "-o", "--out", type=files.file_path, default=Path("dmlindex-fuzz.json"), metavar="FILE",
        help="what replays the first difference (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument(
        "--replay", type=files.file_path, metavar="FILE", help="only the call in such a file"
    )
    parser.set_defaults(command=run)


def _positive(kind: type[Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        number = kind(text)
        if not 0 < number < 10**9:
            raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1,000,000,000")
        return number

    read.__name__ = "number"
    return read


def run(parsed: argparse.Namespace) -> int:
    with _no_hypothesis_folder():
        return _run(parsed)


@contextlib.contextmanager
def _no_hypothesis_folder() -> Iterator[None]:
    """Hypothesis makes one where the user happens to be, in workers, too."""
    name = "HYPOTHESIS_STORAGE_DIRECTORY"
    before = os.environ.get(name)
    os.environ[name] = before or os.devnull
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def _run(parsed: argparse.Namespace) -> int:
    _require_hypothesis()
    if parsed.seed < 0:
        raise CommandError(f"--seed is {parsed.seed}, expected 0 or more")
    try:
        if parsed.replay:
            return _replay(parsed)
        report = _in_workers(parsed)
    except (ValueError, ModuleNotFoundError, dmlindex.DeviceError) as error:
        raise CommandError(str(error)) from None
    say(str(report))
    if not report.differences:
        return 0
    _write(parsed, report)
    return _FOUND


def _require_hypothesis() -> None:
    try:
        import hypothesis  # noqa: F401
    except ModuleNotFoundError:
        raise CommandError("fuzzing needs Hypothesis: pip install dmlindex[testing]") from None


def _tested(parsed: argparse.Namespace) -> tuple[dict[str, Callable[..., Any]], str]:
    """The functions that are tested, and the name of what they are compared with."""
    from dmlindex.testing.peers import named_function

    parsed.against = parsed.against or "reference"
    if ":" in parsed.against:
        if parsed.operator is None:
            raise CommandError(f"--against {printable(parsed.against)} needs --operator")
        return {parsed.operator: named_function(parsed.against)}, "reference"
    if parsed.device != "cpu":
        dmlindex.Device(parsed.device)  # an error before the work
    names = [parsed.operator] if parsed.operator else list(OPTIONS)
    functions = {name: getattr(dmlindex, name) for name in names}
    return functions, parsed.against


def _one_worker(parsed: argparse.Namespace, seed: int, shows: bool) -> Report:
    from dmlindex.testing import fuzz

    functions, against = _tested(parsed)
    restrictions: dict[str, Any] = {}
    if parsed.max_side is not None:
        restrictions["max_side"] = parsed.max_side
    if parsed.mistakes is not None:
        restrictions["mistakes"] = parsed.mistakes if parsed.mistakes != ["none"] else False
    return fuzz(
        functions,
        against,
        device="" if parsed.device == "cpu" else parsed.device,
        examples=parsed.examples and -(-parsed.examples // parsed.workers),
        seconds=parsed.seconds,
        seed=seed,
        keep_going=parsed.keep_going,
        progress=shows,
        **restrictions,
    )


def _in_workers(parsed: argparse.Namespace) -> Report:
    if parsed.workers == 1:
        return _one_worker(parsed, parsed.seed, True)
    _tested(parsed)  # errors come from here, not out of a worker
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(parsed.workers, context) as pool:
        seeds = [parsed.seed * 1_000_003 + worker for worker in range(parsed.workers)]
        works = [pool.submit(_one_worker, parsed, seed, False) for seed in seeds]
        done = concurrent.futures.as_completed(works)
        for _ in progress(done, len(works), "workers"):
            pass
        try:
            reports = [work.result() for work in works]  # in the order of their seeds
        except concurrent.futures.process.BrokenProcessPool:
            raise CommandError(
                "a worker ended in the middle of a call: a crash of what it called, or no memory; "
                "python -X faulthandler -m dmlindex fuzz without --workers shows where"
            ) from None
    first = reports[0]
    first.seed = parsed.seed
    for other in reports[1:]:
        first.merge(other)
    return first


def _write(parsed: argparse.Namespace, report: Report) -> None:
    from dmlindex.testing.replay import to_json

    try:
        text = to_json(
            report.differences[0].call,
            against=parsed.against,
            device=parsed.device,
            problem=report.differences[0].problem,
        )
    except TypeError as error:
        say(f"no file that replays it: {error}")
        return
    with files.writing(parsed.out) as file:
        file.write(text.encode())
    mine = f" --against {printable(parsed.against)}" if ":" in parsed.against else ""
    say(f"\ndmlindex fuzz --replay {printable(parsed.out)}{mine}   calls it again")


def _replay(parsed: argparse.Namespace) -> int:
    from dmlindex.testing.compare import difference
    from dmlindex.testing.fuzzing import without_device
    from dmlindex.testing.peers import peer
    from dmlindex.testing.replay import from_json

    name = printable(parsed.replay)
    try:
        call, notes = from_json(parsed.replay.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{name}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CommandError(f"{name}: {error}") from None
    against = str(notes.get("against", "reference"))
    if ":" in against and parsed.against != against:  # a file decides on no code that runs
        raise CommandError(
            f"{name} calls {printable(against)}, which may do anything; if that is what you want, "
            f"add --against {printable(against)}"
        )
    parsed.operator, parsed.against = call.operator, parsed.against or against
    parsed.device = str(notes.get("device", "cpu"))
    functions, against = _tested(parsed)
    function = functions[call.operator]
    other = peer(against)
    answer = without_device(other.run(call.operator))
    problem = difference(function, answer, call, any_order=other.any_order)
    say(f"{call!r}\n{problem or 'the same on both sides'}\n\n{call.script(function)}")
    return _FOUND if problem else 0
