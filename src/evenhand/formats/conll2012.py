"""CoNLL-2011 and CoNLL-2012: a token a line, documents between marks, coreference in the last column.

`#begin document (name); part 000` begins a document (parentheses and part may be missing), `#end document` ends it. Of
the columns, whose number may change from sentence to sentence, the fourth is the word and the fifth its POS: document,
part, word number, word, POS, … Files with a column less or more before the word are recognised by the numbers in them,
and so are those of SemEval-2010, whose first column numbers words. Two columns have no words. Others are named with
`--column word=6,pos=7`. Columns are separated by tabs, or by runs of blanks.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice, pairwise

import numpy as np

from evenhand.arrays import Bools, Bytes, Ints, complement, distinct, empty, pack, ranges
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import TagColumn
from evenhand.data.structures import Chains
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import BRACKETS, SettingError, counted
from evenhand.formats.conllu import has_suffix
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.parsing.cells import SPACE, Cell, LineCells, numbers
from evenhand.formats.parsing.token_table import rows_of
from evenhand.formats.partition import Partitioning, marked
from evenhand.formats.source import Block, Source
from evenhand.registry import lazy
from evenhand.settings import Columns, ReadSettings

# == formats/conll2012_layout.py: The columns of CoNLL-2012 and its relatives, by the first li


SAMPLE = 1000
"""How many lines tell which columns a file has."""
_NAMED = ("word", "pos", "coref")
_NO_POS = ("-", "_", "*")
LONGEST_NUMBER = 12
"""How many digits the position of a word may have; numbers of thousands are none."""
_WITH_POS = 10
"""From how many columns on the one behind the word is its POS."""


@dataclass(frozen=True)
class ChainLayout:
    """Where the columns of a file are, counted from 0."""

    tabs: bool
    columns: int
    """How many columns a line has at least."""
    word: int | None
    pos: int | None
    coref: int | None = None
    """The column of the brackets, where it is not the last."""

    @property
    def wanted(self) -> list[int]:
        """The places of the columns that are read, the last one aside."""
        return [place for place in (self.word, self.pos, self.coref) if place is not None]


def layout_of(source: Source, settings: ReadSettings) -> ChainLayout:
    """The columns of a file, by its first lines and by what a user names."""
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
    places = {"word": word, "pos": pos, "coref": None if coref == -1 else coref}
    for name, place in places.items():
        if place is not None and not 0 <= place < columns:
            raise source.error(None, f"lines of {columns} columns have no column for {name}", "name another column")
    return ChainLayout(tabs, columns, **places)


def _width(cells: Sequence[Sequence[str]]) -> int:
    """How many columns lines have at least, without those that are empty in all of them, as separators stand behind."""
    columns = sorted(map(len, cells))[len(cells) // 10]  # a few lines may be cut off
    while columns > 1 and all(len(row) == columns and not row[-1] and _is_brackets(row[-2]) for row in cells):
        cells, columns = [row[:-1] for row in cells], columns - 1
    return columns


def _is_brackets(cell: str) -> bool:
    return cell in ("", "-", "_") or "(" in cell or ")" in cell


def _named(column: int | str) -> tuple[str, int]:
    name, equals, number = str(column).partition("=")
    if name not in _NAMED or not equals or not number.lstrip("-").isdecimal():
        raise SettingError(f"{column!r} names no column of chains; write word=4, pos=5 or coref=-1.")
    return name, int(number) - 1 if int(number) > 0 else int(number)


def word_column(cells: Sequence[Sequence[str]], columns: int) -> int | None:
    """The column of words: the first one behind those that say where a word is."""
    if columns < 3:
        return None
    if _counts(cells, 0, (1,)) and any(_number(row[0]) == 2 for row in cells):
        return 1
    if columns >= _WITH_POS and _counts(cells, 2) and not _counts(cells, 3):
        return 3  # words that are all numbers are words all the same, behind their positions
    for place in range(3, columns - 1) if columns > 4 else (columns - 2,):
        if not all(row[place].isdecimal() for row in cells):
            return place
    return None


def _number(cell: str) -> int:
    """The position that a cell gives; -1 where it gives none."""
    return int(cell) if cell.isdecimal() and len(cell) <= LONGEST_NUMBER else -1


def _counts(cells: Sequence[Sequence[str]], place: int, first: Sequence[int] = (0, 1)) -> bool:
    """Whether a column counts words from 0 or 1 on in each sentence, or in all together."""
    numbers = [_number(row[place]) for row in cells]
    return numbers[0] in first and all(number in (numbers[0], before + 1) for before, number in pairwise(numbers))


def _pos_column(cells: Sequence[Sequence[str]], word: int | None, columns: int) -> int | None:
    """The column of POS, where there is one that is not empty."""
    if word not in (1, 3) or columns < _WITH_POS or all(row[4] in _NO_POS for row in cells):
        return None
    return 4


# == formats/parsing/mention_brackets.py: Mentions as brackets in a column: `(12` opens one of chain 1


Ranges = list[tuple[int, int]]
"""First and last token of each part of a mention."""
Report = Callable[[int, str, str], None]
"""Takes a token, what was found there, and a remedy."""
_OPEN, _CLOSE, _BAR = b"()|"
_NOTHING = b"-_"
_REMEDY = "write -, or brackets such as (12, 12) or (12), with bars between them"
_UNMATCHED = {
    True: ("opens here that is never closed", "close it"),
    False: ("closes here that was not opened", "open it before"),
}
"""What is wrong with a bracket that opens a mention, or closes one, and the remedy."""
_MOST_SHOWN = 80


def too_long(size: int) -> tuple[str, str]:
    """What is wrong with a cell of so many bytes, and the remedy."""
    return f"the coreference annotation of a word has {size:,} bytes, more than {BRACKETS.value:,}", BRACKETS.remedy


@dataclass(frozen=True)
class Brackets:
    """In the order of the file: at which token a name stands, and whether it opens a mention, closes one, or both."""

    token: Ints
    name: Ints
    """A number that is the same for the same name."""
    opens: Bools
    closes: Bools


def read_cells(data: bytes, start: Ints, end: Ints, report: Report) -> Brackets:
    """The brackets of cells, one a token; a cell that holds anything else is a problem, and left out."""
    text = np.frombuffer(data, dtype=np.uint8)
    first, length = text[start], end - start
    is_nothing = (length == 0) | ((length == 1) & ((first == _NOTHING[0]) | (first == _NOTHING[1])))
    longest = BRACKETS.value
    for row in np.flatnonzero(length > longest).tolist():
        report(row, *too_long(int(length[row])))
    rows = np.flatnonzero(~is_nothing & (length <= longest))
    size = length[rows] + 1  # with the blank behind, which ends the last name
    flat = text[ranges(start[rows], size)]
    cell_of = np.repeat(np.arange(len(rows)), size)
    begin, behind = _names(flat)
    opens, closes = flat[begin - 1] == _OPEN, flat[behind] == _CLOSE
    odd = _odd_cells(flat, cell_of, begin, opens, closes)
    if len(odd):
        for row in odd.tolist():
            cell = data[start[rows[row]] : end[rows[row]]].decode()
            report(int(rows[row]), f"{cell[:_MOST_SHOWN]!r} is no coreference annotation", _REMEDY)
        kept = ~np.isin(cell_of[begin], odd)
        begin, behind, opens, closes = begin[kept], behind[kept], opens[kept], closes[kept]
    return Brackets(rows[cell_of[begin]], _codes(flat, begin, behind), opens, closes)


def _names(flat: Bytes) -> tuple[Ints, Ints]:
    """Where names begin and end: what stands between brackets, bars and blanks."""
    inside = (flat > SPACE) & (flat != _OPEN) & (flat != _CLOSE) & (flat != _BAR)
    edges = np.diff(inside, prepend=False)
    places = np.flatnonzero(edges)  # the text ends with a blank, so that every name ends
    return places[0::2], places[1::2]


def _odd_cells(flat: Bytes, cell_of: Ints, begin: Ints, opens: Bools, closes: Bools) -> Ints:
    """The cells in which some bracket has no name, or some name no bracket, or nothing has a name."""
    cells = int(cell_of[-1]) + 1 if len(cell_of) else 0
    named = cell_of[begin]
    brackets = np.bincount(cell_of[(flat == _OPEN) | (flat == _CLOSE)], minlength=cells)
    with_names = np.bincount(named, opens.astype(np.int64) + closes, minlength=cells)
    is_odd = (brackets != with_names) | (with_names == 0)
    is_odd[named[~(opens | closes)]] = True
    return np.flatnonzero(is_odd)


def _codes(flat: Bytes, begin: Ints, end: Ints) -> Ints:
    """Numbers for names; most names are numbers themselves, told apart from those with zeros before them."""
    value, bad = numbers(flat.tobytes() + PADDING, begin, end)
    if not bad.any():
        return pack((value, empty()), (end - begin, empty()))[0]
    text, known = flat.tobytes(), dict[bytes, int]()
    names = [text[first:behind] for first, behind in zip(begin.tolist(), end.tolist(), strict=True)]
    return np.fromiter((known.setdefault(name, len(known)) for name in names), dtype=np.int64, count=len(names))


def match(brackets: Brackets, document: Ints, report: Report) -> tuple[Ints, Ints]:
    """The mentions that brackets make: which brackets open them, and which close them.

    They are in the order of their opening brackets. `document` is that of each token; no mention leaves it. What does
    not close, or closes unopened, is a problem, and left out.
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
    """Numbers of chains, which have names of their own in each document."""
    return pack((document, empty()), (name, empty()))[0]


