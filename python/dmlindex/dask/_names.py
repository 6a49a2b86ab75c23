"""The names of the tasks, by which progress bars and the dashboard of distributed show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dask.base import tokenize


@dataclass(frozen=True)
class Names:
    """Of one call: the layers gather-nd-route, gather-nd-local and gather-nd-merge, for example."""

    route: str
    local: str
    merge: str


def names(operator: str, *arguments: Any) -> Names:
    """The same for the same call: Dask takes tasks of the same name for the same."""
    token = tokenize(operator, *arguments)
    words = operator.replace("_", "-")
    return Names(*(f"{words}-{step}-{token}" for step in ("route", "local", "merge")))
