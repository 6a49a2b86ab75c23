"""A call to be shown: which operator, on which arrays, and what came of it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dmlindex import _core
from dmlindex._core import CompiledOperator, DeviceTensor
from dmlindex._device import Device
from dmlindex._explain.form import Form, form_of_desc
from dmlindex._operators import ARRAYS, PARAMETERS
from dmlindex.directml.descs import OperatorDesc
from dmlindex.directml.values import descriptor_error

Array = npt.NDArray[Any]

Refusal = (TypeError, ValueError, IndexError, MemoryError, _core.DeviceError)


@dataclass(frozen=True)
class Call:
    """A call of an operator's function, or of a descriptor as the call that it stands for.

    `position` is axis or batch_dims. `output` is None where the call raised `error`. `desc` is set
    where a descriptor was run.
    """

    operator: str
    title: str
    arrays: dict[str, Array]
    position: int
    mode: str
    reduction: str
    output: Array | None
    error: Exception | None
    desc: OperatorDesc | None = None

    @functools.cached_property
    def form(self) -> Form:
        x, i = self.arrays["input"], self.arrays["indices"]
        return Form(self.operator, x.shape, i.shape, x.dtype, i.dtype, self.position)


def call_of(what: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> Call:
    """The call, made; TypeError where there is nothing to call, or with the wrong arguments."""
    if isinstance(what, CompiledOperator):
        return _compiled_call(what, what.desc, arguments, options)
    if isinstance(what, OperatorDesc):
        if broken := what.violations():
            raise descriptor_error(broken)
        given = {name: options.pop(name) for name in ("mode", "fill_value") if name in options}
        return _compiled_call(Device().compile(what, **given), what, arguments, options)
    name = what if isinstance(what, str) else getattr(what, "__name__", "")
    if name not in PARAMETERS:
        raise TypeError(
            f"draw: op_or_function is {_shown(what)}, expected a function of dmlindex "
            f"({', '.join(PARAMETERS)}), its name, a CompiledOperator or an operator desc"
        )
    function = getattr(_core, name) if isinstance(what, str) else what
    return _function_call(name, function, arguments, options)


def _function_call(
    name: str, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]
) -> Call:
    names = PARAMETERS[name]
    if len(arguments) > len(names):
        raise TypeError(f"draw: {name} takes {len(names)} arguments, found {len(arguments)}")
    given = dict(zip(names, arguments, strict=False)) | options
    arrays = _arrays(name, [n for n in ARRAYS if n in names], given)
    shown = [f"{n}={_option_text(given[n])}" for n in given if n not in ARRAYS and n != "out"]
    title = f"{name}({', '.join([*arrays, *shown])})"
    output, error = _outcome(lambda: function(*arguments, **options))
    position = 0
    if error is None or isinstance(error, IndexError):
        wanted = given.get("batch_dims", given.get("axis", 0))
        position = int(wanted) % max(arrays["input"].ndim, 1)
    return Call(
        name, title, arrays, position, str(given.get("mode", "raise")),
        str(given.get("reduction", "none")), output, error,
    )  # fmt: skip


def _compiled_call(
    operator: CompiledOperator,
    desc: OperatorDesc,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
) -> Call:
    from dmlindex.directml import buffers

    fields: dict[str, Any] = vars(desc)
    form = form_of_desc(desc, operator.mode)
    names = [n for n in ARRAYS if f"{n}_tensor" in fields]
    if len(arguments) > len(names):
        raise TypeError(f"draw: {desc.operator} takes {len(names)} arrays, found {len(arguments)}")
    given = dict(zip(names, arguments, strict=False)) | options
    arrays = _arrays(desc.operator, names, given)
    output, error = _outcome(lambda: operator(*arguments, **options))
    if error is None or isinstance(error, IndexError):
        shapes = {"input": form.input, "indices": form.indices, "updates": form.items}
        for n in names:
            arrays[n] = buffers.view(fields[f"{n}_tensor"], arrays[n], n).reshape(shapes[n])
    if output is not None:
        output = buffers.view(fields["output_tensor"], output, "output")
        output = output.reshape(form.output)
    title = f"{desc.operator}, mode {operator.mode!r}"
    return Call(
        form.operator, title, arrays, form.position, operator.mode, "none", output, error, desc
    )


def _arrays(what: str, names: list[str], given: dict[str, Any]) -> dict[str, Array]:
    for name in names:
        if name not in given:
            raise TypeError(
                f"draw: {what} has no {name}, expected {', '.join(names)}: a picture is of a call "
                "with its arrays; explain() does without"
            )
    return {name: host_array(given[name]) for name in names}


def host_array(value: Any) -> Array:
    """What is shown of an argument: its values on the host."""
    return value.numpy() if isinstance(value, DeviceTensor) else np.asarray(value)


def _outcome(run: Callable[[], Any]) -> tuple[Array | None, Exception | None]:
    try:
        return host_array(run()), None
    except Refusal as error:
        return None, error


def _option_text(value: Any) -> str:
    if isinstance(value, Device):
        return repr(value.name)
    text = f"<{value.dtype}>" if isinstance(value, np.ndarray) and value.ndim else repr(value)
    return text if len(text) <= 30 else f"{text[:29]}…"


def _shown(what: Any) -> str:
    return repr(what) if isinstance(what, str) else f"a {type(what).__name__}"
