"""CorefUD: coreference in the MISC column of CoNLL-U, as `Entity=`.

`Entity=(e1-person-1-` opens a mention of e1, `e1)` closes it, `(e1-person-1-)` is one of a single word. A comment
`# global.Entity = eid-etype-head-other` names the fields. `e1[1/2]` and `e1[2/2]` are the parts of one mention. Empty
nodes (`5.1`) are tokens here, since they can be mentions. `# newdoc id = name` begins a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import islice

import numpy as np

from evenhand.arrays import Bools, Ints, ints, windows
from evenhand.data.annotation import Annotation, Layer, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.layers import TagColumn
from evenhand.data.structures import ROOT, Chains, Edge, mention_words, word_number
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import BRACKETS, SettingError, counted
from evenhand.formats.conll2012 import (
    COREFUD,
    DECLARATION,
    Brackets,
    DocumentNames,
    MentionParts,
    Ranges,
    Report,
    chains_of,
    match,
    too_long,
)
from evenhand.formats.conllu import COLUMNS, LineSorter, WordLayout, WordLines
from evenhand.formats.parsing.cells import Cells, leading_numbers, split
from evenhand.formats.parsing.token_table import rows_of
from evenhand.formats.source import Block, Source
from evenhand.settings import Columns, ReadSettings

# == formats/corefud_brackets.py: What `Entity=` says in CorefUD: brackets with their fields,


_ENTITY_FIELDS = ("eid", "GRP")
"""What the field that names the entity is called, now and in older files."""
_HEAD_FIELD = "head"
_BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(?P<entity>.*)\[(?P<part>\d{1,9})/(?P<parts>\d{1,9})\]")
_EDGE = re.compile(r"(?P<word>[0-9]{1,9})(?:\.(?P<decimal>[0-9]{1,9}))?:(?P<relation>.+)")
NO_NUMBER = -1
"""The head of a bracket that has something else in its place."""
Bracket = tuple[str, bool, bool, int]
"""Name, opens, closes, head (0: none)."""


@dataclass(frozen=True)
class EntityFields:
    """Which fields of an opening bracket name the entity and its head; without a declaration, the usual ones."""

    entity: int = 0
    head: int | None = 2
    is_declared: bool = False

    @staticmethod
    def declared(comment: str) -> EntityFields:
        fields = comment.removeprefix(DECLARATION).strip().split("-")
        entity = next((fields.index(name) for name in _ENTITY_FIELDS if name in fields), 0)
        return EntityFields(entity, fields.index(_HEAD_FIELD) if _HEAD_FIELD in fields else None, is_declared=True)

    def brackets(self, value: str) -> list[Bracket] | None:
        """Every bracket; None where something else stands there."""
        brackets, place = [], 0
        while place < len(value):
            bracket = _BRACKET.match(value, place)
            if bracket is None:
                return None
            piece, place = bracket[0], bracket.end()
            if not piece.startswith("("):
                brackets.append((piece[:-1], False, True, 0))
                continue
            fields = piece.strip("()").split("-")
            if self.entity >= len(fields):
                return None
            brackets.append((fields[self.entity], True, piece.endswith(")"), self._head(fields)))
        return brackets

    def _head(self, fields: list[str]) -> int:
        written = "" if self.head is None or self.head >= len(fields) else fields[self.head].strip()
        if written.isdecimal() and written.isascii() and len(written) < 10:
            return int(written)
        return NO_NUMBER if written and self.is_declared else 0


@dataclass(frozen=True)
class EntityMention:
    """A mention: its entity, the first and last token of each part, and the place of its head (0: none)."""

    entity: str
    ranges: Ranges
    head: int = 0

    @property
    def gaps(self) -> tuple[int, ...]:
        """The tokens that parts leave out between them, counted from the first one."""
        if len(self.ranges) == 1:
            return ()
        inside = {token for begin, last in self.ranges for token in range(begin, last + 1)}
        first = min(inside)
        return tuple(token - first for token in range(first, max(inside)) if token not in inside)


def whole_mentions(
    names: Sequence[str], brackets: Brackets, opens: Ints, closes: Ints, heads: Ints, document: Ints, report: Report
) -> list[EntityMention]:
    """Mentions in the order of their first parts. A mention without all of its parts is a problem."""
    mentions: list[EntityMention] = []
    joined, several = MentionParts(), dict[int, int]()
    head_of: dict[tuple[str, int, int], int] = {}
    columns = (brackets.token[opens], brackets.token[closes], brackets.name[opens], heads[opens])
    for begin, last, code, head in zip(*(column.tolist() for column in columns), strict=True):
        found = _PART.fullmatch(names[code])
        if found is None:
            mentions.append(EntityMention(names[code], [(begin, last)], head))
            continue
        head_of[found["entity"], begin, last] = head
        entity = (int(document[begin]), found["entity"], found["parts"])
        ranges = joined.add(entity, int(found["part"]), (begin, last))
        if ranges is not None:
            several[len(mentions)] = int(found["parts"])
            mentions.append(EntityMention(found["entity"], ranges))
    for row, parts in several.items():
        name, ranges = mentions[row].entity, mentions[row].ranges
        mentions[row] = EntityMention(name, ranges, head_of[name, *ranges[-1]])
        if len(ranges) != parts:
            finding = f"a mention of {name!r} has {len(ranges)} of its {parts} parts"
            report(ranges[0][0], finding, "write all parts, from [1/n] to [n/n]")
    return mentions


def head_places(mentions: Sequence[EntityMention], size: Ints, report: Report) -> Ints:
    """The place of each head among the words of its mention, from 0; heads beyond these are a problem."""
    head = np.array([mention.head for mention in mentions], dtype=np.int64)
    head[size == 1] = 0
    for row in np.flatnonzero((head > size) | (head == NO_NUMBER)).tolist():
        name, words = mentions[row].entity, counted(size[row], "word")
        finding = f"a mention of {name!r} has the head {head[row]}, but {words}"
        if head[row] == NO_NUMBER:
            finding = f"the head of a mention of {name!r} is no number"
        report(mentions[row].ranges[0][0], finding, f"give the place of its head, from 1 to {size[row]}")
        head[row] = 0
    return np.maximum(head - 1, 0)


class EmptyNodeEdges:
    """What empty nodes depend on by DEPS: parents and relations."""

    def __init__(self, corpus: Corpus, cells: Tokens, report: Report) -> None:
        assert corpus.decimals is not None
        self._corpus, self._cells, self._report = corpus, cells, report
        self._overt = np.append(0, np.cumsum(corpus.decimals < 0))

    def __call__(self, token: int) -> tuple[Edge, ...]:
        """The edges of a token, each once, in some order that is always the same."""
        corpus, cell = self._corpus, self._cells[token]
        assert corpus.bounds is not None
        if cell in ("_", ""):
            return ()
        sentence = int(np.searchsorted(corpus.bounds, token, side="right")) - 1
        document = int(np.searchsorted(corpus.document_bounds, token, side="right")) - 1
        before = int(self._overt[corpus.bounds[sentence]] - self._overt[corpus.document_bounds[document]])
        return tuple(sorted({*self._edges(token, cell, before)}))

    def _edges(self, token: int, cell: str, before: int) -> Iterator[Edge]:
        for written in cell.split("|"):
            edge = _EDGE.fullmatch(written)
            if edge is None:
                finding = f"{written[:80]!r} is no edge of an empty node"
                self._report(token, finding, "write DEPS as parent:relation, with bars between")
                continue
            word, decimal = int(edge["word"]), None if edge["decimal"] is None else int(edge["decimal"])
            is_root = word == 0 and decimal is None
            yield (ROOT if is_root else word_number(before + word, decimal, is_first=word == 0)), edge["relation"]


# == formats/corefud.py (primary)


_LAYOUT = WordLayout("corefud", {column: place for place, column in enumerate(COLUMNS)}, len(COLUMNS))
_BLOCKS = 4
_SAMPLE = 200
_MOST_SHOWN = 80
_REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return COREFUD.contents.traits | ({"pos"} if _pos_column(source, settings) is not None else set())


def _pos_column(source: Source, settings: ReadSettings) -> int | None:
    """The column of POS that the first words have: UPOS, else XPOS, unless a user names one."""
    wanted = ["upos", "xpos"]
    for column in settings.columns:
        name, _, place = str(column).partition("=")
        if name != "pos" or place not in wanted:
            raise SettingError(f"{column!r} names no column of CorefUD; write pos=upos or pos=xpos.")
        wanted = [place]
    words = [cells for _, _, cells in islice(rows_of(source), _SAMPLE) if len(cells) == _LAYOUT.width]
    places = [COLUMNS.index(each) for each in wanted]
    return next((place for place in places if any(cells[place] != "_" for cells in words)), None)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole documents."""
    pos = _pos_column(source, settings)
    column = "pos=xpos" if pos == COLUMNS.index("xpos") else None
    reader = _Reader(source, pos, vocabulary, ReadInfo(COREFUD.name, column=column), DocumentNames(source))
    for block in source.blocks(_BLOCKS * settings.block_size, cut_after="document"):
        batch = reader.read(block)
        if batch is not None:
            yield batch


