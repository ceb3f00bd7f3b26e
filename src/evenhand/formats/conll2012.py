"""CoNLL-2011 and CoNLL-2012: one token per line, documents between marks, coreference in the last column.

`#begin document (name); part 000` begins a document (parentheses and part may be missing), `#end document` ends it. The
number of columns may change from sentence to sentence; the fourth is the word and the fifth its POS: document, part,
word number, word, POS, … Files with one column less or more before the word are recognised by the numbers in them, as
are files of SemEval-2010, whose first column numbers words. Files with two columns have no words. Other columns are
named with `--column word=6,pos=7`. Columns are separated by tabs, or by runs of blanks.

Mentions are brackets: `(12` opens a mention of chain 12, `12)` closes it, `(12)` is a mention of one token, and bars
separate several. CorefUD has brackets, too, and shares the code that matches them. Its format is declared here because
detection needs both, but not the reader of CorefUD.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice, pairwise

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, complement, distinct, empty, pack, ranges
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
from evenhand.data.corpus import Corpus
from evenhand.data.layers import TagColumn
from evenhand.data.structures import Chains
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import NameTable, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import BRACKETS, SettingError, counted
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.parsing.cells import SPACE, Cell, LineCells, numbers
from evenhand.formats.parsing.token_table import rows_of
from evenhand.formats.partition import Partitioning, marked
from evenhand.formats.source import Block, Source
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

BEGIN, END = "#begin document", "#end document"
"""The marks of documents in CoNLL-2012."""
DECLARATION = "# global.Entity ="
"""The declaration of entities in CorefUD."""
_OTHER_FIELDS = re.compile(DECLARATION.encode() + rb"(?! *eid(?:-etype(?:-head\b[^\n]*)?)?\s*$)", re.MULTILINE)
SAMPLE = 1000
"""Number of lines from which the columns are detected."""
PARSE = "parse"
"""The additional column of parse bits, which only errors by entity read."""
_LONGEST_NUMBER = 12
"""Maximum number of digits of the position of a word."""
_WITH_POS = 10
"""Minimum number of columns of files with POS after the word."""
_BLOCKS = 4
"""Factor for the size of blocks, which hold whole documents."""
Ranges = list[tuple[int, int]]
"""First and last token of each part of a mention."""
Report = Callable[[int, str, str], None]
"""Takes a token, the finding, and a remedy."""
_OPEN, _CLOSE, _BAR = b"()|"
_NOTHING = b"-_"
_REMEDY = "write -, or brackets such as (12, 12) or (12), with bars between them"
_UNMATCHED = {
    True: ("opens here that is never closed", "close it"),
    False: ("closes here that was not opened", "open it before"),
}
"""Finding and remedy for a bracket that opens a mention, or closes one."""


@dataclass(frozen=True)
class ChainLayout:
    """The columns of a file, counted from 0."""

    tabs: bool
    columns: int
    """Minimum number of columns of a line."""
    word: int | None
    pos: int | None
    coref: int | None = None
    """The column of the brackets, if it is not the last one."""
    parse: int | None = None
    """The column of parse bits, such as `(NP*)`, if it is requested."""

    @property
    def read_columns(self) -> list[int]:
        """The columns that are read, except for the last one."""
        return [column for column in (self.word, self.pos, self.coref, self.parse) if column is not None]


def layout_of(source: Source, settings: ReadSettings) -> ChainLayout:
    """Detect the columns of a file from its first lines, unless the user names them."""
    rows = [(tabs, cells) for _, tabs, cells in islice(rows_of(source), SAMPLE) if not cells[0].startswith("#")]
    if not rows:
        return ChainLayout(tabs=False, columns=2, word=None, pos=None)
    tabs = all(tabs for tabs, _ in rows)
    cells = [row if tabs else " ".join(row).split() for _, row in rows]
    columns = _width(cells)
    cells = [row for row in cells if len(row) >= columns]
    named = dict(map(_named, settings.columns))
    word = named.get("word", word_column(cells, columns))
    pos = named.get("pos", _pos_column(cells, word, columns))
    coref = named.get("coref", -1)
    if coref < -1:
        raise SettingError("The coreference column is the last one (-1), or counted from the first: coref=7.")
    parse = named.get("parse", _parse_column(cells, pos)) if PARSE in settings.extra else None
    indices = {"word": word, "pos": pos, "coref": None if coref == -1 else coref, "parse": parse}
    for name, index in indices.items():
        if index is not None and not 0 <= index < columns:
            raise source.error(None, f"lines of {columns} columns have no column for {name}", "specify another column")
    return ChainLayout(tabs, columns, **indices)


def _width(cells: Sequence[Sequence[str]]) -> int:
    """The minimum number of columns, without those that are empty in all lines because of trailing separators."""
    columns = sorted(map(len, cells))[len(cells) // 10]  # a few lines may be cut off
    while columns > 1 and all(len(row) == columns and not row[-1] and _is_brackets(row[-2]) for row in cells):
        cells, columns = [row[:-1] for row in cells], columns - 1
    return columns


def _is_brackets(cell: str) -> bool:
    return cell in ("", "-", "_") or "(" in cell or ")" in cell


def _named(column: int | str) -> tuple[str, int]:
    name, equals, number = str(column).partition("=")
    if name not in ("word", "pos", "coref", PARSE) or not equals or not number.lstrip("-").isdecimal():
        raise SettingError(f"{column!r} is not a column of chains; write word=4, pos=5 or coref=-1.")
    return name, int(number) - 1 if int(number) > 0 else int(number)


def word_column(cells: Sequence[Sequence[str]], columns: int) -> int | None:
    """Return the column of words: the first one after the columns with the position of a word."""
    if columns < 3:
        return None
    if _counts(cells, 0, (1,)) and any(_number(row[0]) == 2 for row in cells):
        return 1
    if columns >= _WITH_POS and _counts(cells, 2) and not _counts(cells, 3):
        return 3  # after a column of positions, even numbers are words
    for column in range(3, columns - 1) if columns > 4 else (columns - 2,):
        if not all(row[column].isdecimal() for row in cells):
            return column
    return None


def _number(cell: str) -> int:
    """The position in a cell; -1 if it is not a number."""
    return int(cell) if cell.isdecimal() and len(cell) <= _LONGEST_NUMBER else -1


def _counts(cells: Sequence[Sequence[str]], column: int, first: Sequence[int] = (0, 1)) -> bool:
    """Whether a column counts words from 0 or 1, in each sentence or throughout."""
    numbers = [_number(row[column]) for row in cells]
    return numbers[0] in first and all(number in (numbers[0], before + 1) for before, number in pairwise(numbers))


def _pos_column(cells: Sequence[Sequence[str]], word: int | None, columns: int) -> int | None:
    has_pos = word in (1, 3) and columns >= _WITH_POS and any(row[4] not in ("-", "_", "*") for row in cells)
    return 4 if has_pos else None


def _parse_column(cells: Sequence[Sequence[str]], pos: int | None) -> int | None:
    """The column after POS, if its cells are parse bits."""
    if pos is None:
        return None
    bits = [row[pos + 1] for row in cells]
    return pos + 1 if all("*" in bit for bit in bits) and any("(" in bit for bit in bits) else None


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return frozenset({"pos"} if layout_of(source, settings).pos is not None else ())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole documents."""
    info = ReadInfo(CONLL2012.name, column=",".join(map(str, settings.columns)) or None)
    reader = _Conll2012Reader(source, layout_of(source, settings), vocabulary, info, PARSE in settings.extra)
    blocks = source.blocks(_BLOCKS * settings.block_size, cut_after="document")
    yield from filter(lambda batch: batch is not None, map(reader.read, blocks))


