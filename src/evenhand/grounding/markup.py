"""Answers that repeat the text with markup: XML or HTML tags, Markdown links, and `@@…##` marks."""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import field

from evenhand.dataclass import dataclass
from evenhand.grounding.items import KnownLabels, MarkedText, ReadAnswer, Shape, fenced_blocks

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TOKENIZED_ENTITY = re.compile(r"& ?(#?[0-9A-Za-z]{1,32}) ?;")
"""An entity in a document, whose tokens may be joined by blanks: `& quot ;`."""
_WORD = re.compile(r"\S+")
TAG = re.compile(r"<(?:(/?)([^\W\d_][\w.:-]{0,99})((?:[\s/][^<>]{0,1000})?)|![^<>]{0,1000})>")
"""A tag, with its name and attributes; a comment or a declaration has no name."""
LINK = re.compile(r"\[[^\[\]\n]+\]\([^()\n]{1,200}\)")
_LINK_PARTS = re.compile(r"\[|\](?:\(([^()\n]{1,200})\))?")
_MARKS = re.compile("@@|##")
_ADDRESS = re.compile(r"\w+://|[/#]|www\.|mailto:")
"""The beginning of a link target that is not a label."""
_ATTRIBUTE = re.compile(r"""(?<![^\s"'/])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CARRIERS = frozenset({"span", "mark", "entity", "ent", "ne", "e", "tag", "annotation"})
"""Tags with the label in an attribute."""
_PLAIN_CARRIERS = frozenset({"span", "mark"})
"""HTML tags among these, which may have no label."""
_ATTRIBUTES = ("class", "type", "label", "data-label", "data-entity", "entity", "category", "name")
"""Attributes of a label, by priority."""
_BLOCKS = frozenset(
    {
        *("blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "figure", "footer", "h1", "h2"),
        *("h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
"""HTML tags that separate words."""
_HTML = _BLOCKS | {
    *("a", "abbr", "article", "aside", "b", "big", "center", "cite", "code", "del", "em", "font"),
    *("i", "img", "input", "ins", "kbd", "link", "meta", "q", "s", "samp", "script", "small"),
    *("strike", "strong", "style", "sub", "sup", "title", "tt", "u", "var", "wbr"),
}
_Open = tuple[int, str | None]
"""The end of an opening tag, and its label."""


@dataclass(slots=True)
class Markup:
    """Markup in an answer, in offsets of the answer.

    `cuts` are (start, end, replacement), `spans` (end of the opening mark, start of the closing one, label).
    `malformed` counts pairs of marks without a label.
    """

    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    unclosed: int = 0
    unopened: int = 0
    malformed: int = 0


def without_markup(answer: str, markup: Markup, document: str) -> MarkedText:
    """Return the answer's text with its spans, stripped of white space; empty spans count as malformed.

    Entities such as `&amp;` are decoded, unless the document contains entities.
    """
    text, moved = _cut(answer, sorted(markup.cuts), _decoder(document))
    words = [match.span() for match in _WORD.finditer(text)] if markup.spans else []
    starts, ends = [start for start, _ in words], [end for _, end in words]
    spans = []
    for start, end, label in sorted(markup.spans, key=lambda span: span[0]):
        first, last = bisect_right(ends, moved[start]), bisect_left(starts, moved[end]) - 1
        if first <= last and moved[start] < moved[end]:
            spans.append((max(moved[start], starts[first]), min(moved[end], ends[last]), label))
        else:
            markup.malformed += 1
    return MarkedText(text, tuple(spans), markup.unclosed, markup.unopened)


def _cut(answer: str, cuts: list[tuple[int, int, str]], decode: Callable[[str], str]) -> tuple[str, dict[int, int]]:
    """Return the answer without its cuts, and the new offsets of the bounds of cuts."""
    pieces: list[str] = []
    moved: dict[int, int] = {}
    length = done = 0
    for start, end, replacement in cuts:
        piece = decode(answer[done:start])
        pieces += piece, replacement
        moved[start] = length + len(piece)
        length += len(piece) + len(replacement)
        moved[end] = length
        done = end
    return "".join((*pieces, decode(answer[done:]))), moved


def _decoder(document: str) -> Callable[[str], str]:
    if "&" in document and any(
        html.unescape(entity := f"&{match[1]};") != entity for match in _TOKENIZED_ENTITY.finditer(document)
    ):
        return str
    return lambda piece: _ENTITY.sub(lambda entity: html.unescape(entity[0]), piece) if "&" in piece else piece


def xml_markup(answer: str, labels: KnownLabels, label: str | None, document: str) -> Markup:
    """Return the XML or HTML tags of an answer: `<PER>Ada</PER>`, `<span class="PER">Ada</span>`.

    An end tag closes the last open tag of its name. Tags that occur in the document are text.
    """
    markup = Markup()
    literal = {match[0] for match in TAG.finditer(document)} if "<" in document else set()
    open_tags: defaultdict[str, list[_Open]] = defaultdict(list)
    for match in TAG.finditer(answer):
        if match[0] in literal:
            continue
        name = (match[2] or "").casefold()
        is_html = not name or _is_html(match[2], labels)
        markup.cuts.append((match.start(), match.end(), "\n" if is_html and name in _BLOCKS else ""))
        if is_html or match[3].endswith("/"):
            continue
        if not match[1]:
            open_tags[name].append((match.end(), _label(match[2], match[3], labels, label)))
        elif open_tags[name]:
            _close(markup, name, open_tags[name].pop(), match.start())
        else:
            markup.unopened += 1
    markup.unclosed = sum(written is not None for opened in open_tags.values() for _, written in opened)
    return markup


def _close(markup: Markup, name: str, opened: _Open, end: int) -> None:
    start, written = opened
    if written is not None:
        markup.spans.append((start, end, written))
    elif name not in _PLAIN_CARRIERS:
        markup.malformed += 1


def _is_html(name: str, labels: KnownLabels) -> bool:
    """Whether this is an HTML tag, not a label; `<b>` is not the label B."""
    if name.casefold() not in _HTML:
        return False
    return name not in labels.names if len(name) == 1 else labels.find(name) is None


def _label(name: str, attributes: str, labels: KnownLabels, label: str | None) -> str | None:
    """Return the label of a tag, as written."""
    if name.casefold() not in _CARRIERS:
        return name
    values = {match[1].casefold(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(attributes)}
    written = next((values[key].strip() for key in _ATTRIBUTES if values.get(key, "").strip()), None)
    if written is None:
        return name if labels.find(name) is not None else label
    if labels.find(written) is None:  # one of several classes may be known
        return next((word for word in written.split() if labels.find(word) is not None), written)
    return written


def markdown_markup(answer: str, labels: KnownLabels, document: str) -> Markup:
    """Return the strings with labels of an answer, `[Ada](PER)`; other brackets and links to addresses are text."""
    markup = Markup()
    opened: list[re.Match[str]] = []
    for match in _LINK_PARTS.finditer(answer):
        if match[0] == "[":
            opened.append(match)
            continue
        label = (match[1] or "").strip()
        is_label = bool(label) and (
            labels.find(label) is not None or not (_ADDRESS.match(label) or match[0] in document)
        )
        if not opened:
            markup.unopened += is_label
            markup.cuts += [(*match.span(), "")] * is_label
        elif is_label:
            _pair(markup, opened.pop(), match, label)
        else:
            opened.pop()
    return _with_unclosed(markup, opened, document)


def marks_markup(answer: str, label: str | None, document: str) -> Markup:
    """Return the strings between marks, `@@Ada##`, which have the only requested label; without one, malformed."""
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
    """Count unclosed marks, unless the document contains such marks, so they may be text."""
    if opened and opened[0][0] not in document:
        markup.unclosed = len(opened)
        markup.cuts += [(*match.span(), "") for match in opened]
    return markup


def read_tagged(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> ReadAnswer:
    """Return the text of an answer and its marked spans; if there are fenced blocks, only the last one is read."""
    blocks = [] if "```" in document else [block for block in fenced_blocks(answer) if block.strip()]
    answer = blocks[-1] if blocks else answer
    if shape == "xml":
        markup = xml_markup(answer, labels, label, document)
    elif shape == "markdown":
        markup = markdown_markup(answer, labels, document)
    else:
        markup = marks_markup(answer, label, document)
    marked = without_markup(answer, markup, document)
    spans = tuple((start, end, labels.find(written) or written) for start, end, written in marked.spans)
    respelled = sum(span != written for span, written in zip(spans, marked.spans, strict=True))
    marked = MarkedText(marked.text, spans, marked.unclosed, marked.unopened)
    return ReadAnswer(malformed=markup.malformed, respelled=respelled, marked=marked)