@dataclass
class _Reader:
    """Reads blocks of whole documents."""

    source: Source
    pos: int | None
    vocabulary: Vocabulary
    reading: ReadInfo
    names: DocumentNames
    fields: EntityFields = field(default_factory=EntityFields)
    """Which fields an opening bracket has."""

    def read(self, block: Block) -> Annotation | None:
        """The documents of a block, if it has any."""
        lines = split(block, tabs=True)
        found = LineSorter(self.source, _LAYOUT, lines).sort()
        tokens = np.sort(np.concatenate((found.words, found.empty_nodes)))
        if not len(tokens):
            return None
        bounds = np.append(np.unique(found.sentence_of_line[tokens], return_index=True)[1], len(tokens))
        names, first, unnamed = self._documents(found, tokens)
        cells = lines.table(tokens, _LAYOUT.width)
        corpus = Corpus(
            self.source.display_name,
            len(bounds) - 1,
            bounds,
            cells.tokens(_LAYOUT.columns["form"]),
            tokens,
            lines.first_line,
            decimals=_decimals(cells, np.isin(tokens, found.empty_nodes)),
            documents=np.searchsorted(bounds, first),
            names=names,
            unnamed=unnamed,
        )
        document = np.repeat(np.arange(len(names)), np.diff(np.append(first, len(tokens))))
        layers: dict[str, Layer] = {"chains": self._chains(corpus, cells, document)}
        if self.pos is not None:
            layers["pos"] = TagColumn(cells.tokens(self.pos), self.vocabulary.columns["pos"])
        return Annotation(corpus, layers, {"chains": self.reading}, self.source.name)

    def _documents(self, found: WordLines, tokens: Ints) -> tuple[tuple[str, ...], Ints, bool]:
        """The names of documents, their first tokens, and whether none has a name; without marks there is one."""
        names, first, unnamed = list[str](), list[int](), True
        text_of = np.frombuffer(found.lines.data, dtype=np.uint8)
        # Also those of sentences that are left out, as something in them is wrong.
        is_comment = (text_of[found.lines.begins] == ord("#")) & (found.lines.cells > 0)
        for line in np.flatnonzero(is_comment).tolist():
            text = found.lines.text(line)
            if text.startswith(DECLARATION):
                self.fields = EntityFields.declared(text)
            name = _new_document(text)
            if name is not None:
                unnamed &= not name
                names.append(self.names.once(name or None, found.lines.number(line)))
                first.append(int(np.searchsorted(tokens, line)))
        if not first or first[0] > 0:
            names, first = ["", *names], [0, *first]
        return tuple(names), ints(first), unnamed

    def _chains(self, corpus: Corpus, cells: Cells, document: Ints) -> Chains:
        def report(token: int, finding: str, remedy: str) -> None:
            self.source.report(corpus.line(token), finding, remedy, "chain")

        names, brackets, heads = self._brackets(cells.tokens(_LAYOUT.columns["misc"]), report)
        found = whole_mentions(names, brackets, *match(brackets, document, report), heads, document, report)
        begin = ints([min(each.ranges)[0] for each in found])
        end = ints([max(last for _, last in each.ranges) + 1 for each in found])
        gaps = [each.gaps for each in found]
        shape = ints([self.vocabulary.shapes.code(gap) for gap in gaps])
        size = end - begin - ints([len(gap) for gap in gaps])
        of_mention = document[begin]
        chain = _numbered([each.entity for each in found], of_mention, begin, end, size)
        before = corpus.document_bounds[of_mention]
        chains = Chains(self.vocabulary, of_mention, begin - before, end - before, chain, shape)
        edges = EmptyNodeEdges(corpus, cells.tokens(_LAYOUT.columns["deps"]), report)
        return replace(chains, words=mention_words(chains, corpus, head_places(found, size, report), edges))

    def _brackets(self, misc: Tokens, report: Report) -> tuple[list[str], Brackets, Ints]:
        """The names of entities (and parts of mentions), all brackets with numbers of names, and their heads."""
        codes: dict[str, int] = {}
        rows = list[tuple[int, int, bool, bool, int]]()
        for token in np.flatnonzero(misc.end - misc.start > 1).tolist():
            for value in (each for each in misc[token].split("|") if each.startswith("Entity=")):
                if len(value) > BRACKETS.value:
                    report(token, *too_long(len(value.encode())))
                    continue
                found = self.fields.brackets(value.removeprefix("Entity="))
                if found is None:
                    report(token, f"{value[:_MOST_SHOWN]!r} is no coreference annotation", _REMEDY)
                    continue
                for name, opens, closes, head in found:
                    rows.append((token, codes.setdefault(name, len(codes)), opens, closes, head))
        table = ints(rows).reshape(-1, 5).T
        brackets = Brackets(table[0], table[1], table[2].astype(np.bool_), table[3].astype(np.bool_))
        return list(codes), brackets, table[4]


