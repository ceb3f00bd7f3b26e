"""CorefUD: coreference in the MISC column of CoNLL-U, as `Entity=`.

`Entity=(e1-person-1-` opens a mention of e1, `e1)` closes it, `(e1-person-1-)` is one of a single word. A comment
`# global.Entity = eid-etype-head-other` names the fields. `e1[1/2]` and `e1[2/2]` are the parts of one mention. Empty
nodes (`5.1`) are tokens here, since they can be mentions. `# newdoc id = name` begins a document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from evenhand.arrays import Bools, Ints, ints
from evenhand.formats.chain_formats import COREFUD, DECLARATION, DocumentNames
from evenhand.formats.conllu_layout import COLUMNS
from evenhand.formats.parsing.blocks import split
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.mention_brackets import Brackets, MentionParts, Ranges, Report, chains_of, match, too_long
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
from evenhand.text.tokens import Tokens, windows

_LAYOUT = WordLayout("corefud", {each: place for place, each in enumerate(COLUMNS)}, len(COLUMNS))
_ENTITY_FIELDS = ("eid", "GRP")
"""What the field that names the entity is called, now and in older files."""
_BLOCKS = 4
_SAMPLE = 200
_MOST_SHOWN = 80
_BRACKET = re.compile(r"\([^()]+\)?|[^()]+\)")
_PART = re.compile(r"(?P<entity>.*)\[(?P<part>\d{1,9})/(?P<parts>\d{1,9})\]")
_REMEDY = "write Entity=(e1), or (e1 and e1) at the first and last word of a mention"


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    return frozenset({"pos"} if _pos_column(source, settings) is not None else ())


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
    field_of_entity: int = 0
    """Which field of an opening bracket names the entity."""

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
        misc = cells.tokens(_LAYOUT.columns["misc"])
        layers: dict[str, Layer] = {"chains": self._chains(corpus, misc, document, first)}
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
                fields = text.removeprefix(DECLARATION).strip().split("-")
                self.field_of_entity = next((fields.index(name) for name in _ENTITY_FIELDS if name in fields), 0)
            name = _new_document(text)
            if name is not None:
                unnamed &= not name
                names.append(self.names.once(name or None, found.lines.number(line)))
                first.append(int(np.searchsorted(tokens, line)))
        if not first or first[0] > 0:
            names, first = ["", *names], [0, *first]
        return tuple(names), ints(first), unnamed

    def _chains(self, corpus: Corpus, misc: Tokens, document: Ints, first: Ints) -> Chains:
        def report(token: int, finding: str, remedy: str) -> None:
            self.source.report(corpus.line(token), finding, remedy, "chain")

        codes: dict[str, int] = {}
        rows = list[tuple[int, int, bool, bool]]()
        for token in np.flatnonzero(misc.end - misc.start > 1).tolist():
            for value in (each for each in misc[token].split("|") if each.startswith("Entity=")):
                if len(value) > BRACKETS.value:
                    report(token, *too_long(len(value.encode())))
                    continue
                found = self._brackets(value.removeprefix("Entity="))
                if found is None:
                    report(token, f"{value[:_MOST_SHOWN]!r} is no coreference annotation", _REMEDY)
                    continue
                rows += [(token, codes.setdefault(name, len(codes)), opens, closes) for name, opens, closes in found]
        table = ints(rows).reshape(-1, 4).T
        brackets = Brackets(table[0], table[1], table[2].astype(np.bool_), table[3].astype(np.bool_))
        mentions = _whole(list(codes), brackets, *match(brackets, document, report), document, report)
        begin = ints([min(ranges)[0] for _, ranges in mentions])
        last = ints([max(end for _, end in ranges) for _, ranges in mentions])
        shape = ints([self.vocabulary.shapes.code(_gaps(ranges)) for _, ranges in mentions])
        entities = {name: code for code, name in enumerate(dict.fromkeys(name for name, _ in mentions))}
        of_mention = document[begin]
        chain = chains_of(ints([entities[name] for name, _ in mentions]), of_mention)
        before = first[of_mention]
        return Chains(self.vocabulary, of_mention, begin - before, last + 1 - before, chain, shape).numbered()

    def _brackets(self, value: str) -> list[tuple[str, bool, bool]] | None:
        """Name, opens, closes of every bracket; None where something else stands there."""
        found, place = [], 0
        while place < len(value):
            bracket = _BRACKET.match(value, place)
            if bracket is None:
                return None
            piece, place = bracket[0], bracket.end()
            if not piece.startswith("("):
                found.append((piece[:-1], False, True))
                continue
            fields = piece.strip("()").split("-")
            if self.field_of_entity >= len(fields):
                return None
            found.append((fields[self.field_of_entity], True, piece.endswith(")")))
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


def _whole(
    names: Sequence[str], brackets: Brackets, opens: Ints, closes: Ints, document: Ints, report: Report
) -> list[tuple[str, Ranges]]:
    """Mentions in the order of their first parts: entity, and first and last token of each part.

    A mention without all of its parts is a problem.
    """
    mentions: list[tuple[str, Ranges]] = []
    joined, several = MentionParts(), list[tuple[str, int, Ranges]]()
    columns = (brackets.token[opens], brackets.token[closes], brackets.name[opens])
    for begin, last, code in zip(*(column.tolist() for column in columns), strict=True):
        found = _PART.fullmatch(names[code])
        if found is None:
            mentions.append((names[code], [(begin, last)]))
            continue
        entity = (int(document[begin]), found["entity"], found["parts"])
        ranges = joined.add(entity, int(found["part"]), (begin, last))
        if ranges is not None:
            mentions.append((found["entity"], ranges))
            several.append((found["entity"], int(found["parts"]), ranges))
    for name, parts, ranges in several:
        if len(ranges) != parts:
            finding = f"a mention of {name!r} has {len(ranges)} of its {parts} parts"
            report(ranges[0][0], finding, "write all parts, from [1/n] to [n/n]")
    return mentions


def _gaps(ranges: Ranges) -> tuple[int, ...]:
    """The tokens that parts leave out between them, counted from the first one."""
    if len(ranges) == 1:
        return ()
    inside = {token for begin, last in ranges for token in range(begin, last + 1)}
    first = min(inside)
    return tuple(token - first for token in range(first, max(inside)) if token not in inside)
