"""Recognition: which format a file has, by its path and its first lines.

Every format says how sure it is. A file that none is sure of is read in the format that its task falls back to, unless
it looks like something that Evenhand does not read: then a sentence says what it is, and what to do.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from itertools import islice

from evenhand.formats.conllu_layout import share_of_words
from evenhand.formats.format import Format
from evenhand.formats.parsing.table_head import ROWS, numbered_rows, rows_of_sample
from evenhand.formats.registry import FORMATS, by_precedence, format_named, in_order, serving
from evenhand.formats.source import Block, Source
from evenhand.formats.text_formats import DELIMITERS, short_lines
from evenhand.text.encodings import OUTSIDE_TAGS, SEPARATORS, parse

SURE = 0.5
"""From which confidence on a format is taken for a file's."""
_LFS_POINTER = b"version https://git-lfs"
_NUMBER = re.compile(r"[0-9]+")
_WEBANNO_TOKEN = re.compile(r"[0-9]+-[0-9]+")
_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
_ITEM = re.compile(
    r"(?:[-*+•–]|[0-9]+[.)])\s+(?:\S.*(?::|->|→|=>|=| - | – )\s*\S.*|.*\S\s*[(\[][^()\[\]]+[)\]]|\S+\s+\S+)[.,;]?"
)
_BETWEEN = re.compile(r"\t| *\|\|\| *| *=> *| *<=> *")
_JOINED = re.compile(rf".+[/|_\\](?:O|[BIESLUMW][{re.escape(SEPARATORS)}][^/|\\]+)")
_MOST = 0.8
"""Which share of lines must be alike."""
_IF_COLUMNS = "write it in a format that Evenhand reads, or say --format conll if it is a column file"
_ANSWER = "or --format system:extractions if a language model wrote it"
_MARKUP: tuple[tuple[str, tuple[bytes, ...], str], ...] = (
    ("BioC XML", (b"<collection", b"BioC.dtd"), "convert it to BioC JSON or PubTator"),
    ("UIMA CAS XMI", (b"<xmi:XMI", b"xmlns:xmi", b"http://www.omg.org/XMI"), "export WebAnno TSV 3 instead"),
    ("TEI", (b"<TEI", b"http://www.tei-c.org"), "write one token and its tag per line"),
)
"""What files that begin with `<` are, how to tell, and what to do."""
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
        raise source.error(line, *_markup(text))
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
    if numbered and all(_WEBANNO_TOKEN.fullmatch(cells[0]) for cells in numbered):
        finding = "the file looks like WebAnno TSV 1 or 2"
        raise source.error(line, finding, "export the document again as WebAnno TSV 3")
    delimiter = _delimiter(sample)
    if delimiter is not None:
        finding = f"the columns look separated by {DELIMITERS[delimiter]}"
        remedy = "separate them with tabs, without quotation marks, or name them in the first line (Word,Tag)"
        raise source.error(line, finding, remedy)
    lines = short_lines(sample)
    for finding, remedy, fits in _LAYOUTS:
        if fits(lines):
            raise source.error(line, f"the file looks like {finding}", remedy)


def _markup(text: bytes) -> tuple[str, str]:
    """What a file that begins with `<` is, and what to do."""
    for name, marks, remedy in _MARKUP:
        if any(mark in text for mark in marks):
            return f"the file is {name}, which Evenhand does not read", remedy
    return "the file begins with '<', so it looks like HTML or XML", f"{_IF_COLUMNS}, {_ANSWER}"


def _is_start_end_label(cells: list[str]) -> bool:
    if len(cells) not in (3, 4) or _NUMBER.fullmatch(cells[0]) is None:
        return False
    return _NUMBER.fullmatch(cells[1]) is not None and _NUMBER.fullmatch(cells[2]) is None


