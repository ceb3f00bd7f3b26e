"""CoNLL-U and its relatives: a word a line, with its lemma, tags, head and relation in columns.

See `conllu_layout` for the columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import Bools, Ints, distinct, ints, windows
from evenhand.data.annotation import Annotation, Layer, ReadInfo, extra_layer
from evenhand.data.corpus import Corpus, MultiWords, NonTokenLines
from evenhand.data.layers import (
    COLLAPSED,
    DEPS,
    FEATURES,
    FeatureSets,
    TagColumn,
    Tags,
    Trees,
    cycle_of,
    roots,
    without_root,
)
from evenhand.data.tokens import PADDING, Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import TAKEN_ROOTS, SettingError, counted
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer, by_batch
from evenhand.formats.parsing.cells import Cells, Lines, leading_numbers, split
from evenhand.formats.parsing.token_table import numbered_rows, rows_of, rows_of_sample
from evenhand.formats.partition import SENTENCES
from evenhand.formats.source import Block, Source
from evenhand.formats.storage import AnyPath
from evenhand.registry import lazy
from evenhand.settings import UNIVERSAL_LAYERS, Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

# == formats/parsing/word_lines.py: The lines of a block of words: words, tokens that are severa


_HASH, _HYPHEN, _POINT = b"#-."
_NOTHING_WORD_LINES = ints([])


@dataclass(frozen=True)
class WordLayout:
    """Where the columns of a file of words are."""

    name: str
    columns: Mapping[str, int]
    """The place of each column, by its name (`form`, `head`, …)."""
    width: int
    """How many columns a line has."""
    tabs: bool = True
    at_least: bool = False
    """Whether a line may have more columns."""

    def has(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


@dataclass(frozen=True)
class WordLines:
    """What the lines of a block are; words and lines count from the block's first one."""

    lines: Lines
    sentence_of_line: Ints
    """How many blank lines stand before each line."""
    words: Ints
    """The lines of words."""
    bounds: Ints
    """Where sentences begin, in words, and where the last one ends."""
    multiwords: Ints
    """The lines of tokens that are several words."""
    first: Ints
    """The first word of each of them."""
    size: Ints
    comments: Ints
    empty_nodes: Ints

    @property
    def sentence(self) -> Ints:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


