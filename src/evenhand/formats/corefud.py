"""CorefUD: coreference in the MISC column of CoNLL-U, as `Entity=`.

`Entity=(e1-person-1-` opens a mention of e1, `e1)` closes it, `(e1-person-1-)` is one of a single word. A comment
`# global.Entity = eid-etype-head-other` names the fields. `e1[1/2]` and `e1[2/2]` are the parts of one mention. Empty
nodes (`5.1`) are tokens here, since they can be mentions. `# newdoc id = name` begins a document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from itertools import islice

import numpy as np

from evenhand.arrays import Bools, Ints, ints, windows
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
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

_BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(?P<entity>.*)\[(?P<part>\d{1,9})/(?P<parts>\d{1,9})\]")
_EDGE = re.compile(r"(?P<word>[0-9]{1,9})(?:\.(?P<decimal>[0-9]{1,9}))?:(?P<relation>.+)")
_NOT_A_NUMBER = -1
"""The head of a bracket whose head is not a number."""
_LAYOUT = WordLayout("corefud", {column: index for index, column in enumerate(COLUMNS)}, len(COLUMNS))
_BLOCKS = 4
_SAMPLE = 200
_LONGEST_VALUE = 80
_REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"
Bracket = tuple[str, bool, bool, int]
"""Name, opens, closes, head (0: none)."""


@dataclass(frozen=True)
class EntityFields:
    """The fields of an opening bracket with the entity and its head; the usual ones without a declaration."""

    entity: int = 0
    head: int | None = 2
    is_declared: bool = False

    @staticmethod
    def declared(comment: str) -> EntityFields:
        fields = comment.removeprefix(DECLARATION).strip().split("-")
        entity = next((fields.index(name) for name in ("eid", "GRP") if name in fields), 0)  # GRP in older files
        return EntityFields(entity, fields.index("head") if "head" in fields else None, is_declared=True)

    def brackets(self, value: str) -> list[Bracket] | None:
        """Return all brackets; None if there is anything else."""
        brackets, offset = list[Bracket](), 0
        while offset < len(value):
            bracket = _BRACKET.match(value, offset)
            if bracket is None:
                return None
            piece, offset = bracket[0], bracket.end()
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
        return _NOT_A_NUMBER if written and self.is_declared else 0


@dataclass(frozen=True)
class EntityMention:
    """A mention: its entity, the first and last token of each part, and the position of its head (0: none)."""

    entity: str
    ranges: Ranges
    head: int = 0

    @property
    def gaps(self) -> tuple[int, ...]:
        """Tokens between the parts, counted from the first token of the mention."""
        if len(self.ranges) == 1:
            return ()
        inside = {token for begin, last in self.ranges for token in range(begin, last + 1)}
        first = min(inside)
        return tuple(token - first for token in range(first, max(inside)) if token not in inside)


def _join_parts(
    names: Sequence[str], brackets: Brackets, opens: Ints, closes: Ints, heads: Ints, document: Ints, report: Report
) -> list[EntityMention]:
    """Mentions in the order of their first parts. A mention with missing parts is a problem."""
    mentions: list[EntityMention] = []
    mention_parts, part_counts = MentionParts(), dict[int, int]()
    head_of: dict[tuple[str, int, int], int] = {}
    columns = (brackets.token[opens], brackets.token[closes], brackets.name[opens], heads[opens])
    for begin, last, code, head in zip(*(column.tolist() for column in columns), strict=True):
        part = _PART.fullmatch(names[code])
        if part is None:
            mentions.append(EntityMention(names[code], [(begin, last)], head))
            continue
        head_of[part["entity"], begin, last] = head
        entity = (int(document[begin]), part["entity"], part["parts"])
        ranges = mention_parts.add(entity, int(part["part"]), (begin, last))
        if ranges is not None:
            part_counts[len(mentions)] = int(part["parts"])
            mentions.append(EntityMention(part["entity"], ranges))
    for row, parts in part_counts.items():
        name, ranges = mentions[row].entity, mentions[row].ranges
        mentions[row] = EntityMention(name, ranges, head_of[name, *ranges[-1]])
        if len(ranges) != parts:
            finding = f"a mention of {name!r} has {len(ranges)} of its {parts} parts"
            report(ranges[0][0], finding, "write all parts, from [1/n] to [n/n]")
    return mentions


def _head_positions(mentions: Sequence[EntityMention], size: Ints, report: Report) -> Ints:
    """The position of each head among the words of its mention, from 0; heads beyond these are a problem."""
    head = np.array([mention.head for mention in mentions], dtype=np.int64)
    head[size == 1] = 0
    for row in np.flatnonzero((head > size) | (head == _NOT_A_NUMBER)).tolist():
        name, words = mentions[row].entity, counted(size[row], "word")
        finding = f"a mention of {name!r} has the head {head[row]}, but {words}"
        if head[row] == _NOT_A_NUMBER:
            finding = f"the head of a mention of {name!r} is not a number"
        report(mentions[row].ranges[0][0], finding, f"write the position of its head, from 1 to {size[row]}")
        head[row] = 0
    return np.maximum(head - 1, 0)


def _edges_of_empty_nodes(corpus: Corpus, cells: Tokens, report: Report) -> Callable[[int], tuple[Edge, ...]]:
    """Return a function for the parents and relations of a token in DEPS, without duplicates, in a fixed order."""
    assert corpus.bounds is not None
    assert corpus.decimals is not None
    bounds, document_bounds = corpus.bounds, corpus.document_bounds
    overt = np.append(0, np.cumsum(corpus.decimals < 0))

    def edges_of(token: int) -> tuple[Edge, ...]:
        sentence, document = (np.searchsorted(edges, token, side="right") - 1 for edges in (bounds, document_bounds))
        before, edges = int(overt[bounds[sentence]] - overt[document_bounds[document]]), set[Edge]()
        for written in cells[token].split("|") if cells[token] not in ("_", "") else ():
            edge = _EDGE.fullmatch(written)
            if edge is None:
                finding = f"{written[:_LONGEST_VALUE]!r} is not an edge of an empty node"
                report(token, finding, "write DEPS as parent:relation, with bars between")
                continue
            word, decimal = int(edge["word"]), None if edge["decimal"] is None else int(edge["decimal"])
            is_root = word == 0 and decimal is None
            parent = ROOT if is_root else word_number(before + word, decimal, is_first=word == 0)
            edges.add((parent, edge["relation"]))
        return tuple(sorted(edges))

    return edges_of


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return COREFUD.contents.traits | ({"pos"} if _pos_column(source, settings) is not None else set())


def _pos_column(source: Source, settings: ReadSettings) -> int | None:
    """The column of POS of the first words: UPOS, else XPOS, unless the user names one."""
    candidates = ["upos", "xpos"]
    for column in settings.columns:
        key, _, name = str(column).partition("=")
        if key != "pos" or name not in candidates:
            raise SettingError(f"{column!r} is not a column of CorefUD; write pos=upos or pos=xpos.")
        candidates = [name]
    words = [cells for _, _, cells in islice(rows_of(source), _SAMPLE) if len(cells) == _LAYOUT.width]
    indices = map(COLUMNS.index, candidates)
    return next((index for index in indices if any(cells[index] != "_" for cells in words)), None)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole documents."""
    pos = _pos_column(source, settings)
    column = "pos=xpos" if pos == COLUMNS.index("xpos") else None
    info, extra = ReadInfo(COREFUD.name, column=column), [name for name in settings.extra if name in COLUMNS]
    reader = _CorefudReader(source, pos, vocabulary, info, DocumentNames(source, vocabulary), list(map(str, extra)))
    blocks = source.blocks(_BLOCKS * settings.block_size, cut_after="document")
    yield from (batch for batch in map(reader.read, blocks) if batch is not None)


