"""What a user can set where the strings of a language model are placed in a text."""

from __future__ import annotations

from evenhand.parameters import Parameter
from evenhand.problems import SettingError

SHAPES = ("json", "xml", "marks", "markdown", "lines")
_LARGEST = 50


def _fuzzy(given: object) -> int:
    """The share of characters that may differ, in percent; 0 where none may."""
    text = "0" if str(given).strip().lower() == "off" else str(given).strip()
    if not (text.isascii() and text.isdigit() and int(text) <= _LARGEST):
        raise SettingError(f"fuzzy is {given!r}; give a share of characters in percent, up to {_LARGEST}, or off.")
    return int(text)


def _parameter(name: str, default: object, help: str, kind: str = "text", **more: object) -> Parameter:
    return Parameter(name, kind, default, help, trait="answers", **more)  # type: ignore[arg-type]


GROUNDING = (
    _parameter(
        "shape", None, "How a language model wrote its answers.", choices=SHAPES, optional=True, key="", reads=True
    ),
    _parameter(
        "occurrences",
        "in-order",
        "Which occurrences of a string count: in the order of the answer, the first, or all.",
        choices=("in-order", "first", "all"),
    ),
    _parameter(
        "fuzzy",
        15,
        "How many characters of a string may differ from the text, in percent, or off [15].",
        kind="percent",
        metavar="PERCENT|off",
        parse=_fuzzy,
        stored=int,
        spell=lambda value: str(value or "off"),
    ),
    _parameter(
        "snap",
        "expand",
        "A string that begins or ends inside a token: expand to whole tokens, or strict: no place.",
        choices=("expand", "strict"),
    ),
    _parameter(
        "unplaced",
        "fp",
        "Strings without a place in the text: fp counts them as wrong, drop leaves them out.",
        choices=("fp", "drop"),
    ),
    _parameter(
        "unknown_labels",
        "keep",
        "Items with a label that the gold standard does not have: keep them as wrong, or drop them.",
        choices=("keep", "drop"),
    ),
)