class Sorting:
    """Sorts the lines of a block; what is wrong is reported, and its sentence is left out if reading goes on."""

    def __init__(self, source: Source, layout: WordLayout, lines: Lines) -> None:
        self._source, self._layout, self._lines = source, layout, lines
        self._blank = lines.cells == 0
        self._sentence_of_line = np.cumsum(self._blank)
        self._broken: set[int] = set()

    def __call__(self) -> WordLines:
        begins, text = self._lines.begins, np.frombuffer(self._lines.data, dtype=np.uint8)
        is_hash = (text[begins] == _HASH) & ~self._blank
        if not self._layout.has("id"):
            is_hash &= self._lines.cells != self._layout.width
        rows = self._of_right_width(np.flatnonzero(~(self._blank | is_hash)))
        comments = np.flatnonzero(is_hash)
        self._check_comments(comments, rows)
        has_numbers = self._layout.has("id")
        return self.kept(self._numbered(rows, comments) if has_numbers else self._sorted(rows, comments))

    def report(self, line: int, finding: str, remedy: str, kind: str) -> None:
        self._source.report(self._lines.number(line), finding, remedy, kind)
        self._broken.add(int(self._sentence_of_line[line]))

    def kept(self, found: WordLines) -> WordLines:
        """The lines of sentences in which nothing was wrong; the same object where that is all of them."""
        is_broken = np.isin(self._sentence_of_line, list(self._broken))
        lines = np.concatenate((found.words, found.multiwords, found.empty_nodes, found.comments))
        if not is_broken[lines].any():
            return found
        kept = ~is_broken[found.multiwords]
        rows = (found.words, found.comments, found.empty_nodes)
        words, comments, empty_nodes = (row[~is_broken[row]] for row in rows)
        return self._sorted(words, comments, empty_nodes, found.multiwords[kept], found.size[kept])

    def _sorted(
        self,
        words: Ints,
        comments: Ints,
        empty_nodes: Ints = _NOTHING_WORD_LINES,
        multiwords: Ints = _NOTHING_WORD_LINES,
        size: Ints = _NOTHING_WORD_LINES,
    ) -> WordLines:
        sentence = self._sentence_of_line[words]
        begins = np.ones(len(words) + 1, dtype=np.bool_)
        begins[1:-1] = sentence[1:] != sentence[:-1]
        bounds = np.flatnonzero(begins)
        # A token of several words stands before them, so that its line tells its first word.
        first = np.searchsorted(words, multiwords)
        return WordLines(
            self._lines, self._sentence_of_line, words, bounds, multiwords, first, size, comments, empty_nodes
        )

    def _of_right_width(self, rows: Ints) -> Ints:
        cells, width = self._lines.cells[rows], self._layout.width
        right = cells >= width if self._layout.at_least else cells == width
        if right.all():
            return rows
        for line in rows[~right].tolist():
            more = "at least " if self._layout.at_least else ""
            finding = f"found {counted(self._lines.cells[line], 'column')} where {self._layout.name} has {more}{width}"
            remedy = "mend the line (a cut one shows that the file was not written to its end)"
            self.report(line, finding, remedy, "columns")
        return rows[right]

    def _check_comments(self, comments: Ints, rows: Ints) -> None:
        before = np.searchsorted(rows, comments)
        place = np.maximum(before - 1, 0)
        if not len(rows):
            return
        inside = (before > 0) & (self._sentence_of_line[rows[place]] == self._sentence_of_line[comments])
        for line in comments[inside].tolist():
            self.report(line, "found a comment inside a sentence", "move it before the sentence", "comment")

    def _numbered(self, rows: Ints, comments: Ints) -> WordLines:
        """Lines by their numbers, which are checked."""
        cells = self._lines.table(rows, self._layout.width)
        place = self._layout.columns["id"]
        start, end = cells.column(place)
        number, digits = leading_numbers(windows(cells.data)[start])
        is_word = (digits == end - start) & (digits > 0)
        words = rows[is_word]
        others = np.flatnonzero(~is_word)
        mark, second = self._marked(cells, start[others], end[others], digits[others])
        for row in others[mark == 0].tolist():
            finding = (
                f"{cells.text(place, row)!r} numbers no word (3), no token of several (3-4) and no empty node (3.1)"
            )
            self.report(int(rows[row]), finding, "number the words of every sentence from 1 on", "number")
        multi, empty = others[mark == _HYPHEN], others[mark == _POINT]
        size = second[mark == _HYPHEN] - number[multi] + 1
        found = self._sorted(words, comments, rows[empty], rows[multi], size)
        self._check_numbers(found, number[is_word])
        self._check_multiwords(found, number[multi])
        self._check_empty_nodes(found, number[empty])
        return found

    @staticmethod
    def _marked(cells: Cells, start: Ints, end: Ints, digits: Ints) -> tuple[Ints, Ints]:
        """What stands between two numbers, 0 where a cell is not these, and the second number."""
        behind = start + digits
        second, more = leading_numbers(windows(cells.data)[behind + 1])
        is_complete = (digits > 0) & (more > 0) & (behind + 1 + more == end)
        mark = np.frombuffer(cells.data, dtype=np.uint8)[behind].astype(np.int64)
        return np.where(is_complete & ((mark == _HYPHEN) | (mark == _POINT)), mark, 0), second

    def _check_numbers(self, found: WordLines, number: Ints) -> None:
        expected = np.arange(len(number)) - np.repeat(found.bounds[:-1], np.diff(found.bounds)) + 1
        wrong = np.flatnonzero(number != expected)
        _, first_of_sentence = np.unique(found.sentence[wrong], return_index=True)
        for word in wrong[first_of_sentence].tolist():
            finding = f"found the word {number[word]} where {expected[word]} is next"
            remedy = "number the words of every sentence from 1 on, without gaps"
            self.report(int(found.words[word]), finding, remedy, "number")

    def _check_multiwords(self, found: WordLines, number: Ints) -> None:
        if not len(number):
            return
        last = np.searchsorted(found.bounds, found.first, side="right")  # the bound behind the sentence
        begin, behind = found.bounds[last - 1], found.bounds[np.minimum(last, len(found.bounds) - 1)]
        inside = np.minimum(found.first, max(len(found.words) - 1, 0))
        stands = (found.first < len(found.words)) & (found.first - begin + 1 == number)
        if len(found.words):
            sentences = self._sentence_of_line
            stands &= sentences[found.words[inside]] == sentences[found.multiwords]
        overlaps = np.zeros(len(number), dtype=np.bool_)
        sentence = self._sentence_of_line[found.multiwords]
        overlaps[1:] = (found.first[1:] < (found.first + found.size)[:-1]) & (sentence[1:] == sentence[:-1])
        checks: tuple[tuple[Bools, str], ...] = (
            (found.size < 1, "ends before it begins"),
            (~stands, "does not stand before its first word"),
            (found.first + found.size > behind, "reaches beyond its sentence"),
            (overlaps, "overlaps the one before"),
        )
        told = np.zeros(len(number), dtype=np.bool_)
        for wrong, what in checks:
            for token in np.flatnonzero(wrong & ~told).tolist():
                name = f"{number[token]}-{number[token] + found.size[token] - 1}"
                remedy = "write it before its words, which have the numbers of its range"
                self.report(int(found.multiwords[token]), f"the multi-word token {name} {what}", remedy, "number")
            told |= wrong

    def _check_empty_nodes(self, found: WordLines, number: Ints) -> None:
        lines = found.empty_nodes
        before = np.searchsorted(found.words, lines)
        first = np.searchsorted(self._sentence_of_line[found.words], self._sentence_of_line[lines])
        for node in np.flatnonzero(before - first != number).tolist():
            finding = f"found an empty node of word {number[node]} behind word {before[node] - first[node]}"
            self.report(int(lines[node]), finding, "write it behind its word", "number")


