"""JAX: take, take_along_axis and x.at[...], with 64-bit types turned on."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from dmlindex._explain.elsewhere import JAX
from dmlindex._explain.elsewhere_calls import JAX_UPDATE
from dmlindex.testing.call import Call
from dmlindex.testing.peers import Peer
from dmlindex.testing.peers.arguments import peer_function
from dmlindex.testing.peers.rules import (
    DUPLICATES,
    EMPTY,
    NAN_BITS,
    OUT_OF_RANGE,
    ZERO_SIGNS,
    along_index,
    moved_nans,
    nd_index,
    only_dtypes,
    only_reductions,
    signed_indices,
)

jax: Any = importlib.import_module("jax")
jnp: Any = importlib.import_module("jax.numpy")
jax.config.update("jax_enable_x64", True)


def _answer(call: Call) -> Any:
    given = call.given()
    x, i = jnp.asarray(np.array(given["input"])), signed_indices(call)
    if call.operator == "gather":
        return jnp.take(x, i, axis=given.get("axis", 0))
    if call.operator == "gather_elements":
        axis = given.get("axis", 0) % x.ndim
        return x[along_index(i, axis)]
    if call.operator == "gather_nd":
        return x[nd_index(i, given.get("batch_dims", 0))]
    where = along_index(i, given.get("axis", 0) % x.ndim) if call.operator != "scatter_nd" else None
    target = x.at[nd_index(i, 0) if where is None else where]
    u = np.array(given["updates"])
    return getattr(target, JAX_UPDATE[given.get("reduction", "none")])(u)


PEER = Peer(
    "jax",
    lambda operator: peer_function(operator, _answer),
    (
        only_dtypes(*JAX.dtypes),
        moved_nans("float16", "bfloat16"),
        OUT_OF_RANGE,
        only_reductions(JAX.reductions),
        EMPTY,
        DUPLICATES,
        NAN_BITS,
        ZERO_SIGNS,
    ),
    dtypes=JAX.dtypes,
    any_order=True,
)