@dataclass
class _CorefudReader:
    source: Source
    pos: int | None
    vocabulary: Vocabulary
    reading: ReadInfo
    names: DocumentNames
    extra: Sequence[str] = ()
    """Additional columns, which become layers."""
    fields: EntityFields = field(default_factory=EntityFields)

    def read(self, block: Block) -> Annotation | None:
        """Return the documents of a block, if it has any."""
        lines = split(block, tabs=True)
        words = LineSorter(self.source, _LAYOUT, lines).sort()
        tokens = np.sort(np.concatenate((words.words, words.empty_nodes)))
        if not len(tokens):
            return None
        bounds = np.append(np.unique(words.sentence_of_line[tokens], return_index=True)[1], len(tokens))
        names, first, unnamed = self._documents(words, tokens)
        cells = lines.table(tokens, _LAYOUT.width)
        corpus = Corpus(
            self.source.display_name,
            len(bounds) - 1,
            bounds,
            cells.tokens(_LAYOUT.columns["form"]),
            tokens,
            lines.first_line,
            decimals=_decimals(cells, np.isin(tokens, words.empty_nodes)),
            documents=np.searchsorted(bounds, first),
            names=names,
            unnamed=unnamed,
        )
        document = np.repeat(np.arange(len(names)), np.diff(np.append(first, len(tokens))))
        layers: dict[str, Layer] = {"chains": self._chains(corpus, cells, document)}
        if self.pos is not None:
            layers["pos"] = TagColumn(cells.tokens(self.pos), self.vocabulary.columns["pos"])
        # Parents in the tree stand in for heads that the file does not state.
        for name in self.extra if self.fields.head is None else [name for name in self.extra if name != "head"]:
            layers[extra_layer(name)] = TagColumn(
                cells.tokens(_LAYOUT.columns[name]), self.vocabulary.columns[extra_layer(name)]
            )
        return Annotation(corpus, layers, {"chains": self.reading}, self.source.name)

    def _documents(self, words: WordLines, tokens: Ints) -> tuple[tuple[str, ...], Ints, bool]:
        """The names of documents, their first tokens, and whether none has a name; without marks there is one."""
        names, first, unnamed = list[str](), list[int](), True
        lines = words.lines
        # All comments, including comments of sentences that are left out because of problems.
        is_comment = (np.frombuffer(lines.data, dtype=np.uint8)[lines.begins] == ord("#")) & (lines.cells > 0)
        for line in np.flatnonzero(is_comment).tolist():
            text = lines.text(line)
            if text.startswith(DECLARATION):
                self.fields = EntityFields.declared(text)
            name = _new_document(text)
            if name is not None:
                unnamed &= not name
                names.append(self.names.once(name or None, lines.number(line)))
                first.append(int(np.searchsorted(tokens, line)))
        if not first or first[0] > 0:
            names, first = ["", *names], [0, *first]
        return tuple(names), ints(first), unnamed

    def _chains(self, corpus: Corpus, cells: Cells, document: Ints) -> Chains:
        def report(token: int, finding: str, remedy: str) -> None:
            self.source.report(corpus.line(token), finding, remedy, "chain")

        names, brackets, heads = self._brackets(cells.tokens(_LAYOUT.columns["misc"]), report)
        mentions = _join_parts(names, brackets, *match(brackets, document, report), heads, document, report)
        begin = ints([min(mention.ranges)[0] for mention in mentions])
        end = ints([max(last for _, last in mention.ranges) + 1 for mention in mentions])
        gaps = [mention.gaps for mention in mentions]
        shape = ints([self.vocabulary.shapes.code(gap) for gap in gaps])
        size = end - begin - ints([len(gap) for gap in gaps])
        of_mention = document[begin]
        chain = _numbered([mention.entity for mention in mentions], of_mention, begin, end, size)
        before = corpus.document_bounds[of_mention]
        chains = Chains(self.vocabulary, of_mention, begin - before, end - before, chain, shape)
        edges = _edges_of_empty_nodes(corpus, cells.tokens(_LAYOUT.columns["deps"]), report)
        return replace(chains, words=mention_words(chains, corpus, _head_positions(mentions, size, report), edges))

    def _brackets(self, misc: Tokens, report: Report) -> tuple[list[str], Brackets, Ints]:
        """The names of entities (and of parts of mentions), all brackets with numbers of names, and their heads."""
        codes: dict[str, int] = {}
        rows = list[tuple[int, int, bool, bool, int]]()
        for token in np.flatnonzero(misc.end - misc.start > 1).tolist():
            for value in filter(lambda value: value.startswith("Entity="), misc[token].split("|")):
                if len(value) > BRACKETS.value:
                    report(token, *too_long(len(value.encode())))
                    continue
                brackets = self.fields.brackets(value.removeprefix("Entity="))
                if brackets is None:
                    report(token, f"{value[:_LONGEST_VALUE]!r} is not a coreference annotation", _REMEDY)
                    continue
                for name, opens, closes, head in brackets:
                    rows.append((token, codes.setdefault(name, len(codes)), opens, closes, head))
        table = ints(rows).reshape(-1, 5).T
        return list(codes), Brackets(table[0], table[1], table[2].astype(np.bool_), table[3].astype(np.bool_)), table[4]


