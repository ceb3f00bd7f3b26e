"""Recognition: which format a file has, by its path and its first lines.

Every format says how sure it is. A file that none is sure of is read in the format that its task falls back to, unless
it looks like something that Evenhand does not read: then a sentence says what it is, and what to do.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice

from evenhand.formats.conllu_layout import share_of_words
from evenhand.formats.format import Format
from evenhand.formats.parsing.table_head import ROWS, numbered_rows, rows_of_sample
from evenhand.formats.registry import FORMATS, by_precedence, format_named, in_order, serving
from evenhand.formats.source import Block, Source

SURE = 0.5
"""From which confidence on a format is taken for a file's."""
_LFS_POINTER = b"version https://git-lfs"
_NUMBER = re.compile(r"[0-9]+")
_DELIMITERS = {",": "commas", ";": "semicolons"}
_MOST = 0.8
"""Which share of lines must be alike."""
_IF_COLUMNS = "write it in a format that Evenhand reads, or say --format conll if it is a column file"
_ANSWER = "or --format system:extractions if a language model wrote it"
_SPANS = "a span table has label, first token and last token (inclusive, counted from 1)"


def recognise(source: Source, name: str | None, task: str | None = None) -> tuple[Format, float]:
    """The format of a file, and how much of its first lines fits: 1 where somebody named it, or the path shows it."""
    with source.located():
        if name is not None:
            return _named(source, name, task), 1.0
        asked = []
        for each in in_order():  # which are loaded one by one: a path may tell at once
            serves = task is None or task in each.tasks
            if each.is_table and not serves:
                continue
            if each.certain is not None and each.certain(source, task):
                return serving_format(source, each, task), 1.0
            asked += [(each, serves)] if each.recognise is not None else []
        own = [each for each, serves in asked if serves]
        if task is not None and len(own) == 1:
            return own[0], 1.0
        return _by_content(source, [*own, *(each for each, serves in asked if not serves)], task)


def _named(source: Source, name: str, task: str | None) -> Format:
    found = format_named(name)
    if task is not None and task not in found.tasks:
        remedy = f"name one of these with --format: {', '.join(serving(task))}"
        raise source.error(None, f"files in {name} hold no {task}", remedy)
    return found


def serving_format(source: Source, found: Format, task: str | None) -> Format:
    """The format, if it serves the task."""
    if task is not None and task not in found.tasks:
        finding = f"is read as {found.name}, which has no {task}"
        raise source.error(None, finding, "leave out the task, or name another format")
    return found


def _by_content(source: Source, formats: list[Format], task: str | None) -> tuple[Format, float]:
    """The format that is surest of the first lines; those that serve the task come first."""
    sample = source.sample(1 << 12)
    first = sample.data.lstrip()[:1]
    sure: dict[str, float] = {}
    for each in formats:
        if each.recognise is not None and (each.begins is None or first in each.begins):
            sure[each.name] = each.recognise(sample)
    best = max(sure, key=lambda name: sure[name], default="")
    if sure.get(best, 0.0) >= SURE:
        return serving_format(source, FORMATS[best], task), sure[best]
    _refuse(source, sample)
    fallback = next((each for each in by_precedence() if task in each.fallback), None)
    if fallback is None:
        remedy = f"name one of these with --format: {', '.join(serving(task or ''))}"
        raise source.error(None, f"the file is in no format that holds {task}", remedy)
    return fallback, 1.0


def _refuse(source: Source, sample: Block) -> None:
    """Raise an error if the first lines of a file look like something that is not read."""
    text = sample.data[: sample.size].lstrip()
    line = sample.first_line + sample.data[: sample.size - len(text)].count(b"\n")
    if text.startswith(_LFS_POINTER):
        raise source.error(line, "the file is a Git LFS pointer, not the data itself", "run: git lfs pull")
    if text.startswith(b"<"):
        raise source.error(line, "the file begins with '<', so it looks like HTML or XML", f"{_IF_COLUMNS}, {_ANSWER}")
    if text.startswith((b"{", b"[")):
        finding = f"the file begins with {text[:1].decode()!r}, but it is no JSON that Evenhand reads"
        raise source.error(line, finding, _IF_COLUMNS)
    if share_of_words(sample, tabs=False) >= _MOST:
        remedy = "write tabs, or say --format conllx, which takes both"
        raise source.error(line, "the file looks like CoNLL-U with blanks between its columns", remedy)
    numbered = [cells for _, _, cells in numbered_rows(sample)]
    if numbered and sum(map(_is_start_end_label, numbered)) >= _MOST * len(rows_of_sample(sample)):
        finding = "the file looks like a table of start, end and label"
        raise source.error(line, finding, f"put the columns in another order: {_SPANS}")
    delimiter = _delimiter(sample)
    if delimiter is not None:
        finding = f"the columns look separated by {_DELIMITERS[delimiter]}"
        raise source.error(line, finding, "separate them with tabs, without quotation marks")


def _is_start_end_label(cells: list[str]) -> bool:
    if len(cells) not in (3, 4) or _NUMBER.fullmatch(cells[0]) is None:
        return False
    return _NUMBER.fullmatch(cells[1]) is not None and _NUMBER.fullmatch(cells[2]) is None


def _delimiter(sample: Block) -> str | None:
    """The comma or semicolon that separates columns: most lines have no blank, and as many of them."""
    lines = list(islice(filter(str.strip, sample.data[: sample.size].decode().split("\n")), ROWS))
    if any("\t" in line for line in lines) or sum(" " not in line.strip() for line in lines) <= len(lines) / 2:
        return None
    for delimiter in _DELIMITERS:
        try:
            widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter))
        except csv.Error:  # a cell longer than any table has
            return None
        (width, count), *_ = widths.most_common(1)
        if width > 1 and count >= _MOST * len(lines):
            return delimiter
    return None