def pairs(key: Ints, opens: Bools) -> tuple[Ints, Ints]:
    """Which brackets of the same key open and close together; those without a counterpart are left out.

    Among the brackets of one key and one depth, each that is closed is followed by the one that closes it.
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
    """Puts parts together, which are given in the order of their opening brackets.

    A part belongs to the last mention of its entity that was begun and misses just this part; else it begins one.
    """

    def __init__(self) -> None:
        self.mentions: list[Ranges] = []
        self._waiting: defaultdict[tuple[Hashable, int], list[int]] = defaultdict(list)
        """By entity and number of parts so far, the mentions (as negative numbers, so that the last is the first)."""

    def add(self, entity: Hashable, number: int, part: tuple[int, int]) -> Ranges | None:
        """Add the part of this number, counted from 1; the mention, if it begins one."""
        waiting = self._waiting[entity, number - 1]
        is_new = not waiting
        mention = len(self.mentions) if is_new else -heappop(waiting)
        if is_new:
            self.mentions.append([])
        self.mentions[mention].append(part)
        heappush(self._waiting[entity, len(self.mentions[mention])], -mention)
        return self.mentions[mention] if is_new else None


# == formats/chain_formats.py: The formats with coreference chains in columns: CoNLL-2012 a


BEGIN, END = "#begin document", "#end document"
"""The marks of documents in CoNLL-2012."""
DECLARATION = "# global.Entity ="
"""What declares entities in CorefUD."""
_OTHER_FIELDS = re.compile(DECLARATION.encode() + rb"(?! *eid(?:-etype(?:-head\b[^\n]*)?)?\s*$)", re.MULTILINE)


def is_conll2012(sample: Block) -> float:
    """Whether a line begins a document."""
    return float(sample.data.startswith(BEGIN.encode()) or f"\n{BEGIN}".encode() in sample.data)


def declares_entities(sample: Block) -> float:
    """Whether entities are declared."""
    return float(DECLARATION.encode() in sample.data)


def is_corefud(source: Source, task: str | None) -> bool:
    """Whether a file in CoNLL-U declares entities in its first lines; for chains, it may be a text without any."""
    if not has_suffix(source.path):
        return False
    return task == "chains" or (source.path.is_file() and declares_entities(source.sample(1 << 14)) > 0)


def _follows_blank(data: bytes, start: int) -> bool:
    return data.endswith((b"\n\n", b"\n\r\n"), 0, start)


def _has_other_fields(data: bytes) -> bool:
    """Whether fields are declared that do not begin with the usual ones, so that all parts must know of it."""
    return DECLARATION.encode() in data and _OTHER_FIELDS.search(data) is not None


class DocumentNames:
    """All names so far, with their lines; each may stand once only."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._lines: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def once(self, name: str | None, line: int) -> str:
        """The name (a number, where there is none), if it is new; else that is a problem, and it gets its line."""
        name = str(len(self) + 1) if name is None else name
        if name in self._lines:
            finding = f"the document {name} began in line {self._lines[name]} already"
            self._source.report(line, finding, "give every document a name of its own", "document")
            name = f"{name} in line {line}"
        self._lines[name] = line
        return name


