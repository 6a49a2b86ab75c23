"""dmlindex's operators for ONNX's own ReferenceEvaluator, and a backend made of both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto
from onnx.backend import base
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

import dmlindex
from dmlindex.onnx.nodes import FUNCTIONS

Array = npt.NDArray[Any]
_CPU = "CPU"  # ONNX's name; ours are in lower case


def new_ops(device: str | dmlindex.Device = "cpu") -> list[type[OpRun]]:
    """Classes for `onnx.reference.ReferenceEvaluator(model, new_ops=…)`.

    Gather, GatherElements, GatherND, Scatter (which ONNX's evaluator lacks), ScatterElements and
    ScatterND then run here, at any opset and in subgraphs; the rest of the model as before. In the
    model's own functions ONNX's evaluator does not use them; `Backend` does.

    Parameters
    ----------
    device
        where they run, "cpu" or "d3d12".

    Notes
    -----
    An index out of range is an IndexError, where ONNX's GatherElements takes it modulo the axis.
    A NaN stays in reductions "min" and "max", where ONNX's ScatterElements may lose it.

    Examples
    --------
    >>> import numpy as np, onnx.parser, onnx.reference
    >>> model = onnx.parser.parse_model('''
    ...     <ir_version: 8, opset_import: ["" : 13]>
    ...     rows (float[3, 2] x, int64[2] i) => (float[2, 2] y) { y = Gather(x, i) }''')
    >>> evaluator = onnx.reference.ReferenceEvaluator(model, new_ops=new_ops())
    >>> x = np.arange(6, dtype=np.float32).reshape(3, 2)
    >>> evaluator.run(None, {"x": x, "i": np.array([2, -3])})[0]
    array([[4., 5.],
           [0., 1.]], dtype=float32)
    """
    return [
        _operator(
            op_type,
            partial(
                _scatter if function.startswith("scatter") else _gather,
                getattr(dmlindex, function),
                device=device,
            ),
        )
        for op_type, function in FUNCTIONS.items()
    ]


def _operator(op_type: str, run: Callable[..., Array]) -> type[OpRun]:
    """The evaluator finds a class by its name."""

    def _run(self: OpRun, *inputs: Array, **attributes: Any) -> tuple[Array]:
        return (run(*inputs, **attributes),)

    return type(op_type, (OpRun,), {"op_domain": "", "_run": _run})


# ONNX's strings are Python objects, which dmlindex does not move: their positions move instead.
def _gather(function: Callable[..., Array], data: Array, indices: Array, **options: Any) -> Array:
    if data.dtype != object:
        return function(data, indices, **options)
    positions = np.arange(data.size).reshape(data.shape)
    return _taken(data.ravel(), function(positions, indices, **options))


def _scatter(
    function: Callable[..., Array], data: Array, indices: Array, updates: Array, **options: Any
) -> Array:
    if data.dtype != object:
        return function(data, indices, updates, **options)
    if options.get("reduction", "none") != "none":
        raise TypeError(f"strings have no reduction {options['reduction']!r}")
    old, new = np.split(np.arange(data.size + updates.size), [data.size])
    moved = function(old.reshape(data.shape), indices, new.reshape(updates.shape), **options)
    return _taken(np.concatenate([data.ravel(), updates.ravel()]), moved)


def _taken(values: Array, positions: Array) -> Array:
    return np.array(values[positions.ravel()], dtype=object).reshape(positions.shape)


class _Evaluator(ReferenceEvaluator):
    """ONNX's, with our operators everywhere: it makes one of its own class for each function."""

    device: str | dmlindex.Device = "cpu"

    def __init__(self, proto: Any, **options: Any) -> None:
        options["new_ops"] = [*(options.get("new_ops") or ()), *new_ops(self.device)]
        super().__init__(proto, **options)


class Backend(base.Backend):
    """ONNX's backend interface: our operators, and ONNX's reference for all others.

    `device` is "CPU", or one of dmlindex's devices.

    >>> import numpy as np, onnx.helper
    >>> node = onnx.helper.make_node("GatherND", ["data", "indices"], ["output"])
    >>> Backend.run_node(node, [np.array([[1, 2], [3, 4]]), np.array([[1, 0]])])
    (array([3]),)
    >>> Backend.supports_device("CPU"), Backend.supports_device("CUDA")
    (True, False)
    """

    @classmethod
    def prepare(cls, model: ModelProto, device: str = _CPU, **kwargs: Any) -> BackendRep:
        """The model, checked by ONNX, with a `run` for its inputs."""
        super().prepare(model, device, **kwargs)  # runs ONNX's checker
        return BackendRep(model, device)

    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = _CPU,
        outputs_info: Any = None,
        **kwargs: Any,
    ) -> tuple[Any, ...]:
        """The outputs of one node, for its inputs in order."""
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        return BackendRep(node, device).run(inputs)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        """Whether it is ONNX's "CPU", or the name or kind of a device that is there."""
        there = [info for info in dmlindex.devices() if info.available]
        return device == _CPU or any(device in (info.name, info.kind) for info in there)


class BackendRep(base.BackendRep):
    """A model (or node) that is ready to run."""

    def __init__(self, proto: ModelProto | NodeProto, device: str = _CPU) -> None:
        name = "cpu" if device == _CPU else device
        evaluator = type("_Evaluator", (_Evaluator,), {"device": name})
        self._evaluator = evaluator(proto)

    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The outputs, for inputs in the model's order, or by name."""
        if not isinstance(inputs, dict):
            inputs = dict(zip(self._evaluator.input_names, inputs, strict=False))
        return tuple(self._evaluator.run(None, inputs, **kwargs))
