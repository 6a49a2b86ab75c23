"""How each contestant does a drawn call, on the device. In a sweep answers may have another shape
than the call's: only their elements are compared."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.call import Array
from benchmarks.peers import OURS
from benchmarks.sweep.draw import Drawn

Way = tuple[str, str]  # who, and its code

DETERMINISTIC = "torch deterministic"


class Ours:
    """dmlindex, with out given; what is out of range is clamped, or dropped."""

    name = OURS

    def __init__(self, device: str) -> None:
        dmlindex = importlib.import_module("dmlindex")
        self.device = dmlindex.Device(device)
        self.names: dict[str, Any] = {"dmlindex": dmlindex}
        self.wait: Callable[[], object] = self.device.synchronize

    def prepare(self, drawn: Drawn) -> None:
        """Puts the call's tensors on the device."""
        call, tensor = drawn.call, self.device.tensor
        self.names |= {"x": tensor(call.input), "i": tensor(call.indices)}
        if call.updates is not None:
            self.names["u"] = tensor(call.updates)
        self.names["out"] = self.names["x"]
        if not call.in_place:
            self.names["out"] = tensor(np.zeros(call.output_shape, call.input.dtype))

    def ways(self, drawn: Drawn) -> list[Way]:
        call = drawn.call
        options = [] if call.reduction == "none" else [f"ordered={drawn.ordered}"]
        options += [f"mode={'drop' if call.is_scatter else 'clamp'!r}", "out=out"]
        return [(self.name, call.code(*options))]

    def array(self, tensor: Any) -> Array:
        found: Array = tensor.numpy()
        return found

    def gpu_ns(self, code: str, count: int) -> list[float]:
        """What the device's own clock says of so many calls."""
        core, name = importlib.import_module("dmlindex._core"), self.device.name
        compiled = compile(code, "way", "eval")
        for _ in range(count):
            core.d3d12_mark_time(name)
            eval(compiled, self.names)
            core.d3d12_mark_time(name)
        marks = core.d3d12_take_times(name)
        return [end - start for start, end in zip(marks[::2], marks[1::2], strict=True)]

    def kernels(self) -> list[str]:
        found: list[str] = importlib.import_module("dmlindex._core").d3d12_kernels(self.device.name)
        return found


