"""CoNLL-style column files: one token per line, a blank line between sentences, tags in one or several columns.

The number of columns is that of the first line with a token. A line that begins with `#` is a comment if it has
another number of columns or reads like one (`# newdoc`, `# key = value`). A line whose first cell is `-DOCSTART-`,
alone or with a name, begins a document. One column means tags without tokens. See `table_head` for what else the
first lines show.

Unless the user names the column of tags, its first values tell which one it is: the only one of tags with prefixes that
are not those of chunks; otherwise the only one of tags of chunks; otherwise the only one of labels without prefixes, of
which some are O; otherwise the last one. For plain tags (POS) it is the only one that does not hold lemmas, numbers,
identifiers, features or nothing. Several such columns are an error, but a system's file may have the gold standard's
tags before its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import distinct
from evenhand.data.annotation import Annotation
from evenhand.data.encodings import OUTSIDE_TAGS, SETTLE, STACK, encode, oddity, parse
from evenhand.data.layers import Spans, Tags
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import SettingError, counted
from evenhand.formats.format import Capabilities, Contents, Detection, Format, Reader, Writer
from evenhand.formats.parsing.token_table import (
    CHUNKS,
    DOCUMENT_START,
    ColumnKind,
    Layout,
    TableBatches,
    column_kinds,
    holds_tags,
    layout_of,
    numbered_rows,
    rows_of,
    rows_of_sample,
    unlike_tags,
)
from evenhand.formats.partition import SENTENCES
from evenhand.formats.source import BYTE_ORDER_MARK, Block, Source
from evenhand.settings import ColumnName, Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

# == formats/write_table.py: Writing tables of tokens: columns of tags, one a level, or s


DEFAULT_ENCODING = "iob2"


def level_tags(annotation: Annotation, encoding: str | None, levels: int) -> list[Tags]:
    """The tags of each level, a tag a token; spans of one level must not overlap."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    first = corpus.bounds[spans.scope]
    level_tags = []
    for level in range(levels):
        rows = np.flatnonzero(spans.level == level)
        rows = rows[np.argsort(first[rows] + spans.start[rows], kind="stable")]
        begin, end = first[rows] + spans.start[rows], first[rows] + spans.end[rows]
        tags = encode(
            encoding or DEFAULT_ENCODING,
            begin,
            end,
            spans.label[rows],
            spans.vocabulary.labels.values,
            int(corpus.bounds[-1]),
            corpus.bounds[:-1],
        )
        level_tags.append(tags)
    return level_tags


def stacked_tags(annotation: Annotation, encoding: str | None) -> list[str]:
    """One tag a token, the levels stacked by fixed place; outside levels at the end are left out."""
    levels = level_tags(annotation, encoding, int(annotation.spans().level.max(initial=0)) + 1)
    stacked_tags = []
    for parts in zip(*(tags.to_list() for tags in levels), strict=True):
        kept = list(parts)
        while len(kept) > 1 and kept[-1] == "O":
            kept.pop()
        stacked_tags.append(STACK.join(kept))
    return stacked_tags


def sentence_rows(
    annotation: Annotation, columns: Sequence[Sequence[str]], *, first: bool, numbered: bool = False
) -> Iterator[str]:
    """The lines of a table: token and tags, maybe with the token's number before, a blank line behind a sentence.

    A document begins with a mark, unless it is the first one of the file: `first` says whether the batch is. That has
    one, too, if its first token would make the file look like JSON, HTML, a tree or a comment.
    """
    corpus = annotation.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    words, marks = _words(corpus.tokens), set(corpus.documents[int(corpus.continues) :].tolist())
    for sentence, (begin, end) in enumerate(zip(corpus.bounds[:-1].tolist(), corpus.bounds[1:].tolist(), strict=True)):
        looks_odd = not sentence and words[begin:end][:1] and words[begin].startswith(tuple("{[<(#"))
        if not numbered and ((sentence in marks and (sentence or not first)) or (first and looks_odd)):
            yield "\t".join([DOCUMENT_START, *["O"] * len(columns)]) + "\n\n"
        for number, token in enumerate(range(begin, end), 1):
            cells = [words[token], *(column[token] for column in columns)]
            yield "\t".join([str(number), *cells] if numbered else cells) + "\n"
        yield "\n"


