"""CoNLL-U and its relatives: one word per line, with its lemma, tags, head and relation in columns.

CoNLL-U has ten columns, CoNLL-U Plus names its columns in the first line, CoNLL-X has the ten columns under other
names, with tabs or blanks between, and CoNLL-2009 has others. Users can also name columns by number
(`form=2,head=7,deprel=8`). Lines are words (`3`), multi-word tokens (`3-4`), empty nodes (`3.1`) or comments.
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
from evenhand.settings import UNIVERSAL_LAYERS, Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_PLUS = "# global.columns ="
_CONLL_2009 = {"id": 0, "form": 1, "lemma": 2, "upos": 4, "feats": 6, "head": 8, "deprel": 10}
_NAME_COLUMNS = "specify the columns, such as --column form=2,head=7,deprel=8"
_WORD = re.compile(rb"\A%b|[0-9]\t(?:[^\t\n]*\t){5}[0-9_]" % re.escape(_PLUS.encode()))
"""The declaration of columns, or the first seven columns of a word."""
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_HEAD = re.compile(r"[0-9]+|_")
_HASH, _HYPHEN, _POINT = b"#-."
_NO_LINES = ints([])
_NEW_DOCUMENT = np.frombuffer(b"# newdoc", dtype="<u8")[0]
SEVERAL_ROOTS = "sentences with several roots"
Edge = tuple[str, str]
"""The number of the parent, and the label."""
_MAX_PATHS = 10_000
"""Maximum number of paths over empty nodes to a word."""
# fmt: off
UNIVERSAL_TAGS = frozenset({
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ",
    "SYM", "VERB", "X",
})
# fmt: on


@dataclass(frozen=True)
class WordLayout:
    """The columns of a file of words."""

    name: str
    columns: Mapping[str, int]
    """Indices of columns by name (`form`, `head`, …)."""
    width: int
    tabs: bool = True
    at_least: bool = False
    """Whether a line may have more columns."""

    def has(self, *names: str) -> bool:
        return all(name in self.columns for name in names)


def recognise(sample: Block) -> float:
    """The share of lines with ten columns, a number in the first and a head in the seventh; 1 if columns are named."""
    return 1.0 if sample.data.startswith(_PLUS.encode()) else share_of_words(sample, tabs=True)


def share_of_words(sample: Block, *, tabs: bool) -> float:
    """Return the share of lines that are words of CoNLL-U, with tabs or blanks between the columns."""
    rows = [cells for _, has_tabs, cells in numbered_rows(sample) if has_tabs == tabs and len(cells) == len(COLUMNS)]
    words = sum(bool(_ID.fullmatch(cells[0]) and _HEAD.fullmatch(cells[6])) for cells in rows)
    return words / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample)) if words else 0.0


def has_suffix(path: AnyPath) -> bool:
    return ".conllu" in path.suffixes[-2:]


def layout_of(source: Source, settings: ReadSettings) -> tuple[WordLayout, int | None]:
    """Return the columns of a file, and the column of tags that a user requests."""
    named = [column for column in settings.columns if isinstance(column, str) and "=" in column]
    requested = [column for column in settings.columns if column not in named]
    if len(requested) > 1:
        raise SettingError("Tags of words are scored one column at a time; specify a single --column.")
    layout = _plain_layout(source, settings.format, named=bool(named))
    columns = dict(layout.columns) | dict(map(_named, named))
    at_least = layout.at_least or layout.name == "columns"
    width = max(layout.width, *(column + 1 for column in columns.values())) if columns else layout.width
    layout = replace(layout, columns=columns, width=width, at_least=at_least)
    if "form" not in columns:
        raise source.error(None, "the file does not have the columns of CoNLL-U", _NAME_COLUMNS)
    return layout, _column_index(source, layout, requested[0]) if requested else None


def _plain_layout(source: Source, name: str | None, *, named: bool) -> WordLayout:
    """The columns of the named format, of CoNLL-U Plus or CoNLL-U; none for other files."""
    if name == "conll2009":
        return WordLayout(name, _CONLL_2009, len(_CONLL_2009), _has_tabs(source), at_least=True)
    sample = source.sample(1 << 12)
    if sample.data.startswith(_PLUS.encode()):
        first = sample.data.decode(errors="replace").partition("\n")[0].removeprefix(_PLUS)
        names = [name.lower().rpartition(":")[2] for name in first.split()]
        return WordLayout("conllu", {column: index for index, column in enumerate(names)}, len(names))
    by_name = has_suffix(source.path) and not named
    if name is not None or by_name or recognise(sample):
        tabs = name != "conllx" or _has_tabs(source)
        return WordLayout(name or "conllu", {column: index for index, column in enumerate(COLUMNS)}, len(COLUMNS), tabs)
    return WordLayout("columns", {}, 1, _has_tabs(source))


def _has_tabs(source: Source) -> bool:
    return next((tabs for _, tabs, cells in rows_of(source, skip_comments=True) if not cells[0].startswith("#")), True)


def _named(column: str) -> tuple[str, int]:
    name, _, number = column.partition("=")
    if not number.strip().isdecimal() or int(number) < 1:
        raise SettingError(f"{column!r} is not a column; write its name and its number, such as head=7.")
    return name.strip().lower(), int(number) - 1


def _column_index(source: Source, layout: WordLayout, column: int | str) -> int:
    if isinstance(column, int):
        index = column - 1 if column > 0 else layout.width + column
        if 0 <= index < layout.width:
            return index
    elif column.lower() in layout.columns:
        return layout.columns[column.lower()]
    raise source.error(None, f"column {column!r} does not exist", f"choose one of {', '.join(layout.columns)}")


def _has_heads(source: Source, layout: WordLayout) -> bool:
    """Whether the first word of a file has a head, or the file has no words."""
    lines = rows_of(source, skip_comments=True)
    rows = (cells for _, _, cells in lines if not cells[0].startswith("#") and len(cells) >= layout.width)
    first = next((cells for cells in rows if not layout.has("id") or cells[layout.columns["id"]].isdecimal()), None)
    return first is None or first[layout.columns["head"]] != "_"


def _has_enhanced(source: Source, layout: WordLayout) -> bool:
    """Whether most of the first words of a file have enhanced dependencies."""
    if not layout.has("id", "deps"):
        return False
    rows = [cells for _, _, cells in rows_of_sample(source.sample(1 << 14)) if len(cells) >= layout.width]
    words = [cells for cells in rows if cells[layout.columns["id"]].isdecimal()]
    return sum(cells[layout.columns["deps"]] != "_" for cells in words) * 2 > len(words)


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole sentences, with one layer per column, and the trees."""
    if len(columns) > 1:
        raise SettingError("Gold and prediction of words need two files; add the system's file.")
    layout, tags = layout_of(source, settings)
    reader = _ConlluReader(source, layout, tags, settings, vocabulary)
    batches = (reader.read(split(block, tabs=layout.tabs)) for block in source.blocks(settings.block_size))
    return (batch for batch in batches if batch.corpus.sentences)


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    """Traits: CoNLL-U (relations may have subtypes), the columns of its metrics, enhanced dependencies."""
    layout, _ = layout_of(source, settings)
    is_universal = layout.name in ("conllu", "columns") and layout.has(*UNIVERSAL_LAYERS)
    traits = {"universal": is_universal, "conllu": layout.name == "conllu", "enhanced": _has_enhanced(source, layout)}
    return frozenset(name for name, has_trait in traits.items() if has_trait)


