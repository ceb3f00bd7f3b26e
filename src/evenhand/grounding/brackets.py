"""Strings in brackets: `[Ada](PER)` of Markdown, `@@Ada##` of GPT-NER."""

from __future__ import annotations

import re

from evenhand.grounding.known_labels import KnownLabels
from evenhand.grounding.markup import Markup

LINK = re.compile(r"\[[^\[\]\n]+\]\([^()\n]{1,200}\)")
_LINK_PARTS = re.compile(r"\[|\](?:\(([^()\n]{1,200})\))?")
_MARKS = re.compile("@@|##")
_ADDRESS = re.compile(r"\w+://|[/#]|www\.|mailto:")
"""How the target of a link begins that is no label."""


def markdown_markup(answer: str, labels: KnownLabels, document: str) -> Markup:
    """The strings with a label behind them; other brackets are text, as are links to addresses."""
    markup = Markup()
    opened: list[re.Match[str]] = []
    for match in _LINK_PARTS.finditer(answer):
        if match[0] == "[":
            opened.append(match)
            continue
        label = (match[1] or "").strip()
        is_label = bool(label) and (labels.find(label) is not None or not _is_text(match[0], label, document))
        if not opened:
            markup.unopened += is_label
            markup.cuts += [(*match.span(), "")] * is_label
        elif is_label:
            _pair(markup, opened.pop(), match, label)
        else:
            opened.pop()
    return _with_unclosed(markup, opened, document)


def marks_markup(answer: str, label: str | None, document: str) -> Markup:
    """The strings between marks, which have the only label asked for; without one, they are malformed."""
    markup = Markup()
    opened: list[re.Match[str]] = []
    for match in _MARKS.finditer(answer):
        if match[0] == "@@":
            opened.append(match)
        elif opened and label is not None:
            _pair(markup, opened.pop(), match, label)
        elif opened:
            markup.cuts += (*opened.pop().span(), ""), (*match.span(), "")
            markup.malformed += 1
        elif match[0] not in document:
            markup.cuts.append((*match.span(), ""))
            markup.unopened += 1
    return _with_unclosed(markup, opened, document)


def _pair(markup: Markup, opening: re.Match[str], closing: re.Match[str], label: str) -> None:
    markup.cuts += (*opening.span(), ""), (*closing.span(), "")
    markup.spans.append((opening.end(), closing.start(), label))


def _with_unclosed(markup: Markup, opened: list[re.Match[str]], document: str) -> Markup:
    """The markup with openings that have no end, unless they may be text, as the document has such."""
    if opened and opened[0][0] not in document:
        markup.unclosed = len(opened)
        markup.cuts += [(*match.span(), "") for match in opened]
    return markup


def _is_text(closing: str, target: str, document: str) -> bool:
    return _ADDRESS.match(target) is not None or closing in document
