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
    limits, last = _limits(form, "torch.tensor"), _limits(form, "torch.tensor", -1)
    resolved = {
        "clamp": [f"i = i.clamp(-{limits}, {last}) % {limits}"],
        "wrap": [f"i = i % {limits}"],
    }
    lines = [] if 0 in form.limits else resolved.get(form.mode, [])
    return [*lines, _torch_line(form)]


def _limits(form: Form, array: str, added: int = 0) -> str:
    """The sizes of the axes that are indexed, one number where they are equal."""
    sizes = [size + added for size in form.limits]
    return str(sizes[0]) if len(set(sizes)) == 1 else f"{array}({sizes})"


def _torch_line(form: Form) -> str:
    at = form.position
    if form.operator == "gather":
        return f"y = x[{':, ' * at}i]"
    if form.operator == "gather_elements":
        return f"y = torch.gather(x, {at}, i)"
    if form.operator == "gather_nd":
        if not at:
            return "y = x[tuple(i.unbind(-1))]"
        return f"y = x[({_torch_batch(form)}*i.unbind(-1))]"
    if form.operator == "scatter_nd":
        sums = ", accumulate=True" if form.reduction == "add" else ""
        return f"y = torch.index_put(x, tuple(i.unbind(-1)), u{sums})"
    update = f"u.expand({form.indices})" if form.has_one_update else "u"
    if form.reduction == "none":
        return f"y = torch.scatter(x, {at}, i, {update})"
    kind = TORCH_REDUCE[form.reduction]
    return f'y = torch.scatter_reduce(x, {at}, i, {update}, "{kind}")'


def _torch_batch(form: Form) -> str:
    rank = len(form.places)
    shown = ""
    for d in range(form.position):
        size = form.places[d]
        shape = ", ".join("1" if e != d else str(size) for e in range(rank))
        shown += f"torch.arange({size}).reshape({shape}), "
    return shown


def jax_call(form: Form) -> list[str]:
    at, fill = form.position, form.fill.replace("np.", "jnp.")
    if form.mode in ("raise", "directml"):
        if form.operator == "gather":
            return [f"y = jnp.take(x, i, axis={at})"]
        if form.operator == "gather_elements":
            return [f"y = jnp.take_along_axis(x{cropped(form)}, i, axis={at})"]
    if 0 in form.limits and form.mode in ("fill", "drop"):
        return ["y = x" if form.scatters else f"y = jnp.full({form.items}, {fill}, x.dtype)"]
    lines = _jax_resolved(form)
    mode = {"drop": 'mode="drop"', "fill": f'mode="fill", fill_value={fill}'}.get(form.mode, "")
    moved = "jnp.moveaxis(i, -1, 0)"
    if form.operator == "gather":
        where = f"{':, ' * at}i"
    elif form.operator.endswith("_elements"):
        lines += [f"at = list(jnp.indices({form.indices}, sparse=True))", f"at[{at}] = i"]
        where = "tuple(at)"
    elif at:
        where = f"(*jnp.indices({form.places}, sparse=True)[:{at}], *{moved})"
    else:
        where = f"tuple({moved})"
    if form.scatters:
        update = f"u, {mode}" if mode else "u"
        return [*lines, f"y = x.at[{where}].{JAX_UPDATE[form.reduction]}({update})"]
    return [*lines, f"y = x.at[{where}].get({mode})" if mode else f"y = x[{where}]"]


def _jax_resolved(form: Form) -> list[str]:
    """Indices in range, in a type that has room for the sizes: JAX wraps around in narrow ones."""
    if 0 in form.limits or form.mode not in ("clamp", "wrap"):
        return []
    sizes, last = _limits(form, "jnp.array"), _limits(form, "jnp.array", -1)
    if form.index_dtype.kind == "u":
        if form.mode == "wrap":
            return [f"i = i % jnp.uint32({sizes})"]
        return [f"i = jnp.minimum(i, jnp.uint32({last}))"]
    if form.mode == "wrap":
        return [f"i = i.astype(int) % {sizes}"]
    return [f"i = jnp.clip(i.astype(int), -{sizes}, {last})"]


def webnn_call(form: Form) -> list[str]:
    """JavaScript, of an MLGraphBuilder."""
    update = f"builder.expand(u, {list(form.items)})" if form.has_one_update else "u"
    arrays = f"x, i, {update}" if form.scatters else "x, i"
    axis = "" if form.has_tuples else f", {{axis: {form.position}}}"
    return [f"const y = builder.{_WEBNN[form.operator]}({arrays}{axis});"]


CALLS: dict[str, Callable[[Form], list[str]]] = {
    "onnx": onnx_call,
    "torch": torch_call,
    "jax": jax_call,
    "webnn": webnn_call,
}
