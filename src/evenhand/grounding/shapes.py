"""Which shape answers have, seen from the first of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from evenhand.grounding.brackets import LINK
from evenhand.grounding.fences import fenced_blocks, without_thoughts
from evenhand.grounding.items import Shape
from evenhand.grounding.lines import TABLE_RULE
from evenhand.grounding.phrases import says_nothing

FIRST = 20
"""How many answers are looked at."""
_TAG_NAME = re.compile(r"<(/?)([^\W\d_][\w.:-]{0,99})[\s>]")
_JSON = re.compile(r"""[\[{]\s*["'\[{\]}]""")
"""How JSON begins, wherever it stands."""
_LINE = re.compile(
    r"^[^:\n]{1,100}:|\([^()\n]{1,100}\)[^\S\n]*$|^[^\S\n]*(?:[-*+•]|\d{1,4}[.)])[^\S\n]+\S", re.MULTILINE
)


def shape_of(answers: Iterable[object]) -> Shape:
    """The shape of the first 20 answers.

    JSON, if most are decoded or begin with a bracket, fences aside; else the first of xml, marks, markdown and lines
    that occurs. Answers with JSON behind a preamble are JSON rather than lines. Answers that say that there is nothing
    do not count; JSON is the shape if nothing else is seen.
    """
    telling = [answer for answer in islice(answers, FIRST) if answer is not None]
    written = [without_thoughts(answer) for answer in telling if isinstance(answer, str)]
    decoded = len(telling) - len(written)
    written = [answer for answer in written if answer.strip() and not says_nothing(answer)]
    most = (decoded + len(written)) / 2
    if decoded + sum(map(_begins_json, written)) > most:
        return "json"
    if any(map(_has_tags, written)):
        return "xml"
    if any(map(_has_marks, written)):
        return "marks"
    if any(map(LINK.search, written)):
        return "markdown"
    if decoded + sum(_JSON.search(answer) is not None for answer in written) > most:
        return "json"
    has_lines = any(_LINE.search(answer) or TABLE_RULE.search(answer) for answer in written)
    return "lines" if has_lines else "json"


def _begins_json(answer: str) -> bool:
    """Whether the answer or a fenced block of it begins with a bracket that is none of Markdown's."""
    starts = (block.lstrip() for block in (answer, *fenced_blocks(answer)))
    return any(start[:1] in ("[", "{") and not LINK.match(start) for start in starts)


def _has_tags(answer: str) -> bool:
    """Whether a tag is opened and closed."""
    names: dict[str, set[str]] = {"": set(), "/": set()}
    for match in _TAG_NAME.finditer(answer):
        names[match[1]].add(match[2].casefold())
    return not names[""].isdisjoint(names["/"])


def _has_marks(answer: str) -> bool:
    return -1 < answer.find("@@") < answer.rfind("##")
