"""Files that look like something that Evenhand does not read: each gets a sentence that says what, and what to do.

They are asked about only if no format is sure of a file, which would be read as columns otherwise.
"""

from __future__ import annotations

import csv
import re
from collections import Counter

from evenhand.formats.conllu import share_of_words
from evenhand.formats.parsing.layout import rows_of_block
from evenhand.formats.source import Block, Source

_LFS_POINTER = b"version https://git-lfs"
_NUMBER = re.compile(r"[0-9]+")
_DELIMITERS = {",": "commas", ";": "semicolons"}
_MOST = 0.8
"""Which share of lines must be alike."""
_IF_COLUMNS = "write it in a format that Evenhand reads, or say --format conll if it is a column file"
_SPANS = "a span table has label, first token and last token (inclusive, counted from 1)"


def refuse(source: Source, sample: Block) -> None:
    """Raise an error if the first lines of a file look like something that is not read."""
    text = sample.data[: sample.size].lstrip()
    line = sample.first_line + sample.data[: sample.size - len(text)].count(b"\n")
    if text.startswith(_LFS_POINTER):
        raise source.error(line, "the file is a Git LFS pointer, not the data itself", "run: git lfs pull")
    if text.startswith(b"<"):
        raise source.error(line, "the file begins with '<', so it looks like HTML or XML", _IF_COLUMNS)
    if text.startswith((b"{", b"[")):
        finding = f"the file begins with {text[:1].decode()!r}, but it is no JSON that Evenhand reads"
        raise source.error(line, finding, _IF_COLUMNS)
    if share_of_words(sample, tabs=False) >= _MOST:
        remedy = "write tabs, or say --format conllx, which takes both"
        raise source.error(line, "the file looks like CoNLL-U with blanks between its columns", remedy)
    rows = [cells for _, _, cells in rows_of_block(sample)]
    if rows and sum(map(_is_start_end_label, rows)) >= _MOST * len(rows):
        finding = "the file looks like a table of start, end and label"
        raise source.error(line, finding, f"put the columns in another order: {_SPANS}")
    delimiter = _delimiter(sample)
    if delimiter is not None:
        finding = f"the columns look separated by {_DELIMITERS[delimiter]}"
        raise source.error(line, finding, "separate them with tabs, without quotation marks")


def _is_start_end_label(cells: list[str]) -> bool:
    numbers = [_NUMBER.fullmatch(cell) is not None for cell in cells[:3]]
    return len(cells) in (3, 4) and numbers == [True, True, False]


def _delimiter(sample: Block) -> str | None:
    """The comma or semicolon that separates columns: most lines have no blank, and as many of them."""
    lines = [line for line in sample.data[: sample.size].decode().split("\n") if line.strip()]
    if sum(" " not in line.strip() for line in lines) <= len(lines) / 2 or any("\t" in line for line in lines):
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
