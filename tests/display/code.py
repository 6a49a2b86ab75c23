"""Runs what `dmlindex.explain` says."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import dmlindex as dml
from dmlindex import testing


def run(lines: tuple[str, ...] | list[str], names: dict[str, Any]) -> Any:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        exec("\n".join(lines), names)
    return names["y"]


def answer(call: testing.Call) -> Any:
    """What the operator gives; None where it raises for an index out of range."""
    try:
        return call.run(getattr(dml, call.operator))
    except IndexError:
        return None
