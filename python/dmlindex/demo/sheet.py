"""The demo's sheet: its pictures, captions and table on one page, drawn with Pillow.

The page is a grid of cards, three to a row. `draw` says what is on which card; the rest is layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from dmlindex.demo import TABLE_HEADER
from dmlindex.demo.scene import Bytes, Result, Scene, in_colour, mean_difference

_Box = tuple[int, int, int, int]

_PICTURE = (741, 500)  # the photos' own size, so that each pixel is shown as it is
_CAPTION_HEIGHT = 206
_COLUMNS = 3
_MARGIN, _GAP, _HEADER, _FOOTER = 60, 36, 216, 86

_PAGE, _CARD = "#15121f", "#211c31"
_BRIGHT, _SOFT, _FAINT = "#fbf3e4", "#b9b0c9", "#7d7391"
_GATHER, _SCATTER = "#7fd1c7", "#f4a15d"  # the two families of operators

# The regular face that Pillow brings; it has neither arrows nor a multiplication sign.
_TITLE, _HEADING, _TEXT, _SMALL = (ImageFont.load_default(size) for size in (76, 34, 25, 22))


@dataclass(frozen=True)
class _Card:
    """A picture and what is said of it; call is the operator's call that made it, or empty."""

    title: str
    caption: str
    picture: Bytes
    call: str = ""