class _Conll2012Reader:
    """Reads blocks of whole documents, and remembers the names of all documents."""

    def __init__(
        self, source: Source, layout: ChainLayout, vocabulary: Vocabulary, reading: ReadInfo, has_parse: bool
    ) -> None:
        """`has_parse`: batches have a layer of parse bits, which are empty in files without them."""
        self._source, self._layout, self._vocabulary, self._reading = source, layout, vocabulary, reading
        self._has_parse = has_parse
        self._names = DocumentNames(source, vocabulary)
        self._unnamed: int | None = None
        """The line of the first word outside of documents."""

    def read(self, block: Block) -> Annotation | None:
        """Return the documents of a block, if it has any."""
        lines = LineCells.of(block, tabs=self._layout.tabs)
        is_hash = (lines.first_byte == ord("#")) & ~lines.is_blank
        marks = lines.take(is_hash)
        tokens = self._within_documents(lines.take(~(is_hash | lines.is_blank)), marks)
        tokens, cells, brackets = self._cells(tokens)
        titles = [(row, text) for row, text in enumerate(marks.texts()) if text.startswith(BEGIN)]
        begins = marks.line[[row for row, _ in titles]]
        names = tuple(self._name(text, marks.number(row)) for row, text in titles)
        before = np.searchsorted(tokens.line, begins)
        if len(tokens) and (not len(before) or before[0] > 0):  # a file without marks is one document
            if names or self._names:
                self._report_unnamed(tokens.number(0))
            self._unnamed = tokens.number(0) if self._unnamed is None else self._unnamed
            names, before = ("", *names), np.append(0, before)
            begins = np.append(tokens.line[0], begins)
        if not names:
            return None
        breaks = np.concatenate((lines.line[lines.is_blank], marks.line))
        bounds = distinct(np.concatenate(([0], np.searchsorted(tokens.line, breaks), [len(tokens)])))
        document = np.repeat(np.arange(len(names)), np.diff(np.append(before, len(tokens))))
        corpus = Corpus(
            self._source.display_name,
            len(bounds) - 1,
            bounds,
            None if self._layout.word is None else Tokens(lines.data, *cells[self._layout.word]),
            tokens.line,
            lines.first_line,
            documents=np.searchsorted(bounds, before),
            names=names,
            unnamed=not any(names),
            marks=begins,
        )
        layers: dict[str, Layer] = {"chains": self._chains(tokens, brackets, document, before)}
        if self._layout.pos is not None:
            layers["pos"] = TagColumn(Tokens(lines.data, *cells[self._layout.pos]), self._vocabulary.columns["pos"])
        if self._has_parse:
            bits = (tokens.begin, tokens.begin) if self._layout.parse is None else cells[self._layout.parse]
            coder = self._vocabulary.columns[extra_layer(PARSE)]
            layers[extra_layer(PARSE)] = TagColumn(Tokens(lines.data, *bits), coder)
        return Annotation(corpus, layers, {"chains": self._reading}, self._source.name)

    def _cells(self, tokens: LineCells) -> tuple[LineCells, dict[int, Cell], Cell]:
        """The lines that have all required columns, their cells, and the cells with brackets."""
        layout = self._layout
        cells, end = tokens.cells(layout.read_columns)
        if layout.coref is None:
            brackets = tokens.last(layout.columns)
            is_short = (brackets[0] < end) | (brackets[0] == tokens.begin)
        else:
            brackets = cells[layout.coref]
            is_short = brackets[0] >= tokens.end
        if not is_short.any():
            return tokens, cells, brackets
        minimum = max(layout.read_columns, default=0) + 1 + (layout.coref is None)
        for row in np.flatnonzero(is_short).tolist():
            finding = f"expected at least {counted(minimum, 'column')}, got {len(tokens.split(row))}"
            remedy = "fix the line (if it is cut off, the file was not written completely)"
            self._source.report(tokens.number(row), finding, remedy, "columns")
        return self._cells(tokens.take(~is_short))

    def _chains(self, tokens: LineCells, cells: Cell, document: Ints, first: Ints) -> Chains:
        """`first` is the first token of each document."""

        def report(token: int, finding: str, remedy: str) -> None:
            self._source.report(tokens.number(token), finding, remedy, "chain")

        brackets = read_cells(tokens.data, *cells, report)
        opens, closes = match(brackets, document, report)
        # The official scorer numbers chains in this way: mentions of one token are the first of their cell.
        order = np.lexsort((opens, opens != closes, brackets.token[opens]))
        opens, closes = opens[order], closes[order]
        begin, last = brackets.token[opens], brackets.token[closes]
        of_mention = document[begin]
        before, chain = first[of_mention], chains_of(brackets.name[opens], of_mention)
        return Chains.of(self._vocabulary, of_mention, begin - before, last + 1 - before, chain).numbered()

    def _within_documents(self, tokens: LineCells, marks: LineCells) -> LineCells:
        """The lines of words, without those after the end of a document, which are reported."""
        types = [(text.startswith((BEGIN, END)), text.startswith(END)) for text in marks.texts()]
        is_mark, is_end = np.array(types, dtype=np.bool_).reshape(-1, 2).T
        mark = np.searchsorted(marks.line[is_mark], tokens.line) - 1
        outside = np.append(is_end[is_mark], False)[mark]
        if not outside.any():
            return tokens
        for row in np.flatnonzero(outside & np.diff(mark, prepend=-2).astype(np.bool_)).tolist():
            finding = "found words after the end of a document"
            self._source.report(tokens.number(row), finding, f"begin a new one with {BEGIN}", "document")
        return tokens.take(~outside)

    def _report_unnamed(self, line: int) -> None:
        finding = "found words before the first document"
        self._source.report(line, finding, f"begin it with {BEGIN}", "document")

    def _name(self, text: str, number: int) -> str:
        if self._unnamed is not None and not self._names:
            self._report_unnamed(self._unnamed)
        name, part = _title(text)
        if not name:
            self._source.report(number, "the document has no name", f"write {BEGIN} (name); part 000", "document")
            return f"document in line {number}"
        if part is not None:
            name = f"{name}_{int(part) if len(part) <= _LONGEST_NUMBER else part.lstrip('0')}"
        return self._names.once(name, number)


