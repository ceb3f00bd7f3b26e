"""CoNLL-2011 and CoNLL-2012: a token a line, documents between marks, coreference in the last column.

`#begin document (name); part 000` begins a document (parentheses and part may be missing), `#end document` ends it. Of
the columns, whose number may change from sentence to sentence, the fourth is the word and the fifth its POS: document,
part, word number, word, POS, … Files with a column less or more before the word are recognised by the numbers in them,
and so are those of SemEval-2010, whose first column numbers words. Two columns have no words. Others are named with
`--column word=6,pos=7`. Columns are separated by tabs, or by runs of blanks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from evenhand.arrays import Ints, distinct
from evenhand.formats.chain_formats import BEGIN, CONLL2012, END, DocumentNames
from evenhand.formats.conll2012_layout import LONGEST_NUMBER, ChainLayout, layout_of
from evenhand.formats.parsing.line_cells import Cell, LineCells
from evenhand.formats.parsing.mention_brackets import chains_of, match, read_cells
from evenhand.formats.source import Source
from evenhand.problems import counted
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Written
from evenhand.text.tokens import Tokens

_BLOCKS = 8
"""How many times larger than elsewhere blocks are: they hold whole documents."""


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return frozenset({"pos"} if layout_of(source, settings).pos is not None else ())


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    layout = layout_of(source, settings)
    named = ",".join(map(str, settings.columns)) or None
    reader = _Reader(source, layout, vocabulary, Reading(CONLL2012.name, column=named))
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="document"):
        batch = reader.read(LineCells.of(block, tabs=layout.tabs))
        if batch is not None:
            yield batch


class _Reader:
    """Reads blocks of whole documents; it knows the names of all documents before."""

    def __init__(self, source: Source, layout: ChainLayout, vocabulary: Vocabulary, reading: Reading) -> None:
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
            self._source.shown,
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
            layers["pos"] = Written(Tokens(lines.data, *cells[self._layout.pos]), self._vocabulary.columns["pos"])
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