CONLL2012 = Format(
    "conll2012",
    "CoNLL-2011 and CoNLL-2012: a token a line, coreference as brackets in the last column",
    readers={
        "chains": Reader(
            lazy("evenhand.formats.conll2012:read"),
            partitioning=Partitioning(marked(BEGIN.encode()), lambda data, start: True, has_names=True),
        )
    },
    writers={
        "chains": Writer(Capabilities(gaps=False, columns=False), lazy("evenhand.formats.coreference:write_conll2012"))
    },
    suffixes=(".conll",),
    detection=Detection(b"#", confidence=is_conll2012, fallback_for=("chains",)),
    contents=Contents(is_table=True, has_columns=True, file_traits=lazy("evenhand.formats.conll2012:traits")),
)
COREFUD = Format(
    "corefud",
    "coreference in the MISC column of CoNLL-U",
    readers={
        "chains": Reader(
            lazy("evenhand.formats.corefud:read"),
            partitioning=Partitioning(marked(b"# newdoc id"), _follows_blank, has_names=True, is_odd=_has_other_fields),
        )
    },
    writers={"chains": Writer(Capabilities(columns=False), lazy("evenhand.formats.coreference:write_corefud"))},
    suffixes=(".conllu",),
    detection=Detection(b"#", certain=is_corefud, confidence=declares_entities),
    contents=Contents(
        is_table=True,
        has_columns=True,
        traits=frozenset({"heads"}),
        file_traits=lazy("evenhand.formats.corefud:traits"),
    ),
)


