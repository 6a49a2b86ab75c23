"""Why there may be no program: the closed list of reasons."""

from __future__ import annotations

REASONS = {
    "operator": "the level lacks an operator that every known recipe needs",
    "data-type": "the level has no data type that moves these bits for certain",
    "index-arithmetic": "the level has no arithmetic for what must be done to the indices",
    "dimension-count": "more dims than the level allows, and no view or copy has fewer",
    "size": "a tensor of more than 2^32 - 1 elements that cannot be split",
    "axis-size": "the axis is too long for 32-bit arithmetic on its indices",
    "reduction-data-type": "DirectML has no arithmetic for the reduction on this dtype",
    "duplicates": "targets may meet, and every way to keep their order is beyond the limits",
    "cost": "the reduction would take more temporary elements than the limit",
    "style": "the lowering asked for refuses the call, or is not DirectML's",
    "descriptor": "the descriptor itself is not valid at any level",
}


class NoProgram(Exception):
    """A recipe has no way on; caught by legalize."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason, self.sentence = reason, sentence
        if reason not in REASONS:
            raise AssertionError(f"{reason} is not on the list")
