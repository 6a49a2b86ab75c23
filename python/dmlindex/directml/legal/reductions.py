"""Reductions, which DirectML's scatters do not have."""

from __future__ import annotations

from dmlindex.directml.legal.builder import Builder
from dmlindex.directml.legal.layout import Value
from dmlindex.directml.legal.reasons import NoProgram
from dmlindex.directml.legal.request import Request
from dmlindex.directml.legal.rounds import Targets


def reduce_into(b: Builder, r: Request, table: Value, targets: Targets, kept: Value) -> None:
    raise NoProgram("reduction-data-type", "not yet")
