"""What a model prints and the files that it writes."""

from __future__ import annotations

import io
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import pytest

from tests.dxdispatch.models import changed, executed, output, refused


@pytest.mark.parametrize(
    ("type_name", "given", "words"),
    [
        ("INT8", [-3, 65], "-3, 65"),
        ("UINT64", [2**64 - 1], "18446744073709551615"),
        ("FLOAT32", [1.0, 0.1, 1e10, 123456789.0, -0.0], "1, 0.1, 1e+10, 1.23457e+08, -0"),
        ("FLOAT16", ["inf", "-inf", "nan", 2.5], "inf, -inf, nan, 2.5"),
        ("FLOAT64", [1e-7, 1 / 3], "1e-07, 0.333333"),
    ],
)
def test_values_in_words(type_name: str, given: list[Any], words: str) -> None:
    resource = {"initialValuesDataType": type_name, "initialValues": given}
    commands = [{"type": "print", "resource": "it's"}]
    model = {"resources": {"it's": resource}, "dispatchables": {}, "commands": commands}
    assert executed(model).printed == [f'Resource "it\'s": {words}']


def test_verbose_words_have_places_and_bits() -> None:
    model = changed("commands/1/verbose", True)
    (words,) = executed(model).printed
    assert words.splitlines() == [
        "Resource 'out':",
        "[0] 2 (0x       2)",
        "[1] 0 (0x       0)",
        "[2] 5 (0x       5)",
        "[3] 5 (0x       5)",
    ]


def test_a_file_holds_the_whole_buffer() -> None:
    model = changed("resources/out/sizeInBytes", 20)
    model["commands"][2].pop("dimensions")
    assert output(model) == [2, 0, 5, 5, 0]
    model["commands"][2]["targetPath"] = "a/b.bin"
    content = executed(model).files[PurePosixPath("a/b.bin")]
    assert content == np.array([2, 0, 5, 5, 0], "<i4").tobytes()


@pytest.mark.parametrize("dimensions", [[0], [5, 0, 7], [4, 0], [1] * 32])
def test_dimensions_that_the_buffer_holds(dimensions: list[int]) -> None:
    content = executed(changed("commands/2/dimensions", dimensions)).files
    array = np.load(io.BytesIO(content[PurePosixPath("out.npy")]))
    assert array.shape == tuple(dimensions)


def test_values_of_several_types_are_neither_printed_nor_an_array() -> None:
    mixed = [{"type": "INT32", "value": value} for value in range(4)]
    model = changed("resources/out", {"initialValues": mixed})
    assert "print: resource 'out' has values of several types" in refused(model)
    del model["commands"][1]
    assert "use .bin" in refused(model)
