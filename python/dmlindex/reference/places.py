"""Where an index points: `resolve` is the meaning of the modes."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from dmlindex.reference import checks as check

Array = npt.NDArray[Any]


def resolve(index: int, size: int, mode: str) -> int | None:
    """The place in [0, size) that an index means; None if it means none and mode skips it.

    Raises IndexError where the mode allows no such index. Into an axis of size 0, only "fill" and
    "drop" allow any.

    >>> [resolve(i, 5, "raise") for i in (0, 4, -1, -5)]  # negative ones count from the end
    [0, 4, 4, 0]
    >>> [resolve(i, 5, "clamp") for i in (5, 99, -6, -99)]  # clamped to [-5, 4], then as above
    [4, 4, 0, 0]
    >>> [resolve(i, 5, "wrap") for i in (5, 99, -6, -99)]  # modulo 5
    [0, 4, 4, 1]
    >>> [resolve(i, 5, "fill") for i in (4, 5, -5, -6)]
    [4, None, 0, None]
    """
    if size > 0 and mode == "clamp":
        index = min(max(index, -size), size - 1)
    if size > 0 and mode == "wrap":
        index = index % size
    if -size <= index < size:
        return index + size if index < 0 else index
    if mode in ("fill", "drop"):
        return None
    raise IndexError(f"{index} is out of range")


def resolve_at(
    op: str, indices: Array, position: tuple[int, ...], axis: int, size: int, mode: str
) -> int | None:
    """resolve(indices[position]), with an error that says all there is to know."""
    index = int(indices[position])
    try:
        return resolve(index, size, mode)
    except IndexError:
        raise check.index_error(op, position, index, axis, size, indices.dtype) from None


def resolve_tuple(
    op: str, indices: Array, position: tuple[int, ...], sizes: tuple[int, ...], axis: int, mode: str
) -> tuple[int, ...] | None:
    """Every coordinate of a tuple resolved, the first for axis; None if any of them is."""
    place = [
        resolve_at(op, indices, (*position, c), axis + c, size, mode)
        for c, size in enumerate(sizes)
    ]
    resolved = tuple(i for i in place if i is not None)
    return resolved if len(resolved) == len(place) else None


def replaced(position: tuple[int, ...], axis: int, index: int) -> tuple[int, ...]:
    """The position with index in the axis's place."""
    return (*position[:axis], index, *position[axis + 1 :])
