"""What there is to say of a call: each panel's marks, and the same in words."""

from __future__ import annotations

from dmlindex._display.call import Call
from dmlindex._display.gather_story import GatherTeller
from dmlindex._display.panel import plain_panel
from dmlindex._display.scatter_story import ScatterTeller
from dmlindex._display.teller import Story, error_text, first_lines


def story_of(call: Call) -> Story:
    """The story of a call; of one with wrong arguments, the arguments alone."""
    if call.error is not None and not isinstance(call.error, IndexError):
        panels = [plain_panel(name, array) for name, array in call.arrays.items()]
        notes = [error_text(call.error)]
        return Story(panels, None, [*first_lines(call), *notes], notes)
    return (ScatterTeller if call.form.scatters else GatherTeller)(call).story()
