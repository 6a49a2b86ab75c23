"""The contestants. Each module here says, for every call, how its library does it best.

A contestant is loaded by name, so that one that is not installed can be named in the report. To add
one (a GPU library, say), write a module with a Contestant like those here and add it to MODULES.
"""

from __future__ import annotations

from importlib import import_module
from typing import Protocol

from benchmarks.call import Buffers, Call, Idiom

OURS = "dmlindex"
MODULES = {
    OURS: "benchmarks.peers.ours",
    "numpy": "benchmarks.peers.numpy_idioms",
    "torch": "benchmarks.peers.torch_idioms",
    "onnxruntime": "benchmarks.peers.onnxruntime_idioms",
    "jax": "benchmarks.peers.jax_idioms",
}


class Peer(Protocol):
    """A library that is installed."""

    version: str

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        """Its ways of doing the call. Raises NotSupportedError when there is none."""
        ...


def load(name: str, threads: int) -> Peer:
    """The contestant, told to use so many threads. Raises ImportError when it is not installed."""
    peer: Peer = import_module(MODULES[name]).Contestant(threads)
    return peer