def _title(mark: str) -> tuple[str, str | None]:
    """Name and part in `#begin document (name); part 000`, which may lack parentheses, semicolon and part.

    The name is empty if there is none.
    """
    title, part = mark.removeprefix(BEGIN), None
    if not title[:1].isspace():
        return "", None
    title = title.strip().removesuffix(";").rstrip()
    words = title.rsplit(None, 1)
    if len(words) > 1 and words[1].isdecimal() and words[0].endswith("part"):
        title, part = words[0].removesuffix("part").rstrip(), words[1]
    title = title.removesuffix(";").rstrip()
    is_inside = title.startswith("(") and title.endswith(")") and len(title) > 1
    return (title[1:-1].strip() if is_inside else title), part


class DocumentNames:
    """All names of documents so far, with their lines; a name may occur only once."""

    def __init__(self, source: Source, vocabulary: Vocabulary) -> None:
        self._source = source
        self._lines = NameTable(vocabulary.documents)

    def __len__(self) -> int:
        return len(self._lines)

    def once(self, name: str | None, line: int) -> str:
        """Return the name, or a number if there is none. A known name is a problem, and the line is added to it."""
        name = str(len(self) + 1) if name is None else name
        first_line = self._lines.add(name, line)
        if not first_line:
            return name
        finding = f"the document {name} already began in line {first_line}"
        self._source.report(line, finding, "give every document a different name", "document")
        return self.once(f"{name} in line {line}", line)