# == formats/conllu_layout.py: The columns of CoNLL-U and its relatives: how files are reco


COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_PLUS = "# global.columns ="
_CONLL_2009 = {"id": 0, "form": 1, "lemma": 2, "upos": 4, "feats": 6, "head": 8, "deprel": 10}
NAME_THEM = "name the columns, such as --column form=2,head=7,deprel=8"
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_HEAD = re.compile(r"[0-9]+|_")


def recognise(sample: Block) -> float:
    """The share of words with ten columns, a number in the first and a head in the seventh; 1 if columns are named."""
    if sample.data.startswith(_PLUS.encode()):
        return 1.0
    return share_of_words(sample, tabs=True)


def share_of_words(sample: Block, *, tabs: bool) -> float:
    """The share of lines that are words of CoNLL-U, with tabs or blanks between the columns."""
    words = sum(has_tabs == tabs and _is_word(cells) for _, has_tabs, cells in numbered_rows(sample))
    return words / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample)) if words else 0.0


def _is_word(cells: list[str]) -> bool:
    return len(cells) == len(COLUMNS) and _ID.fullmatch(cells[0]) is not None and _HEAD.fullmatch(cells[6]) is not None


def has_suffix(path: AnyPath) -> bool:
    return ".conllu" in path.suffixes[-2:]