def _numbered(entities: Sequence[str], document: Ints, begin: Ints, end: Ints, size: Ints) -> Ints:
    """Numbers of chains in the order of their first mentions: first word, longer first, last word, entity."""
    names = {name: number for number, name in enumerate(sorted(set(entities)))}
    entity = ints([names[name] for name in entities])
    order = np.lexsort((entity, end, -size, begin))
    _, first, inverse = np.unique(chains_of(entity, document)[order], return_index=True, return_inverse=True)
    found = np.empty_like(entity)
    found[order] = np.argsort(np.argsort(first))[inverse]
    return found


def _new_document(comment: str) -> str | None:
    """The name in `# newdoc id = name`, which is empty in `# newdoc`; None where a comment begins no document."""
    text = comment.removeprefix("#").strip()
    behind = text.removeprefix("newdoc")
    if behind == text or (behind and not behind[0].isspace()):
        return None
    key, equals, name = behind.partition("=")
    return name.strip() if not behind or (equals and key.strip() == "id") else None


def _decimals(cells: Cells, is_empty: Bools) -> Ints:
    """The numbers behind the points of empty nodes; -1 for words."""
    decimals = np.full(len(is_empty), -1)
    start, _ = cells.column(_LAYOUT.columns["id"])
    window = windows(cells.data)
    _, digits = leading_numbers(window[start[is_empty]])
    decimals[is_empty], _ = leading_numbers(window[start[is_empty] + digits + 1])
    return decimals