def too_long(size: int) -> tuple[str, str]:
    """Return finding and remedy for a cell of this size."""
    return f"the coreference annotation of a word has {size:,} bytes, more than {BRACKETS.value:,}", BRACKETS.remedy


@dataclass(frozen=True)
class Brackets:
    """Names in brackets, in file order: their tokens, and whether they open a mention, close one, or both."""

    token: Ints
    name: Ints
    """Equal numbers for equal names."""
    opens: Bools
    closes: Bools


def read_cells(data: bytes, start: Ints, end: Ints, report: Report) -> Brackets:
    """Return the brackets of cells, one cell per token; a cell with anything else is a problem, and left out."""
    text = np.frombuffer(data, dtype=np.uint8)
    first, length = text[start], end - start
    is_nothing = (length == 0) | ((length == 1) & ((first == _NOTHING[0]) | (first == _NOTHING[1])))
    limit = BRACKETS.value
    for row in np.flatnonzero(length > limit).tolist():
        report(row, *too_long(int(length[row])))
    rows = np.flatnonzero(~is_nothing & (length <= limit))
    size = length[rows] + 1  # with the following blank, which ends the last name
    flat = text[ranges(start[rows], size)]
    cell_of = np.repeat(np.arange(len(rows)), size)
    begin, after = _names(flat)
    opens, closes = flat[begin - 1] == _OPEN, flat[after] == _CLOSE
    odd = _odd_cells(flat, cell_of, begin, opens, closes)
    if len(odd):
        for row in odd.tolist():
            cell = data[start[rows[row]] : end[rows[row]]].decode()
            report(int(rows[row]), f"{cell[:80]!r} is not a coreference annotation", _REMEDY)
        good = ~np.isin(cell_of[begin], odd)
        begin, after, opens, closes = begin[good], after[good], opens[good], closes[good]
    return Brackets(rows[cell_of[begin]], _codes(flat, begin, after), opens, closes)


