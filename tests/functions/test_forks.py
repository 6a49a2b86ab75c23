"""Forks while threads are in calls, and threads that the system has no memory for: docs/threads.md.

Each runs in processes of its own; a child that hangs fails by its time limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

COMMON = """
import os, signal, sys, threading, time, warnings
import numpy as np
import dmlindex

warnings.simplefilter("ignore", DeprecationWarning)  # Python's own, of forks with threads
N = 200_000
x = np.arange(N)
indices = x[::-1].copy()

def check():
    assert (dmlindex.gather(x, indices) == indices).all()
    assert (dmlindex.scatter_elements(x, indices, x) == indices).all()

def forked(work, end=os._exit):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(20)  # ends a child that hangs
            work()
            code = 0
        finally:
            end(code)
    return child

def wait(children):
    for child in children:
        status = os.waitpid(child, 0)[1]
        if status != 0:
            sys.exit(f"a child ended with {os.waitstatus_to_exitcode(status)}")
"""

# Threads in calls all the time, while children come and compute.
BUSY = """
dmlindex.set_num_threads(2)
done = threading.Event()

def work():
    while not done.is_set():
        check()

workers = [threading.Thread(target=work) for _ in range(2)]
for worker in workers:
    worker.start()
try:
    for i in range(int(sys.argv[1])):
        # Some of them end as Python does, some fork again.
        end = sys.exit if i % 3 == 0 else os._exit
        work = (lambda: wait([forked(check)])) if i % 5 == 0 else check
        wait([forked(work, end)])
finally:
    done.set()
    for worker in workers:
        worker.join()
"""

# The first large call of the process is on its way.
FIRST = """
dmlindex.set_num_threads(2)
delay = float(sys.argv[1])
worker = threading.Thread(target=check)
worker.start()
end = time.perf_counter() + delay
while time.perf_counter() < end:
    pass
wait([forked(check) for _ in range(3)])
worker.join()
check()
"""

# No call before the fork: the child has threads of its own. Each of them would be a task here.
FRESH = """
dmlindex.set_num_threads(2)

def threads_of_child():
    check()
    tasks = len(os.listdir("/proc/self/task"))
    assert (tasks > 1) == (os.cpu_count() > 1), tasks

wait([forked(threads_of_child)])
check()
"""

# After the fork the parent goes on with all of its threads; the child is one thread, whose calls
# start no other.
LOST = """
dmlindex.set_num_threads(2)
check()

def threads_of_child():
    check()
    assert len(os.listdir("/proc/self/task")) == 1

wait([forked(threads_of_child)])
check()
"""


# As much address space as there is, and a little more.
TIGHT = """
import resource
dmlindex.set_num_threads(int(sys.argv[2]))
out, same = np.empty_like(x), np.empty(N, bool)
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
limit = in_use + int(sys.argv[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
for _ in range(3):
    dmlindex.gather(x, indices, mode="clamp", out=out)
    assert np.equal(out, indices, out=same).all()
    out[:] = 0
resource.setrlimit(resource.RLIMIT_AS, (resource.getrlimit(resource.RLIMIT_AS)[1],) * 2)
check()
"""


def run(code: str, *arguments: object) -> None:
    command = [sys.executable, "-c", COMMON + code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stderr[-4000:]}"


def test_children_of_a_process_whose_threads_are_in_calls() -> None:
    run(BUSY, 15)


@pytest.mark.parametrize("microseconds", [0, 30, 100, 200, 400, 1000])
def test_children_that_come_with_the_first_call(microseconds: int) -> None:
    run(FIRST, microseconds * 1e-6)


@pytest.mark.skipif(
    not Path("/proc/self/task").is_dir(), reason="this system does not list threads"
)
@pytest.mark.parametrize("code", [FRESH, LOST], ids=["before the first call", "after it"])
def test_the_threads_of_a_child(code: str) -> None:
    run(code)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="this system has no statm")
@pytest.mark.parametrize("threads", [2, 16])
@pytest.mark.parametrize("kib", [0, 256, 1024, 5000, 9000, 20_000, 80_000, 200_000, 1_000_000])
def test_no_memory_for_threads(kib: int, threads: int) -> None:
    """The first large call runs on the calling thread where no other can be started."""
    run(TIGHT, kib, threads)
