"""Mode "directml" against the answers of DirectML itself to 4,000 calls (see data/README.md)."""

import base64
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex
from dmlindex import DataType, Device, TensorDesc, reference
from dmlindex.reference import directml
from tests.descriptors.desc_strategies import Array, Problem, problems

ANSWERS = Path(__file__).parents[1] / "data" / "directml_numerics.jsonl.gz"

DESCS = {
    "GATHER": dmlindex.GatherOperatorDesc,
    "GATHER_ELEMENTS": dmlindex.GatherElementsOperatorDesc,
    "GATHER_ND": dmlindex.GatherNDOperatorDesc,
    "GATHER_ND1": dmlindex.GatherND1OperatorDesc,
    "SCATTER": dmlindex.ScatterElementsOperatorDesc,
    "SCATTER_ND": dmlindex.ScatterNDOperatorDesc,
}


def recorded() -> Iterator[tuple[Any, list[Array], Array]]:
    """A desc, the buffers of its inputs, and what DirectML left in one filled with 0xA5."""
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as file:
        for call in map(json.loads, file):
            tensors = [
                TensorDesc(DataType[t["dt"]], t["sizes"], t["strides"], t.get("total"))
                for t in call["t"]
            ]
            desc = DESCS[call["op"]](*tensors, *call["p"])
            buffers = [
                np.frombuffer(base64.b64decode(text), np.uint8)
                for text in (*call["bufs"], call["out"])
            ]
            *inputs, output = (
                buffer[: buffer.size // width * width].view(tensor.data_type.dtype)
                for buffer, tensor in zip(buffers, tensors, strict=True)
                if (width := tensor.data_type.dtype.itemsize)
            )
            yield desc, inputs, output


def bits(buffer: Array) -> Array:
    return buffer.view(f"u{buffer.itemsize}")


def check(desc: Any, inputs: list[Array], got: Array, recorded: Array) -> None:
    """Byte for byte, but for targets of several updates: there DirectML left any of them."""
    candidates: dict[int, set[int]] = {}
    if len(inputs) == 3:
        for item, address in directml.addresses(desc, inputs[1]):
            candidates.setdefault(address, set()).add(int(bits(inputs[2])[item]))
    for place in np.flatnonzero(bits(got) != bits(recorded)):
        assert {int(bits(got)[place]), int(bits(recorded)[place])} <= candidates[int(place)]


def test_the_reference_computes_what_directml_does() -> None:
    for desc, inputs, output in recorded():
        out = np.full(output.nbytes, 0xA5, np.uint8).view(output.dtype)
        assert reference.run(desc, *inputs, out=out) is out
        check(desc, inputs, out, output)


def test_so_does_a_compiled_operator(device: str) -> None:
    opened = Device(device)
    for desc, inputs, output in recorded():
        out = np.full(output.nbytes, 0xA5, np.uint8).view(output.dtype)
        opened.compile(desc)(*inputs, out=out)
        check(desc, inputs, out, output)


@given(given_data=st.data(), problem=problems())
def test_equal_to_the_reference(device: str, given_data: st.DataObject, problem: Problem) -> None:
    """On arrays of any layout: a table that is no line in memory is brought into one."""

    def spread(array: Array) -> Array:
        wide = np.zeros((*array.shape, 2), array.dtype)
        wide[..., 1] = array
        return wide[..., 1]

    operator = Device(device).compile(problem.desc, mode="directml")
    expected = reference.run(problem.desc, *problem.buffers)
    assert operator.mode == "directml"
    assert operator(*problem.buffers).tobytes() == expected.tobytes()
    start = np.full(expected.nbytes, 0xA5, np.uint8).view(expected.dtype).reshape(expected.shape)
    reference.run(problem.desc, *problem.buffers, out=(expected := start.copy()))
    operator(*problem.buffers, out=(out := start.copy()))
    assert out.tobytes() == expected.tobytes()
    if given_data.draw(st.booleans()):
        out = spread(start)
        operator(*map(spread, problem.buffers), out=out)
        assert out.tobytes() == expected.tobytes()


@pytest.mark.parametrize("threads", [1, 3])
def test_large_calls_are_equal_to_the_reference(threads: int) -> None:
    """Slices half behind the line's last and partly over each other, in many blocks."""
    rng = np.random.default_rng(7)
    table = TensorDesc(DataType.UINT16, (40, 60), total_tensor_size_in_bytes=4820)
    index = TensorDesc(DataType.INT64, (2500, 1))
    items = TensorDesc(DataType.UINT16, (2500, 60))
    scatter = dmlindex.ScatterNDOperatorDesc(table, index, items, table, 2, 2)
    buffers = [
        rng.integers(0, 2**16, (40, 60), np.uint16),
        rng.integers(-45, 45, (2500, 1)),
        rng.integers(0, 2**16, (2500, 60), np.uint16),
    ]
    gather = dmlindex.GatherElementsOperatorDesc(
        table, replace(index, sizes=(40, 5000)), replace(items, sizes=(40, 5000)), axis=1
    )
    before = dmlindex.get_num_threads()
    dmlindex.set_num_threads(threads)
    try:
        for desc, given in [
            (scatter, buffers),
            (gather, [buffers[0], rng.integers(-130, 130, (40, 5000))]),
        ]:
            expected = reference.run(desc, *given)
            got = Device().compile(desc, mode="directml")(*given)
            assert got.tobytes() == expected.tobytes()
    finally:
        dmlindex.set_num_threads(before)


def test_the_functions_refuse_it() -> None:
    with pytest.raises(ValueError, match=r"mode is \'directml\'.*Device\.compile"):
        dmlindex.gather([1, 2], [0], mode="directml")  # type: ignore[call-overload]
