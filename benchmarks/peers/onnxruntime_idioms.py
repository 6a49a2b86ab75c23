"""ONNX Runtime: a model of one node, its inputs and outputs bound to memory (IO binding)."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.call import Array, Buffers, Call, Idiom, NotSupportedError

_OPSET = 18  # the first with the reductions min and max
_OPERATORS = {
    "gather": "Gather",
    "gather_elements": "GatherElements",
    "gather_nd": "GatherND",
    "scatter_elements": "ScatterElements",
    "scatter_nd": "ScatterND",
}


class Contestant:
    def __init__(self, threads: int) -> None:
        self.onnx = importlib.import_module("onnx")
        self.onnxruntime = importlib.import_module("onnxruntime")
        self.threads = threads
        self.version = str(self.onnxruntime.__version__)

    def idioms(self, call: Call, buffers: Buffers) -> list[Idiom]:
        session = self._session(call)
        cast = f"Cast({_cast(call)}), " if _cast(call) else ""
        node = f"{cast}{_OPERATORS[call.operator]}({_attributes_text(call)})"
        found = []
        for into_out in (True,) if call.in_place else (False, True):
            binding = session.io_binding()
            self._bind_inputs(binding, buffers)
            if into_out:
                out = buffers.out
                binding.bind_output("out", "cpu", 0, out.dtype, out.shape, out.ctypes.data)
            else:
                binding.bind_output("out", "cpu")
            kept = "out bound" if into_out else "its arena's output"
            found.append(
                Idiom(
                    "onnxruntime",
                    f"session.run_with_iobinding(binding)  # {node}, {kept}",
                    {"session": session, "binding": binding, "outputs": _Outputs(binding)},
                    into_out=into_out,
                    raises=True,
                    result="outputs",
                )
            )
        return found

    def _session(self, call: Call) -> Any:
        helper = self.onnx.helper
        arrays = {"x": call.input, "i": call.indices}
        if call.updates is not None:
            arrays["u"] = call.updates
        tensor = helper.make_tensor_value_info
        kind = helper.np_dtype_to_tensor_dtype
        inputs = list(arrays)
        nodes = []
        cast = _cast(call)
        if cast:
            inputs[1] = "cast"
            kind_of_index = kind(np.dtype(cast))
            nodes.append(helper.make_node("Cast", ["i"], ["cast"], to=kind_of_index))
        nodes.append(
            helper.make_node(_OPERATORS[call.operator], inputs, ["out"], **_attributes(call))
        )
        graph = helper.make_graph(
            nodes,
            call.operator,
            [tensor(name, kind(array.dtype), array.shape) for name, array in arrays.items()],
            [tensor("out", kind(call.input.dtype), call.output_shape)],
        )
        opsets = [helper.make_opsetid("", _OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 4  # a refusal is reported as such, not logged as well
        try:
            return self.onnxruntime.InferenceSession(
                model.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # ORT's exceptions share no base but this
            raise NotSupportedError(str(error).splitlines()[0]) from None

    def _bind_inputs(self, binding: Any, buffers: Buffers) -> None:
        arrays = {"x": buffers.input, "i": buffers.indices, "u": buffers.updates}
        for name, array in arrays.items():
            if array is not None:
                binding.bind_ortvalue_input(
                    name, self.onnxruntime.OrtValue.ortvalue_from_numpy(array)
                )


class _Outputs:
    """What the last run gave, read only when asked: np.asarray(outputs)."""

    def __init__(self, binding: Any) -> None:
        self.binding = binding

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        del dtype, copy
        array: Array = self.binding.get_outputs()[0].numpy()
        return array


def _cast(call: Call) -> str:
    """The type to cast the indices to: the operators take int32 and int64 only, *ND just that."""
    given = call.indices.dtype.name
    taken = ("int64",) if call.operator.endswith("_nd") else ("int32", "int64")
    if given in taken:
        return ""
    return "int64" if given in ("uint32", "uint64") else taken[0]


def _attributes(call: Call) -> dict[str, Any]:
    if call.operator == "gather_nd":
        return {"batch_dims": call.batch_dims}
    attributes: dict[str, Any] = {}
    if not call.operator.endswith("_nd"):
        attributes["axis"] = call.axis
    if call.is_scatter:
        attributes["reduction"] = call.reduction
    return attributes


def _attributes_text(call: Call) -> str:
    return ", ".join(f"{name}={value}" for name, value in _attributes(call).items())
