"""Index algebra: `output[b, q, s] = input[b, indices[b, q, 0], s]`."""

from __future__ import annotations

from dataclasses import dataclass

from dmlindex._explain.form import Form

# What each letter counts, by its first character.
_MEANINGS = {
    "o": "dims of input before the axis",
    "b": "batch dims",
    "q": "dims of indices",
    "p": "dims of indices",
    "s": "dims of input behind what is indexed",
}
# With axes of any number, where no arrays are given.
GENERAL = {
    "gather": "output[o…, q…, s…] = input[o…, indices[q…], s…]",
    "gather_elements": "output[p] = input[p with p[axis] := indices[p]]",
    "gather_nd": "output[b…, q…, s…] = input[b…, indices[b…, q…, :], s…]",
    "scatter_elements": "output = input; output[p with p[axis] := indices[p]] = updates[p]",
    "scatter_nd": "output = input; output[indices[q…, :], s…] = updates[q…, s…]",
}


@dataclass(frozen=True)
class Formula:
    """The formula as text, and how far each of its letters runs; each letter is one dim."""

    text: str
    ranges: dict[str, int]

    def legend(self) -> list[str]:
        """What the letters are, a line for each kind.

        >>> Formula("", {"q0": 2, "q1": 3}).legend()
        ['q0 < 2, q1 < 3: dims of indices']
        """
        kinds: dict[str, list[str]] = {}
        for letter, size in self.ranges.items():
            kinds.setdefault(letter[0], []).append(f"{letter} < {size}")
        return [f"{', '.join(ends)}: {_MEANINGS[kind]}" for kind, ends in kinds.items()]


def formula(form: Form) -> Formula:
    """The formula of a call, its letters from 0 on; a desc's 1s in front are at 0."""
    places, items, table = letters(form)
    sizes = dict(zip(items, form.items, strict=True))
    padding = dict(form.padding)
    cropped = max(-padding.get("output", 0), 0)
    gone = set(items[:cropped])  # dims of size 1 that a desc's output has no room for
    own = {"input": table, "output": table if form.scatters else items, "updates": items}

    def element(name: str) -> str:
        shown = ["0" if letter in gone else letter for letter in own[name]]
        if name == "output":
            shown = shown[cropped:]
        return f"{name}[{', '.join(['0'] * padding.get(name, 0) + shown) or '()'}]"

    def index(*more: str) -> str:
        shown = ["0" if letter in gone else letter for letter in [*places, *more]]
        return f"indices[{', '.join(['0'] * padding.get('indices', 0) + shown) or '()'}]"

    indices = [index(str(k)) for k in range(form.tuple_size)] if form.has_tuples else [index()]
    at = form.position
    own["input"] = own["input"][:at] + indices + own["input"][at + form.tuple_size :]
    own["output"] = own["input"] if form.scatters else own["output"]
    ranges = {letter: size for letter, size in sizes.items() if letter not in gone}
    if not form.scatters:
        return Formula(f"{element('output')} = {element('input')}", ranges)
    update = "updates" if form.has_one_update else element("updates")
    return Formula(f"output = input; {_combined(element('output'), update, form)}", ranges)


def _combined(target: str, update: str, form: Form) -> str:
    signs = {"none": "=", "add": "+=", "mul": "*="}
    if form.reduction in signs:
        return f"{target} {signs[form.reduction]} {update}"
    return f"{target} = {form.reduction}({target}, {update})"


def letters(form: Form) -> tuple[list[str], list[str], list[str]]:
    """Those of the places in indices, of the items, and of the table, of its own shape."""
    if form.operator.endswith("_elements"):
        places = _named("p", len(form.indices))
        return places, places, list(places)
    behind = _named("s", len(form.behind))
    hole = [""] * form.tuple_size  # where the indices go
    if form.operator == "gather":
        before, places = _named("o", form.position), _named("q", len(form.indices))
        return places, before + places + behind, before + hole + behind
    batch = _named("b", form.position)
    places = batch + _named("q", len(form.places) - form.position)
    return places, places + behind, batch + hole + behind


def _named(letter: str, count: int) -> list[str]:
    return [letter] if count == 1 else [f"{letter}{d}" for d in range(count)]
