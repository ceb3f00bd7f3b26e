"""How wide LaTeX prints a text, so that tables are known to fit before they are compiled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from unicodedata import normalize

from evenhand.problems import visible
from evenhand.report.latex_text import is_known

_CLASSES = {
    2.8: "!',.:;[]`il|",
    3.4: " -fj",
    4.0: "()Irst",
    4.5: "cez",
    5.0: '0123456789"$*/?^{}~–ago\\',
    5.3: "Jkqvxy",
    5.6: "Sbdhnpu",
    6.3: "LZ",
    6.9: "EFP",
    7.4: "BCRTw",
    7.9: "&+<=>@ADGHKNOQUVXY",
    8.4: "#%m",
    10.3: "MW",
}
"""Points that characters take at 10 points in Computer Modern, which is wider than the fonts of most classes."""
_POINTS = {char: points for points, chars in _CLASSES.items() for char in chars}
_OTHER, _CODE = 7.9, 44.0
"""The points of other characters that LaTeX knows, and those of a code such as U+4EBA, which stands for all others."""
FONTS = {None: 1.095, 9: 0.925, 8: 0.85, 7: 0.797}
"""Sizes of type, by how wide 10 points are in them: that of the document (11 points or less), then smaller ones."""
BOLD = 1.16
"""How much wider bold type is."""
_MOST_TOGETHER = 110.0
"""How many points stay together, at 10 points; what is wider may break anywhere."""
_PIECE = re.compile(r"[^\s/.:_,-]+[/.:_,-]*\s*|[/.:_,-]+\s*|\s+")


def text_width(text: str) -> float:
    """Points that a text takes, set in 10 points."""
    return sum(map(_width, normalize("NFC", visible(text))))


def _width(char: str) -> float:
    if not is_known(char):
        return _CODE
    return _POINTS.get(char) or _POINTS.get(normalize("NFD", char)[0], _OTHER)


def pieces(text: str) -> Iterator[str]:
    """The parts of a text between which a line may end: words, parts of paths and of long names."""
    for piece in _PIECE.findall(text):
        while text_width(piece.rstrip()) > _MOST_TOGETHER and len(piece) > 1:
            reached = accumulate(map(text_width, piece))
            end = max(1, sum(points <= _MOST_TOGETHER for points in reached))
            yield piece[:end]
            piece = piece[end:]
        yield piece


def folded(text: str, points: float) -> list[str]:
    """A text in lines that are not wider than this, at 10 points, as far as its pieces allow."""
    lines = [""]
    for piece in pieces(text):
        if lines[-1] and text_width((lines[-1] + piece).rstrip()) > points:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
