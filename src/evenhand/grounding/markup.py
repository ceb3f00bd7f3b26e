"""Markup in a text that a model wrote: where it is cut out, and which spans it stands around."""

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
"""In documents, whose tokens may be joined by blanks: `& quot ;`."""
_WORD = re.compile(r"\S+")


@dataclass(slots=True)
class Markup:
    """Markup in an answer, in offsets of the answer.

    `cuts` are (start, end, what stands in its place), `spans` (end of the opening mark, start of the closing one,
    label). `malformed` counts pairs of marks that say no label.
    """

    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    unclosed: int = 0
    unopened: int = 0
    malformed: int = 0


def without_markup(answer: str, markup: Markup, document: str) -> MarkedText:
    """The answer's text with its spans, which are stripped of white space; empty ones count as malformed.

    Entities such as `&amp;` are decoded, unless the document has some itself.
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
    """The answer without its cuts, and where the ends of these have moved."""
    pieces: list[str] = []
    moved: dict[int, int] = {}
    length = place = 0
    for start, end, instead in cuts:
        piece = decode(answer[place:start])
        pieces += piece, instead
        moved[start] = length + len(piece)
        length += len(piece) + len(instead)
        moved[end] = length
        place = end
    return "".join((*pieces, decode(answer[place:]))), moved


def _decoder(document: str) -> Callable[[str], str]:
    if "&" in document and any(_is_entity(f"&{match[1]};") for match in _TOKENIZED_ENTITY.finditer(document)):
        return str
    return lambda piece: _ENTITY.sub(lambda entity: html.unescape(entity[0]), piece) if "&" in piece else piece


def _is_entity(written: str) -> bool:
    return html.unescape(written) != written


# == grounding/xml_tags.py: Tags of XML or HTML: `<PER>Ada</PER>`, `<span class="PER">Ad


TAG = re.compile(r"<(?:(/?)([^\W\d_][\w.:-]{0,99})((?:[\s/][^<>]{0,1000})?)|![^<>]{0,1000})>")
"""A tag, with its name and attributes; a comment or a declaration has no name."""
_ATTRIBUTE = re.compile(r"""(?<![^\s"'/])([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_CARRIERS = frozenset({"span", "mark", "entity", "ent", "ne", "e", "tag", "annotation"})
"""Tags that carry a label in an attribute."""
_PLAIN_CARRIERS = frozenset({"span", "mark"})
"""Those of HTML itself, which may stand there without a label."""
_ATTRIBUTES = ("class", "type", "label", "data-label", "data-entity", "entity", "category", "name")
"""The attributes of a label, the first one counts."""
_BLOCKS = frozenset(
    {
        *("blockquote", "body", "br", "caption", "dd", "div", "dl", "dt", "figure", "footer", "h1", "h2"),
        *("h3", "h4", "h5", "h6", "head", "header", "hr", "html", "li", "main", "nav", "ol"),
        *("p", "pre", "section", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul"),
    }
)
"""HTML's own tags that part words."""
_HTML = _BLOCKS | {
    *("a", "abbr", "article", "aside", "b", "big", "center", "cite", "code", "del", "em", "font"),
    *("i", "img", "input", "ins", "kbd", "link", "meta", "q", "s", "samp", "script", "small"),
    *("strike", "strong", "style", "sub", "sup", "title", "tt", "u", "var", "wbr"),
}
_Open = tuple[int, str | None]
"""Where an opening tag ends, and its label."""


def xml_markup(answer: str, labels: KnownLabels, label: str | None, document: str) -> Markup:
    """The tags of an answer; a tag closes the last open one of its name. Tags that stand in the document are text."""
    markup = Markup()
    literal = {match[0] for match in TAG.finditer(document)} if "<" in document else set()
    open_tags: defaultdict[str, list[_Open]] = defaultdict(list)
    for match in TAG.finditer(answer):
        if match[0] in literal:
            continue
        name = (match[2] or "").casefold()
        is_own = not name or _is_html(match[2], labels)
        markup.cuts.append((match.start(), match.end(), "\n" if is_own and name in _BLOCKS else ""))
        if is_own or match[3].endswith("/"):
            continue
        if not match[1]:
            open_tags[name].append((match.end(), _label(match[2], match[3], labels, label)))
        elif open_tags[name]:
            _close(markup, name, open_tags[name].pop(), match.start())
        else:
            markup.unopened += 1
    markup.unclosed = sum(written is not None for opened in open_tags.values() for _, written in opened)
    return markup


def _close(markup: Markup, name: str, opened: _Open, place: int) -> None:
    start, written = opened
    if written is not None:
        markup.spans.append((start, place, written))
    elif name not in _PLAIN_CARRIERS:
        markup.malformed += 1


def _is_html(name: str, labels: KnownLabels) -> bool:
    """Whether this is a tag of HTML's own and no label; `<b>` is no label B."""
    if name.casefold() not in _HTML:
        return False
    return name not in labels.names if len(name) == 1 else labels.find(name) is None


def _label(name: str, attributes: str, labels: KnownLabels, label: str | None) -> str | None:
    """The label that a tag says, as it is written."""
    if name.casefold() not in _CARRIERS:
        return name
    values = {match[1].casefold(): match[2] or match[3] or match[4] or "" for match in _ATTRIBUTE.finditer(attributes)}
    written = next((values[key].strip() for key in _ATTRIBUTES if values.get(key, "").strip()), None)
    if written is None:
        return name if labels.find(name) is not None else label
    if labels.find(written) is None:  # one of several classes may be known
        return next((word for word in written.split() if labels.find(word) is not None), written)
    return written


# == grounding/brackets.py: Strings in brackets: `[Ada](PER)` of Markdown, `@@Ada##` of


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


# == grounding/tagged_text.py: Answers that repeat the text with tags in it.


def read_tagged(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> ReadAnswer:
    """The text of an answer and the spans that its tags mark; a fenced block counts alone, the last one if several."""
    blocks = [] if "```" in document else [block for block in fenced_blocks(answer) if block.strip()]
    answer = blocks[-1] if blocks else answer
    markup = _markup(answer, shape, labels, label, document)
    marked = without_markup(answer, markup, document)
    found = [labels.find(written) or written for _, _, written in marked.spans]
    respelled = sum(name != written for name, (_, _, written) in zip(found, marked.spans, strict=True))
    spans = tuple((start, end, name) for name, (start, end, _) in zip(found, marked.spans, strict=True))
    marked = MarkedText(marked.text, spans, marked.unclosed, marked.unopened)
    return ReadAnswer(malformed=markup.malformed, respelled=respelled, marked=marked)


def _markup(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> Markup:
    if shape == "xml":
        return xml_markup(answer, labels, label, document)
    if shape == "markdown":
        return markdown_markup(answer, labels, document)
    return marks_markup(answer, label, document)