def _names(flat: Bytes) -> tuple[Ints, Ints]:
    """Starts and ends of names, which are between brackets, bars and blanks."""
    inside = (flat > SPACE) & (flat != _OPEN) & (flat != _CLOSE) & (flat != _BAR)
    edges = np.flatnonzero(np.diff(inside, prepend=False))  # the text ends with a blank, so every name ends
    return edges[0::2], edges[1::2]


def _odd_cells(flat: Bytes, cell_of: Ints, begin: Ints, opens: Bools, closes: Bools) -> Ints:
    """The cells with a bracket without a name, a name without a bracket, or without any name."""
    cells = int(cell_of[-1]) + 1 if len(cell_of) else 0
    named = cell_of[begin]
    brackets = np.bincount(cell_of[(flat == _OPEN) | (flat == _CLOSE)], minlength=cells)
    with_names = np.bincount(named, opens.astype(np.int64) + closes, minlength=cells)
    is_odd = (brackets != with_names) | (with_names == 0)
    is_odd[named[~(opens | closes)]] = True
    return np.flatnonzero(is_odd)


def _codes(flat: Bytes, begin: Ints, end: Ints) -> Ints:
    """Numbers for names. Most names are numbers; their length distinguishes them from numbers with leading zeros."""
    value, bad = numbers(flat.tobytes() + PADDING, begin, end)
    if not bad.any():
        return pack((value, empty()), (end - begin, empty()))[0]
    text, known = flat.tobytes(), dict[bytes, int]()
    names = [text[first:last] for first, last in zip(begin.tolist(), end.tolist(), strict=True)]
    return np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.int64, count=len(names))


def match(brackets: Brackets, document: Ints, report: Report) -> tuple[Ints, Ints]:
    """Return the mentions of brackets: the opening and the closing bracket of each, in the order of the opening ones.

    `document` is the document of each token; mentions do not cross documents. Brackets without a counterpart are
    problems, and left out.
    """
    key = chains_of(brackets.name, document[brackets.token])
    alone = brackets.opens & brackets.closes
    rows, singles = np.flatnonzero(~alone), np.flatnonzero(alone)
    first, last = pairs(key[rows], brackets.opens[rows])
    for row in rows[complement(len(rows), np.concatenate((first, last)))].tolist():
        what, remedy = _UNMATCHED[bool(brackets.opens[row])]
        report(int(brackets.token[row]), f"a mention {what} in its document", remedy)
    first, last = np.concatenate((singles, rows[first])), np.concatenate((singles, rows[last]))
    order = np.argsort(first)
    return first[order], last[order]


def chains_of(name: Ints, document: Ints) -> Ints:
    """Return numbers of chains: the same name is a different chain in each document."""
    return pack((document, empty()), (name, empty()))[0]