def draw(scene: Scene, results: Sequence[Result], device: str) -> Image.Image:
    """The whole sheet of a run of all steps on a device."""
    depth, moved_right, swirled, split, warped, buffer, plan = (
        _Card(
            result.step.title,
            result.step.caption,
            result.step.picture(result.output),
            result.step.call,
        )
        for result in results
    )
    height, width, _ = scene.left.shape
    cards = [
        _Card(
            "Left photo",
            f"Middlebury's motorcycle: {width} by {height} pixels, the distance measured for "
            f"{np.isfinite(scene.disparity).mean():.0%} of them.",
            scene.left,
        ),
        _Card(
            "Right photo",
            "Taken 19 cm further to the right: what is near has moved furthest.",
            scene.right,
        ),
        depth,
        moved_right,
        _difference_card("before", "The right photo", scene.right, scene.left),
        _difference_card("after", "The moved photo", moved_right.picture, scene.left),
        swirled,
        split,
        plan,
        warped,
        buffer,
    ]
    rows = -(-(len(cards) + 1) // _COLUMNS)
    page = Image.new(
        "RGB",
        (
            2 * _MARGIN + _COLUMNS * _PICTURE[0] + (_COLUMNS - 1) * _GAP,
            _HEADER + rows * (_card_height() + _GAP) + _FOOTER,
        ),
        _PAGE,
    )
    pen = ImageDraw.Draw(page)
    _draw_header(pen)
    for place, card in enumerate(cards):
        _draw_card(page, pen, _box(place), card)
    _draw_table(pen, _box(len(cards)), results, device)
    pen.text(
        (_MARGIN, page.height - _FOOTER + 10),
        "Photos and disparities: Scharstein et al., Middlebury stereo benchmark 2014, shipped by "
        "scikit-image. Every result equals the NumPy reference, dmlindex.reference, bit for bit.",
        font=_TEXT,
        fill=_FAINT,
    )
    return page


def _difference_card(when: str, name: str, photo: Bytes, left: Bytes) -> _Card:
    difference = np.abs(photo.astype(np.int16) - left).mean(axis=-1)
    return _Card(
        f"{mean_difference(photo, left):.1f} of 255 {when}",
        f"{name} against the left one: how far apart they are, on average over all pixels. "
        "Light is far.",
        in_colour(difference, 0, 128),
    )


def _card_height() -> int:
    return _PICTURE[1] + _CAPTION_HEIGHT


def _box(place: int) -> _Box:
    """Where the card of that number lies: left, top, right, bottom."""
    left = _MARGIN + place % _COLUMNS * (_PICTURE[0] + _GAP)
    top = _HEADER + place // _COLUMNS * (_card_height() + _GAP)
    return (left, top, left + _PICTURE[0], top + _card_height())


def _draw_header(pen: ImageDraw.ImageDraw) -> None:
    pen.text((_MARGIN - 4, 110), "dmlindex", font=_TITLE, fill=_BRIGHT, anchor="ls")
    after = _MARGIN + pen.textlength("dmlindex", font=_TITLE) + 36
    pen.text(
        (after, 110),
        "DirectML's gather and scatter operators, at work on one pair of photos",
        font=_HEADING,
        fill=_SOFT,
        anchor="ls",
    )
    x = float(_MARGIN)
    for colour, words in (
        (_GATHER, "gather: each place asks where to look"),
        (_SCATTER, "scatter: each value says where to go"),
    ):
        pen.ellipse((x, 154, x + 18, 172), fill=colour)
        pen.text((x + 30, 172), words, font=_TEXT, fill=_SOFT, anchor="ls")
        x += 30 + pen.textlength(words, font=_TEXT) + 48


def _draw_card(page: Image.Image, pen: ImageDraw.ImageDraw, box: _Box, card: _Card) -> None:
    left, top, *_ = box
    pen.rounded_rectangle(box, radius=14, fill=_CARD)
    picture = Image.fromarray(card.picture).resize(_PICTURE, Image.Resampling.NEAREST)
    mask = Image.new("L", _PICTURE, 0)
    ImageDraw.Draw(mask).rounded_rectangle(
        (0, 0, *_PICTURE), radius=14, fill=255, corners=(True, True, False, False)
    )
    page.paste(picture, (left, top), mask)
    x, y = left + 22, top + _PICTURE[1]
    pen.text((x, y + 46), card.title, font=_HEADING, fill=_BRIGHT, anchor="ls")
    y = _draw_lines(pen, (x, y + 84), card.caption, _SOFT)
    _draw_lines(pen, (x, y + 8), card.call, _accent(card.call))


def _draw_lines(pen: ImageDraw.ImageDraw, start: tuple[int, int], text: str, fill: str) -> int:
    """Draws the text, in as many lines as a card's width asks for; where the next line would be."""
    x, y = start
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if pen.textlength(longer, font=_TEXT) <= _PICTURE[0] - 44:
            lines[-1] = longer
        else:
            lines.append(word)
    for line in lines:
        pen.text((x, y), line, font=_TEXT, fill=fill, anchor="ls")
        y += 31
    return y


def _accent(call: str) -> str:
    return _GATHER if call.startswith("gather") else _SCATTER


def _draw_table(
    pen: ImageDraw.ImageDraw, box: _Box, results: Sequence[Result], device: str
) -> None:
    """A line and two bars for each result: our time in the family's colour, NumPy's in grey."""
    left, top, right, bottom = box
    pen.rounded_rectangle(box, radius=14, fill=_CARD)
    pen.text((left + 22, top + 56), "How long it took", font=_HEADING, fill=_BRIGHT, anchor="ls")
    ends = (left + 22, left + 216, right - 216, right - 102, right - 22)
    anchors = ("ls", "ls", "rs", "rs", "rs")

    def line(y: float, words: Sequence[str], fills: Sequence[str]) -> None:
        for x, anchor, word, fill in zip(ends, anchors, words, fills, strict=True):
            pen.text((x, y), word, font=_SMALL, fill=fill, anchor=anchor)

    line(top + 104, TABLE_HEADER, [_FAINT] * 5)
    longest = max(max(result.seconds, result.numpy_seconds) for result in results)
    scale = (right - left - 44) / longest
    for number, result in enumerate(results):
        y = top + 156 + number * 66
        accent = _accent(result.step.operator)
        line(y, result.row, (accent, _SOFT, accent, _SOFT, _BRIGHT))
        for offset, seconds, fill in (
            (10, result.seconds, accent),
            (18, result.numpy_seconds, _FAINT),
        ):
            end = left + 22 + max(seconds * scale, 2)
            pen.rectangle((left + 22, y + offset, end, y + offset + 5), fill=fill)
    _draw_lines(
        pen,
        (left + 22, bottom - 59),
        f"The shortest of several runs, on {device}. NumPy: the quickest way we know to the same "
        "bytes.",
        _FAINT,
    )