def layout_of(source: Source, settings: ReadSettings) -> tuple[WordLayout, int | None]:
    """Where the columns of a file are, and which of them holds the tags that a user asks for."""
    given = [column for column in settings.columns if isinstance(column, str) and "=" in column]
    asked = [column for column in settings.columns if column not in given]
    if len(asked) > 1:
        raise SettingError("Tags of words are scored one column at a time; name a single --column.")
    layout = _plain_layout(source, settings.format, named=bool(given))
    columns = dict(layout.columns) | dict(map(_named, given))
    at_least = layout.at_least or layout.name == "columns"
    width = max(layout.width, *(place + 1 for place in columns.values())) if columns else layout.width
    layout = replace(layout, columns=columns, width=width, at_least=at_least)
    if "form" not in columns:
        raise source.error(None, "the columns of the file are not those of CoNLL-U", NAME_THEM)
    return layout, asked_column(source, layout, asked[0]) if asked else None


def _plain_layout(source: Source, name: str | None, *, named: bool) -> WordLayout:
    """The columns of a format or, where no format is named, of CoNLL-U Plus or CoNLL-U; none of other files."""
    if name == "conll2009":
        return WordLayout(name, _CONLL_2009, len(_CONLL_2009), _has_tabs(source), at_least=True)
    sample = source.sample(1 << 12)
    if sample.data.startswith(_PLUS.encode()):
        first = sample.data.decode(errors="replace").partition("\n")[0].removeprefix(_PLUS)
        names = [each.lower().rpartition(":")[2] for each in first.split()]
        return WordLayout("conllu", {each: place for place, each in enumerate(names)}, len(names))
    by_name = has_suffix(source.path) and not named
    if name is not None or by_name or recognise(sample):
        tabs = name != "conllx" or _has_tabs(source)
        return WordLayout(name or "conllu", {column: place for place, column in enumerate(COLUMNS)}, len(COLUMNS), tabs)
    return WordLayout("columns", {}, 1, _has_tabs(source))


def _has_tabs(source: Source) -> bool:
    return next((tabs for _, tabs, cells in rows_of(source, skip_comments=True) if not cells[0].startswith("#")), True)


def _named(column: str) -> tuple[str, int]:
    name, _, number = column.partition("=")
    if not number.strip().isdecimal() or int(number) < 1:
        raise SettingError(f"{column!r} names no column; write its name and its number, such as head=7.")
    return name.strip().lower(), int(number) - 1


def asked_column(source: Source, layout: WordLayout, column: int | str) -> int:
    """The place of the column that a user asks for."""
    if isinstance(column, int):
        place = column - 1 if column > 0 else layout.width + column
        if 0 <= place < layout.width:
            return place
    elif column.lower() in layout.columns:
        return layout.columns[column.lower()]
    raise source.error(None, f"column {column!r} does not exist", f"choose one of {', '.join(layout.columns)}")


def has_heads(source: Source, layout: WordLayout) -> bool:
    """Whether the first word of a file has a head, or none is expected."""
    lines = rows_of(source, skip_comments=True)
    rows = (cells for _, _, cells in lines if not cells[0].startswith("#") and len(cells) >= layout.width)
    words = (cells for cells in rows if not layout.has("id") or cells[layout.columns["id"]].isdecimal())
    first = next(words, None)
    return first is None or first[layout.columns["head"]] != "_"


def has_enhanced(source: Source, layout: WordLayout) -> bool:
    """Whether most of the first words of a file have enhanced dependencies."""
    if not layout.has("id", "deps"):
        return False
    rows = [cells for _, _, cells in rows_of_sample(source.sample(1 << 14)) if len(cells) >= layout.width]
    words = [cells for cells in rows if cells[layout.columns["id"]].isdecimal()]
    return sum(cells[layout.columns["deps"]] != "_" for cells in words) * 2 > len(words)


# == formats/conllu_write.py: Writing words: CoNLL-U with all that the file had, CoNLL-X w


_NOTHING = "_"
# fmt: off
UNIVERSAL_TAGS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
})
# fmt: on


