"""What a fuzzer may compare with: the reference, NumPy, and other libraries.

A peer's rules name the calls that it answers otherwise on purpose, and why; the fuzzer counts what
each rule takes out, and compares all the rest.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dmlindex.testing.call import Call

# By the name that --against takes: the module here, and what to install for it.
NAMES = {
    "reference": "",
    "numpy": "",
    "torch": "torch",
    "onnxruntime": "onnxruntime onnx",
    "jax": "jax",
    "onnx-reference": "onnx",
}


@dataclass(frozen=True)
class Rule:
    """Calls that a peer answers otherwise, known and on purpose."""

    name: str
    why: str
    applies: Callable[[Call], bool]


@dataclass(frozen=True)
class Peer:
    """Another way to the answers: `run(operator)` gives a function like dmlindex's."""

    name: str
    run: Callable[[str], Callable[..., Any]]
    rules: tuple[Rule, ...] = ()
    dtypes: tuple[str, ...] = ()  # those that it has; all where it is empty
    knows_mistakes: bool = False  # whether a wrong call is an exception of the type that it is here
    any_order: bool = False  # whether its sums may be off by what another order changes

    def rule(self, call: Call) -> Rule | None:
        """The rule that takes the call out; None where the peer must agree."""
        return next((rule for rule in self.rules if rule.applies(call)), None)


def peer(name: str) -> Peer:
    """The peer of that name, or the function `module:function`.

    ValueError where there is none, ModuleNotFoundError that says what to install.
    """
    if name == "reference":
        from dmlindex import reference

        return Peer(name, lambda operator: getattr(reference, operator), knows_mistakes=True)
    if ":" in name:
        function = named_function(name)
        return Peer(name, lambda operator: function)
    if name not in NAMES:
        expected = ", ".join(NAMES)
        raise ValueError(f"against is {name!r}, expected one of {expected}, or MODULE:FUNCTION")
    try:
        module = importlib.import_module(f"dmlindex.testing.peers.{name.replace('-', '_')}_peer")
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("dmlindex"):
            raise
        raise ModuleNotFoundError(
            f"against {name}: there is no module {error.name}; pip install {NAMES[name]}",
            name=error.name,
        ) from None
    found: Peer = module.PEER
    return found


def named_function(name: str) -> Callable[..., Any]:
    """The function of "module:function"; ValueError where there is none."""
    module, _, attribute = name.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"{name!r} is no MODULE:FUNCTION that can be imported: {error}") from None
    if not callable(found):
        raise ValueError(f"{name!r} is a {type(found).__name__}, expected a function")
    return found  # type: ignore[no-any-return]
