"""Read the answers of a language model: detect their format, and read lines, tables, and texts with markup.

No answer is an error; unreadable parts are counted. `json_answers` reads JSON.
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import islice

from evenhand.data.structures import Calls
from evenhand.dataclass import dataclass
from evenhand.grounding.items import (
    READINGS,
    How,
    Item,
    KnownLabels,
    MarkedText,
    ReadAnswer,
    Shape,
    fenced_blocks,
    says_nothing,
    without_thoughts,
)
from evenhand.grounding.json_answers import items_of, read_json

_SAMPLE = 20
"""Number of answers from which the format is detected."""
_TAG_NAME = re.compile(r"<(/?)([^\W\d_][\w.:-]{0,99})[\s>]")
_JSON = re.compile(r"""[\[{]\s*["'\[{\]}]""")
"""The beginning of JSON anywhere in an answer."""
_LINE = re.compile(
    r"^[^:\n]{1,100}:|\([^()\n]{1,100}\)[^\S\n]*$|^[^\S\n]*(?:[-*+•]|\d{1,4}[.)])[^\S\n]+\S", re.MULTILINE
)
_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\d{1,4}[.)])\s+")
_HASHES = re.compile(r"#{1,6}\s+")
_SEPARATOR = re.compile(r";|,(?=\s)")
"""Between strings: a comma only before white space, so 1,000 is one string."""
_TEXT_THEN_LABEL_IN_BRACKETS = re.compile(r"(.*\S)\s*\(([^()]*)\)[.,;]?")
_TEXT_THEN_LABEL = re.compile(r"(.*\S)(?::\s+|\s+(?:[-–—|=]|[-=]>|→)\s+)(\S.*)")
"""A text, a separator and a label."""
_TABLE_RULE = re.compile(r"^[^\S\n]*\|?[^\S\n]*:?-+:?[^\S\n]*(?:\|[^\S\n]*:?-+:?[^\S\n]*)+\|?[^\S\n]*$", re.MULTILINE)
"""The line below the header of a table."""
_CELLS = re.compile(r"(?<!\\)\|")
_TEXT_HEADS = frozenset({"text", "entity", "mention", "span", "name", "word", "string", "surface", "phrase", "value"})
_TEXT_HEADS |= {*("entitytext", "entityname", "namedentity", "surfaceform", "token", "term", "extraction")}
_MANY_HEADS = frozenset({"texts", "entities", "mentions", "spans", "names", "words", "strings", "namedentities"})
"""Headers of columns whose cells may hold several strings."""
_LABEL_HEADS = frozenset(
    {"label", "type", "category", "class", "tag", "entitytype", "entitylabel", "nertag", "nertype"}
)
_LABEL_HEADS |= {*("entitycategory", "entityclass", "namedentitytype", "types", "labels")}
_Labeled = tuple[str, list[str]]
"""The label of a line, as written, and its strings; a heading has none."""


def read_answer(answer: object, shape: Shape, labels: KnownLabels, label: str | None, text: str) -> ReadAnswer:
    """Return the items of an answer, or its text with tags.

    An answer is the text that a model wrote, or a decoded value or tool calls, whose shape does not matter. `label` is
    the only requested label, if there was one; `text` is the document.
    """
    if answer is None:
        return ReadAnswer()
    if isinstance(answer, Calls):
        return _join([_read_call(arguments, labels, label) for arguments in answer])
    if not isinstance(answer, str):
        return items_of([answer], labels, label)
    answer = without_thoughts(answer)
    if shape == "json":
        return read_json(answer, labels, label)
    if shape == "lines":
        return _read_lines(answer, labels, label)
    return _read_marked(answer, shape, labels, label, text)


def _read_call(arguments: object, labels: KnownLabels, label: str | None) -> ReadAnswer:
    if isinstance(arguments, str):
        return read_json(arguments, labels, label) if arguments.strip() else ReadAnswer()
    return items_of([arguments], labels, label)


def _join(parts: Sequence[ReadAnswer]) -> ReadAnswer:
    """Join the parts of one answer; the worst part determines how it was read."""
    return ReadAnswer(
        tuple(item for part in parts for item in part.items),
        max((part.how for part in parts), key=READINGS.index, default="ok"),
        sum(part.malformed for part in parts),
        respelled=sum(part.respelled for part in parts),
    )


def shape_of(answers: Iterable[object]) -> Shape:
    """Detect the format of the first 20 answers.

    It is JSON if most answers are decoded or begin with a bracket, ignoring fences; otherwise the first of xml, marks,
    markdown and lines that occurs. Answers with JSON after a preamble are JSON rather than lines. Answers that mean
    "nothing" do not count; JSON is the default.
    """
    first = [answer for answer in islice(answers, _SAMPLE) if answer is not None]
    written = [without_thoughts(answer) for answer in first if isinstance(answer, str)]
    decoded = len(first) - len(written)
    written = [answer for answer in written if answer.strip() and not says_nothing(answer)]
    half = (decoded + len(written)) / 2
    if decoded + sum(map(_begins_json, written)) > half:
        return "json"
    if any(map(_has_tags, written)):
        return "xml"
    if any(-1 < answer.find("@@") < answer.rfind("##") for answer in written):
        return "marks"
    if any(map(_LINK.search, written)):
        return "markdown"
    if decoded + sum(_JSON.search(answer) is not None for answer in written) > half:
        return "json"
    return "lines" if any(_LINE.search(answer) or _TABLE_RULE.search(answer) for answer in written) else "json"