def write_conllu(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Sentences with their comments, multi-word tokens and empty nodes."""
    for number, batch in enumerate(batches):
        yield from _lines(batch, _asides(batch.corpus, first=not number))


def write_conllx(annotation: Annotation) -> Iterator[str]:
    """The words of sentences, in the same columns."""
    return _lines(annotation, [])


def _lines(annotation: Annotation, asides: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """Sentences, and lines beside words: the sentence, word and text of each, in their order."""
    columns, bounds = _columns(annotation), annotation.corpus.bounds
    assert bounds is not None
    place = 0
    for sentence, (begin, end) in enumerate(pairwise(bounds.tolist())):
        for word in range(begin, end + 1):
            while place < len(asides) and asides[place][0] == sentence and (asides[place][1] <= word or word == end):
                yield asides[place][2] + "\n"
                place += 1
            if word < end:
                yield "\t".join([str(word - begin + 1), *(column[word] for column in columns)]) + "\n"
        yield "\n"
    for _, _, line in asides[place:]:
        yield line + "\n"


def _asides(corpus: Corpus, *, first: bool) -> list[tuple[int, int, str]]:
    """The lines beside words; where the file has no such lines, marks of documents but for the first of all."""
    asides = corpus.asides
    if asides is None:
        documents = corpus.documents[int(corpus.continues) :].tolist()
        return [(sentence, -1, "# newdoc") for sentence in documents if sentence or not first]
    columns = (asides.sentence.tolist(), asides.word.tolist(), asides.lines.texts(0, len(asides)))
    return list(zip(*columns, strict=True))


def _columns(annotation: Annotation) -> list[list[str]]:
    """All columns but the first, as texts; what the annotation does not have is an underscore."""
    corpus, trees = annotation.corpus, annotation.layers.get("trees")
    assert corpus.tokens is not None
    size = len(corpus.tokens)
    texts: dict[str, list[str]] = {"form": corpus.tokens.texts(0, size)}
    texts |= {name: layer.to_list() for name, layer in annotation.layers.items() if isinstance(layer, Tags)}
    if isinstance(trees, Trees):
        texts |= {"head": list(map(str, trees.head.tolist())), "deprel": trees.relation.to_list()}
    if "tags" in texts and "upos" not in texts:
        texts["upos" if UNIVERSAL_TAGS.issuperset(texts["tags"]) else "xpos"] = texts["tags"]
    return [checked(texts.get(name, [_NOTHING] * size)) for name in COLUMNS[1:]]


def checked(cells: list[str]) -> list[str]:
    """The cells of a column, if all of them can stand in a file."""
    for cell in set(cells):
        if not cell.strip() or any(char in cell for char in "\t\n\r\0"):
            raise SettingError(f"{cell!r} cannot stand in a file of columns; mend it first.")
    return cells


# == formats/collapsing.py: Collapsing of empty nodes: paths over them become edges betw


Edge = tuple[str, str]
"""The number of the parent, and the label."""
Report = Callable[[int, str], Exception]
"""The error for a line, and what was found there."""
NOTHING = "_"
MOST_PATHS = 10_000
"""How many paths a word may have."""


def edges_of(cell: str) -> list[Edge]:
    """The edges of a cell of DEPS."""
    parts = (each.partition(":") for each in cell.split("|")) if cell not in (NOTHING, "") else ()
    return [(head, label) for head, _, label in parts]


def collapsed(edges: Sequence[Edge], parents: Mapping[str, Sequence[Edge]]) -> list[Edge] | None:
    """Collapsing of empty nodes: paths over them become edges between words, in the column DEPS of CoNLL-U.

    An edge from an empty node to a word is replaced: every path back over empty nodes to a word, or to the root,
    becomes an edge, whose label is the labels on the path with `>` between them (`2:conj:and>nsubj`). Numbers of empty
    nodes are left out, and equal edges of such a word count once. A path visits no empty node twice. Empty nodes
    without parents or children vanish.

    Sources: Bouma et al. 2020; the script enhanced_collapse_empty_nodes.pl of Universal Dependencies, which in its last
    step lets some paths visit a node twice.
    """
    found: dict[Edge, None] = {}
    for head, label in edges:
        for place, (top, path) in enumerate(_paths(head, parents)):
            if place == MOST_PATHS:
                return None
            found[top, ">".join((*path, label))] = None
    return list(found)


def _paths(head: str, parents: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words, or the root, that lead to a node, each with the labels on the way."""
    waiting: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(head, (), frozenset())]
    while waiting:
        node, path, seen = waiting.pop()
        if "." not in node:
            yield node, path
        elif node not in seen:
            above = reversed(parents.get(node, ()))
            waiting += [(parent, (label, *path), seen | {node}) for parent, label in above]