# == formats/conll2012.py (primary)


_BLOCKS = 8
"""How many times larger than elsewhere blocks are: they hold whole documents."""


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return frozenset({"pos"} if layout_of(source, settings).pos is not None else ())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    layout = layout_of(source, settings)
    named = ",".join(map(str, settings.columns)) or None
    reader = _Reader(source, layout, vocabulary, ReadInfo(CONLL2012.name, column=named))
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="document"):
        batch = reader.read(LineCells.of(block, tabs=layout.tabs))
        if batch is not None:
            yield batch


class _Reader:
    """Reads blocks of whole documents; it knows the names of all documents before."""

    def __init__(self, source: Source, layout: ChainLayout, vocabulary: Vocabulary, reading: ReadInfo) -> None:
        self._source, self._layout, self._vocabulary, self._reading = source, layout, vocabulary, reading
        self._names = DocumentNames(source)
        self._unnamed = False

    def read(self, lines: LineCells) -> Annotation | None:
        """The documents of a block, if it has any."""
        is_hash = (lines.first_byte == ord("#")) & ~lines.is_blank
        marks = lines.take(is_hash)
        tokens = self._within_documents(lines.take(~(is_hash | lines.is_blank)), marks)
        tokens, cells, brackets = self._cells(tokens)
        begins, names = self._documents(marks)
        before = np.searchsorted(tokens.line, begins)
        if len(tokens) and (not len(before) or before[0] > 0):
            names, before = self._without_name(tokens, names), np.append(0, before)
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
        return Annotation(corpus, layers, {"chains": self._reading}, self._source.name)

    def _cells(self, tokens: LineCells) -> tuple[LineCells, dict[int, Cell], Cell]:
        """The lines that have all columns that are needed, the cells of these, and those of the brackets."""
        layout = self._layout
        cells, behind = tokens.cells(layout.wanted)
        brackets = tokens.last(layout.columns) if layout.coref is None else cells[layout.coref]
        is_short = brackets[0] < behind if layout.coref is None else cells[layout.coref][0] >= tokens.end
        if layout.coref is None:
            is_short |= brackets[0] == tokens.begin
        if not is_short.any():
            return tokens, cells, brackets
        least = max(layout.wanted, default=0) + 1 + (layout.coref is None)
        for row in np.flatnonzero(is_short).tolist():
            finding = f"found {counted(len(tokens.split(row)), 'column')} where {least} are needed at least"
            remedy = "mend the line (a cut one shows that the file was not written to its end)"
            self._source.report(tokens.number(row), finding, remedy, "columns")
        return self._cells(tokens.take(~is_short))

    def _chains(self, tokens: LineCells, cells: Cell, document: Ints, first: Ints) -> Chains:
        """`first` is the first token of each document."""

        def report(token: int, finding: str, remedy: str) -> None:
            self._source.report(tokens.number(token), finding, remedy, "chain")

        found = read_cells(tokens.data, *cells, report)
        opens, closes = match(found, document, report)
        # As the official scorer numbers chains: brackets of one token are the first of their cell.
        order = np.lexsort((opens, opens != closes, found.token[opens]))
        opens, closes = opens[order], closes[order]
        begin, last = found.token[opens], found.token[closes]
        of_mention = document[begin]
        before, chain = first[of_mention], chains_of(found.name[opens], of_mention)
        return Chains.of(self._vocabulary, of_mention, begin - before, last + 1 - before, chain).numbered()

    def _within_documents(self, tokens: LineCells, marks: LineCells) -> LineCells:
        """The lines of words without those behind the end of a document, which are reported."""
        told = [(text.startswith((BEGIN, END)), text.startswith(END)) for text in marks.texts()]
        is_mark, is_end = np.array(told, dtype=np.bool_).reshape(-1, 2).T
        mark = np.searchsorted(marks.line[is_mark], tokens.line) - 1
        outside = np.append(is_end[is_mark], False)[mark]
        if not outside.any():
            return tokens
        for row in np.flatnonzero(outside & np.diff(mark, prepend=-2).astype(np.bool_)).tolist():
            finding = "found words behind the end of a document"
            self._source.report(tokens.number(row), finding, f"begin a new one with {BEGIN}", "document")
        return tokens.take(~outside)

    def _documents(self, marks: LineCells) -> tuple[Ints, tuple[str, ...]]:
        """The lines that begin documents, and their names."""
        begins = [(row, text) for row, text in enumerate(marks.texts()) if text.startswith(BEGIN)]
        names = tuple(self._name(text, marks.number(row)) for row, text in begins)
        return marks.line[[row for row, _ in begins]], names

    def _name(self, text: str, number: int) -> str:
        if self._unnamed and not self._names:
            finding = "words stand before this mark, in no document"
            self._source.report(number, finding, f"begin the first document with {BEGIN}", "document")
        name, part = _title(text)
        if not name:
            self._source.report(number, "the document has no name", f"write {BEGIN} (name); part 000", "document")
            return f"document in line {number}"
        return self._names.once(document_name(name, part), number)

    def _without_name(self, tokens: LineCells, names: tuple[str, ...]) -> tuple[str, ...]:
        """The documents of a block that begins with words: those of a file without marks are one document."""
        if names or self._names:
            finding = "found words before the first document"
            self._source.report(tokens.number(0), finding, f"begin it with {BEGIN}", "document")
        self._unnamed = True
        return ("", *names)


def _title(mark: str) -> tuple[str, str | None]:
    """The name and the part in `#begin document (name); part 000`, which may lack parentheses, semicolon and part.

    The name is empty where there is none.
    """
    behind = mark.removeprefix(BEGIN)
    if not behind[:1].isspace():
        return "", None
    title, part = behind.strip().removesuffix(";").rstrip(), None
    words = title.rsplit(None, 1)
    if len(words) > 1 and words[1].isdecimal() and words[0].endswith("part"):
        title, part = words[0].removesuffix("part").rstrip(), words[1]
    title = title.removesuffix(";").rstrip()
    is_inside = title.startswith("(") and title.endswith(")") and len(title) > 1
    return (title[1:-1].strip() if is_inside else title), part


def document_name(name: str, part: str | None) -> str:
    """What a document is called in all formats: its name, and the number of its part where it has one."""
    if part is None:
        return name
    return f"{name}_{int(part) if len(part) <= LONGEST_NUMBER else part.lstrip('0')}"
