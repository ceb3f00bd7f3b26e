"""Answers in lines: `PER: Ada, Grace` or `Ada (PER)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evenhand.grounding.items import Item, ReadAnswer
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.phrases import says_nothing

_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\d{1,4}[.)])\s+")
_HASHES = re.compile(r"#{1,6}\s+")
_FENCE = "```"
_SEPARATOR = re.compile(r";|,(?=\s)")
"""Between strings: a comma only before white space, so that 1,000 is one string."""
_LABEL_BEHIND = re.compile(r"(.*\S)\s*\(([^()]*)\)[.,;]?")
_Labeled = tuple[str, list[str]]
"""The label of a line, as it is written, and the strings that have it; none in a heading."""


def read_lines(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of an answer in lines; lines without a known label are skipped and counted.

    A line with a bullet or a number in front needs no label below a heading, which is a label alone, or where one label
    is asked for.
    """
    items: list[Item] = []
    skipped = respelled = 0
    for line in _labeled_lines(answer, labels, label):
        if line is None:
            skipped += 1
            continue
        written, strings = line
        known = labels.find(written) or written
        texts = [string for string in strings if string and not says_nothing(string)]
        respelled += len(texts) * (known != written)
        items += [Item(string, known) for string in texts]
    return ReadAnswer(tuple(items), skipped_lines=skipped, respelled=respelled)


def _labeled_lines(answer: str, labels: KnownLabels, label: str | None) -> Iterator[_Labeled | None]:
    """The lines that say something, None for those without a label."""
    heading = label
    for line in answer.splitlines():
        bullet = _BULLET.match(line)
        content = line[bullet.end() if bullet else 0 :].replace("**", "").strip()
        if not content or content.startswith(_FENCE) or says_nothing(content):
            continue
        found = _labeled(content, labels)
        if found is None and bullet and heading is not None:
            found = heading, [content]
        else:
            heading = found[0] if found and not found[1] else label
        yield found


def _labeled(line: str, labels: KnownLabels) -> _Labeled | None:
    label, _, strings = line.partition(":")
    label = _HASHES.sub("", label, count=1).strip()
    if labels.find(label) is not None:
        return label, [string.strip() for string in _SEPARATOR.split(strings)] if strings.strip() else []
    behind = _LABEL_BEHIND.fullmatch(line)
    if behind and labels.find(behind[2].strip()) is not None:
        return behind[2].strip(), [behind[1]]
    return None
