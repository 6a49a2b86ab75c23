"""NumPy's way of a call, as code for its shapes and types: x, i and u go in, y comes out."""

from __future__ import annotations

import math

from dmlindex._explain.form import Form, Shape

_UFUNCS = {"add": "np.add", "mul": "np.multiply", "min": "np.minimum", "max": "np.maximum"}


def numpy_idiom(form: Form) -> list[str]:
    """Lines of Python; `tests/display` runs them and compares with the operator.

    In mode directml the idiom is that of indices in range, where all modes are one.
    """
    if 0 in form.limits and form.mode in ("fill", "drop"):
        # NumPy takes no index into such an axis, and none is needed.
        filled = f"np.full({form.items}, {form.fill}, x.dtype)"
        return ["y = x.copy()" if form.scatters else f"y = {filled}"]
    lines = _resolved(form)
    index = "i"
    if form.mode in ("fill", "drop"):
        lines += _there(form)
        index = _zeroed(form)
    if form.scatters:
        return [*lines, *_scatter(form, index)]
    return [*lines, *_gather(form, index)]


def _resolved(form: Form) -> list[str]:
    """Indices in a dtype that NumPy indexes by, and inside of the axis."""
    lines = []
    if 0 in form.limits:
        pass  # there is no index to be resolved, or it raises in any mode
    elif form.mode == "clamp":
        most = _limits(form, -1)
        lines = [f"i = np.minimum(i, {most})"]
        if form.index_dtype.kind == "i":
            lines = [f"i = np.clip(i.astype(np.int64), {_limits(form, 0, '-')}, {most})"]
    elif form.mode == "wrap":
        lines = [f"i = i % {_limits(form, 0)}"]
        if form.index_dtype.kind == "i":
            lines = [f"i = i.astype(np.int64) % {_limits(form, 0)}"]
    is_wide = bool(lines) or form.index_dtype.itemsize == 8  # limits are uint64
    if form.index_dtype.kind == "u" and is_wide and form.mode not in ("fill", "drop"):
        # NumPy 2.0's np.take refuses uint64.
        lines.append("i = i.astype(np.int64)")
    return lines


def _limits(form: Form, added: int, sign: str = "") -> str:
    """The sizes of the axes, one or an array of them; of the type of unsigned indices."""
    sizes = [size + added for size in form.limits]
    unsigned = form.index_dtype.kind == "u"
    if len(set(sizes)) == 1:
        return f"np.uint64({sizes[0]})" if unsigned else f"{sign}{sizes[0]}"
    dtype = ", np.uint64" if unsigned else ""
    return f"{sign}np.array({sizes}{dtype})"


def _there(form: Form) -> list[str]:
    """Which indices are in range."""
    tuple_dim = ".all(-1)" if form.has_tuples else ""
    below = f"i < {_limits(form, 0)}"
    if form.index_dtype.kind == "u":
        return [f"there = ({below}){tuple_dim}"]
    return [f"there = ((i >= {_limits(form, 0, '-')}) & ({below})){tuple_dim}"]


def _zeroed(form: Form) -> str:
    where = "there[..., None]" if form.has_tuples else "there"
    return f"np.where({where}, i, 0).astype(np.int64)"


def _gather(form: Form, index: str) -> list[str]:
    at = form.position
    if form.operator == "gather":
        lines = [f"y = np.take(x, {index}, axis={at})"]
        filled = "y[" + ":, " * at + "~there]"
    elif form.operator == "gather_elements":
        source = "x" + cropped(form)
        lines = [f"y = np.take_along_axis({source}, {index}, axis={at})"]
        filled = "y[~there]"
    else:
        lines = [f"y = x[{_coordinates(form, index)}]"]
        filled = "y[~there]"
    plain = form.dtype.kind in "biufc" and form.dtype.isnative
    if not form.items and (form.mode == "fill" or not plain):
        # NumPy gives a scalar: nothing can be written to it, and its dtype may be another.
        lines.append("y = np.array(y, x.dtype)")
    if form.mode == "fill":
        lines.append(f"{filled} = {form.fill}")
    return lines


def cropped(form: Form) -> str:
    """Of input what indices have positions for: NumPy would broadcast, or refuse."""
    cuts = [
        f":{found}" if d != form.position and found != size else ":"
        for d, (found, size) in enumerate(zip(form.indices, form.input, strict=True))
    ]
    while cuts and cuts[-1] == ":":
        cuts.pop()
    return f"[{', '.join(cuts)}]" if cuts else ""


def _coordinates(form: Form, index: str) -> str:
    """The index arrays of a tuple's coordinates, behind those of the batch dims."""
    moved = f"np.moveaxis({index}, -1, 0)"
    if not form.position:
        return f"tuple({moved})"
    return f"(*np.indices({form.places}, sparse=True)[:{form.position}], *{moved})"


def _scatter(form: Form, index: str) -> list[str]:
    """Targets as one line of them: so the last of several updates wins."""
    count = math.prod(form.places)
    if form.has_tuples:
        lines = ["y = x.copy()", f"at = {index}.reshape({count}, {form.tuple_size}).T"]
        update = f"u.reshape({_tuple((count, *form.behind))})"
    else:
        lines = [
            "y = x.copy()",
            f"at = np.indices({form.indices})",
            f"at[{form.position}] = {index}",
        ]
        lines.append(f"at = at.reshape({len(form.input)}, {count})")
        update = "u.ravel()"
    target = "tuple(at)"
    chosen = ""
    if form.mode == "drop":
        lines.append("kept = there.ravel()")
        target, chosen = "tuple(at[:, kept])", "[kept]"
    update = "u" if form.has_one_update else update + chosen
    if form.reduction == "none":
        return [*lines, f"y[{target}] = {update}"]
    return [*lines, f"{_UFUNCS[form.reduction]}.at(y, {target}, {update})"]


def _tuple(shape: Shape) -> str:
    return ", ".join(map(str, shape))
