"""CuPy, and kernels written by hand for it."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.call import Array, Call, Idiom, NotSupportedError
from benchmarks.gpu.columns import columns_of


class _OnCuPy:
    """What CuPy and the raw kernels share: arrays, clock."""

    def __init__(self) -> None:
        self.cupy = importlib.import_module("cupy")
        if self.cupy.cuda.runtime.getDeviceCount() == 0:
            raise ImportError("cupy sees no CUDA device")

    def times(self, idiom: Idiom, count: int) -> list[float]:
        code = compile(idiom.code, "idiom", "exec")
        cuda = self.cupy.cuda
        events = [(cuda.Event(), cuda.Event()) for _ in range(count)]
        for start, end in events:
            start.record()
            exec(code, idiom.names)
            end.record()
        cuda.runtime.deviceSynchronize()
        return [cuda.get_elapsed_time(start, end) * 1e6 for start, end in events]

    def array(self, tensor: Any) -> Array:
        found: Array = self.cupy.asnumpy(tensor)
        return found


class CuPy(_OnCuPy):
    def __init__(self) -> None:
        super().__init__()
        self.cupyx = importlib.import_module("cupyx")
        self.version = str(self.cupy.__version__)

    def idioms(self, call: Call) -> list[Idiom]:
        there = self.cupy.asarray
        names: dict[str, Any] = {"cupy": self.cupy, "cupyx": self.cupyx, "x": there(call.input)}
        names["i"] = there(call.indices)
        if call.operator.endswith("_nd"):
            columns = columns_of(call)
            names |= {name: there(array) for name, array in columns.items()}
            where = ", ".join(columns)
        if call.is_scatter:
            return self._scatters(call, names, where if call.operator == "scatter_nd" else "")
        names["out"] = self.cupy.empty(call.output_shape, call.input.dtype)
        if call.operator == "gather":
            ways = [(f"cupy.take(x, i, {call.axis}, out=out)", True)]
        elif call.operator == "gather_elements":
            ways = [(f"out = cupy.take_along_axis(x, i, {call.axis})", False)]
        else:
            ways = [(f"out = x[{where}]", False)]
        return [Idiom("cupy", way, names, into, False, result="out") for way, into in ways]

    def _scatters(self, call: Call, names: dict[str, Any], where: str) -> list[Idiom]:
        names["u"] = self.cupy.asarray(call.updates)
        if call.operator == "scatter_nd":
            place = f"[{where}] = u"
        elif call.input.ndim == 1 and call.reduction == "none":
            place = "[i] = u"
        elif call.input.ndim == 1 and call.reduction in ("add", "max"):
            way = f"out = x.copy(); cupyx.scatter_{call.reduction}(out, i, u)"
            return [Idiom("cupy", way, names, False, False, result="out")]
        else:
            raise NotSupportedError("no single call does this")
        way = f"x{place}" if call.in_place else f"out = x.copy(); out{place}"
        result = "x" if call.in_place else "out"
        return [Idiom("cupy", way, names, call.in_place, False, result=result)]


_KERNELS = """
extern "C" __global__ void rows(
    const uint4* from, const int* index, uint4* to, long long pieces, int width, bool scatters) {
    long long base = (long long)blockIdx.x * blockDim.x * 2 + threadIdx.x;
    uint4 value[2];
    long long target[2];
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        long long piece = base + k * blockDim.x;
        if (piece < pieces) {
            long long row = piece / width;
            long long named = (long long)index[row] * width + (piece - row * width);
            value[k] = from[scatters ? piece : named];
            target[k] = scatters ? named : piece;
        }
    }
    #pragma unroll
    for (int k = 0; k < 2; ++k) {
        if (base + k * blockDim.x < pieces) to[target[k]] = value[k];
    }
}
extern "C" __global__ void elements(
    const float* from, const int4* index, float* to, long long fours, bool scatters) {
    long long four = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (four >= fours) return;
    int4 i = index[four];
    if (scatters) {
        float4 value = ((const float4*)from)[four];
        to[i.x] = value.x;
        to[i.y] = value.y;
        to[i.z] = value.z;
        to[i.w] = value.w;
    } else {
        ((float4*)to)[four] = make_float4(from[i.x], from[i.y], from[i.z], from[i.w]);
    }
}
"""


class Cuda(_OnCuPy):
    """Plain kernels without checks, any write wins: what the card gives."""

    def __init__(self) -> None:
        super().__init__()
        self.module = self.cupy.RawModule(code=_KERNELS)
        self.version = f"runtime {self.cupy.cuda.runtime.runtimeGetVersion()}"

    def idioms(self, call: Call) -> list[Idiom]:
        plain = call.in_place if call.is_scatter else call.operator == "gather"
        if not plain or call.axis or call.reduction != "none" or call.indices.dtype != np.int32:
            raise NotSupportedError("no kernel is written for this")
        names: dict[str, Any] = {"np": np, "x": self.cupy.asarray(call.input)}
        names["i"] = self.cupy.asarray(call.indices)
        if call.is_scatter:
            items = names["u"] = self.cupy.asarray(call.updates)
        else:
            items = names["out"] = self.cupy.empty(call.output_shape, call.input.dtype)
        tensors = "u, i, x" if call.is_scatter else "x, i, out"
        row_bytes = call.input.itemsize * int(np.prod(call.input.shape[1:]))
        threads = 256
        if row_bytes % 16 == 0:
            pieces = items.nbytes // 16
            names["kernel"] = self.module.get_function("rows")
            groups = -(-pieces // (2 * threads))
            tail = f"np.int64({pieces}), np.int32({row_bytes // 16})"
        elif call.input.dtype == np.float32 and call.input.ndim == 1:
            names["kernel"] = self.module.get_function("elements")
            groups = -(-call.indices.size // (4 * threads))
            tail = f"np.int64({call.indices.size // 4})"
        else:
            raise NotSupportedError("no kernel is written for this")
        code = f"kernel(({groups},), ({threads},), ({tensors}, {tail}, {call.is_scatter}))"
        result = "x" if call.is_scatter else "out"
        return [Idiom("cuda", code, names, into_out=True, raises=False, result=result)]
