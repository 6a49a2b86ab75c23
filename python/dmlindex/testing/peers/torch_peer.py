"""PyTorch on the CPU: index, gather, scatter, scatter_reduce and index_put."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from dmlindex._explain.elsewhere import TORCH, WHY
from dmlindex._explain.elsewhere_calls import TORCH_REDUCE
from dmlindex.testing.call import Call
from dmlindex.testing.peers import Peer, Rule
from dmlindex.testing.peers.arguments import peer_function
from dmlindex.testing.peers.rules import (
    DUPLICATES,
    EMPTY,
    NAN_BITS,
    ZERO_SIGNS,
    has_negatives,
    moved_nans,
    nd_index,
    only_dtypes,
    only_reductions,
    out_of_range,
    reduces,
    signed_indices,
)

torch: Any = importlib.import_module("torch")


def _tensor(array: Any) -> Any:
    return torch.from_numpy(np.array(array, order="C"))  # torch has no negative strides


def _answer(call: Call) -> Any:
    given = call.given()
    x, i = _tensor(given["input"]), _tensor(signed_indices(call))
    axis = given.get("axis", 0)
    if call.operator == "gather":
        return x[(slice(None),) * (axis % x.ndim) + (i,)].numpy()
    if call.operator == "gather_elements":
        return torch.gather(x, axis, i).numpy()
    if call.operator == "gather_nd":
        where = nd_index(i.numpy(), given.get("batch_dims", 0))
        return x[tuple(map(_tensor, where))].numpy()
    u = _tensor(np.broadcast_to(given["updates"], _shape(call)))
    if call.operator == "scatter_elements":
        if not reduces(call):
            return torch.scatter(x, axis, i, u).numpy()
        return torch.scatter_reduce(x, axis, i, u, TORCH_REDUCE[given["reduction"]]).numpy()
    where = tuple(i[..., k] for k in range(i.shape[-1]))
    return torch.index_put(x, where, u, accumulate=reduces(call)).numpy()


def _shape(call: Call) -> tuple[int, ...]:
    places: tuple[int, ...] = np.shape(call.arguments[1])
    if call.operator == "scatter_elements":
        return places
    return (*places[:-1], *np.shape(call.arguments[0])[places[-1] :])


PEER = Peer(
    "torch",
    lambda operator: peer_function(operator, _answer),
    (
        only_dtypes(*TORCH.dtypes),
        moved_nans("float16"),
        Rule(
            "modes",
            WHY["modes"],
            lambda call: call.options.get("mode", "raise") != "raise" and out_of_range(call),
        ),
        only_reductions(TORCH.reductions),
        Rule(
            "complex-reductions",
            WHY["complex-reductions"],
            lambda call: reduces(call) and np.asarray(call.arguments[0]).dtype.kind == "c",
        ),
        Rule(
            "negative-indices",
            WHY["negative-indices"],
            lambda call: call.operator.endswith("elements") and has_negatives(call),
        ),
        EMPTY,
        DUPLICATES,
        NAN_BITS,
        ZERO_SIGNS,
    ),
    dtypes=TORCH.dtypes,
    any_order=True,
)
