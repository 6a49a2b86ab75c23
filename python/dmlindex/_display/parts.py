"""The dims of a desc's tensors by what they are for: batch, tuple, slice, …"""

from __future__ import annotations

from typing import Any

from dmlindex._display.palette import COLOURS
from dmlindex._explain.form import Form
from dmlindex._explain.formula import letters

# By letter: its name and colour. Formulas have the same letters.
PARTS = {
    "b": ("batch", COLOURS[0]),
    "q": ("places", COLOURS[1]),
    "t": ("tuple", COLOURS[6]),
    "i": ("indexed", COLOURS[2]),
    "s": ("slice", COLOURS[3]),
    "o": ("before the axis", COLOURS[4]),
    "p": ("positions", COLOURS[1]),
    "1": ("1s in front", ""),
}


def parts_of(form: Form) -> dict[str, list[str]]:
    """By tensor, the letter of each of its dims."""
    places, items, table = letters(form)
    indexed = [letter[:1] or "i" for letter in table]
    if form.operator.endswith("_elements"):
        indexed[form.position] = "i"
    own: dict[str, Any] = {
        "input": indexed,
        "indices": [letter[0] for letter in places] + ["t"] * form.has_tuples,
        "updates": [letter[0] for letter in items],
        "output": indexed if form.scatters else [letter[0] for letter in items],
    }
    found = {}
    for name, padding in form.padding:
        found[name] = ["1"] * padding + own[name][max(-padding, 0) :]
    return found
