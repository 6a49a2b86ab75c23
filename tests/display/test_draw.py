"""`dmlindex.draw`: pictures say what the call does, whatever is drawn."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dmlindex as dml
from dmlindex import testing
from dmlindex._display import svg
from dmlindex._display.call import call_of
from dmlindex._display.corners import Window
from dmlindex._display.gather_story import GatherTeller
from dmlindex._display.text import columns
from dmlindex._display.trace import Trace
from dmlindex.reference.memory import as_bytes
from tests.descriptors.desc_strategies import Problem, problems

IMAGE = np.array([[10, 11, 12], [20, 21, 22]], np.uint8)
NAMESPACE = "{http://www.w3.org/2000/svg}"


def plain_calls(operator: str) -> st.SearchStrategy[testing.Call]:
    return testing.calls(operator, with_out=False, with_lists=False)


def parsed(picture: Any) -> ElementTree.Element:
    """The picture's document; its texts all lie inside of it, and those of cells in their cells."""
    root = ElementTree.fromstring(picture.svg)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    box: tuple[float, float] | None = None
    for element in root.iter():
        if element.tag == f"{NAMESPACE}rect" and "x" in element.attrib:
            box = float(element.attrib["x"]), float(element.attrib["width"])
        if element.tag != f"{NAMESPACE}text":
            continue
        small = "dml-small" in element.attrib["class"]
        room = columns(element.text or "") * (svg.SMALL if small else svg.CHARACTER)
        share = {"start": 0.0, "middle": 0.5, "end": 1.0}[element.attrib["text-anchor"]]
        left = float(element.attrib["x"]) - share * room
        assert left >= -0.1
        assert left + room <= width + 0.1, element.text
        assert float(element.attrib["y"]) <= height
        if share == 0.5 and not small:  # a cell's value
            assert box is not None
            assert box[0] <= left
            assert left + room <= box[0] + box[1]
    return root


@given(testing.calls())
def test_any_call_has_a_picture(call: testing.Call) -> None:
    picture = call.run(lambda *a, **k: dml.draw(call.operator, *a, **k))
    root = parsed(picture)
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-label"] == "; ".join(picture.text.splitlines())
    assert [root[0].tag, root[1].tag] == [f"{NAMESPACE}title", f"{NAMESPACE}desc"]
    assert not list(root.iter(f"{NAMESPACE}script"))


@given(testing.invalid_calls())
def test_a_wrong_call_shows_what_it_raises(call: testing.Call) -> None:
    with pytest.raises((TypeError, ValueError, IndexError)) as raised:
        call.run(getattr(dml, call.operator))
    message = f"{raised.type.__name__}: {raised.value}"
    try:
        picture = call.run(lambda *a, **k: dml.draw(call.operator, *a, **k))
    except TypeError as error:
        assert str(error).startswith("draw: ")  # noqa: PT017  it is no call of the operator
        return
    assert picture.text.endswith(message)
    parsed(picture)


@given(st.sampled_from(["gather", "gather_elements", "gather_nd"]).flatmap(plain_calls))
def test_colours_follow_what_is_read(call: testing.Call) -> None:
    """Each element of the output is the very one of input that the picture says it is."""
    shown = call_of(call.operator, call.arguments, dict(call.options))
    if shown.output is None:
        return
    sources = Trace(shown).sources(Window.of(shown.output.shape))
    read, written = as_bytes(shown.arrays["input"]), as_bytes(shown.output)
    for position, source in sources.items():
        assert written[position].tobytes() == read[source].tobytes()
    filled = set(Window.of(shown.output.shape).positions()) - sources.keys()
    assert not filled or shown.mode == "fill"


@given(st.sampled_from(["scatter_elements", "scatter_nd"]).flatmap(plain_calls))
def test_colours_follow_what_is_written(call: testing.Call) -> None:
    shown = call_of(call.operator, call.arguments, dict(call.options))
    if shown.output is None or shown.reduction != "none":
        return
    behind = shown.output.shape[shown.form.tuple_size :] if shown.form.has_tuples else ()
    updates = shown.arrays["updates"]
    if updates.dtype != shown.output.dtype:
        return  # Python's own numbers
    items = as_bytes(np.broadcast_to(updates, (*shown.form.places, *behind)))
    winners = Trace(shown).writers()
    source, written = as_bytes(shown.arrays["input"]), as_bytes(shown.output)
    for position in np.ndindex(shown.output.shape):
        expected = source[position]
        if winners[position] >= 0:
            place = np.unravel_index(winners[position], shown.form.places)
            expected = items[(*place, *position[len(position) - len(behind) :])]
        assert written[position].tobytes() == expected.tobytes()


