"""dmlindex itself."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from benchmarks.call import Buffers, Call, Idiom
from benchmarks.peers.compiled import compiled_idioms

CACHED = "raise, buffer cache"
_CACHED_FROM_BYTES = 32_000_000
_CACHE_BYTES = 1 << 28


class Contestant:
    def __init__(self, threads: int) -> None:
        self.dmlindex = importlib.import_module("dmlindex")
        self.dmlindex.set_num_threads(threads)
        self.version = str(self.dmlindex.__version__)

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        names = self._names(buffers)
        modes = ("raise", "clamp", "wrap", "drop" if call.is_scatter else "fill")
        found = [
            Idiom(
                "dmlindex",
                _code(call, mode, into_out=True),
                names,
                into_out=True,
                raises=mode == "raise",
                mode=mode,
                result="x" if call.in_place else "out",
            )
            for mode in modes
        ]
        if not call.in_place:
            found += compiled_idioms(self.dmlindex, call, buffers)
            found.append(self.plain(call, buffers))
            if self.has_buffer_cache and buffers.out.nbytes >= _CACHED_FROM_BYTES:
                found.append(replace(found[-1], mode=CACHED, during=self._buffer_cache))
        return found

    def plain(self, call: Call, buffers: Buffers) -> Idiom:
        """A fresh result, the defaults of everything."""
        code = _code(call, "raise", into_out=False)
        names = self._names(buffers)
        return Idiom("dmlindex", code, names, into_out=False, raises=True, mode="raise")

    def _names(self, buffers: Buffers) -> dict[str, Any]:
        return {
            "dmlindex": self.dmlindex,
            "x": buffers.input,
            "i": buffers.indices,
            "u": buffers.updates,
            "out": buffers.out,
        }

    @property
    def has_buffer_cache(self) -> bool:
        return hasattr(self.dmlindex, "set_buffer_cache")

    @contextmanager
    def _buffer_cache(self) -> Iterator[None]:
        before = self.dmlindex.get_buffer_cache()
        self.dmlindex.set_buffer_cache(_CACHE_BYTES)
        try:
            yield
        finally:
            self.dmlindex.set_buffer_cache(before)


def _code(call: Call, mode: str, *, into_out: bool) -> str:
    options = [] if mode == "raise" else [f"mode={mode!r}"]
    if into_out:
        options.append("out=x" if call.in_place else "out=out")
    return call.code(*options)
