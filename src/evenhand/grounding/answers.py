"""What a language model wrote, as items. Nothing that it writes is an error: what cannot be read is counted."""

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

# == grounding/lines.py: Answers in lines: `PER: Ada, Grace`, `Ada (PER)`, `Ada: PER`


_BULLET = re.compile(r"\s*(?:[-*+•‣◦–]|\(?\d{1,4}[.)])\s+")
_HASHES = re.compile(r"#{1,6}\s+")
_FENCE = "```"
_SEPARATOR = re.compile(r";|,(?=\s)")
"""Between strings: a comma only before white space, so that 1,000 is one string."""
_LABEL_BEHIND = re.compile(r"(.*\S)\s*\(([^()]*)\)[.,;]?")
_TEXT_BEFORE = re.compile(r"(.*\S)(?::\s+|\s+(?:[-–—|=]|[-=]>|→)\s+)(\S.*)")
"""A text, a separator and a label."""
TABLE_RULE = re.compile(r"^[^\S\n]*\|?[^\S\n]*:?-+:?[^\S\n]*(?:\|[^\S\n]*:?-+:?[^\S\n]*)+\|?[^\S\n]*$", re.MULTILINE)
"""The line below the head of a table."""
_CELLS = re.compile(r"(?<!\\)\|")
_TEXT_HEADS = frozenset({"text", "entity", "mention", "span", "name", "word", "string", "surface", "phrase", "value"})
_TEXT_HEADS |= {*("entitytext", "entityname", "namedentity", "surfaceform", "token", "term", "extraction")}
_MANY_HEADS = frozenset({"texts", "entities", "mentions", "spans", "names", "words", "strings", "namedentities"})
"""Heads of columns whose cells may name several strings."""
_LABEL_HEADS = frozenset(
    {"label", "type", "category", "class", "tag", "entitytype", "entitylabel", "nertag", "nertype"}
)
_LABEL_HEADS |= {*("entitycategory", "entityclass", "namedentitytype", "types", "labels")}
_Labeled = tuple[str, list[str]]
"""The label of a line, as it is written, and the strings that have it; none in a heading."""


def read_lines(answer: str, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of an answer in lines; lines without a known label are skipped and counted.

    A line with a bullet or a number in front needs no label below a heading, which is a label alone, or where one label
    is asked for. The labels of tables need not be known, as the head of a column tells them. An answer that is only
    tables or bullets without labels cannot be read.
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
    """The rows of tables, None for those of tables without columns of texts and labels; and the other lines."""
    found: list[_Labeled | None] = []
    lines, others = answer.splitlines(), list[str]()
    columns: tuple[int, int, bool] | None = None
    width = 0  # of the table that a line belongs to
    for at, line in enumerate(lines):
        cells = _cells(line)
        if at + 1 < len(lines) and TABLE_RULE.fullmatch(lines[at + 1]) and len(cells) == len(_cells(lines[at + 1])):
            width, columns = len(cells), _columns(cells)
        elif width and TABLE_RULE.fullmatch(line):
            continue
        elif width and "|" in line and len(cells) == width:
            found.append(_row(cells, columns))
        else:
            width = 0
            others.append(line)
    return found, "\n".join(others)


def _cells(line: str) -> list[str]:
    """The cells of a row, without marks of emphasis."""
    cells = [cell.replace("\\|", "|").replace("**", "").strip(" \t`*") for cell in _CELLS.split(line.strip())]
    return cells[not cells[0] : len(cells) - (len(cells) > 1 and not cells[-1])]


def _columns(heads: list[str]) -> tuple[int, int, bool] | None:
    """The places of texts and labels by the heads of a table, and whether a cell may have several texts."""
    folded = ["".join(filter(str.isalnum, head.casefold())) for head in heads]
    texts = [at for at, head in enumerate(folded) if head in _TEXT_HEADS | _MANY_HEADS]
    labels = [at for at, head in enumerate(folded) if head in _LABEL_HEADS]
    return (texts[0], labels[0], folded[texts[0]] in _MANY_HEADS) if len(texts) == len(labels) == 1 else None


def _row(cells: list[str], columns: tuple[int, int, bool] | None) -> _Labeled | None:
    if columns is None:
        return None
    text, label, has_many = columns
    strings = _SEPARATOR.split(cells[text]) if has_many else [cells[text]]
    return (cells[label], [string.strip() for string in strings]) if cells[label] else None


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
    before = _TEXT_BEFORE.fullmatch(line)
    if before and labels.find(before[2].strip(" .,;`")) is not None:
        return before[2].strip(" .,;`"), [before[1].strip("`")]
    return None


# == grounding/shapes.py: Which shape answers have, seen from the first of them.


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


# == grounding/answers.py (primary)


__all__ = ["read_answer", "shape_of"]


def read_answer(answer: object, shape: Shape, labels: KnownLabels, label: str | None, text: str) -> ReadAnswer:
    """The items of an answer, or its text with tags.

    An answer is the text that a model wrote, or a decoded value or tool calls, which have no shape. `label` is the only
    label asked for, if there was one; `text` is the document.
    """
    if answer is None:
        return ReadAnswer()
    if isinstance(answer, Calls):
        return _joined([_called(each, labels, label) for each in answer])
    if not isinstance(answer, str):
        return items_of([answer], labels, label)
    answer = without_thoughts(answer)
    if shape == "json":
        return read_json(answer, labels, label)
    if shape == "lines":
        return read_lines(answer, labels, label)
    return read_tagged(answer, shape, labels, label, text)


def _called(arguments: object, labels: KnownLabels, label: str | None) -> ReadAnswer:
    """The items of a tool call, whose arguments are JSON or decoded."""
    if isinstance(arguments, str):
        return read_json(arguments, labels, label) if arguments.strip() else ReadAnswer()
    return items_of([arguments], labels, label)


def _joined(parts: Sequence[ReadAnswer]) -> ReadAnswer:
    """Parts of one answer, which was read as well as the worst of them."""
    return ReadAnswer(
        tuple(item for part in parts for item in part.items),
        max((part.how for part in parts), key=READINGS.index, default="ok"),
        sum(part.malformed for part in parts),
        respelled=sum(part.respelled for part in parts),
    )
