"""The same call in other libraries, as code: x, i and u go in, y comes out."""

from __future__ import annotations

from collections.abc import Callable

from dmlindex._explain.elsewhere import ONNX_NODES
from dmlindex._explain.form import Form
from dmlindex._explain.numpy_idiom import cropped

TORCH_REDUCE = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}
JAX_UPDATE = {"none": "set", "add": "add", "mul": "multiply", "min": "min", "max": "max"}
_WEBNN = {
    "gather": "gather",
    "gather_elements": "gatherElements",
    "gather_nd": "gatherND",
    "scatter_elements": "scatterElements",
    "scatter_nd": "scatterND",
}


def onnx_call(form: Form) -> list[str]:
    """The node, as onnx.helper makes it."""
    inputs = '["x", "i", "u"]' if form.scatters else '["x", "i"]'
    attributes = ""
    if form.operator != "scatter_nd" and (form.position or form.operator != "gather_nd"):
        name = "batch_dims" if form.operator == "gather_nd" else "axis"
        attributes = f", {name}={form.position}"
    if form.reduction != "none":
        attributes += f', reduction="{form.reduction}"'
    return [f'helper.make_node("{ONNX_NODES[form.operator]}", {inputs}, ["y"]{attributes})']


def torch_call(form: Form) -> list[str]:
    at = form.position
    if form.operator == "gather":
        return [f"y = x[{':, ' * at}i]"]
    if form.operator == "gather_elements":
        return [f"y = torch.gather(x, {at}, i)"]
    if form.operator == "gather_nd":
        if not at:
            return ["y = x[tuple(i.unbind(-1))]"]
        return [f"y = x[({_torch_batch(form)}*i.unbind(-1))]"]
    if form.operator == "scatter_nd":
        sums = ", accumulate=True" if form.reduction == "add" else ""
        return [f"y = torch.index_put(x, tuple(i.unbind(-1)), u{sums})"]
    update = f"u.expand({form.indices})" if form.has_one_update else "u"
    if form.reduction == "none":
        return [f"y = torch.scatter(x, {at}, i, {update})"]
    kind = TORCH_REDUCE[form.reduction]
    return [f'y = torch.scatter_reduce(x, {at}, i, {update}, "{kind}")']


def _torch_batch(form: Form) -> str:
    rank = len(form.places)
    shown = ""
    for d in range(form.position):
        size = form.places[d]
        shape = ", ".join("1" if e != d else str(size) for e in range(rank))
        shown += f"torch.arange({size}).reshape({shape}), "
    return shown


def jax_call(form: Form) -> list[str]:
    at = form.position
    if form.operator == "gather":
        return [f"y = jnp.take(x, i, axis={at})"]
    if form.operator == "gather_elements":
        return [f"y = jnp.take_along_axis(x{cropped(form)}, i, axis={at})"]
    moved = "jnp.moveaxis(i, -1, 0)"
    if form.operator == "gather_nd":
        if not at:
            return [f"y = x[tuple({moved})]"]
        return [f"y = x[(*jnp.indices({form.places}, sparse=True)[:{at}], *{moved})]"]
    update = JAX_UPDATE[form.reduction]
    if form.operator == "scatter_nd":
        return [f"y = x.at[tuple({moved})].{update}(u)"]
    lines = [f"at = list(jnp.indices({form.indices}, sparse=True))", f"at[{at}] = i"]
    return [*lines, f"y = x.at[tuple(at)].{update}(u)"]


def webnn_call(form: Form) -> list[str]:
    """JavaScript, of an MLGraphBuilder."""
    arrays = "x, i, u" if form.scatters else "x, i"
    axis = "" if form.has_tuples else f", {{axis: {form.position}}}"
    return [f"const y = builder.{_WEBNN[form.operator]}({arrays}{axis});"]


CALLS: dict[str, Callable[[Form], list[str]]] = {
    "onnx": onnx_call,
    "torch": torch_call,
    "jax": jax_call,
    "webnn": webnn_call,
}
