"""legalize: from a call to views and operators that DirectML accepts at a feature level."""

from dmlindex.directml.legal.helpers import HelperDesc
from dmlindex.directml.legal.legalize import legalize
from dmlindex.directml.legal.program import (
    Binding,
    Buffer,
    Impossible,
    Operator,
    Program,
    View,
)
from dmlindex.directml.legal.reasons import REASONS

__all__ = [
    "REASONS",
    "Binding",
    "Buffer",
    "HelperDesc",
    "Impossible",
    "Operator",
    "Program",
    "View",
    "legalize",
]
