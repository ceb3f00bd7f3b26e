"""Answers in lines: `PER: Ada, Grace` or `Ada (PER)`."""

from __future__ import annotations

import re

from evenhand.grounding.items import Item, ReadAnswer
from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.phrases import says_nothing

_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\d{1,4}[.)])\s+")
_SEPARATOR = re.compile(r";|,(?=\s)")
"""Between strings: a comma only before white space, so that 1,000 is one string."""
_LABEL_BEHIND = re.compile(r"(.*\S)\s*\(([^()]*)\)[.,;]?")


def read_lines(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of an answer in lines; lines without a known label are skipped and counted.

    Where one label is asked for, a line with a bullet or a number in front needs no label.
    """
    items: list[Item] = []
    skipped = respelled = 0
    for line in answer.splitlines():
        bullet = _BULLET.match(line)
        content = line[bullet.end() if bullet else 0 :].replace("**", "").strip()
        if not content or content.startswith("```") or says_nothing(content):
            continue
        found = _labeled(content, labels)
        if found is None and label and bullet:
            found = label, [content]
        if found is None:
            skipped += 1
            continue
        written, strings = found
        known = labels.find(written) or written
        texts = [string for string in strings if string and not says_nothing(string)]
        respelled += len(texts) * (known != written)
        items += [Item(string, known) for string in texts]
    return ReadAnswer(tuple(items), skipped_lines=skipped, respelled=respelled)


def _labeled(line: str, labels: KnownLabels) -> tuple[str, list[str]] | None:
    """The label of a line, as it is written, and the strings that have it."""
    label, colon, strings = line.partition(":")
    if colon and labels.find(label.strip()) is not None:
        return label.strip(), [string.strip() for string in _SEPARATOR.split(strings)]
    behind = _LABEL_BEHIND.fullmatch(line)
    if behind and labels.find(behind[2].strip()) is not None:
        return behind[2].strip(), [behind[1]]
    return None