def _words(tokens: Tokens) -> list[str]:
    words = [tokens[i] for i in range(len(tokens))]
    for word in words:
        is_odd = not word.strip() or word.startswith((DOCUMENT_START, BYTE_ORDER_MARK))
        if is_odd or any(char in word for char in "\t\n\r\0"):
            raise SettingError(f"The token {word!r} cannot stand in a column file; convert to JSON lines instead.")
    return words


def check_labels(spans: Spans, forbidden: str) -> None:
    """Refuse labels that a column of tags cannot spell."""
    for code in distinct(spans.label).tolist():
        label = spans.vocabulary.labels[code]
        if not can_be_tag(label) or any(char in label for char in forbidden):
            raise SettingError(f"The label {label!r} cannot stand in a column of tags; rename it first.")


def can_be_tag(label: str) -> bool:
    """Whether a tag with a prefix and this label is read back as the same."""
    return bool(label.strip()) and oddity(f"B-{label}", is_plain=False) is None


def check_cells(texts: Iterable[str]) -> None:
    """Refuse texts that end a cell of a table with tabs, or a line of it."""
    for text in texts:
        if text.startswith(BYTE_ORDER_MARK) or any(char in text for char in "\t\n\r\0"):
            raise SettingError(f"{text!r} cannot be a cell of a table with tabs; rename it, or convert to JSON lines.")


# == formats/columns.py (primary)


_GIVE_SYSTEM = "give the system's file beside it, or name both columns with --column"
_DEFAULTS = {"spans": -1, "gold": -2, "system": -1}
_PREFIXED = ("tags", "chunks")
"""Kinds of columns with prefixes, the usual one first."""
_PART = re.compile(r"[^\W\d_]+")
_SIDES = {
    "gold": frozenset({"gold", "true", "truth", "reference", "references", "target", "expected", "correct"}),
    "system": frozenset({"pred", "preds", "predicted", "prediction", "predictions", "system", "output", "hypothesis"}),
}
"""What headers call the columns of the gold standard and of a system."""
_SPANS = (*_PREFIXED, "outside", "labels")
"""Kinds of columns that may hold tags of spans."""
_NOT_TAGS = ("lemmas", "numbers", "identifiers", "features", "empty")
"""Kinds of columns that hold no plain tags, such as POS."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of spans for each entry of `columns`."""
    named = [column for wanted in columns.values() for column in wanted]
    weights = () if settings.weight is None else (settings.weight,)
    layout = layout_of(source, [*named, *weights, *settings.extra])
    if settings.task == "tags" and len(named) > 1:
        raise SettingError("Tags of words are scored one column at a time; name a single --column.")
    if len(columns) > 1 and not named:
        _check_two_columns_of_tags(source, layout)
    weighed = layout.places(source, weights)
    places = {
        layer: layout.places(source, wanted) if wanted else (_default(source, layout, layer, weighed, settings),)
        for layer, wanted in columns.items()
    }
    elsewhere = partial(_elsewhere, source, layout, places)
    return TableBatches(FORMAT.name, source, layout, places, settings, vocabulary, elsewhere)


def _elsewhere(source: Source, layout: Layout, places: Mapping[str, tuple[int, ...]]) -> str:
    """Which other columns look like tags, for a user whose tags are not where they were looked for."""
    chosen = {place for each in places.values() for place in each}
    kinds = column_kinds(source, layout)
    others = [place + 1 for place, kind in kinds.items() if kind.name in _PREFIXED and place not in chosen]
    return f"choose the column of tags, such as --column {others[-1]}" if others else ""