def pairs(key: Ints, opens: Bools) -> tuple[Ints, Ints]:
    """Return the opening and closing brackets of pairs with the same key; others are left out.

    Among the brackets of one key and depth, an opening bracket is followed by the one that closes it.
    """
    order = np.argsort(key, kind="stable")
    step = np.where(opens[order], 1, -1)
    begins = np.flatnonzero(np.diff(key[order], prepend=key[order[:1]] - 1))
    size = np.diff(np.append(begins, len(step)))
    before = np.append(0, np.cumsum(step))
    depth = before[1:] + (step < 0) - np.repeat(before[begins], size)
    low, high = depth.min(initial=1), depth.max(initial=1)
    group = depth - low + np.repeat(np.arange(len(begins)) * (high - low + 1), size)
    by_group = np.argsort(group, kind="stable")
    order = order[by_group]
    first = np.flatnonzero((np.diff(group[by_group]) == 0) & opens[order[:-1]] & ~opens[order[1:]])
    return order[first], order[first + 1]


class MentionParts:
    """Joins the parts of mentions, in the order of their opening brackets.

    A part belongs to the last mention of its entity that lacks this part next; otherwise it begins a mention.
    """

    def __init__(self) -> None:
        self.mentions: list[Ranges] = []
        self._waiting: defaultdict[tuple[Hashable, int], list[int]] = defaultdict(list)
        """Mentions by entity and number of parts so far, as negative numbers, so the last one comes first."""

    def add(self, entity: Hashable, number: int, part: tuple[int, int]) -> Ranges | None:
        """Add the part with this number, counted from 1; return the mention if the part begins one."""
        waiting = self._waiting[entity, number - 1]
        is_new = not waiting
        mention = len(self.mentions) if is_new else -heappop(waiting)
        if is_new:
            self.mentions.append([])
        self.mentions[mention].append(part)
        heappush(self._waiting[entity, len(self.mentions[mention])], -mention)
        return self.mentions[mention] if is_new else None


def _declares_entities(sample: Block) -> float:
    return float(DECLARATION.encode() in sample.data)


def _is_corefud(source: Source, task: str | None) -> bool:
    """Whether a CoNLL-U file declares entities in its first lines; for chains, it may lack entities."""
    return task == "chains" or (source.path.is_file() and _declares_entities(source.sample(1 << 14)) > 0)


def _has_other_fields(data: bytes) -> bool:
    """Whether fields other than the usual ones are declared, which all parts of a file would need to know."""
    return DECLARATION.encode() in data and _OTHER_FIELDS.search(data) is not None


CONLL2012 = Format(
    "conll2012",
    "CoNLL-2011 and CoNLL-2012: one token per line, coreference as brackets in the last column",
    readers={
        "chains": Reader(
            read,
            partitioning=Partitioning(marked(BEGIN.encode()), lambda data, start: True, has_names=True),
        )
    },
    writers={
        "chains": Writer(Capabilities(gaps=False, columns=False), lazy("evenhand.formats.coreference:write_conll2012"))
    },
    suffixes=(".conll",),
    detection=Detection(
        b"#",
        confidence=lambda sample: float(f"\n{BEGIN}".encode() in b"\n" + sample.data),
        fallback_for=("chains",),
    ),
    contents=Contents(is_table=True, has_columns=True, file_traits=traits),
)
COREFUD = Format(
    "corefud",
    "coreference in the MISC column of CoNLL-U",
    readers={
        "chains": Reader(
            lazy("evenhand.formats.corefud:read"),
            partitioning=Partitioning(
                marked(b"# newdoc id"),
                lambda data, start: data.endswith((b"\n\n", b"\n\r\n"), 0, start),
                has_names=True,
                is_odd=_has_other_fields,
            ),
        )
    },
    writers={"chains": Writer(Capabilities(columns=False), lazy("evenhand.formats.coreference:write_corefud"))},
    suffixes=(".conllu",),
    detection=Detection(b"#", confidence=_declares_entities, suffixes=(".conllu",), certain=_is_corefud),
    contents=Contents(
        is_table=True,
        has_columns=True,
        traits=frozenset({"heads"}),
        file_traits=lazy("evenhand.formats.corefud:traits"),
    ),
)
