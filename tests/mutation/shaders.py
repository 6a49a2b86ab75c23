"""Judges mutants of shaders, many in one process, which compiles its pipelines once. As a program
it reads numbers and files, and says of each whether the kernels' own cases or the tests see it."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import subprocess
import sys
from pathlib import Path

# The tests of shaders, those that find most soonest first.
FUNCTIONS = ["examples", "indices", "reductions", "out", "fill_value", "empty_axis", "few_slices"]
FILES = [f"tests/functions/test_{name}.py" for name in [*FUNCTIONS, "parity", "extreme", "errors"]]
DEVICE = ["tensors", "failures", "errors", "operators", "bounds", "kernels"]
FILES += [f"tests/d3d12/test_device_{name}.py" for name in DEVICE]


class Worker:
    """The program, begun again after a mutant that hangs it or breaks its device."""

    def __init__(self, environment: dict[str, str], limit: float) -> None:
        self.environment = environment
        self.limit = limit  # in seconds
        self.process: subprocess.Popen[str] | None = None

    def sees(self, number: int, file: str) -> bool:
        """Whether a test does. A program that ends or hangs does not count as its mutant's doing
        until one that was begun for it does, too."""
        was_running = self.process is not None and self.process.poll() is None
        answer = self.ask(number, file)
        if not answer and was_running:
            answer = self.ask(number, file)
        return answer != "survived\n"

    def ask(self, number: int, file: str) -> str:
        """The answer, or nothing."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.mutation.shaders"],
                env=self.environment, text=True, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        answer = ""
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(f"{number} {file}\n")
            self.process.stdin.flush()
            answered, _, _ = select.select([self.process.stdout], [], [], self.limit)
            answer = self.process.stdout.readline() if answered else ""
        if not answer:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return answer


def main() -> None:
    import pytest

    from dmlindex import Device, DeviceError, _core
    from tests.d3d12 import device_kernels
    from tests.d3d12.test_shaders import KERNELS, build

    device = Device("d3d12")
    binding = _core.d3d12_binding(device.name)

    def passes_cases(file: str) -> bool:
        """The cases of the kernels that the file is part of."""
        for kernel in KERNELS:
            uses = Path(file).name in build.sources_of(kernel.source)
            if uses and device_kernels.is_in(kernel, binding):
                try:
                    device_kernels.run(device, kernel)
                except DeviceError:  # the device is lost: so is this program
                    raise
                except Exception:
                    return False
        return True

    def passes_tests() -> bool:
        options = ["-x", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestWarning"]
        with contextlib.redirect_stdout(io.StringIO()):
            return pytest.main([*options, *FILES]) == 0

    for line in sys.stdin:
        number, file = line.split()
        os.environ["DMLINDEX_MUTANT"] = number
        survives = passes_cases(file) and passes_tests()
        os.environ["DMLINDEX_MUTANT"] = "0"
        with contextlib.suppress(IndexError):  # of a result that nobody asked for
            device.synchronize()
        print("survived" if survives else "killed", flush=True)


if __name__ == "__main__":
    main()
