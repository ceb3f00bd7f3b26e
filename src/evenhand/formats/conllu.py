"""CoNLL-U and its relatives: a word a line, with its lemma, tags, head and relation in columns.

CoNLL-U has ten columns, with tabs between: ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC. CoNLL-X has the same,
under other names; CoNLL-U Plus names its columns in the first line; for other files a user does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, distinct
from evenhand.formats.addresses import Place
from evenhand.formats.format import Carry, Format, Writing
from evenhand.formats.parsing.blocks import Lines, split
from evenhand.formats.parsing.cells import Cells
from evenhand.formats.parsing.scan import SENTENCES
from evenhand.formats.parsing.table_head import rows_of, rows_of_sample
from evenhand.formats.parsing.windows import leading_numbers
from evenhand.formats.parsing.word_lines import Sorting, WordLayout, WordLines
from evenhand.formats.source import Block, Source
from evenhand.problems import TAKEN_ROOTS, SettingError
from evenhand.registry import late
from evenhand.settings import UNIVERSAL_LAYERS, Columns, ReadSettings
from evenhand.text.annotation import Annotation, Layer, Reading, extra_layer
from evenhand.text.corpus import Asides, Corpus, MultiWords
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import FEATURES, FeatureSets, Trees, Written
from evenhand.text.tokens import Tokens, windows
from evenhand.text.trees import cycle_of, roots, without_root

COLUMNS = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
_PLUS = "# global.columns ="
_NEW_DOCUMENT = np.frombuffer(b"# newdoc", dtype="<u8")[0]
_CONLL_2009 = {"id": 0, "form": 1, "lemma": 2, "upos": 4, "feats": 6, "head": 8, "deprel": 10}
_NAME_THEM = "name the columns, such as --column form=2,head=7,deprel=8"
_ID = re.compile(r"[0-9]+([-.][0-9]+)?")
_HEAD = re.compile(r"[0-9]+|_")
SEVERAL_ROOTS = "sentences with several roots"


def recognise(sample: Block) -> float:
    """The share of words with ten columns, a number in the first and a head in the seventh; 1 if columns are named."""
    if sample.data.startswith(_PLUS.encode()):
        return 1.0
    return share_of_words(sample, tabs=True)


def share_of_words(sample: Block, *, tabs: bool) -> float:
    """The share of lines that are words of CoNLL-U, with tabs or blanks between the columns."""
    rows = [(has_tabs, cells) for _, has_tabs, cells in rows_of_sample(sample) if not cells[0].startswith("#")]
    words = [cells for has_tabs, cells in rows if has_tabs == tabs and _is_word(cells)]
    return len(words) / len(rows) if rows else 0.0


def _is_word(cells: list[str]) -> bool:
    return len(cells) == len(COLUMNS) and _ID.fullmatch(cells[0]) is not None and _HEAD.fullmatch(cells[6]) is not None


def has_suffix(path: Place) -> bool:
    return ".conllu" in path.suffixes[-2:]


def is_conllu(source: Source, task: str | None) -> bool:
    """The name is enough: what is wrong with the first lines shall be said."""
    return has_suffix(source.path) and source.path.is_file()


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer for each of its columns, and its trees."""
    if len(columns) > 1:
        raise SettingError("Gold and prediction of words stand in two files; give the system's file beside it.")
    layout, tags = _layout(source, settings)
    return WordBatches(source, layout, tags, settings, vocabulary)


def traits(source: Source, settings: ReadSettings) -> frozenset[str]:
    """Whether a file is in CoNLL-U, whose relations may have subtypes, and has the columns of its metrics."""
    layout, _ = _layout(source, settings)
    is_universal = layout.name in ("conllu", "columns") and layout.has(*UNIVERSAL_LAYERS)
    found = {"universal": is_universal, "conllu": layout.name == "conllu"}
    return frozenset(name for name, is_so in found.items() if is_so)