def _default(source: Source, layout: Layout, layer: str, taken: tuple[int, ...], settings: ReadSettings) -> int:
    """The column of a layer that the user did not name, by what the columns hold."""
    free = [place for place in range(layout.filled) if place not in taken]
    if len(free) < -_DEFAULTS[layer]:
        finding = f"there is no column {_DEFAULTS[layer]}, this line has {len(free)} for tokens and tags"
        raise source.error(layout.first_line, finding, "name another column")
    kinds = {place: kind for place, kind in column_kinds(source, layout).items() if place in free}
    if layer != "spans":
        return _of_two(source, layout, free, kinds, layer)
    if not kinds:
        return free[-1]
    _check_tokens(source, layout, kinds)
    place = chosen(source, layout.first_line, kinds, layout.names, settings)
    if settings.task != "tags" and settings.encoding is None and kinds[place].name in ("identifiers", "features"):
        finding = f"found {kinds[place].name} ({kinds[place].shown}) in column {place + 1}, where tags were expected"
        raise source.error(layout.first_line, finding, f"choose the column of tags with --column; {SETTLE}")
    is_plain = settings.task == "tags" or kinds[place].name not in _PREFIXED
    _check_first_line(source, layout, place, is_plain=is_plain)
    return place


def chosen(
    source: Source, line: int, kinds: Mapping[int, ColumnKind], names: Sequence[str], settings: ReadSettings
) -> int:
    """The column of tags, by what the columns hold; several that may be it are an error at the first line."""
    choose = _of_words if settings.task == "tags" else _of_spans
    found = choose(kinds, is_system=settings.side == "system" and not names)
    if names and len(found) > 1:
        found = _called(found, names, settings.side) or found
    if len(found) == 1:
        return found[0]
    if names:
        finding = f"the header names several columns: {', '.join(names[place] for place in kinds)}"
        raise source.error(line, finding, "name the one with the tags with --column")
    listed = "; ".join(f"{place + 1} ({kinds[place].shown})" for place in found)
    side = "" if settings.side is None else f"{settings.side}:"
    raise source.error(
        line,
        f"found several columns that may hold the tags: {listed}",
        f"choose one, such as --column {side}{found[-1] + 1}",
    )


def _check_tokens(source: Source, layout: Layout, kinds: Mapping[int, ColumnKind]) -> None:
    """Raise an error if the column of tokens holds tags, and no other one does."""
    if not any(kind.name in _PREFIXED for kind in kinds.values()) and holds_tags(source, layout, layout.token):
        finding = f"column {layout.token + 1} holds tags where tokens were expected"
        raise source.error(layout.first_line, finding, "put the token first and its tag last")


def _check_first_line(source: Source, layout: Layout, place: int, *, is_plain: bool) -> None:
    """Raise an error if the first line, or one that begins with #, has a value unlike any tag without prefixes."""
    found = unlike_tags(source, layout, place) if is_plain else None
    if found is not None:
        number, text, what = found
        remedy = "remove the line, or name the column by its name in the header"
        raise source.error(number, f"{text!r} looks like {what}, not like a token and its tag", remedy)


def _of_spans(kinds: Mapping[int, ColumnKind], *, is_system: bool) -> list[int]:
    """The columns that may hold tags of spans: one if the values leave no doubt, the last one if none looks like it."""
    last = max(kinds)
    labels = [place for place, kind in kinds.items() if kind.name == "labels"]
    with_o = [place for place in labels if kinds[place].has_o]
    for name in _PREFIXED:
        places = [place for place, kind in kinds.items() if kind.name == name]
        if not places:
            continue
        silent = [place for place, kind in kinds.items() if kind.name == "outside"]
        if last in silent and (is_system or name == "chunks"):
            return [last]  # a system that found nothing, or a text without entities
        if last in silent or (silent and name == "chunks"):
            return sorted([*places, *silent])
        if last in with_o:
            return [*places, last]
        return [last] if is_system and _repeats(kinds, places, last) else places
    return with_o if len(with_o) == 1 else labels or [last]


def _of_words(kinds: Mapping[int, ColumnKind], *, is_system: bool) -> list[int]:
    """The columns that may hold plain tags, such as POS."""
    places = [place for place, kind in kinds.items() if kind.name not in _NOT_TAGS] or [max(kinds)]
    last = places[-1]
    return [last] if is_system and _repeats(kinds, places, last) else places


def _repeats(kinds: Mapping[int, ColumnKind], places: list[int], last: int) -> bool:
    """Whether the last of some columns has values of another one, as a prediction beside its gold standard has."""
    return last == places[-1] and any(kinds[last].labels & kinds[place].labels for place in places[:-1])