def _delimiter(sample: Block) -> str | None:
    """The comma or semicolon that separates columns: most lines have no blank, and as many of them."""
    lines = list(islice(filter(str.strip, sample.data[: sample.size].decode().split("\n")), ROWS))
    if any("\t" in line for line in lines) or sum(" " not in line.strip() for line in lines) <= len(lines) / 2:
        return None
    for delimiter in DELIMITERS:
        try:
            widths = Counter(len(cells) for cells in csv.reader(lines, delimiter=delimiter))
        except csv.Error:  # a cell longer than any table has
            return None
        (width, count), *_ = widths.most_common(1)
        if width > 1 and count >= _MOST * len(lines):
            return delimiter
    return None


def _is_tag(word: str) -> bool:
    return word in OUTSIDE_TAGS or (parse(word) is not None and len(word) > 2)


def _are_tags(words: list[str]) -> bool:
    """Whether all words are tags, some of them with a label."""
    return bool(words) and all(map(_is_tag, words)) and any(len(word) > 2 for word in words)


def _is_markdown(lines: list[str]) -> bool:
    """A table of Markdown: most lines begin with a bar, and one is of hyphens."""
    rows = [line.strip() for line in lines if line.strip().startswith("|")]
    return len(rows) >= _MOST * len(lines) and any(map(_RULE.fullmatch, rows))


def _is_list(lines: list[str]) -> bool:
    """A list with bullets or numbers, each item with a label behind a colon, dash or arrow, or in brackets."""
    items = [line for line in lines if _ITEM.fullmatch(line.strip()) is not None]
    return len(items) > len(lines) / 2


def _is_fenced(lines: list[str]) -> bool:
    return bool(lines) and lines[0].strip().startswith("```")


def _is_sentence_with_tags(lines: list[str]) -> bool:
    """A sentence and its tags on one line, with a tab or bars between."""
    found = 0
    for line in lines:
        parts = _BETWEEN.split(line.strip())
        words, tags = (parts[0].split(), parts[1].split()) if len(parts) == 2 else ([], [])
        found += len(words) > 1 and len(words) == len(tags) and all(map(_is_tag, tags)) and not _are_tags(words)
    return found > len(lines) / 2


def _is_alternating(lines: list[str]) -> bool:
    """A line with a sentence, a line with as many tags, and so on."""
    rows = [line.split() for line in lines if "\t" not in line]
    if len(rows) < len(lines) or max(map(len, rows), default=0) < 3:
        return False
    pairs = list(zip(rows[::2], rows[1::2], strict=False))
    fits = [len(words) == len(tags) > 1 and all(map(_is_tag, tags)) and not _are_tags(words) for words, tags in pairs]
    return bool(pairs) and all(fits) and any(_are_tags(tags) for _, tags in pairs)


def _is_joined(lines: list[str]) -> bool:
    """Tokens with tags behind a sign: Ada/B-PER saw/O."""
    words = [word for line in lines for word in line.split()]
    fits = [_JOINED.fullmatch(word) is not None for word in words]
    return len(words) > len(lines) and sum(fits) >= _MOST * len(words)


_ONE_PER_LINE = "write one token and its tag per line, with a tab between, and a blank line between sentences"
_AS_JSON = "ask the model for JSON, or say --format system:extractions to look for its answers in the gold texts"
_LAYOUTS: tuple[tuple[str, str, Callable[[list[str]], bool]], ...] = (
    ("a table in Markdown", f"{_ONE_PER_LINE}; {_AS_JSON}", _is_markdown),
    ("a list with bullets, as language models write it", _AS_JSON, _is_list),
    ("Markdown with a code block", f"remove the lines with ``` ; {_AS_JSON}", _is_fenced),
    ("sentences with their tags on the same line", _ONE_PER_LINE, _is_sentence_with_tags),
    ("lines of words and lines of tags in turns", _ONE_PER_LINE, _is_alternating),
    ("sentences with a tag joined to each token", _ONE_PER_LINE, _is_joined),
)
"""What files may look like, what to do, and how to tell by their lines."""