def collapsed_cells(
    cells: Tokens, sentence: Ints, ids: Tokens, nodes: Tokens, node_sentence: Ints, report: Report
) -> Tokens:
    """The cells of DEPS of all words without empty nodes, whose numbers and cells are `ids` and `nodes`."""
    parents: dict[int, dict[str, list[Edge]]] = {}
    for row, each in enumerate(node_sentence.tolist()):
        parents.setdefault(each, {})[ids[row]] = edges_of(nodes[row])
    extra, size = list[bytes](), cells.size
    start, end = cells.start.copy(), cells.end.copy()
    for word in np.flatnonzero(np.isin(sentence, list(parents))).tolist():
        edges = edges_of(cells[word])
        if not any("." in head for head, _ in edges):
            continue
        found = collapsed(edges, parents[int(sentence[word])])
        if found is None:
            raise report(word, f"more than {MOST_PATHS:,} paths over empty nodes lead to this word")
        text = ("|".join(f"{head}:{label}" for head, label in found) or NOTHING).encode()
        extra.append(text)
        start[word], end[word] = size, size + len(text)
        size += len(text)
    return Tokens(b"".join((cells.data[: cells.size], *extra, PADDING)), start, end) if extra else cells


# == formats/conllu.py (primary)


_NEW_DOCUMENT = np.frombuffer(b"# newdoc", dtype="<u8")[0]
SEVERAL_ROOTS = "sentences with several roots"