def _called(places: Sequence[int], names: Sequence[str], side: str | None) -> list[int]:
    """Those of some columns that a header names as the gold standard's or the system's, the one that is asked for."""
    parts = {place: set(_PART.findall(names[place].lower())) for place in places}
    return [place for place in places if side is not None and parts[place] & _SIDES[side]]


def _of_two(source: Source, layout: Layout, free: list[int], kinds: Mapping[int, ColumnKind], layer: str) -> int:
    """The column of gold standard or prediction, of one file with both: the only two with tags, or the last two.

    In a file with a header, names tell which is which.
    """
    tags = [place for place, kind in kinds.items() if kind.name == "tags"]
    if layout.names:
        sides = [_called(list(kinds), layout.names, side) for side in ("gold", "system")]
        if [len(places) for places in sides] != [1, 1] or sides[0] == sides[1]:
            names = ", ".join(layout.names[place] for place in kinds)
            finding = f"the header names several columns: {names}"
            remedy = "name the two with gold and prediction with --column gold:NAME --column system:NAME"
            raise source.error(layout.first_line, finding, remedy)
        return sides[layer == "system"][0]
    return (tags if len(tags) == 2 and kinds[free[-1]].name not in _SPANS else free)[_DEFAULTS[layer]]


def _check_two_columns_of_tags(source: Source, layout: Layout) -> None:
    """Raise an error if the columns for gold and prediction hold something else: tokens, or labels beside tags."""
    if layout.filled < 2:
        raise source.error(layout.first_line, "found 1 column where gold and prediction need two", _GIVE_SYSTEM)
    kinds = column_kinds(source, layout)
    free = list(range(layout.filled))
    places = [_of_two(source, layout, free, kinds, layer) for layer in ("gold", "system")]
    is_bare = layout.token in places and holds_tags(source, layout, layout.token)
    gold, system = (kinds[place].name if place in kinds else "tags" if is_bare else "tokens" for place in places)
    if gold == "chunks" and system == "tags":
        finding = "the last two columns are for gold and prediction, but the first of them has tags of chunks"
        raise source.error(layout.first_line, finding, _GIVE_SYSTEM)
    if gold == "tokens" or (gold not in _SPANS and system in _PREFIXED):
        what = "tokens" if layout.filled == 2 else "labels without prefixes"
        finding = f"the last two columns are for gold and prediction, but the first of them has {what}"
        raise source.error(layout.first_line, finding, _GIVE_SYSTEM)


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Token and tag, with a tab between; the levels of nested spans stacked in one tag."""
    for number, batch in enumerate(batches):
        yield from sentence_rows(batch, [stacked_tags(batch, conversion.encoding)], first=not number)


def write_tags(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Word and tag."""
    for number, batch in enumerate(batches):
        check_cells(batch.word_tags().names)
        yield from sentence_rows(batch, [batch.word_tags().to_list()], first=not number)


FORMAT = Format(
    "conll",
    "a token a line, tags in one or several columns",
    readers=dict.fromkeys(("spans", "tags"), Reader(read, partitioning=SENTENCES)),
    writers={
        "spans": Writer(Capabilities(characters=False, gaps=False, tags=True, depth=1, stacks=True), write),
        "tags": Writer(Capabilities(columns=False, comments=False), write_tags),
    },
    suffixes=(".conll", ".bio", ".iob"),
    detection=Detection(fallback_for=(None, "spans", "tags")),
    contents=Contents(is_table=True, has_columns=True),
)


# == formats/germeval.py: GermEval 2014: index, token, outer and inner tag; with six c


_WIDTHS = (4, 6)
_DEFAULTS_GERMEVAL: dict[int, dict[str, tuple[ColumnName, ...]]] = {
    4: {"spans": (3, 4), "gold": (3, 4), "system": (3, 4)},
    6: {"spans": (5, 6), "gold": (3, 4), "system": (5, 6)},
}


def recognise(sample: Block) -> float:
    """The share of lines with a number, a word and two or four tags; none if either tag is one of chunks.

    Number, word, chunk and entity are as many columns, and so are number, word, gold and predicted tag: the labels tell
    which table it is, and tags that are mostly the same in both columns.
    """
    numbered = [_without_empty_end(cells) for _, _, cells in numbered_rows(sample)]
    good = list(filter(_is_row, numbered))
    if not good or _has_chunks(good) or _are_repeated(good) or _are_other_values(numbered):
        return 0.0
    return len(good) / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample))


