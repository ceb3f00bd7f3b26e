"""CoNLL-U and its relatives: a word a line, with its lemma, tags, head and relation in columns.

See `conllu_layout` for the columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, distinct
from evenhand.formats.collapsing import collapsed_cells
from evenhand.formats.conllu_layout import (
    NAME_THEM,
    asked_column,
    has_enhanced,
    has_heads,
    has_suffix,
    layout_of,
    recognise,
)
from evenhand.formats.format import Carry, Format, Writing, by_batch
from evenhand.formats.parsing.blocks import Lines, split
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.scan import SENTENCES
from evenhand.formats.parsing.windows import leading_numbers
from evenhand.formats.parsing.word_lines import Sorting, WordLayout, WordLines
from evenhand.formats.source import Source
from evenhand.problems import TAKEN_ROOTS, SettingError, counted
from evenhand.registry import late
from evenhand.settings import UNIVERSAL_LAYERS, Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading, extra_layer
from evenhand.text.corpus import Asides, Corpus, MultiWords
from evenhand.text.enhanced import COLLAPSED, DEPS
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import FEATURES, FeatureSets, Trees, Written
from evenhand.text.tokens import Tokens, windows
from evenhand.text.trees import cycle_of, roots, without_root

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
            layers[extra_layer(column)] = Written(cells.tokens(place), coder)
        if head is not None and DEPS in columns:
            layers[COLLAPSED] = self._collapsed(found, columns[DEPS])
        if self._tags is not None:
            layers["tags"] = _written(self._tags == features)(cells.tokens(self._tags), self._tag_coder)
        if head is not None:
            layers["trees"] = Trees(head, columns["deprel"])
        reading = Reading(self._layout.name, kept=kept, column=None if self._tags is None else str(self._tags + 1))
        return Annotation(self._corpus(found, cells), layers, {"words": reading}, self._source.name)

    def _collapsed(self, found: WordLines, deps: Written) -> Written:
        """The enhanced dependencies without empty nodes; as they stand, where there are none of these."""
        if not len(found.empty_nodes):
            return deps
        nodes = found.lines.table(found.empty_nodes, self._layout.width)
        ids, cells = (nodes.tokens(self._layout.columns[name]) for name in ("id", DEPS))
        sentences = found.sentence_of_line[found.words], found.sentence_of_line[found.empty_nodes]

        def error(word: int, finding: str) -> Exception:
            line = found.lines.number(int(found.words[word]))
            return self._source.error(line, finding, "leave some empty nodes out", "tree")

        return deps.moved(collapsed_cells(deps.cells, sentences[0], ids, cells, sentences[1], error))

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
            source=self._source.shown,
            sentences=sentences,
            bounds=found.bounds,
            tokens=cells.tokens(form),
            lines=found.words,
            first_line=lines.first_line,
            documents=np.append(0, begin[(begin > 0) & (begin < sentences)]),
            continues=continues,
            multiwords=self._multiwords(found, form),
            asides=Asides(
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


def _written(is_features: bool) -> type[Written]:
    return FeatureSets if is_features else Written


_WORDS = ("trees", "tags")
FORMAT = Format(
    "conllu",
    "CoNLL-U, and CoNLL-U Plus: a word a line, with lemma, tags, head and relation",
    tasks=_WORDS,
    read=read,
    writes=dict.fromkeys(_WORDS, Writing(text=late("evenhand.formats.conllu_write:write_conllu"))),
    suffixes=(".conllu",),
    certain=is_conllu,
    recognise=recognise,
    is_table=True,
    has_columns=True,
    division=SENTENCES,
    traits=traits,
    own_traits=frozenset({"conllu"}),
)
_CONLLX = by_batch(late("evenhand.formats.conllu_write:write_conllx"))
CONLLX = replace(
    FORMAT,
    name="conllx",
    help="CoNLL-X: the ten columns of CoNLL-U under other names, with tabs or blanks between",
    writes=dict.fromkeys(_WORDS, Writing(Carry(comments=False), _CONLLX)),
    suffixes=(".conllx",),
    certain=None,
    recognise=None,
    own_traits=frozenset(),
)
CONLL2009 = replace(
    CONLLX, name="conll2009", help="CoNLL-2009: form, lemma, POS, features, head and relation", writes={}, suffixes=()
)
