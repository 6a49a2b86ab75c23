"""Kernels stay within their tensors, where a root descriptor has no bounds to stop them."""

from __future__ import annotations

import pytest

from tests.children import in_child

BINDINGS = ["root", "table"]


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_a_scatter_with_no_place_writes_nothing(binding: str) -> None:
    """The result has no bytes, and other tensors lie right behind it."""
    code = """
import numpy as np
import dmlindex
device = dmlindex.Device("d3d12")
for dtype, count in (("u4", 1), ("u4", 3), ("f4", 3), ("u1", 3), ("u2", 1)):
    for reduction in ("none", "add"):
        table = device.tensor(np.zeros((0, 3001), dtype))
        updates = device.tensor(np.full((count, 3001), 9, dtype))
        others = {k: device.tensor(np.full(64, k, "u4")) for k in range(64)}
        for k in range(1, 64, 2):
            del others[k]  # a hole between its neighbours, for the result
        for mode in ("raise", "clamp", "wrap"):
            result = dmlindex.scatter_nd(
                table, np.zeros((count, 1), "i4"), updates, mode=mode, reduction=reduction
            )
            try:
                result.numpy()
            except IndexError as error:
                assert "= 0 is out of range for axis 0" in str(error), error
            else:
                raise AssertionError("no error")
        dropped = dmlindex.scatter_nd(table, [[0]], np.ones((1, 3001), dtype), mode="drop")
        assert dropped.numpy().shape == (0, 3001)
        for k, other in others.items():
            assert (other.numpy() == k).all(), (dtype, count, reduction, k)
"""
    in_child(code, DMLINDEX_D3D12_BINDING=binding)


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_reductions_into_no_place_drop_everything(binding: str) -> None:
    """Whatever way their kernels go: there is nothing for a thread to do."""
    code = """
import itertools
import numpy as np
import dmlindex
for reduction, dtype, ordered, count in itertools.product(
    ("add", "mul", "min", "max"), ("u1", "i4", "i8", "f2", "f4", "f8"), (True, False), (1, 5000)
):
    table, updates = np.zeros((0, 3), dtype), np.ones((count, 3), dtype)
    options = {"reduction": reduction, "ordered": ordered, "mode": "drop", "device": "d3d12"}
    assert dmlindex.scatter_nd(table, np.zeros((count, 1), "i4"), updates, **options).size == 0
    places = np.zeros((count, 3), "i4")
    assert dmlindex.scatter_elements(table, places, updates, axis=0, **options).size == 0
"""
    in_child(code, DMLINDEX_D3D12_BINDING=binding)


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_a_gather_with_no_place(binding: str) -> None:
    """Slices larger than a chunk of memory: a kernel that read one would leave the buffer."""
    code = """
import numpy as np
import dmlindex
device = dmlindex.Device("d3d12")
for columns, dtype in ((5, "u1"), (1, "u4"), (1 << 18, "u4")):
    table = device.tensor(np.zeros((0, columns), dtype))
    for mode in ("raise", "clamp", "wrap"):
        for out in (None, device.tensor(np.full((2, columns), 3, dtype))):
            try:
                result = dmlindex.gather(table, [0, 1], mode=mode, out=out).numpy()
            except IndexError as error:
                assert "indices[0] = 0 is out of range" in str(error), error
            else:
                raise AssertionError("no error")
            assert out is None or (out.numpy() == 3).all()
    filled = dmlindex.gather(table, [0, 1], mode="fill", fill_value=7).numpy()
    assert (filled == 7).all()
    assert dmlindex.gather(table, np.zeros(0, "i4")).shape == (0, columns)
"""
    in_child(code, DMLINDEX_D3D12_BINDING=binding)


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_what_fills_up_to_256_bytes(binding: str) -> None:
    """Whatever its size has in common with the pieces that rows are moved in."""
    code = """
import numpy as np
import dmlindex
for size, columns in ((100, 4), (250, 2), (256, 1), (255, 16), (72, 2), (129, 8)):
    x = np.arange(5 * columns * size, dtype="u1").view(f"V{size}").reshape(5, columns)
    options = {"mode": "fill", "fill_value": x[3, 0]}
    found = dmlindex.gather(x, [1, 9], device="d3d12", **options)
    assert found.tobytes() == dmlindex.gather(x, [1, 9], **options).tobytes(), (size, columns)
"""
    in_child(code, DMLINDEX_D3D12_BINDING=binding)


@pytest.mark.usefixtures("d3d12")
def test_an_array_without_elements_is_not_read() -> None:
    """NumPy gives it strides of 0, as it does what repeats one element."""
    code = """
import numpy as np
import dmlindex
for shape in ((0,), (3, 0)):
    x = np.zeros(shape, "V100000000")
    assert x.strides == (0,) * len(shape)
    assert dmlindex.gather(x, np.zeros(0, "i4"), axis=-1, device="d3d12").shape == shape
"""
    in_child(code)