@given(problems())
def test_descriptors_show_where_directml_leads(problem: Problem) -> None:
    """Strides, 1s in front and indices out of range included."""
    desc = problem.desc
    shown = call_of(desc, problem.buffers, {})
    parsed(dml.draw(dml.Device().compile(desc), *problem.buffers))
    assert shown.output is not None
    trace = Trace(shown)
    if shown.form.scatters:
        winners = trace.writers()
        kept = winners < 0
        np.testing.assert_array_equal(shown.output[kept], shown.arrays["input"][kept])
        return
    sources = trace.sources(Window.of(shown.output.shape))
    for position, source in sources.items():
        assert shown.output[position].tobytes() == shown.arrays["input"][source].tobytes()


def test_an_index_out_of_range_shows_what_directml_reads() -> None:
    """The next row's first element, and past the end the last one."""
    desc = dml.GatherElementsOperatorDesc.infer((2, 3), (2, 1), 1)
    x, i = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([[3], [9]])
    trace = Trace(call_of(desc, (x, i), {}))
    assert trace.sources(Window.of((2, 1))) == {(0, 0): (1, 0), (1, 0): (1, 2)}


def test_the_words() -> None:
    assert dml.draw(
        dml.gather_nd, np.eye(3), [[0, -1], [5, 0]], mode="clamp"
    ).text.splitlines() == [
        "gather_nd(input, indices, mode='clamp')",
        "input float64 (3, 3), indices int64 (2, 2), output float64 (2,)",
        "a: indices[0, :] = (0, -1) reads input[0, 2]",
        "b: indices[1, :] = (5, 0) reads input[2, 0]",
        "mode 'clamp': dashed indices are out of range",
    ]


def test_a_scatter_says_who_overwrote_whom() -> None:
    picture = dml.draw(dml.scatter_nd, np.zeros(4), [[1], [3], [-3]], np.array([5.0, 6, 7]))
    assert "a: indices[0, :] = (1,) writes output[1], overwritten by c" in picture.text
    assert "hatched: overwritten by a later update (a by c)" in picture.text
    hatched = picture.svg.count('class="dml-hatch"')
    assert hatched == 2  # the index, and its update


def test_a_reduction_names_all_that_take_part() -> None:
    updates = np.array([5.0, 6, 7])
    picture = dml.draw(dml.scatter_nd, np.zeros(4), [[1], [3], [1]], updates, reduction="add")
    assert ">a+c<" in picture.svg
    assert 'class="dml-hatch"' not in picture.svg


def test_of_many_that_take_part_some_are_named() -> None:
    indices, updates = np.zeros((5000, 1), int), np.ones(5000)
    picture = dml.draw(dml.scatter_nd, np.zeros(1), indices, updates, reduction="add")
    (title,) = re.findall("output.0. = 5000.0: ([^<]*)<", picture.svg)
    assert title.startswith("add of input and a, b, c, ")
    assert len(title.split(", ")) == 21
    assert ", …, " in title


def test_a_bad_index_is_shown_where_it_points() -> None:
    picture = dml.draw(dml.gather, IMAGE, [1, 9])
    root = parsed(picture)
    texts = [element.text for element in root.iter(f"{NAMESPACE}text")]
    assert texts.count("none") == 3  # row 9, if there were one
    assert "indices[1] = 9 points to nothing: 9 is out of range: axis 0 has 0 to 1" in picture.text
    assert picture.text.splitlines()[-1].startswith("IndexError: gather: indices[1] = 9 is out of")


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1, 2, 2, 2, 3), (2,) * 7])
def test_any_rank(shape: tuple[int, ...]) -> None:
    x = np.arange(math.prod(shape)).reshape(shape)
    places = np.zeros((0, len(shape) or 1), int) if 0 in shape else np.zeros((2, len(shape)), int)
    picture = dml.draw(dml.gather_nd, x, places)  # of rank 0 it raises
    parsed(picture)
    assert str(shape) in picture.text


def test_a_large_scatter_says_who_overwrote_whom_too() -> None:
    indices = np.zeros((1 << 15, 1), np.int64)
    indices[-1] = 2
    table, updates = np.zeros(4, np.int32), np.arange(1 << 15, dtype=np.int32)
    picture = dml.draw(dml.scatter_nd, table, indices, updates)
    first, last = (re.search(rf"(\w+): indices\[{n}, :\]", picture.text) for n in (0, 32766))
    assert first
    assert last
    assert f"writes output[0], overwritten by {last[1]}" in picture.text
    assert f"{last[1]}: indices[32766, :] = (0,) writes output[0]\n" in picture.text
    summed = dml.draw(dml.scatter_nd, table, indices, updates, reduction="add")
    assert f"add of input and the updates that name it, the last of them {last[1]}" in summed.svg


