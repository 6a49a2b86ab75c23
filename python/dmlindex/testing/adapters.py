"""Functions on other libraries' tensors as functions on NumPy arrays, which `fuzz` can call."""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

Function = Callable[..., Any]


def from_torch(function: Function) -> Function:
    """The function of torch tensors as one of NumPy arrays; a decorator, too.

    Arrays are copied to packed tensors on the CPU, and the answer comes back as an array. What else
    is in a call (axis, mode) is passed on; `out` never is, as a copy of it would be written. Say
    which dtypes the function has: torch takes no array of another. ::

        @testing.from_torch
        def gather(input, indices, axis=0):
            return input.index_select(axis, indices)
    """
    torch: Any = importlib.import_module("torch")
    return adapted(
        function,
        lambda array: torch.from_numpy(np.array(array, order="C")),
        lambda tensor: tensor.detach().cpu().numpy() if torch.is_tensor(tensor) else tensor,
    )


def from_jax(function: Function) -> Function:
    """The function of JAX arrays as one of NumPy arrays, as `from_torch` is for tensors.

    Turns on JAX's 64-bit types, without which it makes int64 int32.
    """
    jax: Any = importlib.import_module("jax")
    jnp: Any = importlib.import_module("jax.numpy")
    jax.config.update("jax_enable_x64", True)
    return adapted(function, lambda array: jnp.asarray(np.array(array)), np.asarray)


def adapted(function: Function, to: Function, back: Function) -> Function:
    """The function of arrays that calls one with what `to` makes of each, and gives `back` of its
    answer.

    >>> adapted(lambda x, i: x[i[0]], list, np.array)(np.array([5, 6]), np.array([1]))
    array(6)
    """

    @functools.wraps(function)
    def on_arrays(*arguments: Any, **options: Any) -> Any:
        def made(value: Any) -> Any:
            return to(value) if isinstance(value, np.ndarray) else value

        given = {name: made(value) for name, value in options.items()}
        return back(function(*map(made, arguments), **given))

    signature = inspect.signature(function)
    taken = [one for one in signature.parameters.values() if one.name != "out"]
    on_arrays.__signature__ = signature.replace(parameters=taken)  # type: ignore[attr-defined]
    return on_arrays
