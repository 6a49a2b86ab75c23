"""What is shown of an array."""

from __future__ import annotations

from dmlindex._display.corners import Window


def test_a_part_that_only_a_place_outside_brings_in_counts_as_shown() -> None:
    """Its cells are drawn, and the widest number decides how wide."""
    window = Window.of((4, 49, 1, 1)).with_ghosts([(0, 24, 1, 0)])
    assert (0, 24) in window.blocks()
    assert window.lines(-2, (0, 24)) == (0, 1)
    assert (0, 24, 0, 0) in window.positions()