def _begins_json(answer: str) -> bool:
    """Whether the answer or one of its fenced blocks begins with a bracket, but not with a Markdown link."""
    starts = (block.lstrip() for block in (answer, *fenced_blocks(answer)))
    return any(start[:1] in ("[", "{") and not _LINK.match(start) for start in starts)


def _has_tags(answer: str) -> bool:
    names: dict[str, set[str]] = {"": set(), "/": set()}
    for match in _TAG_NAME.finditer(answer):
        names[match[1]].add(match[2].casefold())
    return not names[""].isdisjoint(names["/"])


def _read_lines(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """Return the items of an answer in lines: `PER: Ada, Grace`, `Ada (PER)`, `Ada: PER`, bullets or tables.

    Lines without a known label are skipped and counted. A line with a bullet or a number needs no label below a heading
    (a line with only a label), or if one label was requested. Labels in tables need not be known, because the header
    identifies their column. An answer with only tables or bullets without labels cannot be read.
    """
    items: list[Item] = []
    skipped = respelled = 0
    rows, answer = _tables(answer) if _TABLE_RULE.search(answer) else ([], answer)
    for line in (*rows, *_labeled_lines(answer, labels, label)):
        if line is None:
            skipped += 1
            continue
        written, strings = line
        known = labels.find(written) or written
        texts = [string for string in strings if string and not says_nothing(string)]
        respelled += len(texts) * (known != written)
        items += [Item(string, known) for string in texts]
    is_list = any(row is None for row in rows) or any(map(_BULLET.match, answer.splitlines()))
    how: How = "unparsable" if skipped and not items and is_list else "ok"
    return ReadAnswer(tuple(items), how, skipped_lines=skipped, respelled=respelled)


def _tables(answer: str) -> tuple[list[_Labeled | None], str]:
    """Return the rows of tables (None in tables without columns of texts and labels) and the other lines."""
    rows: list[_Labeled | None] = []
    lines, others = answer.splitlines(), list[str]()
    columns: tuple[int, int, bool] | None = None
    width = 0  # of the table that contains the line
    for line, next_line in zip(lines, [*lines[1:], ""], strict=True):
        cells = _cells(line)
        if _TABLE_RULE.fullmatch(next_line) and len(cells) == len(_cells(next_line)):
            width, columns = len(cells), _columns(cells)
        elif width and _TABLE_RULE.fullmatch(line):
            continue
        elif width and "|" in line and len(cells) == width:
            rows.append(_row(cells, columns))
        else:
            width = 0
            others.append(line)
    return rows, "\n".join(others)


def _cells(line: str) -> list[str]:
    """Return the cells of a row without emphasis."""
    cells = [cell.replace("\\|", "|").replace("**", "").strip(" \t`*") for cell in _CELLS.split(line.strip())]
    return cells[not cells[0] : len(cells) - (len(cells) > 1 and not cells[-1])]


def _columns(heads: list[str]) -> tuple[int, int, bool] | None:
    """Return the columns of texts and labels by their headers, and whether a cell may hold several texts."""
    folded = ["".join(filter(str.isalnum, head.casefold())) for head in heads]
    texts = [column for column, head in enumerate(folded) if head in _TEXT_HEADS | _MANY_HEADS]
    labels = [column for column, head in enumerate(folded) if head in _LABEL_HEADS]
    return (texts[0], labels[0], folded[texts[0]] in _MANY_HEADS) if len(texts) == len(labels) == 1 else None


def _row(cells: list[str], columns: tuple[int, int, bool] | None) -> _Labeled | None:
    if columns is None:
        return None
    text, label, has_many = columns
    strings = _SEPARATOR.split(cells[text]) if has_many else [cells[text]]
    return (cells[label], [string.strip() for string in strings]) if cells[label] else None


def _labeled_lines(answer: str, labels: KnownLabels, label: str | None) -> Iterator[_Labeled | None]:
    """Yield the lines with content, None for lines without a label."""
    heading = label
    for line in answer.splitlines():
        bullet = _BULLET.match(line)
        content = line[bullet.end() if bullet else 0 :].replace("**", "").strip()
        if not content or content.startswith("```") or says_nothing(content):
            continue
        labeled = _labeled(content, labels)
        if labeled is None and bullet and heading is not None:
            labeled = heading, [content]
        else:
            heading = labeled[0] if labeled and not labeled[1] else label
        yield labeled


def _labeled(line: str, labels: KnownLabels) -> _Labeled | None:
    label, _, strings = line.partition(":")
    label = _HASHES.sub("", label, count=1).strip()
    if labels.find(label) is not None:
        return label, [string.strip() for string in _SEPARATOR.split(strings)] if strings.strip() else []
    match = _TEXT_THEN_LABEL_IN_BRACKETS.fullmatch(line)
    if match and labels.find(match[2].strip()) is not None:
        return match[2].strip(), [match[1]]
    match = _TEXT_THEN_LABEL.fullmatch(line)
    if match and labels.find(match[2].strip(" .,;`")) is not None:
        return match[2].strip(" .,;`"), [match[1].strip("`")]
    return None


# Markup: answers that repeat the text with XML or HTML tags, Markdown links, or `@@…##` marks


_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TOKENIZED_ENTITY = re.compile(r"& ?(#?[0-9A-Za-z]{1,32}) ?;")
"""An entity in a document, whose tokens may be joined by blanks: `& quot ;`."""
_WORD = re.compile(r"\S+")
_TAG = re.compile(r"<(?:(/?)([^\W\d_][\w.:-]{0,99})((?:[\s/][^<>]{0,1000})?)|![^<>]{0,1000})>")
"""A tag, with its name and attributes; a comment or a declaration has no name."""
_LINK = re.compile(r"\[[^\[\]\n]+\]\([^()\n]{1,200}\)")
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
class _Markup:
    """Markup in an answer, in offsets of the answer.

    `cuts` are (start, end, replacement), `spans` (end of the opening mark, start of the closing one, label).
    `malformed` counts pairs of marks without a label.
    """

    cuts: list[tuple[int, int, str]] = field(default_factory=list)
    spans: list[tuple[int, int, str]] = field(default_factory=list)
    unclosed: int = 0
    unopened: int = 0
    malformed: int = 0


def _read_marked(answer: str, shape: Shape, labels: KnownLabels, label: str | None, document: str) -> ReadAnswer:
    """Return the text of an answer and its marked spans; if there are fenced blocks, only the last one is read.

    Spans are stripped of white space; empty ones count as malformed. Entities such as `&amp;` are decoded, unless the
    document contains entities.
    """
    blocks = [] if "```" in document else [block for block in fenced_blocks(answer) if block.strip()]
    answer = blocks[-1] if blocks else answer
    if shape == "xml":
        markup = _xml_markup(answer, labels, label, document)
    elif shape == "markdown":
        markup = _markdown_markup(answer, labels, document)
    else:
        markup = _marks_markup(answer, label, document)
    text, moved = _cut(answer, sorted(markup.cuts), _decoder(document))
    words = [match.span() for match in _WORD.finditer(text)] if markup.spans else []
    starts, ends = [start for start, _ in words], [end for _, end in words]
    spans, respelled = list[tuple[int, int, str]](), 0
    for start, end, written in sorted(markup.spans, key=lambda span: span[0]):
        first, last = bisect_right(ends, moved[start]), bisect_left(starts, moved[end]) - 1
        if first <= last and moved[start] < moved[end]:
            known = labels.find(written) or written
            respelled += known != written
            spans.append((max(moved[start], starts[first]), min(moved[end], ends[last]), known))
        else:
            markup.malformed += 1
    marked = MarkedText(text, tuple(spans), markup.unclosed, markup.unopened)
    return ReadAnswer(malformed=markup.malformed, respelled=respelled, marked=marked)


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


def _xml_markup(answer: str, labels: KnownLabels, label: str | None, document: str) -> _Markup:
    """Return the XML or HTML tags of an answer: `<PER>Ada</PER>`, `<span class="PER">Ada</span>`.

    An end tag closes the last open tag of its name. Tags that occur in the document are text.
    """
    markup = _Markup()
    literal = {match[0] for match in _TAG.finditer(document)} if "<" in document else set()
    open_tags: defaultdict[str, list[_Open]] = defaultdict(list)
    for match in _TAG.finditer(answer):
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
            start, written = open_tags[name].pop()
            if written is not None:
                markup.spans.append((start, match.start(), written))
            elif name not in _PLAIN_CARRIERS:
                markup.malformed += 1
        else:
            markup.unopened += 1
    markup.unclosed = sum(written is not None for opened in open_tags.values() for _, written in opened)
    return markup


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


def _markdown_markup(answer: str, labels: KnownLabels, document: str) -> _Markup:
    """Return the strings with labels of an answer, `[Ada](PER)`; other brackets and links to addresses are text."""
    markup = _Markup()
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


def _marks_markup(answer: str, label: str | None, document: str) -> _Markup:
    """Return the strings between marks, `@@Ada##`, which have the only requested label; without one, malformed."""
    markup = _Markup()
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


def _pair(markup: _Markup, opening: re.Match[str], closing: re.Match[str], label: str) -> None:
    markup.cuts += (*opening.span(), ""), (*closing.span(), "")
    markup.spans.append((opening.end(), closing.start(), label))


def _with_unclosed(markup: _Markup, opened: list[re.Match[str]], document: str) -> _Markup:
    """Count unclosed marks, unless the document contains such marks, so they may be text."""
    if opened and opened[0][0] not in document:
        markup.unclosed = len(opened)
        markup.cuts += [(*match.span(), "") for match in opened]
    return markup
