"""The texts of pages: long names shortened in the middle, no options of commands, one minus sign."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from markupsafe import Markup, escape

MAX_NAME = 28
"""Maximum length of a system's name; the title of the name has all of it."""
_MINUS = re.compile(r"(?<![\w.-])-(?=[\d.])")
_OPTION = r"--[a-z]"
_CLAUSE = re.compile(rf"[;,] (?:[^;.()]|\.(?=\w))*{_OPTION}(?:[^;.()]|\.(?=\w))*(?=[;.)]|$)")
_BRACKETS = re.compile(rf" \([^()]*{_OPTION}[^()]*\)")
_SENTENCE = re.compile(r"(?<=[.:]) +(?=\S)")


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Names by their full forms; long ones lose their middle, and remain distinct."""
    names, short = list(names), dict[str, str]()
    for name in names:
        width = MAX_NAME
        while (shortened := _without_middle(name, width)) in short.values() and len(shortened) < len(name):
            width += 1
        short[name] = shortened
    return short


def _without_middle(name: str, width: int) -> str:
    if len(name) <= width:
        return name
    begin = width // 2
    return f"{name[:begin]}…{name[begin + 1 - width :]}"


def shortened(text: str, short: Mapping[str, str]) -> Markup:
    """A sentence in which long names are shortened; their titles have all of them."""
    long = sorted((name for name in short if short[name] != name), key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, long))})", text) if long else [text]
    return Markup("").join(
        Markup('<span title="{}">{}</span>').format(part, short[part]) if part in long else escape(part)
        for part in parts
    )


def without_options(text: str) -> str:
    """A text without remedies that are options of a command, which readers of a page do not run."""
    text = _BRACKETS.sub("", _CLAUSE.sub("", text))
    return " ".join(sentence for sentence in _SENTENCE.split(text) if not re.search(_OPTION, sentence))


def with_minus(text: str) -> str:
    """Numbers with a minus sign, not a hyphen."""
    return _MINUS.sub("−", text)
