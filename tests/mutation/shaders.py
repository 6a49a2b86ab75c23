"""Judges mutants of shaders by the kernels' own cases, many in one process, which compiles its
pipelines once. As a program it reads numbers and files, and says of each whether a case sees it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from pathlib import Path


class Worker:
    """The program, begun again after a mutant that hangs it or breaks its device."""

    def __init__(self, environment: dict[str, str], limit: float) -> None:
        self.environment = environment
        self.limit = limit  # in seconds
        self.process: subprocess.Popen[str] | None = None

    def sees(self, number: int, file: str) -> bool:
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.mutation.shaders"],
                env=self.environment, text=True, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{number} {file}\n")
        self.process.stdin.flush()
        answered, _, _ = select.select([self.process.stdout], [], [], self.limit)
        answer = self.process.stdout.readline() if answered else ""
        if not answer.endswith("goes on\n"):
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        return not answer.startswith("survived")


def main() -> None:
    from dmlindex import Device, _core
    from tests.d3d12 import device_kernels
    from tests.d3d12.test_shaders import KERNELS, build

    device = Device("d3d12")
    binding = _core.d3d12_binding(device.name)

    def survives(number: int, file: str) -> bool:
        os.environ["DMLINDEX_MUTANT"] = str(number)
        try:
            for kernel in KERNELS:
                uses = Path(file).name in build.sources_of(kernel.source)
                if uses and device_kernels.is_in(kernel, binding):
                    device_kernels.run(device, kernel)
        except Exception:
            return False
        return True

    for line in sys.stdin:
        number, file = line.split()
        if survives(int(number), file):
            print("survived and goes on", flush=True)
        else:  # with the device as it was?
            print("killed", "and goes on" if survives(0, file) else "", flush=True)


if __name__ == "__main__":
    main()