class _ConlluReader:
    """Reads blocks of whole sentences; `tags` is the requested column of tags, if there is one."""

    def __init__(
        self, source: Source, layout: WordLayout, tags: int | None, settings: ReadSettings, vocabulary: Vocabulary
    ) -> None:
        self._source, self._layout, self._tags, self._settings = source, layout, tags, settings
        self._has_trees = settings.task != "tags" and layout.has("head", "deprel") and _has_heads(source, layout)
        self._coders = {name: vocabulary.columns[name] for name in layout.columns}
        self._tag_coder = vocabulary.columns["tags"]
        self._extra = {column: vocabulary.columns[extra_layer(column)] for column in settings.extra}
        self._new_document = not source.begins_inside
        if settings.task == "trees" and not self._has_trees:
            remedy = "use --task tags to score only its tags" if layout.has("head") else _NAME_COLUMNS
            raise source.error(None, "the words have no heads", remedy)

    def read(self, lines: Lines) -> Annotation:
        sorter = LineSorter(self._source, self._layout, lines)
        block = sorter.sort()
        head, kept = None, {}
        if self._has_trees:
            block, head, several = self._trees(sorter, block)
            kept = {SEVERAL_ROOTS: several} if several else {}
        cells = self._cells(block)
        features = self._layout.columns.get(FEATURES)
        columns = {
            name: (FeatureSets if index == features else TagColumn)(cells.tokens(index), self._coders[name])
            for name, index in self._layout.columns.items()
        }
        layers: dict[str, Layer] = {
            name: column for name, column in columns.items() if name not in ("id", "form", "head")
        }
        for name, coder in self._extra.items():
            index = _column_index(self._source, self._layout, name)
            layers[extra_layer(name)] = TagColumn(cells.tokens(index), coder)
        if head is not None and DEPS in columns:
            layers[COLLAPSED] = self._collapsed(block, columns[DEPS])
        if self._tags is not None:
            tag_class = FeatureSets if self._tags == features else TagColumn
            layers["tags"] = tag_class(cells.tokens(self._tags), self._tag_coder)
        if head is not None:
            layers["trees"] = Trees(head, columns["deprel"])
        reading = ReadInfo(self._layout.name, kept=kept, column=None if self._tags is None else str(self._tags + 1))
        return Annotation(self._corpus(block, cells), layers, {"words": reading}, self._source.name)

    def _collapsed(self, block: WordLines, deps: TagColumn) -> TagColumn:
        if not len(block.empty_nodes):
            return deps
        nodes = block.lines.table(block.empty_nodes, self._layout.width)
        ids, cells = (nodes.tokens(self._layout.columns[name]) for name in ("id", DEPS))
        sentences = block.sentence_of_line[block.words], block.sentence_of_line[block.empty_nodes]

        def error(word: int, finding: str) -> Exception:
            line = block.lines.number(int(block.words[word]))
            return self._source.error(line, finding, "remove some empty nodes", "tree")

        return deps.with_cells(_collapse_cells(deps.cells, sentences[0], ids, cells, sentences[1], error))

    def _cells(self, block: WordLines) -> Cells:
        return block.lines.table(block.words, self._layout.width)

    def _corpus(self, block: WordLines, cells: Cells) -> Corpus:
        lines, sentences = block.lines, len(block.bounds) - 1
        begins, ends = lines.begins, lines.ends
        documents = block.comments[windows(lines.data)[begins[block.comments]] == _NEW_DOCUMENT]
        begin = distinct(np.searchsorted(block.bounds, np.searchsorted(block.words, documents)))
        continues = not (self._new_document or 0 in begin)
        self._new_document = sentences in begin or (self._new_document and not sentences)
        asides = np.sort(np.concatenate((block.comments, block.multiwords, block.empty_nodes)))
        form = self._layout.columns["form"]
        multiwords = block.lines.table(block.multiwords, self._layout.width).tokens(form)
        return Corpus(
            source=self._source.display_name,
            sentences=sentences,
            bounds=block.bounds,
            tokens=cells.tokens(form),
            lines=block.words,
            first_line=lines.first_line,
            documents=np.append(0, begin[(begin > 0) & (begin < sentences)]),
            continues=continues,
            multiwords=MultiWords(block.first, block.size, multiwords, block.multiwords),
            asides=NonTokenLines(
                np.searchsorted(block.words, asides),
                np.searchsorted(block.sentence_of_line[block.words[block.bounds[:-1]]], block.sentence_of_line[asides]),
                Tokens(lines.data, begins[asides], ends[asides]),
            ),
        )

    def _trees(self, sorter: LineSorter, block: WordLines) -> tuple[WordLines, Ints, int]:
        """The sentences that are trees, their heads, and the number of sentences with several roots."""
        head, several = self._heads(sorter, block)
        good = sorter.without_broken(block)
        return (block, head, several) if good is block else self._trees(sorter, good)

    def _heads(self, sorter: LineSorter, block: WordLines) -> tuple[Ints, int]:
        """The heads, and the number of sentences with several roots. Sentences that are not trees are reported."""
        cells, column = self._cells(block), self._layout.columns["head"]
        start, end = cells.column(column)
        head, digits = leading_numbers(windows(cells.data)[start])
        bad = (digits != end - start) | (digits == 0)
        lengths = np.diff(block.bounds)[block.sentence]
        outside = ~bad & (head > lengths)
        for word in np.flatnonzero(bad | outside).tolist():
            text = cells.text(column, word)
            finding = f"the head {text!r} is not a number"
            if text.isdecimal():
                finding = f"the head {text} is outside the sentence, which has {counted(lengths[word], 'word')}"
            remedy = "use the number of a word of the sentence, or 0 for the root"
            sorter.report(int(block.words[word]), finding, remedy, "tree")
        return head, 0 if (bad | outside).any() else self._check_trees(sorter, block, head)

    def _check_trees(self, sorter: LineSorter, block: WordLines, head: Ints) -> int:
        """Report sentences that are not trees; return the number of sentences with several roots."""
        count = roots(head, block.bounds)
        is_wrong = count != 1 if self._settings.repair == "error" else count == 0
        collects = self._source.problems is not None
        for sentence in np.flatnonzero(count != 1 if collects else is_wrong).tolist():
            what = "no word is the root" if count[sentence] == 0 else f"{counted(count[sentence], 'word')} are roots"
            line = int(block.words[block.bounds[sentence]])
            finding, remedy = f"{what} of the sentence that begins here", "give one word the head 0"
            if is_wrong[sentence]:
                sorter.report(line, finding, remedy, "tree")
            else:
                self._source.report(block.lines.number(line), finding, remedy, TAKEN_ROOTS)
        rootless = np.flatnonzero(without_root(head, block.bounds))
        for sentence in np.setdiff1d(block.sentence[rootless], np.flatnonzero(is_wrong)).tolist():
            begin, end = block.bounds[[sentence, sentence + 1]].tolist()
            cycle = cycle_of(int(rootless[np.searchsorted(rootless, begin)]) - begin + 1, head[begin:end])
            finding = "the word is its own head"
            if len(cycle) > 1:
                named = ", ".join(map(str, cycle[:10])) + (", …" if len(cycle) > 10 else "")
                finding = f"the words {named} are a cycle"
            remedy = "every word must lead to the root by its heads"
            sorter.report(int(block.words[begin + cycle[0] - 1]), finding, remedy, "tree")
        return int(np.count_nonzero(count > 1))