def _numbered(entities: Sequence[str], document: Ints, begin: Ints, end: Ints, size: Ints) -> Ints:
    """Numbers of chains in the order of their first mentions: first word, longer first, last word, entity."""
    codes = {name: code for code, name in enumerate(sorted(set(entities)))}
    entity = ints([codes[name] for name in entities])
    order = np.lexsort((entity, end, -size, begin))
    _, first, inverse = np.unique(chains_of(entity, document)[order], return_index=True, return_inverse=True)
    number = np.empty_like(entity)
    number[order] = np.argsort(np.argsort(first))[inverse]
    return number


def _new_document(comment: str) -> str | None:
    """The name in `# newdoc id = name`, which is empty in `# newdoc`; None for other comments."""
    text = comment.removeprefix("#").strip()
    attribute = text.removeprefix("newdoc")
    if attribute == text or (attribute and not attribute[0].isspace()):
        return None
    key, equals, name = attribute.partition("=")
    return name.strip() if not attribute or (equals and key.strip() == "id") else None


def _decimals(cells: Cells, is_empty: Bools) -> Ints:
    """The numbers after the points of empty nodes; -1 for words."""
    decimals = np.full(len(is_empty), -1)
    start, _ = cells.column(_LAYOUT.columns["id"])
    window = windows(cells.data)
    _, digits = leading_numbers(window[start[is_empty]])
    decimals[is_empty], _ = leading_numbers(window[start[is_empty] + digits + 1])
    return decimals
