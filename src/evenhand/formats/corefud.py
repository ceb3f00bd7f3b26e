"""CorefUD: coreference in the MISC column of CoNLL-U, as `Entity=`.

`Entity=(e1-person-1-` opens a mention of e1, `e1)` closes it, `(e1-person-1-)` is one of a single word. A comment
`# global.Entity = eid-etype-head-other` names the fields. `e1[1/2]` and `e1[2/2]` are the parts of one mention. Empty
nodes (`5.1`) are tokens here, since they can be mentions. `# newdoc id = name` begins a document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import islice

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.dataclass import dataclass
from evenhand.formats.chain_formats import COREFUD, DECLARATION, DocumentNames
from evenhand.formats.conllu_layout import COLUMNS
from evenhand.formats.corefud_brackets import EmptyNodeEdges, EntityFields, head_places, whole_mentions
from evenhand.formats.parsing.blocks import split
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.mention_brackets import Brackets, Report, chains_of, match, too_long
from evenhand.formats.parsing.table_head import rows_of
from evenhand.formats.parsing.windows import leading_numbers
from evenhand.formats.parsing.word_lines import Sorting, WordLayout, WordLines
from evenhand.formats.source import Block, Source
from evenhand.limits import BRACKETS
from evenhand.problems import SettingError
from evenhand.settings import Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading
from evenhand.text.chains import Chains
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Written
from evenhand.text.mention_words import words_of
from evenhand.text.tokens import Tokens, windows

_LAYOUT = WordLayout("corefud", {each: place for place, each in enumerate(COLUMNS)}, len(COLUMNS))
_BLOCKS = 4
_SAMPLE = 200
_MOST_SHOWN = 80
_REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return COREFUD.own_traits | ({"pos"} if _pos_column(source, settings) is not None else set())


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
    reader = _Reader(source, pos, vocabulary, Reading(COREFUD.name, column=column), DocumentNames(source))
    for block in source.blocks(_BLOCKS * settings.block_size, cut_behind="document"):
        batch = reader.read(block)
        if batch is not None:
            yield batch


@dataclass
class _Reader:
    """Reads blocks of whole documents."""

    source: Source
    pos: int | None
    vocabulary: Vocabulary
    reading: Reading
    names: DocumentNames
    fields: EntityFields = field(default_factory=EntityFields)
    """Which fields an opening bracket has."""

    def read(self, block: Block) -> Annotation | None:
        """The documents of a block, if it has any."""
        lines = split(block, tabs=True)
        found = Sorting(self.source, _LAYOUT, lines)()
        tokens = np.sort(np.concatenate((found.words, found.empty_nodes)))
        if not len(tokens):
            return None
        bounds = np.append(np.unique(found.sentence_of_line[tokens], return_index=True)[1], len(tokens))
        names, first, unnamed = self._documents(found, tokens)
        cells = lines.table(tokens, _LAYOUT.width)
        corpus = Corpus(
            self.source.shown,
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
            layers["pos"] = Written(cells.tokens(self.pos), self.vocabulary.columns["pos"])
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
        shape = ints([self.vocabulary.shapes.code(each) for each in gaps])
        size = end - begin - ints([len(each) for each in gaps])
        of_mention = document[begin]
        chain = _numbered([each.entity for each in found], of_mention, begin, end, size)
        before = corpus.document_bounds[of_mention]
        chains = Chains(self.vocabulary, of_mention, begin - before, end - before, chain, shape)
        edges = EmptyNodeEdges(corpus, cells.tokens(_LAYOUT.columns["deps"]), report)
        return replace(chains, words=words_of(chains, corpus, head_places(found, size, report), edges))

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
    found = np.full(len(is_empty), -1)
    start, _ = cells.column(_LAYOUT.columns["id"])
    window = windows(cells.data)
    _, digits = leading_numbers(window[start[is_empty]])
    found[is_empty], _ = leading_numbers(window[start[is_empty] + digits + 1])
    return found