@dataclass(frozen=True)
class WordLines:
    """The lines of a block by type; words and lines count from the first one of the block."""

    lines: Lines
    sentence_of_line: Ints
    """Number of blank lines before each line."""
    words: Ints
    bounds: Ints
    """Starts of sentences, counted in words, and the end of the last one."""
    multiwords: Ints
    first: Ints
    """The first word of each multi-word token."""
    size: Ints
    comments: Ints
    empty_nodes: Ints

    @property
    def sentence(self) -> Ints:
        """The sentence of each word."""
        return np.repeat(np.arange(len(self.bounds) - 1), np.diff(self.bounds))


class LineSorter:
    """Sorts the lines of a block by type. Problems are reported; if reading continues, their sentences are left out."""

    def __init__(self, source: Source, layout: WordLayout, lines: Lines) -> None:
        self._source, self._layout, self._lines = source, layout, lines
        self._blank = lines.cells == 0
        self._sentence_of_line = np.cumsum(self._blank)
        self._broken: set[int] = set()

    def sort(self) -> WordLines:
        begins, text = self._lines.begins, np.frombuffer(self._lines.data, dtype=np.uint8)
        is_hash = (text[begins] == _HASH) & ~self._blank
        if not self._layout.has("id"):
            is_hash &= self._lines.cells != self._layout.width
        rows = self._of_right_width(np.flatnonzero(~(self._blank | is_hash)))
        comments = np.flatnonzero(is_hash)
        self._check_comments(comments, rows)
        sort = self._numbered if self._layout.has("id") else self._block
        return self.without_broken(sort(rows, comments))

    def report(self, line: int, finding: str, remedy: str, kind: str) -> None:
        self._source.report(self._lines.number(line), finding, remedy, kind)
        self._broken.add(int(self._sentence_of_line[line]))

    def without_broken(self, block: WordLines) -> WordLines:
        """Return the lines of sentences without problems; the same object without problems."""
        is_broken = np.isin(self._sentence_of_line, list(self._broken))
        if not is_broken[np.concatenate((block.words, block.multiwords, block.empty_nodes, block.comments))].any():
            return block
        good = ~is_broken[block.multiwords]
        rows = (block.words, block.comments, block.empty_nodes)
        words, comments, empty_nodes = (row[~is_broken[row]] for row in rows)
        return self._block(words, comments, empty_nodes, block.multiwords[good], block.size[good])

    def _block(
        self,
        words: Ints,
        comments: Ints,
        empty_nodes: Ints = _NO_LINES,
        multiwords: Ints = _NO_LINES,
        size: Ints = _NO_LINES,
    ) -> WordLines:
        sentence = self._sentence_of_line[words]
        begins = np.ones(len(words) + 1, dtype=np.bool_)
        begins[1:-1] = sentence[1:] != sentence[:-1]
        bounds = np.flatnonzero(begins)
        # A multi-word token precedes its words, so its line shows its first word.
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
            finding = f"expected {more}{counted(width, 'column')}, got {self._lines.cells[line]}"
            remedy = "fix the line (if it is cut off, the file was not written completely)"
            self.report(line, finding, remedy, "columns")
        return rows[right]

    def _check_comments(self, comments: Ints, rows: Ints) -> None:
        if not len(rows):
            return
        before = np.searchsorted(rows, comments)
        row_above = rows[np.maximum(before - 1, 0)]
        inside = (before > 0) & (self._sentence_of_line[row_above] == self._sentence_of_line[comments])
        for line in comments[inside].tolist():
            self.report(line, "found a comment inside a sentence", "move it before the sentence", "comment")

    def _numbered(self, rows: Ints, comments: Ints) -> WordLines:
        cells = self._lines.table(rows, self._layout.width)
        column = self._layout.columns["id"]
        start, end = cells.column(column)
        number, digits = leading_numbers(windows(cells.data)[start])
        is_word = (digits == end - start) & (digits > 0)
        words = rows[is_word]
        others = np.flatnonzero(~is_word)
        mark, second = self._marked(cells, start[others], end[others], digits[others])
        for row in others[mark == 0].tolist():
            text = cells.text(column, row)
            finding = f"{text!r} is not the number of a word (3), a multi-word token (3-4) or an empty node (3.1)"
            self.report(int(rows[row]), finding, "number the words of every sentence from 1", "number")
        multi, empty = others[mark == _HYPHEN], others[mark == _POINT]
        block = self._block(words, comments, rows[empty], rows[multi], second[mark == _HYPHEN] - number[multi] + 1)
        self._check_numbers(block, number[is_word])
        self._check_multiwords(block, number[multi])
        self._check_empty_nodes(block, number[empty])
        return block

    @staticmethod
    def _marked(cells: Cells, start: Ints, end: Ints, digits: Ints) -> tuple[Ints, Ints]:
        """The hyphen or point between two numbers (0 for other cells), and the second number."""
        after = start + digits
        second, more = leading_numbers(windows(cells.data)[after + 1])
        is_complete = (digits > 0) & (more > 0) & (after + 1 + more == end)
        mark = np.frombuffer(cells.data, dtype=np.uint8)[after].astype(np.int64)
        return np.where(is_complete & ((mark == _HYPHEN) | (mark == _POINT)), mark, 0), second

    def _check_numbers(self, block: WordLines, number: Ints) -> None:
        expected = np.arange(len(number)) - np.repeat(block.bounds[:-1], np.diff(block.bounds)) + 1
        wrong = np.flatnonzero(number != expected)
        _, first_of_sentence = np.unique(block.sentence[wrong], return_index=True)
        for word in wrong[first_of_sentence].tolist():
            finding = f"expected the word {expected[word]} next, got {number[word]}"
            remedy = "number the words of every sentence from 1, without gaps"
            self.report(int(block.words[word]), finding, remedy, "number")

    def _check_multiwords(self, block: WordLines, number: Ints) -> None:
        if not len(number):
            return
        first, after = block.first, block.first + block.size
        bound = np.searchsorted(block.bounds, first, side="right")  # after the sentence
        begin, end = block.bounds[bound - 1], block.bounds[np.minimum(bound, len(block.bounds) - 1)]
        precedes = (first < len(block.words)) & (first - begin + 1 == number)
        sentence = self._sentence_of_line[block.multiwords]
        if len(block.words):
            precedes &= self._sentence_of_line[block.words[np.minimum(first, len(block.words) - 1)]] == sentence
        overlaps = np.zeros(len(number), dtype=np.bool_)
        overlaps[1:] = (first[1:] < after[:-1]) & (sentence[1:] == sentence[:-1])
        checks: tuple[tuple[Bools, str], ...] = (
            (block.size < 1, "ends before it begins"),
            (~precedes, "is not before its first word"),
            (after > end, "extends past the end of its sentence"),
            (overlaps, "overlaps the previous one"),
        )
        reported = np.zeros(len(number), dtype=np.bool_)
        for wrong, what in checks:
            for token in np.flatnonzero(wrong & ~reported).tolist():
                name = f"{number[token]}-{number[token] + block.size[token] - 1}"
                remedy = "write it before its words, which have the numbers of its range"
                self.report(int(block.multiwords[token]), f"the multi-word token {name} {what}", remedy, "number")
            reported |= wrong

    def _check_empty_nodes(self, block: WordLines, number: Ints) -> None:
        lines = block.empty_nodes
        before = np.searchsorted(block.words, lines)
        first = np.searchsorted(self._sentence_of_line[block.words], self._sentence_of_line[lines])
        for node in np.flatnonzero(before - first != number).tolist():
            finding = f"found an empty node of word {number[node]} after word {before[node] - first[node]}"
            self.report(int(lines[node]), finding, "write it after its word", "number")


