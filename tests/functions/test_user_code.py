"""Code of the caller's that runs in the middle of a call: what was checked before it is not used
after it, and no exception of it is lost."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import Device
from tests.descriptors.descs import gather


class Changes:
    """An array-like that changes something else before it is one."""

    def __init__(self, array: Any, change: Any) -> None:
        self.array, self.change = np.asarray(array), change

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self.change()
        return self.array


def test_an_input_that_shrinks_while_indices_are_converted(device: str) -> None:
    x = np.zeros((200, 3))
    indices = Changes([150], lambda: x.resize((1, 3), refcheck=False))
    with pytest.raises(IndexError, match="size 1 "):
        dmlindex.gather(x, indices, device=device)


def test_an_input_that_shrinks_is_not_what_a_compiled_operator_takes(device: str) -> None:
    x = np.zeros((200, 3), np.float32)
    operator = Device(device).compile(gather(x.shape, (1, 1), (1, 3), 0, 1))
    indices = Changes([[150]], lambda: x.resize((1, 3), refcheck=False))
    with pytest.raises(ValueError, match=r"input has shape \(1, 3\), expected \(200, 3\)"):
        operator(x, indices)


def test_indices_that_become_others_while_updates_are_converted(device: str) -> None:
    indices = np.array([[1], [2]])
    updates = Changes([5.0, 6.0], lambda: indices.resize((4000, 1), refcheck=False))
    with pytest.raises(ValueError, match=r"updates has shape \(2,\), expected \(4000,\)"):
        dmlindex.scatter_nd(np.zeros(3), indices, updates, device=device)


def test_an_axis_that_shrinks_the_input(device: str) -> None:
    x = np.zeros((2, 3))

    class Axis:
        def __index__(self) -> int:
            x.resize((1, 3), refcheck=False)
            return 0

    with pytest.raises(IndexError, match="size 1 "):
        dmlindex.gather(x, [1], Axis(), device=device)


def test_no_subclass_sees_the_arrays_of_a_call(device: str) -> None:
    """Views and copies that a call makes are plain arrays."""
    seen: list[Any] = []

    class Spy(np.ndarray[Any, Any]):
        def __array_finalize__(self, obj: Any) -> None:
            seen.append(obj)

    memory = np.zeros(64, np.int64)
    x, indices, out = memory[:4].view(Spy), memory[2:4].view(Spy), memory[1:3].view(Spy)
    updates = memory[3:5].view(Spy)
    seen.clear()
    assert dmlindex.gather(x, indices, out=out, device=device) is out
    dmlindex.scatter_elements(x, indices, updates, out=x, device=device)
    dmlindex.find_duplicates(x, indices, axis=0)
    assert seen == []


def test_a_shape_that_gets_shorter_while_it_is_read() -> None:
    class Size:
        def __index__(self) -> int:
            shape.clear()
            return 3

    shape: list[Any] = [Size(), *[4] * 30]
    assert dmlindex.find_duplicates(shape, [[0], [0]]).tolist() == [0]


@pytest.mark.parametrize("exception", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_an_exception_in_a_shape_comes_through(exception: type[BaseException]) -> None:
    class Shape:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, d: int) -> int:
            raise exception("boom")

    with pytest.raises(exception, match="boom"):
        dmlindex.find_duplicates(Shape(), [[0]])


class NoRepr:
    """With a repr that raises, or holds what UTF-8 has no bytes for, or has no end."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def __repr__(self) -> str:
        if isinstance(self.answer, str):
            return self.answer
        raise self.answer or ValueError("no repr")


WRONG: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("gather", (np.zeros(3), [0]), {"axis": ...}),
    ("gather", (np.zeros(3), [0]), {"mode": ...}),
    ("gather", (np.zeros(3), [0]), {"device": ...}),
    ("scatter_nd", (np.zeros(3), [[0]], 1.0), {"reduction": ...}),
    ("scatter_nd", (np.zeros(3), [[0]], 1.0), {"unique_indices": ...}),
    ("find_duplicates", (..., [[0]]), {}),
    ("find_duplicates", ((3,), [0]), {"axis": ...}),
    ("find_duplicates", ((3,), [0]), {"mode": ...}),
]


def call(case: tuple[str, tuple[Any, ...], dict[str, Any]], value: Any) -> Any:
    name, arguments, options = case
    given = [value if argument is ... else argument for argument in arguments]
    return getattr(dmlindex, name)(*given, **dict.fromkeys(options, value))


@pytest.mark.parametrize(
    "answer",
    [None, "\ud800", "\0", "long" * 10_000],
    ids=["None", "surrogate", "zero", "long"],
)
@pytest.mark.parametrize("case", WRONG, ids=str)
def test_what_has_no_repr_is_a_type_error_all_the_same(case: Any, answer: Any) -> None:
    with pytest.raises(TypeError) as caught:
        call(case, NoRepr(answer))
    text = str(caught.value)
    assert text.startswith(f"{case[0]}: ")
    assert len(text) < 500
    text.encode()


@pytest.mark.parametrize("exception", [KeyboardInterrupt, MemoryError])
@pytest.mark.parametrize("case", WRONG, ids=str)
def test_an_exception_in_a_repr_that_is_nobodys_comes_through(
    case: Any, exception: type[BaseException]
) -> None:
    with pytest.raises(exception, match="boom"):
        call(case, NoRepr(exception("boom")))


def test_texts_with_surrogates() -> None:
    surrogate: Any = "\ud800"
    x = np.zeros(3, [(surrogate, "i4")])
    with pytest.raises(ValueError, match="ud800"):
        dmlindex.gather(x, [0], mode=surrogate)
    with pytest.raises(ValueError, match="ud800"):
        dmlindex.gather(x, [0], device=surrogate)
    with pytest.raises(TypeError, match="ud800"):
        call(("gather", (x, [0]), {surrogate: ...}), 1)
    with pytest.raises(TypeError, match="ud800"):
        dmlindex.scatter_nd(x, [[0]], np.zeros(1))
    with pytest.raises(TypeError, match="ud800"):
        dmlindex.scatter_nd(x, [[0]], x[:1], reduction="add")
    with pytest.raises(ValueError, match="ud800"):
        dmlindex.gather(x, [0], fill_value=1)