def _without_empty_end(cells: list[str]) -> list[str]:
    while len(cells) > _WIDTHS[0] and not cells[-1]:
        cells = cells[:-1]
    return cells


def _is_row(cells: list[str]) -> bool:
    is_numbered = len(cells) in _WIDTHS and cells[0].isdecimal()
    return is_numbered and all(cell in OUTSIDE_TAGS or parse(cell) for cell in cells[2:])


def _has_chunks(rows: list[list[str]]) -> bool:
    return any(part is not None and part[1].upper() in CHUNKS for cells in rows for part in map(parse, cells[2:4]))


def _are_other_values(rows: list[list[str]]) -> bool:
    """Whether the last of four columns has values, but no tag among them, such as SpaceAfter=No."""
    values = {cells[3] for cells in rows if len(cells) == _WIDTHS[0]} - OUTSIDE_TAGS
    return bool(values) and not any(map(parse, values))


def _are_repeated(rows: list[list[str]]) -> bool:
    """Whether most inner tags are the outer ones again."""
    inner = [cells for cells in rows if len(cells) == _WIDTHS[0] and cells[3] not in OUTSIDE_TAGS]
    return 2 * sum(cells[2] == cells[3] for cells in inner) > len(inner)


def read_germeval(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """The file in batches of whole sentences, with a layer of two levels for each entry of `columns`."""
    number, tabs, width = _first_row(source)
    layout = Layout(tabs, width, number, token=1, hash_comments=True)
    if width == 4 and len(columns) > 1:
        raise source.error(
            number, "found 4 columns where gold and prediction need 6", "give the prediction as a second file"
        )
    defaults = _DEFAULTS_GERMEVAL[width] | (
        {"spans": _DEFAULTS_GERMEVAL[width]["gold"]} if settings.side == "gold" else {}
    )
    places = {layer: layout.places(source, wanted or defaults[layer]) for layer, wanted in columns.items()}
    return TableBatches(FORMAT_GERMEVAL.name, source, layout, places, settings, vocabulary)


def _first_row(source: Source) -> tuple[int, bool, int]:
    """The line of the first token, whether it has tabs, and how many columns, empty ones at its end aside."""
    rows = (row for row in rows_of(source, passes_comments=True) if not row[2][0].startswith("#"))
    number, tabs, cells = next(rows, (None, False, []))
    if number is None:
        raise source.error(None, "the file has no tokens", "check how it was written")
    if source.delimiter is not None and not tabs:
        finding = f"there is no {source.delimiter!r} between columns"
        raise source.error(number, finding, "name another --delimiter, or leave it out for tabs and blanks", "columns")
    width = _WIDTHS[1] if len(cells) >= _WIDTHS[1] else _WIDTHS[0]
    if len(cells) < width or any(cells[width:]):
        remedy = "give the columns index, token, outer and inner tag, or these and the predicted two"
        raise source.error(
            number, f"found {counted(len(cells), 'column')} where GermEval has 4 or 6", remedy, "columns"
        )
    return number, tabs, width


def write_germeval(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Number, token, outer and inner tag, with tabs between."""
    for number, batch in enumerate(batches):
        columns = [tags.to_list() for tags in level_tags(batch, conversion.encoding, 2)]
        yield from sentence_rows(batch, columns, first=not number, numbered=True)


FORMAT_GERMEVAL = Format(
    "germeval",
    "number, token, outer and inner tag; with the predicted two, six columns",
    readers=dict.fromkeys(
        ("spans", "tags"),
        Reader(
            read_germeval,
            partitioning=replace(SENTENCES, columns=lambda settings: len(settings.columns) or 2),
        ),
    ),
    writers={
        "spans": Writer(
            Capabilities(characters=False, gaps=False, tags=True, depth=2, documents="none"), write_germeval
        )
    },
    detection=Detection(confidence=recognise),
    contents=Contents(is_table=True, has_columns=True),
)
