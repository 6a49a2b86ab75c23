"""What DirectML leaves undefined for a node's indices, as far as they are known beforehand."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import dmlindex
from dmlindex.onnx.nodes import Node

Array = npt.NDArray[Any]


def undefined(node: Node, indices: Array | None) -> str:
    """What can go wrong with a node that DirectML accepts; empty where nothing can.

    `indices` are the constant's values, None where they come at run time.

    >>> from dmlindex.onnx.nodes import read_node
    >>> node = read_node("Gather", {}, [(3, 4), (2,)], ["float32", "int64"], 13)
    >>> undefined(node, np.array([0, -3]))
    ''
    >>> undefined(node, np.array([0, 3]))
    'indices[1] = 3 is out of range for an axis of size 3: DirectML reads another element'
    """
    if 0 in node.indices:
        return ""
    if indices is None or indices.shape != node.indices:
        duplicates = "; of duplicates, any update may win" if node.scatters else ""
        return f"indices come at run time, and DirectML checks none for its range{duplicates}"
    if why := _out_of_range(node, indices):
        return why
    return _duplicates(node, indices) if node.scatters else ""


def _out_of_range(node: Node, indices: Array) -> str:
    if node.op_type.endswith("ND"):
        axes = node.data[node.batch_dims : node.batch_dims + node.indices[-1]]
        sizes: Any = np.array(axes)
    else:
        sizes = np.array(node.data[node.normalized_axis])
    wrong = np.argwhere((indices < -sizes) | (indices >= sizes))
    if not len(wrong):
        return ""
    position = tuple(wrong[0].tolist())
    size = sizes[position[-1]] if sizes.ndim else sizes
    where = f"indices{list(position)}" if position else "indices"
    does = "overwrites" if node.scatters else "reads"
    return (
        f"{where} = {indices[position]} is out of range for an axis of size "
        f"{size}: DirectML {does} another element"
    )


def _duplicates(node: Node, indices: Array) -> str:
    axis = node.axis if node.is_elements else None
    overwritten = dmlindex.find_duplicates(node.data, indices, axis=axis)
    if not len(overwritten):
        return ""
    return f"{len(overwritten)} of indices are duplicates of later ones: any of the updates may win"