class WordBatches(Iterator[Annotation]):
    """The batches of a file; `tags` is the column whose tags are asked for, if one is."""

    def __init__(
        self, source: Source, layout: WordLayout, tags: int | None, settings: ReadSettings, vocabulary: Vocabulary
    ) -> None:
        self._source, self._layout, self._tags, self._settings = source, layout, tags, settings
        self._has_trees = settings.task != "tags" and layout.has("head", "deprel") and _has_heads(source, layout)
        self._coders = {name: vocabulary.columns[name] for name in layout.columns}
        self._tag_coder = vocabulary.columns["tags"]
        self._extra = {column: vocabulary.columns[extra_layer(column)] for column in settings.extra}
        self._blocks = source.blocks(settings.block_size)
        self._new_document = not source.begins_inside
        if settings.task == "trees" and not self._has_trees:
            remedy = "give --task tags to score its tags alone" if layout.has("head") else _NAME_THEM
            raise source.error(None, "the words have no heads", remedy)

    def __next__(self) -> Annotation:
        while True:
            batch = self._batch(split(next(self._blocks), tabs=self._layout.tabs))
            if batch.corpus.sentences:
                return batch

    def _batch(self, lines: Lines) -> Annotation:
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
            place = _asked(self._source, self._layout, column)
            layers[extra_layer(column)] = Written(cells.tokens(place), coder)
        if self._tags is not None:
            layers["tags"] = _written(self._tags == features)(cells.tokens(self._tags), self._tag_coder)
        if head is not None:
            layers["trees"] = Trees(head, columns["deprel"])
        reading = Reading(self._layout.name, kept=kept, column=None if self._tags is None else str(self._tags + 1))
        return Annotation(self._corpus(found, cells), layers, {"words": reading}, self._source.name)

    def _cells(self, found: WordLines) -> Cells:
        return found.lines.table(found.words, self._layout.width, at_least=self._layout.at_least)

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
        cells = found.lines.table(found.multiwords, self._layout.width, at_least=self._layout.at_least)
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
                finding = f"the head {text} is outside the sentence, which has {lengths[word]} words"
            remedy = "give the number of a word of the sentence, or 0 for the root"
            sorting.report(int(found.words[word]), finding, remedy, "tree")
        if not (bad | outside).any():
            return head, self._check_trees(sorting, found, head)
        return head, 0

    def _check_trees(self, sorting: Sorting, found: WordLines, head: Ints) -> int:
        """Report sentences that are no trees; the number of those with several roots, if these may be."""
        count = roots(head, found.bounds)
        strict = self._settings.repair == "error"
        wrong = np.flatnonzero(count != 1 if strict else count == 0)
        for sentence in wrong.tolist():
            what = "no word is the root" if count[sentence] == 0 else f"{count[sentence]} words are roots"
            line = int(found.words[found.bounds[sentence]])
            sorting.report(line, f"{what} of the sentence that begins here", "give one word the head 0", "tree")
        if not strict and self._source.problems is not None:
            self._say_several_roots(found, count)
        lost = np.flatnonzero(without_root(head, found.bounds))
        for sentence in np.setdiff1d(found.sentence[lost], wrong).tolist():
            begin, behind = found.bounds[[sentence, sentence + 1]].tolist()
            first = int(lost[np.searchsorted(lost, begin)])
            cycle = cycle_of(first - begin + 1, head[begin:behind])
            line, remedy = int(found.words[begin + cycle[0] - 1]), "every word must lead to the root by its heads"
            sorting.report(line, _cycle(cycle), remedy, "tree")
        return int(np.count_nonzero(count > 1))

    def _say_several_roots(self, found: WordLines, count: Ints) -> None:
        """Collect the sentences with several roots, which are taken as they stand."""
        for sentence in np.flatnonzero(count > 1).tolist():
            line = found.lines.number(int(found.words[found.bounds[sentence]]))
            finding = f"{count[sentence]} words are roots of the sentence that begins here"
            self._source.report(line, finding, "give one word the head 0", TAKEN_ROOTS)


def _cycle(words: list[int]) -> str:
    if len(words) == 1:
        return "the word is its own head"
    named = ", ".join(map(str, words[:10])) + (", …" if len(words) > 10 else "")
    return f"the words {named} are a cycle"


def _written(is_features: bool) -> type[Written]:
    return FeatureSets if is_features else Written


def _has_heads(source: Source, layout: WordLayout) -> bool:
    """Whether the first word of a file has a head, or none is expected."""
    rows = (cells for _, _, cells in rows_of(source) if not cells[0].startswith("#") and len(cells) >= layout.width)
    words = (cells for cells in rows if not layout.has("id") or cells[layout.columns["id"]].isdecimal())
    first = next(words, None)
    return first is None or first[layout.columns["head"]] != "_"


def _layout(source: Source, settings: ReadSettings) -> tuple[WordLayout, int | None]:
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
        raise source.error(None, "the columns of the file are not those of CoNLL-U", _NAME_THEM)
    return layout, _asked(source, layout, asked[0]) if asked else None


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
        return WordLayout(name or "conllu", {each: place for place, each in enumerate(COLUMNS)}, len(COLUMNS), tabs)
    return WordLayout("columns", {}, 1, _has_tabs(source))


def _has_tabs(source: Source) -> bool:
    return next((tabs for _, tabs, cells in rows_of(source) if not cells[0].startswith("#")), True)


def _named(column: str) -> tuple[str, int]:
    name, _, number = column.partition("=")
    if not number.strip().isdecimal() or int(number) < 1:
        raise SettingError(f"{column!r} names no column; write its name and its number, such as head=7.")
    return name.strip().lower(), int(number) - 1


def _asked(source: Source, layout: WordLayout, column: int | str) -> int:
    """The place of the column that a user asks for."""
    if isinstance(column, int):
        place = column - 1 if column > 0 else layout.width + column
        if 0 <= place < layout.width:
            return place
    elif column.lower() in layout.columns:
        return layout.columns[column.lower()]
    raise source.error(None, f"there is no column {column!r}", f"choose one of {', '.join(layout.columns)}")


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
)
CONLLX = replace(
    FORMAT,
    name="conllx",
    help="CoNLL-X: the ten columns of CoNLL-U under other names, with tabs or blanks between",
    writes=dict.fromkeys(_WORDS, Writing(Carry(comments=False), late("evenhand.formats.conllu_write:write_conllx"))),
    suffixes=(".conllx",),
    certain=None,
    recognise=None,
)
CONLL2009 = replace(
    CONLLX, name="conll2009", help="CoNLL-2009: form, lemma, POS, features, head and relation", writes={}, suffixes=()
)