def is_conllu(source: Source, task: str | None) -> bool:
    """The name is enough, so that errors in the first lines are reported."""
    return has_suffix(source.path) and source.path.is_file()


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer for each of its columns, and its trees."""
    if len(columns) > 1:
        raise SettingError("Gold and prediction of words stand in two files; give the system's file beside it.")
    layout, tags = layout_of(source, settings)
    reader = _Reader(source, layout, tags, settings, vocabulary)
    batches = (reader.read(split(block, tabs=layout.tabs)) for block in source.blocks(settings.block_size))
    return (batch for batch in batches if batch.corpus.sentences)


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    """Whether a file is in CoNLL-U, whose relations may have subtypes, and has the columns of its metrics."""
    layout, _ = layout_of(source, settings)
    is_universal = layout.name in ("conllu", "columns") and layout.has(*UNIVERSAL_LAYERS)
    found = {"universal": is_universal, "conllu": layout.name == "conllu", "enhanced": has_enhanced(source, layout)}
    return frozenset(name for name, is_so in found.items() if is_so)


class _Reader:
    """Reads blocks of whole sentences; `tags` is the column whose tags are asked for, if one is."""

    def __init__(
        self, source: Source, layout: WordLayout, tags: int | None, settings: ReadSettings, vocabulary: Vocabulary
    ) -> None:
        self._source, self._layout, self._tags, self._settings = source, layout, tags, settings
        self._has_trees = settings.task != "tags" and layout.has("head", "deprel") and has_heads(source, layout)
        self._coders = {name: vocabulary.columns[name] for name in layout.columns}
        self._tag_coder = vocabulary.columns["tags"]
        self._extra = {column: vocabulary.columns[extra_layer(column)] for column in settings.extra}
        self._new_document = not source.begins_inside
        if settings.task == "trees" and not self._has_trees:
            remedy = "give --task tags to score its tags alone" if layout.has("head") else NAME_THEM
            raise source.error(None, "the words have no heads", remedy)

    def read(self, lines: Lines) -> Annotation:
        sorting = Sorting(self._source, self._layout, lines)
        found = sorting()
        head, kept = None, {}
        if self._has_trees:
            found, head, several = self._trees(sorting, found)
            kept = {SEVERAL_ROOTS: several} if several else {}
        cells = self._cells(found)
        features = self._layout.columns.get(FEATURES)
        columns = {
            name: _written(place == features)(cells.tokens(place), self._coders[name])
            for name, place in self._layout.columns.items()
        }
        layers: dict[str, Layer] = {name: each for name, each in columns.items() if name not in ("id", "form", "head")}
        for column, coder in self._extra.items():
            place = asked_column(self._source, self._layout, column)
            layers[extra_layer(column)] = TagColumn(cells.tokens(place), coder)
        if head is not None and DEPS in columns:
            layers[COLLAPSED] = self._collapsed(found, columns[DEPS])
        if self._tags is not None:
            layers["tags"] = _written(self._tags == features)(cells.tokens(self._tags), self._tag_coder)
        if head is not None:
            layers["trees"] = Trees(head, columns["deprel"])
        reading = ReadInfo(self._layout.name, kept=kept, column=None if self._tags is None else str(self._tags + 1))
        return Annotation(self._corpus(found, cells), layers, {"words": reading}, self._source.name)

    def _collapsed(self, found: WordLines, deps: TagColumn) -> TagColumn:
        """The enhanced dependencies without empty nodes; as they stand, where there are none of these."""
        if not len(found.empty_nodes):
            return deps
        nodes = found.lines.table(found.empty_nodes, self._layout.width)
        ids, cells = (nodes.tokens(self._layout.columns[name]) for name in ("id", DEPS))
        sentences = found.sentence_of_line[found.words], found.sentence_of_line[found.empty_nodes]

        def error(word: int, finding: str) -> Exception:
            line = found.lines.number(int(found.words[word]))
            return self._source.error(line, finding, "leave some empty nodes out", "tree")

        return deps.with_cells(collapsed_cells(deps.cells, sentences[0], ids, cells, sentences[1], error))

    def _cells(self, found: WordLines) -> Cells:
        return found.lines.table(found.words, self._layout.width)

    def _corpus(self, found: WordLines, cells: Cells) -> Corpus:
        lines, sentences = found.lines, len(found.bounds) - 1
        begins, ends = lines.begins, lines.ends
        documents = found.comments[windows(lines.data)[begins[found.comments]] == _NEW_DOCUMENT]
        begin = distinct(np.searchsorted(found.bounds, np.searchsorted(found.words, documents)))
        was_new = self._new_document
        continues = not (was_new or 0 in begin)
        self._new_document = sentences in begin or (was_new and not sentences)
        asides = np.sort(np.concatenate((found.comments, found.multiwords, found.empty_nodes)))
        form = self._layout.columns["form"]
        return Corpus(
            source=self._source.display_name,
            sentences=sentences,
            bounds=found.bounds,
            tokens=cells.tokens(form),
            lines=found.words,
            first_line=lines.first_line,
            documents=np.append(0, begin[(begin > 0) & (begin < sentences)]),
            continues=continues,
            multiwords=self._multiwords(found, form),
            asides=NonTokenLines(
                np.searchsorted(found.words, asides),
                np.searchsorted(found.sentence_of_line[found.words[found.bounds[:-1]]], found.sentence_of_line[asides]),
                Tokens(lines.data, begins[asides], ends[asides]),
            ),
        )

    def _multiwords(self, found: WordLines, form: int) -> MultiWords:
        cells = found.lines.table(found.multiwords, self._layout.width)
        return MultiWords(found.first, found.size, cells.tokens(form), found.multiwords)

    def _trees(self, sorting: Sorting, found: WordLines) -> tuple[WordLines, Ints, int]:
        """The sentences that are trees, their heads, and how many of them have several roots."""
        while True:
            head, several = self._heads(sorting, found)
            good = sorting.kept(found)
            if good is found:
                return found, head, several
            found = good

    def _heads(self, sorting: Sorting, found: WordLines) -> tuple[Ints, int]:
        """The heads, if they make trees, and how many sentences have several roots."""
        cells, place = self._cells(found), self._layout.columns["head"]
        start, end = cells.column(place)
        head, digits = leading_numbers(windows(cells.data)[start])
        bad = (digits != end - start) | (digits == 0)
        lengths = np.diff(found.bounds)[found.sentence]
        outside = ~bad & (head > lengths)
        for word in np.flatnonzero(bad | outside).tolist():
            text = cells.text(place, word)
            finding = f"the head {text!r} is no number"
            if text.isdecimal():
                finding = f"the head {text} is outside the sentence, which has {counted(lengths[word], 'word')}"
            remedy = "give the number of a word of the sentence, or 0 for the root"
            sorting.report(int(found.words[word]), finding, remedy, "tree")
        if not (bad | outside).any():
            return head, self._check_trees(sorting, found, head)
        return head, 0

    def _check_trees(self, sorting: Sorting, found: WordLines, head: Ints) -> int:
        """Report sentences that are no trees; the number of those with several roots, if these may be."""
        count = roots(head, found.bounds)
        is_wrong = count != 1 if self._settings.repair == "error" else count == 0
        collects = self._source.problems is not None
        for sentence in np.flatnonzero(count != 1 if collects else is_wrong).tolist():
            what = "no word is the root" if count[sentence] == 0 else f"{counted(count[sentence], 'word')} are roots"
            line = int(found.words[found.bounds[sentence]])
            finding, remedy = f"{what} of the sentence that begins here", "give one word the head 0"
            if is_wrong[sentence]:
                sorting.report(line, finding, remedy, "tree")
            else:
                self._source.report(found.lines.number(line), finding, remedy, TAKEN_ROOTS)
        lost = np.flatnonzero(without_root(head, found.bounds))
        for sentence in np.setdiff1d(found.sentence[lost], np.flatnonzero(is_wrong)).tolist():
            begin, behind = found.bounds[[sentence, sentence + 1]].tolist()
            first = int(lost[np.searchsorted(lost, begin)])
            cycle = cycle_of(first - begin + 1, head[begin:behind])
            line, remedy = int(found.words[begin + cycle[0] - 1]), "every word must lead to the root by its heads"
            sorting.report(line, _cycle(cycle), remedy, "tree")
        return int(np.count_nonzero(count > 1))


def _cycle(words: list[int]) -> str:
    if len(words) == 1:
        return "the word is its own head"
    named = ", ".join(map(str, words[:10])) + (", …" if len(words) > 10 else "")
    return f"the words {named} are a cycle"


def _written(is_features: bool) -> type[TagColumn]:
    return FeatureSets if is_features else TagColumn


_WORDS = ("trees", "tags")
FORMAT = Format(
    "conllu",
    "CoNLL-U, and CoNLL-U Plus: a word a line, with lemma, tags, head and relation",
    readers=dict.fromkeys(_WORDS, Reader(read, partitioning=SENTENCES)),
    writers=dict.fromkeys(_WORDS, Writer(text=lazy("evenhand.formats.conllu:write_conllu"))),
    suffixes=(".conllu",),
    detection=Detection(certain=is_conllu, confidence=recognise),
    contents=Contents(is_table=True, has_columns=True, traits=frozenset({"conllu"}), file_traits=traits),
)
_CONLLX = by_batch(lazy("evenhand.formats.conllu:write_conllx"))
CONLLX = replace(
    FORMAT,
    name="conllx",
    summary="CoNLL-X: the ten columns of CoNLL-U under other names, with tabs or blanks between",
    writers=dict.fromkeys(_WORDS, Writer(Capabilities(comments=False), _CONLLX)),
    suffixes=(".conllx",),
    detection=Detection(),
    contents=replace(FORMAT.contents, traits=frozenset()),
)
CONLL2009 = replace(
    CONLLX,
    name="conll2009",
    summary="CoNLL-2009: form, lemma, POS, features, head and relation",
    writers={},
    suffixes=(),
)