class Peers:
    """torch and CuPy. What they take instead of the call's arrays is made before."""

    name = "peers"

    def __init__(self) -> None:
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("torch sees no CUDA device")
        self.names: dict[str, Any] = {"torch": self.torch}
        self.wait: Callable[[], object] = self.torch.cuda.synchronize
        self.cupy: Any = None
        try:
            self.cupy = importlib.import_module("cupy")
            self.names |= {"cupy": self.cupy, "cupyx": importlib.import_module("cupyx")}
        except ImportError:
            pass

    def prepare(self, drawn: Drawn) -> None:
        call = drawn.call

        def there(array: Array) -> Any:
            return self.torch.from_numpy(np.ascontiguousarray(array)).cuda()

        names = {"x": there(call.input), "i": there(call.indices)}
        if call.updates is not None:
            names["u"] = there(call.updates)
        if call.operator == "gather":
            names["f"] = names["i"].reshape(-1)
        if call.operator.endswith("_elements"):
            names["j"] = names["i"].long()
            if call.reduction != "none":
                names["f"] = there(_flat_elements(call.indices, call.input.shape, call.axis))
        if call.operator.endswith("_nd"):
            columns, flat = _columns(drawn)
            names |= {f"c{k}": there(column) for k, column in enumerate(columns)}
            names["f"] = there(flat)
            leading = call.batch_dims + call.indices.shape[-1]
            row = call.input.shape[leading:]
            names["rows"] = names["x"].view(-1, *row)
            if call.updates is not None:
                names["urows"] = names["u"].view(-1, *row)
        if self.cupy is not None:
            names |= {f"p{name}": self.cupy.asarray(one) for name, one in names.items()}
        self.names |= names

    def ways(self, drawn: Drawn) -> list[Way]:
        call = drawn.call
        if call.reduction != "none":
            return self._sums(drawn)
        tuples = call.indices.shape[-1] if call.operator.endswith("_nd") else 0
        columns = ", ".join(f"c{k}" for k in range(call.batch_dims + tuples))
        pcolumns = columns.replace("c", "pc")
        if call.operator == "gather":
            found = [("torch", f"torch.index_select(x, {call.axis}, f)")]
            cupy = f"cupy.take(px, pi, {call.axis})"
        elif call.operator == "gather_elements":
            found = [("torch", f"torch.gather(x, {call.axis}, j)")]
            cupy = f"cupy.take_along_axis(px, pi, {call.axis})"
        elif call.operator == "gather_nd":
            found = [("torch", f"x[{columns}]")]
            if tuples == 1 and not call.batch_dims:
                found.append(("torch", "torch.index_select(x, 0, f)"))
            cupy = f"px[{pcolumns}]"
        elif call.operator == "scatter_elements":
            verb = "x.scatter_(" if call.in_place else "torch.scatter(x, "
            found = [
                ("torch", f"{verb}{call.axis}, j, u)"),
                (DETERMINISTIC, f"{verb}{call.axis}, j, u)"),
            ]
            cupy = ""
        else:
            verb = "x.index_put_" if call.in_place else "x.index_put"
            found = [
                ("torch", f"{verb}(({columns},), u)"),
                (DETERMINISTIC, f"{verb}(({columns},), u)"),
            ]
            if tuples == 1 and not call.batch_dims:
                verb = "x.index_copy_(" if call.in_place else "torch.index_copy(x, "
                found.append(("torch", f"{verb}0, f, urows)"))
            cupy = "px" if call.in_place else "cupy.copy(px)"
            cupy = f"{cupy}.__setitem__(({pcolumns},), pu)"
        if cupy and self.cupy is not None:
            found.append(("cupy", cupy))
        return found

    def _sums(self, drawn: Drawn) -> list[Way]:
        call = drawn.call
        end = "_" if call.in_place else ""
        if call.operator == "scatter_elements":
            ways = [f"x.scatter_add{end}({call.axis}, j, u)"]
            put = f"x.view(-1).index_put{end}((f,), u.view(-1), accumulate=True)"
            cupy = "cupyx.scatter_add({}.reshape(-1), pf, pu.reshape(-1))"
        else:
            ways = [f"rows.index_add{end}(0, f, urows)"]
            put = f"rows.index_put{end}((f,), urows, accumulate=True)"
            cupy = "cupyx.scatter_add({}, pf, purows)"
        if drawn.ordered:
            return [(DETERMINISTIC, code) for code in [*ways, put]]
        target = "prows" if call.operator == "scatter_nd" else "px"
        if not call.in_place:
            target = f"cupy.copy({target})"
        found = [("torch", code) for code in [*ways, put]]
        return found + ([("cupy", cupy.format(target))] if self.cupy is not None else [])

    def array(self, tensor: Any) -> Array:
        found: Array
        if tensor is None:
            raise ValueError("no result")
        if self.cupy is not None and isinstance(tensor, self.cupy.ndarray):
            found = self.cupy.asnumpy(tensor)
        else:
            found = tensor.cpu().numpy()
        return found


def _columns(drawn: Drawn) -> tuple[list[Array], Array]:
    """The tuples' numbers, behind those of the batch; and the row that each names."""
    call = drawn.call
    columns = [np.ascontiguousarray(call.indices[..., k]) for k in range(call.indices.shape[-1])]
    places = np.indices(call.indices.shape[:-1], np.int64, sparse=True)
    batch: list[Array] = [
        np.broadcast_to(places[d], call.indices.shape[:-1]) for d in range(call.batch_dims)
    ]
    columns = [np.ascontiguousarray(column) for column in batch] + columns
    columns = [column.astype(np.int64) for column in columns]
    flat = np.ravel_multi_index(columns, call.input.shape[: len(columns)]).reshape(-1)
    return columns, flat


def _flat_elements(indices: Array, shape: tuple[int, ...], axis: int) -> Array:
    """The element of the table that each index of an operator on elements names."""
    stride = math.prod(shape[axis + 1 :])
    flat = indices.astype(np.int64) * stride
    for d, size in enumerate(indices.shape):
        if d != axis:
            step = math.prod(shape[d + 1 :])
            flat += (np.arange(size) * step).reshape(-1, *(1,) * (indices.ndim - 1 - d))
    return flat.reshape(-1)