def edges_of(cell: str) -> list[Edge]:
    """Return the edges of a cell of DEPS."""
    parts = (edge.partition(":") for edge in cell.split("|")) if cell not in ("_", "") else ()
    return [(head, label) for head, _, label in parts]


def collapse_empty_nodes(edges: Sequence[Edge], parents: Mapping[str, Sequence[Edge]]) -> list[Edge] | None:
    """Collapse empty nodes: paths over them become edges between words, in the column DEPS of CoNLL-U.

    Every path from a word, or the root, over empty nodes to a word becomes an edge. Its label consists of the labels on
    the path with `>` between them (`2:conj:and>nsubj`), without the numbers of empty nodes. Equal edges of such a word
    count once. A path visits an empty node only once. Empty nodes without parents or children vanish. The result is
    None if there are too many paths.

    Sources: Bouma et al. 2020; the script enhanced_collapse_empty_nodes.pl of Universal Dependencies, which in its last
    step lets some paths visit a node twice.
    """
    collapsed: dict[Edge, None] = {}
    for head, label in edges:
        for count, (top, path) in enumerate(_paths(head, parents)):
            if count == _MAX_PATHS:
                return None
            collapsed[top, ">".join((*path, label))] = None
    return list(collapsed)


def _paths(head: str, parents: Mapping[str, Sequence[Edge]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The words, or the root, that lead to a node, each with the labels on the path."""
    waiting: list[tuple[str, tuple[str, ...], frozenset[str]]] = [(head, (), frozenset())]
    while waiting:
        node, path, seen = waiting.pop()
        if "." not in node:
            yield node, path
        elif node not in seen:
            waiting += [(parent, (label, *path), seen | {node}) for parent, label in reversed(parents.get(node, ()))]


def _collapse_cells(
    cells: Tokens,
    sentence: Ints,
    ids: Tokens,
    nodes: Tokens,
    node_sentence: Ints,
    error: Callable[[int, str], Exception],
) -> Tokens:
    """The cells of DEPS of all words without empty nodes; `ids` and `nodes` are the numbers and DEPS of these."""
    parents: dict[int, dict[str, list[Edge]]] = {}
    for row, number in enumerate(node_sentence.tolist()):
        parents.setdefault(number, {})[ids[row]] = edges_of(nodes[row])
    extra, size = list[bytes](), cells.size
    start, end = cells.start.copy(), cells.end.copy()
    words = np.flatnonzero(np.isin(sentence, list(parents))).tolist()
    for word, cell in zip(words, [cells[word] for word in words], strict=True):
        edges = edges_of(cell)
        if not any("." in head for head, _ in edges):
            continue
        collapsed = collapse_empty_nodes(edges, parents[int(sentence[word])])
        if collapsed is None:
            raise error(word, f"more than {_MAX_PATHS:,} paths over empty nodes lead to this word")
        text = ("|".join(f"{head}:{label}" for head, label in collapsed) or "_").encode()
        extra.append(text)
        start[word], end[word] = size, size + len(text)
        size += len(text)
    return Tokens(b"".join((cells.data[: cells.size], *extra, PADDING)), start, end) if extra else cells


def write_conllu(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write sentences with their comments, multi-word tokens and empty nodes."""
    for number, batch in enumerate(batches):
        yield from _lines(batch, _asides(batch.corpus, first=not number))


def _lines(annotation: Annotation, asides: Sequence[tuple[int, int, str]]) -> Iterator[str]:
    """Sentences, and lines that are not words: the sentence, word and text of each, in order."""
    columns, bounds = _columns(annotation), annotation.corpus.bounds
    assert bounds is not None
    index = 0
    for sentence, (begin, end) in enumerate(pairwise(bounds.tolist())):
        for word in range(begin, end + 1):
            while index < len(asides) and asides[index][0] == sentence and (asides[index][1] <= word or word == end):
                yield asides[index][2] + "\n"
                index += 1
            if word < end:
                yield "\t".join([str(word - begin + 1), *(column[word] for column in columns)]) + "\n"
        yield "\n"
    for _, _, line in asides[index:]:
        yield line + "\n"


def _asides(corpus: Corpus, *, first: bool) -> list[tuple[int, int, str]]:
    """The lines that are not words; if there are none, document marks except for the first document."""
    asides = corpus.asides
    if asides is None:
        documents = corpus.documents[int(corpus.continues) :].tolist()
        return [(sentence, -1, "# newdoc") for sentence in documents if sentence or not first]
    columns = (asides.sentence.tolist(), asides.word.tolist(), asides.lines.texts(0, len(asides)))
    return list(zip(*columns, strict=True))


def _columns(annotation: Annotation) -> list[list[str]]:
    """All columns except for the first; an underscore for anything that the annotation lacks."""
    corpus, trees = annotation.corpus, annotation.layers.get("trees")
    assert corpus.tokens is not None
    size = len(corpus.tokens)
    texts: dict[str, list[str]] = {"form": corpus.tokens.texts(0, size)}
    texts |= {name: layer.to_list() for name, layer in annotation.layers.items() if isinstance(layer, Tags)}
    if isinstance(trees, Trees):
        texts |= {"head": list(map(str, trees.head.tolist())), "deprel": trees.relation.to_list()}
    if "tags" in texts and "upos" not in texts:
        texts["upos" if UNIVERSAL_TAGS.issuperset(texts["tags"]) else "xpos"] = texts["tags"]
    return [check_cells(texts.get(name, ["_"] * size)) for name in COLUMNS[1:]]


def check_cells(cells: list[str]) -> list[str]:
    """Return the cells of a column, if all of them are possible in a file."""
    for cell in set(cells):
        if not cell.strip() or any(char in cell for char in "\t\n\r\0"):
            raise SettingError(f"{cell!r} cannot be written to a column file; fix it first.")
    return cells


_WORDS = ("trees", "tags")
FORMAT = Format(
    "conllu",
    "CoNLL-U, and CoNLL-U Plus: one word per line, with lemma, tags, head and relation",
    readers=dict.fromkeys(_WORDS, Reader(read, partitioning=SENTENCES)),
    writers=dict.fromkeys(_WORDS, Writer(text=write_conllu)),
    suffixes=(".conllu",),
    # The file name is enough, so errors in the first lines are reported.
    detection=Detection(
        pattern=_WORD, confidence=recognise, suffixes=(".conllu",), certain=lambda source, task: source.path.is_file()
    ),
    contents=Contents(is_table=True, has_columns=True, traits=frozenset({"conllu"}), file_traits=traits),
)
CONLLX = replace(
    FORMAT,
    name="conllx",
    summary="CoNLL-X: the ten columns of CoNLL-U under other names, with tabs or blanks between",
    writers=dict.fromkeys(_WORDS, Writer(Capabilities(comments=False), by_batch(lambda batch: _lines(batch, [])))),
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
