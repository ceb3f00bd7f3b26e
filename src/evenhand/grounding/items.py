"""Content of a language model's answer: items (strings with labels), or a text with tags.

Also the helpers that all answer formats share: known labels, thoughts, fenced blocks, and answers without entities.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from evenhand.dataclass import dataclass

READINGS = ("ok", "repaired", "salvaged", "unparsable")
"""How answers were read: unchanged, after a repair, in part, or not at all."""
How = Literal["ok", "repaired", "salvaged", "unparsable"]
Shape = Literal["json", "xml", "marks", "markdown", "lines"]
"""The format of answers: `<PER>Ada</PER>` is xml, `@@Ada##` marks, `[Ada](PER)` markdown, `PER: Ada` lines."""
TEXT_KEYS = ("text", "span", "mention", "name", "extraction_text", "word", "value", "entity")
"""Keys of an item's string in JSON objects, by priority."""
MAX_BLOCKS = 50
"""Number of fenced blocks of an answer that are read, from the last."""
_POSITION = re.compile("[BIESLUM]-")
"""The prefix of a tag of a span: `B-PER`."""
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_INFO = re.compile(r"[^\n`]*\n")
"""The line of an opening fence after the fence: the name of a language."""
_NOTHING_WORDS = frozenset({"none", "null", "n/a", "-"})
_NOTHING_SENTENCE = re.compile(r"(?:there (?:are|were|is|was) )?no\b(?!,)[^.:;!?\n\[\]{}]*\bentit", re.IGNORECASE)
_AROUND = " \t\r\n.*`'\""
"""Characters that may surround these words."""


class KnownLabels:
    """The labels of the gold standard.

    A label is found if it is equal; else if its letters and digits alone, letter case aside, equal those of exactly one
    known label; else if either holds without `B-`, `I-` or another prefix of a tag.

    Source: Evenhand's own rules.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        folded = Counter(map(_folded, self.names))
        self._by_folded = {form: name for name in self.names if folded[form := _folded(name)] == 1 and form}

    def find(self, written: str) -> str | None:
        """Return the label in the gold standard's spelling, or None if it has no such label."""
        label = self._equal(written)
        if label is None and _POSITION.match(written):
            label = self._equal(written[2:])
        return label

    def _equal(self, written: str) -> str | None:
        return written if written in self.names else self._by_folded.get(_folded(written))


def _folded(label: str) -> str:
    return "".join(filter(str.isalnum, label.casefold()))


def without_thoughts(answer: str) -> str:
    """Remove `<think>…</think>` and the like; an unclosed element extends to the end of the answer.

    Some servers send only the end tag, because the prompt contains the start tag: everything before it is removed.
    """
    if "<" not in answer:
        return answer
    answer = _THOUGHTS.sub("", answer)
    ends = [match.end() for match in _END_OF_THOUGHTS.finditer(answer)]
    return answer[ends[-1] :] if ends else answer


def fenced_blocks(answer: str) -> list[str]:
    """Return the contents of fenced blocks; the last one may be unclosed."""
    parts = answer.split("```")[1::2]
    return [_INFO.sub("", part, count=1) if _INFO.match(part) else part for part in parts[-MAX_BLOCKS:]]


def says_nothing(answer: str) -> bool:
    """Whether an answer, or a line of it, means "no entities"."""
    bare = answer.strip(_AROUND)
    if bare.casefold() in _NOTHING_WORDS:
        return True
    return _NOTHING_SENTENCE.match(bare) is not None and not any(bracket in bare for bracket in "[]{}")


class Item(NamedTuple):
    """A string in an answer, its label, and its offsets if the answer has any.

    The label is in the gold standard's spelling, or unchanged if the gold standard does not have it.
    """

    text: str
    label: str
    start: int | None = None
    end: int | None = None
    score: float | None = None
    """Its confidence, if the answer has one."""


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that a model wrote with tags.

    `text` is the text without tags, `spans` are (start, end, label) in it, in the order of their start tags. Tags
    without a partner are only counted.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    unclosed: int = 0
    unopened: int = 0


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """Items of an answer, and how it was read.

    `malformed` counts items without a label or a text, `skipped_lines` lines without a known label, `respelled` labels
    that the gold standard spells differently. An answer with tags has its spans in `marked` and no items.
    `has_several` is set for answers with several lists, of which the last complete one was read.
    """

    items: tuple[Item, ...] = ()
    how: How = "ok"
    malformed: int = 0
    skipped_lines: int = 0
    respelled: int = 0
    marked: MarkedText | None = None
    has_several: bool = False
