"""The contestants on a GPU: each has its tensors there, its own ways to do a call, its own clock.

An Idiom's names are on the device; where a library insists on 64-bit indices (torch's gather and
scatter), it is given them, made before the clock starts.
"""

from __future__ import annotations

import importlib
from importlib.metadata import version
from typing import Any, Protocol

import numpy as np

from benchmarks.call import Array, Call, Idiom
from benchmarks.gpu.columns import columns_of
from benchmarks.peers import OURS

_TORCH_REDUCE = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}
DETERMINISTIC = "deterministic"
ANY_WINS = "unique_indices"


class GpuPeer(Protocol):
    """A library with a device."""

    version: str

    def idioms(self, call: Call) -> list[Idiom]:
        """Its ways of doing the call. Raises NotSupportedError when there is none."""
        ...

    def times(self, idiom: Idiom, count: int) -> list[float]:
        """Nanoseconds on the device of so many runs, one after another."""
        ...

    def array(self, tensor: Any) -> Array: ...


NAMES = ("torch", "cupy", "cuda")


def load(name: str) -> GpuPeer:
    """Raises ImportError when the library or its device is missing."""
    if name == "torch":
        return Torch()
    from benchmarks.gpu.cupy_peers import Cuda, CuPy

    return CuPy() if name == "cupy" else Cuda()


class Dmlindex:
    def __init__(self, device: str) -> None:
        self.dmlindex = importlib.import_module("dmlindex")
        self.core = importlib.import_module("dmlindex._core")
        self.device = self.dmlindex.Device(device)
        self.version = version("dmlindex")

    def idioms(self, call: Call) -> list[Idiom]:
        tensor = self.device.tensor
        names = {"dmlindex": self.dmlindex, "x": tensor(call.input), "i": tensor(call.indices)}
        if call.updates is not None:
            names["u"] = tensor(call.updates)
        names["out"] = names["x"]
        if not call.in_place:
            names["out"] = tensor(np.zeros(call.output_shape, call.input.dtype))
        lenient = "drop" if call.is_scatter else "clamp"
        found = [self._idiom(call, names, "clamp", f"mode={lenient!r}", into_out=True)]
        found.append(self._idiom(call, names, "raise", "", into_out=True))
        if not call.in_place:
            found.append(self._idiom(call, names, "raise", "", into_out=False))
        if call.is_scatter and call.reduction == "none":
            options = "mode='drop', unique_indices=True"
            found.append(self._idiom(call, names, ANY_WINS, options, into_out=True))
        return found

    def _idiom(
        self, call: Call, names: dict[str, Any], mode: str, options: str, *, into_out: bool
    ) -> Idiom:
        given = [options] if options else []
        given += ["out=out"] if into_out else []
        return Idiom(OURS, call.code(*given), names, into_out, mode == "raise", mode)

    def times(self, idiom: Idiom, count: int) -> list[float]:
        code = compile(idiom.code, "idiom", "eval")
        name = self.device.name
        for _ in range(count):
            self.core.d3d12_mark_time(name)
            eval(code, idiom.names)
            self.core.d3d12_mark_time(name)
        marks = self.core.d3d12_take_times(name)
        return [end - start for start, end in zip(marks[::2], marks[1::2], strict=True)]

    def array(self, tensor: Any) -> Array:
        found: Array = tensor.numpy()
        return found


class Torch:
    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("torch sees no CUDA device")
        self.version = str(self.torch.__version__)

    def idioms(self, call: Call) -> list[Idiom]:
        def there(array: Array) -> Any:
            return self.torch.from_numpy(array).cuda()

        names: dict[str, Any] = {"torch": self.torch, "x": there(call.input)}
        names["i"] = there(call.indices)
        if call.is_scatter:
            names["u"] = there(call.updates if call.updates is not None else call.input)
        if call.operator.endswith("_nd"):
            columns = columns_of(call)
            names |= {name: there(array.astype(np.int64)) for name, array in columns.items()}
            where = ", ".join(columns)
        if call.operator.endswith("_elements"):
            names["j"] = names["i"].long()
        if call.is_scatter:
            return self._scatters(call, names, "" if "_nd" not in call.operator else where)
        if call.operator == "gather":
            if call.indices.dtype.name not in ("int32", "int64"):
                names["i"] = names["i"].int()
            ways = [f"torch.index_select(x, {call.axis}, i)"]
        elif call.operator == "gather_elements":
            ways = [f"torch.gather(x, {call.axis}, j)"]
        else:
            ways = [f"x[{where}]"]
            if call.indices.shape[-1] == 1 and not call.batch_dims:
                ways.append("torch.index_select(x, 0, c0)")
        return [Idiom("torch", way, names, into_out=False, raises=True) for way in ways]

    def _scatters(self, call: Call, names: dict[str, Any], where: str) -> list[Idiom]:
        if call.operator == "scatter_nd":
            ways = [
                f"x.index_put_(({where},), u)" if call.in_place else f"x.index_put(({where},), u)"
            ]
            if call.indices.shape[-1] == 1:
                verb = (
                    "x.index_copy_(0, c0, u)" if call.in_place else "torch.index_copy(x, 0, c0, u)"
                )
                ways.append(verb)
        elif call.reduction != "none":
            ways = [
                f"torch.scatter_reduce(x, {call.axis}, j, u, {_TORCH_REDUCE[call.reduction]!r})"
            ]
            if call.reduction == "add":
                ways.append(f"torch.scatter_add(x, {call.axis}, j, u)")
        else:
            arguments = f"{call.axis}, j, u"
            ways = [
                f"x.scatter_({arguments})" if call.in_place else f"torch.scatter(x, {arguments})"
            ]
        found = [Idiom("torch", way, names, into_out=False, raises=True) for way in ways]
        if (
            call.operator == "scatter_elements"
            and not call.in_place
            and call.reduction in ("none", "add")
        ):
            found.append(Idiom("torch", ways[-1], names, False, True, mode=DETERMINISTIC))
        return found

    def times(self, idiom: Idiom, count: int) -> list[float]:
        code = compile(idiom.code, "idiom", "eval")
        cuda = self.torch.cuda
        events = [
            (cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)) for _ in range(count)
        ]
        self.torch.use_deterministic_algorithms(idiom.mode == DETERMINISTIC)
        for start, end in events:
            start.record()
            eval(code, idiom.names)
            end.record()
        self.torch.use_deterministic_algorithms(False)
        cuda.synchronize()
        return [start.elapsed_time(end) * 1e6 for start, end in events]

    def array(self, tensor: Any) -> Array:
        found: Array = tensor.cpu().numpy()
        return found
