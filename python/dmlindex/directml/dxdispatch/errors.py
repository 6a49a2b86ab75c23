"""What is refused: one line that says what was found, what was expected and what to do."""

from __future__ import annotations

_MOST_LETTERS = 2000


class DxDispatchError(ValueError):
    """A model or a folder that cannot be run, written or compared; the message is one line."""

    def __init__(self, message: str) -> None:
        long = len(message) > _MOST_LETTERS
        super().__init__(f"{message[: _MOST_LETTERS - 1]}…" if long else message)


def shown(value: object) -> str:
    """A value from a file as it can stand in a message: short, and of printable characters."""
    if isinstance(value, list):
        return f"an array of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, (str, int, float)):
        return "an object"
    text = printable(repr(value))
    return text if len(text) <= 60 else text[:59] + "…"


def printable(text: str) -> str:
    """The text in one line of any terminal: control characters are escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