def test_large_arrays_are_shown_by_corners_and_what_is_pointed_to() -> None:
    x = np.arange(10**6).reshape(10**4, 100)
    root = parsed(dml.draw(dml.gather, x, [5000, 2]))
    texts = [element.text or "" for element in root.iter(f"{NAMESPACE}text")]
    assert "int64 (10000, 100)" in texts
    assert {"0", "1", "2", "5000", "9999"} <= set(texts)
    assert "500000" in texts  # the first element of row 5000
    assert len(texts) < 300


@pytest.mark.parametrize("axis", [0, 1])
def test_what_the_shown_corners_of_the_output_read_is_shown(axis: int) -> None:
    teller = GatherTeller(call_of("gather", (np.zeros((100, 200)), np.arange(50)), {"axis": axis}))
    assert teller.call.output is not None
    inputs, outputs = teller.input_panel(), teller.output_panel(teller.call.output)
    assert set(teller.sources.values()) <= set(inputs.window.positions())
    for position, source in teller.sources.items():
        assert inputs.mark(source).letter == outputs.mark(position).letter != ""


HOSTILE = "</title></svg><script>alert('x')</script>\"&\x00\ud800"


@pytest.mark.parametrize(
    "x",
    [
        np.array([HOSTILE * 5, "日本語" * 9, "a\nb"]),
        np.array([HOSTILE.encode("utf-8", "ignore")] * 3),
        np.zeros(3, [(HOSTILE.replace("\ud800", ""), "i4"), ("b", "c16")]),
        np.array(["2020-01-01", "NaT", "1970-01-01T00:00:00.000001"], "M8[ns]"),
        np.array([1e300 - 1e-300j, np.nan, -np.inf]),
        np.array([b"\x00\xff", b"", b"x"], "V2"),
        np.array([object(), None, {}], object),
    ],
)
def test_hostile_values_stay_texts_that_fit(x: Any) -> None:
    picture = dml.draw(dml.gather, x, [2, 0, 1])
    root = parsed(picture)
    assert not list(root.iter(f"{NAMESPACE}script"))
    assert "<script" not in picture._repr_html_()


def test_a_function_of_ones_own_and_its_mistake() -> None:
    def gather(input: Any, indices: Any) -> Any:
        return np.take(input, indices)

    assert "output int64 (1,)" in dml.draw(gather, [4, 5], [1]).text


@pytest.mark.parametrize("index", [-(2**63), 2**63 - 1])
def test_an_index_far_away(index: int) -> None:
    for axis in (0, 1):
        parsed(dml.draw(dml.gather, IMAGE, [index], axis))


def test_what_is_no_call_is_a_type_error() -> None:
    with pytest.raises(
        TypeError, match="op_or_function is 'take', expected a function of dmlindex"
    ):
        dml.draw("take", [1], [0])
    with pytest.raises(TypeError, match="draw: gather has no indices, expected input, indices"):
        dml.draw(dml.gather, [1])
    with pytest.raises(TypeError, match="draw: gather takes 3 arguments, found 4"):
        dml.draw(dml.gather, [1], [0], 0, 0)
    with pytest.raises(TypeError, match="GATHER_ELEMENTS takes 2 arrays, found 3"):
        dml.draw(dml.GatherElementsOperatorDesc.infer((2,), (2,)), 1, 2, 3)
    with pytest.raises(dml.DescriptorError):
        dml.draw(dml.GatherElementsOperatorDesc(None, None, None, 0), 1, 2)


def test_save(tmp_path: Path) -> None:
    picture = dml.draw(dml.gather, IMAGE, [1, 0])
    picture.save(tmp_path / "call.svg")
    picture.save(str(tmp_path / "call.html"))
    assert (tmp_path / "call.svg").read_text("utf-8") == picture.svg == picture._repr_svg_()
    page = (tmp_path / "call.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert picture.svg in page
    with pytest.raises(ValueError, match=r"expected a name that ends in \.svg or \.html"):
        picture.save(tmp_path / "call.png")


def test_light_and_dark_and_print() -> None:
    svg_text = dml.draw(dml.gather, IMAGE, [1, 0]).svg
    assert "@media (prefers-color-scheme:dark)" in svg_text
    assert "@media print" in svg_text
    assert '[data-jp-theme-light="false"]' in svg_text
    assert not re.search(r"<(script|image|foreignObject)|href=|url\(|@import", svg_text)
