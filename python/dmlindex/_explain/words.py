"""A call in sentences."""

from __future__ import annotations

from dmlindex._explain.form import Form

_MODES = {
    "raise": "An index out of range is an IndexError, and nothing is written.",
    "clamp": "An index out of range is clamped.",
    "wrap": "An index is taken modulo the size of its axis.",
    "drop": "An update whose index is out of range is left out.",
    "directml": (
        "An index out of range leads where DirectML's arithmetic does, to another element."
    ),
}
_REDUCTIONS = {
    "add": "Updates are added to what is there, {order}.",
    "mul": "What is there is multiplied by updates, {order}.",
    "min": "Of what is there and the updates the smallest stays.",
    "max": "Of what is there and the updates the largest stays.",
}
_NATURAL = "Without the 1s in front, as in all that follows, input is {x} and indices are {i}."
GENERAL_WORDS: dict[str, tuple[str, ...]] = {
    "gather": ("Takes whole slices of input: each index names one along axis.",),
    "gather_elements": (
        "Takes an element of input for each index: of the same position, but along axis.",
    ),
    "gather_nd": (
        "Takes slices of input: the last dim of indices is a tuple of coordinates.",
        "The first batch_dims dims of input and indices belong together.",
    ),
    "scatter_elements": (
        "Copies input, then writes each update to its own position, but along axis.",
        "Of several updates of one element the last one in C order of the indices wins.",
    ),
    "scatter_nd": (
        "Copies input, then writes slices: the last dim of indices is a tuple of coordinates.",
        "Of several updates of one element the last one in C order of the indices wins.",
    ),
}


def words(form: Form) -> tuple[str, ...]:
    """The sentences of a call of that form."""
    in_front = any(count > 0 for _, count in form.padding)
    found = [_NATURAL.format(x=form.input, i=form.indices)] if in_front else []
    found += [_what(form), f"{_items(form)} has shape {form.items}, output {form.output}."]
    if not form.scatters:
        found[-1] = f"output has shape {form.output}."
    if form.duplicates == "raise":
        found.append("Several updates of one element are an IndexError, and nothing is written.")
    elif form.scatters:
        order = "one by one in C order of the indices" if form.is_ordered else "in any order"
        combined = _REDUCTIONS.get(form.reduction, GENERAL_WORDS[form.operator][-1])
        found.append(combined.format(order=order))
    if form.index_dtype.kind == "i":
        found.append("A negative index counts from the end.")
    found.append(_MODES.get(form.mode, f"An index out of range gives {form.fill}."))
    return tuple(found)


def _items(form: Form) -> str:
    return "updates, one value," if form.has_one_update else "updates"


def _what(form: Form) -> str:
    at, k = form.position, form.tuple_size
    if form.operator == "gather":
        return f"Takes slices of input along axis {at}, one for each of indices {form.indices}."
    if form.operator == "gather_elements":
        return f"Takes an element for each of indices {form.indices}, along axis {at} of input."
    if form.operator == "scatter_elements":
        return f"Copies input, then writes an update for each of indices, along axis {at}."
    axes = f"axis {at}" if k == 1 else f"axes {at} to {at + k - 1}"
    numbers = "a number" if k == 1 else f"a tuple of {k} numbers"
    what = "slices" if any(size != 1 for size in form.behind) else "elements"
    batch = f" Batch dims: {at}; they belong together." if at else ""
    if form.scatters:
        return f"Copies input, then writes {what} of it: {numbers} for {axes} says where."
    return f"Takes {what} of input: {numbers} for {axes} says which.{batch}"
