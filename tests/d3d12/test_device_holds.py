"""A small gather into a tensor that must stay as it was on failure: one group, which holds back."""

from __future__ import annotations

import pytest

from tests.children import in_child

BINDINGS = ["root", "table"]
SETUP = """
import numpy as np
import dmlindex
from dmlindex import _core
device = dmlindex.Device("d3d12")
table = _core.d3d12_binding(device.name) == "table"

def error_of(call):
    try:
        call()
    except IndexError as error:
        return str(error)
    raise AssertionError("no error")

def left(out):
    error_of(out.numpy)  # told once; what it held is there
    return out.numpy()
"""


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_one_group_takes_no_kernel_that_checks(binding: str) -> None:
    """Single elements, and rows with the binding root; the first calls of a kind are one group."""
    in_child(
        SETUP
        + """
rng = np.random.default_rng(0)
cases = []  # the array, the indices' shapes: a group or less, and more than one
for dtype in ("u1", "i2", "f4", "f8"):
    most = 512 if table else 64 if dtype in ("i2", "f8") else 128
    cases.append((np.arange(50).astype(dtype), (1, 17, most), 513))
cases.append((np.arange(400, dtype="f4").reshape(50, 8), (1, 13, 16), 129))
cases.append((np.arange(150, dtype="f4").reshape(50, 3), (1, 42, 42 if not table else 85), 86))
cases.append((np.arange(800, dtype="c16").reshape(50, 16), (1, 2), 17))
for array, fitting, larger in cases:
    for count in (*fitting, larger):
        for index in ("i4", "i8"):
            places = rng.integers(-50, 50, count).astype(index)
            wanted = array[places]
            x, good = device.tensor(array), device.tensor(places)
            out = device.tensor(np.zeros_like(wanted))
            _core.d3d12_kernels(device.name)
            dmlindex.gather(x, good, out=out)
            rows = table and array.ndim > 1  # have a kernel that checks
            checks = rows or count == larger
            assert len(_core.d3d12_kernels(device.name)) == 1 + checks, (count, array)
            assert (out.numpy() == wanted).all()
            for wrong in {0, count // 2, count - 1}:
                for value in (50, -51):
                    bad = places.copy()
                    bad[wrong:] = value
                    out = device.tensor(np.full_like(wanted, 7))
                    dmlindex.gather(x, device.tensor(bad), out=out)
                    told = error_of(device.synchronize)
                    assert told == error_of(lambda: dmlindex.gather(array, bad)), told
                    assert (left(out) == 7).all(), (array.dtype, count, wrong)
                    dmlindex.gather(x, good, out=out)
                    assert (out.numpy() == wanted).all()
""",
        DMLINDEX_D3D12_BINDING=binding,
    )


@pytest.mark.usefixtures("d3d12")
@pytest.mark.parametrize("binding", BINDINGS)
def test_a_group_holds_back_where_an_operator_before_it_failed(binding: str) -> None:
    in_child(
        SETUP
        + """
for shape in ((50,), (50, 8), (5, 2, 5)):
    array = np.arange(np.prod(shape), dtype="f4").reshape(shape)
    x = device.tensor(array)
    for bad in (99, 3):
        row = device.tensor(np.array([bad, 1]))
        rows = dmlindex.gather(x, row)
        out = device.tensor(np.full((3, *shape[1:]), 7, "f4"))
        dmlindex.gather(rows, device.tensor(np.array([1, 0, 1])), out=out)
        again = device.tensor(np.full((2, *shape[1:]), 7, "f4"))
        dmlindex.gather(out, device.tensor(np.array([2, 0])), out=again)
        if bad == 99:
            assert "indices[0] = 99" in error_of(device.synchronize)
            assert (left(out) == 7).all()
            error_of(again.numpy)
            assert (again.numpy() == 7).all()
        else:
            assert (out.numpy() == array[[1, 3, 1]]).all()
            assert (again.numpy() == array[[1, 1]]).all()
""",
        DMLINDEX_D3D12_BINDING=binding,
    )
