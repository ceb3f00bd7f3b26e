"""Read the answers of a language model: detect their format, and read lines and tables.

No answer is an error; unreadable parts are counted. JSON is in `json_answers.py`, tags are in `markup.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from evenhand.data.structures import Calls
from evenhand.grounding.items import (
    READINGS,
    How,
    Item,
    KnownLabels,
    ReadAnswer,
    Shape,
    fenced_blocks,
    says_nothing,
    without_thoughts,
)
from evenhand.grounding.json_answers import items_of, read_json
from evenhand.grounding.markup import LINK, read_tagged

__all__ = ["read_answer", "shape_of"]

SAMPLE = 20
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
TABLE_RULE = re.compile(r"^[^\S\n]*\|?[^\S\n]*:?-+:?[^\S\n]*(?:\|[^\S\n]*:?-+:?[^\S\n]*)+\|?[^\S\n]*$", re.MULTILINE)
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
        return read_lines(answer, labels, label)
    return read_tagged(answer, shape, labels, label, text)


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
    first = [answer for answer in islice(answers, SAMPLE) if answer is not None]
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
    if any(map(LINK.search, written)):
        return "markdown"
    if decoded + sum(_JSON.search(answer) is not None for answer in written) > half:
        return "json"
    return "lines" if any(_LINE.search(answer) or TABLE_RULE.search(answer) for answer in written) else "json"


def _begins_json(answer: str) -> bool:
    """Whether the answer or one of its fenced blocks begins with a bracket, but not with a Markdown link."""
    starts = (block.lstrip() for block in (answer, *fenced_blocks(answer)))
    return any(start[:1] in ("[", "{") and not LINK.match(start) for start in starts)


def _has_tags(answer: str) -> bool:
    names: dict[str, set[str]] = {"": set(), "/": set()}
    for match in _TAG_NAME.finditer(answer):
        names[match[1]].add(match[2].casefold())
    return not names[""].isdisjoint(names["/"])


def read_lines(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """Return the items of an answer in lines: `PER: Ada, Grace`, `Ada (PER)`, `Ada: PER`, bullets or tables.

    Lines without a known label are skipped and counted. A line with a bullet or a number needs no label below a heading
    (a line with only a label), or if one label was requested. Labels in tables need not be known, because the header
    identifies their column. An answer with only tables or bullets without labels cannot be read.
    """
    items: list[Item] = []
    skipped = respelled = 0
    rows, answer = _tables(answer) if TABLE_RULE.search(answer) else ([], answer)
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
        if TABLE_RULE.fullmatch(next_line) and len(cells) == len(_cells(next_line)):
            width, columns = len(cells), _columns(cells)
        elif width and TABLE_RULE.fullmatch(line):
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
