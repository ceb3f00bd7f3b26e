"""What a language model's answer says: items, which are strings with labels, or a text with tags in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple

from evenhand.dataclass import dataclass

READINGS = ("ok", "repaired", "salvaged", "unparsable")
"""How answers were read."""


# == grounding/known_labels.py: The labels that the gold standard knows, found however a mod


_POSITION = re.compile("[BIESLUM]-")
"""What tags of spans begin with: `B-PER`."""


class KnownLabels:
    """The labels of the gold standard.

    A label is found if it is equal; else if its letters and digits alone, letter case aside, are those of exactly one
    known label; else if either holds without `B-`, `I-` or another prefix of a tag.

    Source: Evenhand's own rules.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        folded = Counter(map(_folded, self.names))
        self._by_folded = {form: name for name in self.names if folded[form := _folded(name)] == 1 and form}

    def find(self, written: str) -> str | None:
        """The label as the gold standard spells it, or None if it has no such label."""
        label = self._equal(written)
        if label is None and _POSITION.match(written):
            label = self._equal(written[2:])
        return label

    def _equal(self, written: str) -> str | None:
        return written if written in self.names else self._by_folded.get(_folded(written))


def _folded(label: str) -> str:
    return "".join(filter(str.isalnum, label.casefold()))


# == grounding/fences.py: What stands around an answer: thoughts before it, and fences


MOST_BLOCKS = 50
"""How many fenced blocks of an answer are looked at, from the last."""
_THOUGHTS = re.compile(r"<(think|thinking|reasoning|scratchpad)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHTS = re.compile(r"</(?:think|thinking|reasoning|scratchpad)>", re.IGNORECASE)
_FENCE = "```"
_INFO = re.compile(r"[^\n`]*\n")
"""What follows an opening fence on its line: the name of a language."""


def without_thoughts(answer: str) -> str:
    """The answer without `<think>…</think>` and the like, each up to its end or the answer's.

    Some servers send the end of the thoughts alone, as their prompt has the beginning: all before it is cut off.
    """
    if "<" not in answer:
        return answer
    answer = _THOUGHTS.sub("", answer)
    ends = [match.end() for match in _END_OF_THOUGHTS.finditer(answer)]
    return answer[ends[-1] :] if ends else answer


def fenced_blocks(answer: str) -> list[str]:
    """What stands between fences, from the first to the last block; the last one may lack its end."""
    parts = answer.split(_FENCE)[1::2]
    return [_INFO.sub("", part, count=1) if _INFO.match(part) else part for part in parts[-MOST_BLOCKS:]]


# == grounding/phrases.py: How models say that there is nothing to extract.


_WORDS = frozenset({"none", "null", "n/a", "-"})
_SENTENCE = re.compile(r"(?:there (?:are|were|is|was) )?no\b(?!,)[^.:;!?\n\[\]{}]*\bentit", re.IGNORECASE)
_AROUND = " \t\r\n.*`'\""
"""What may stand around such words."""


def says_nothing(answer: str) -> bool:
    """Whether an answer, or a line of it, says that there are no entities."""
    bare = answer.strip(_AROUND)
    if bare.casefold() in _WORDS:
        return True
    return _SENTENCE.match(bare) is not None and not any(bracket in bare for bracket in "[]{}")


# == grounding/items.py (primary)


Shape = Literal["json", "xml", "marks", "markdown", "lines"]
"""How answers are written: `<PER>Ada</PER>` is xml, `@@Ada##` marks, `[Ada](PER)` markdown, `PER: Ada` lines."""
TEXT_KEYS = ("text", "span", "mention", "name", "extraction_text", "word", "value", "entity")
"""Under which keys objects of JSON have the string of an item, the first one that is there."""
How = Literal["ok", "repaired", "salvaged", "unparsable"]
"""How an answer was read: as it stands, after a repair, in part, or not at all."""


class Item(NamedTuple):
    """A string that an answer names, its label, and the offsets that the answer itself gives.

    The label is spelled as the gold standard spells it, or stands as it was written if the gold standard has no such.
    """

    text: str
    label: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text that a model wrote with tags in it.

    `text` is what stands there without tags, `spans` are (start, end, label) in it, in the order in which they open.
    Tags without a partner are counted; they make no span.
    """

    text: str
    spans: tuple[tuple[int, int, str], ...]
    unclosed: int = 0
    unopened: int = 0


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What was read in an answer.

    `malformed` counts items without a label or a text, `skipped_lines` lines without a known label, `respelled` labels
    that the gold standard spells otherwise. An answer with tags has its spans in `marked` and no items.
    `has_several` is set for answers with several lists, of which the last complete one was read.
    """

    items: tuple[Item, ...] = ()
    how: How = "ok"
    malformed: int = 0
    skipped_lines: int = 0
    respelled: int = 0
    marked: MarkedText | None = None
    has_several: bool = False
