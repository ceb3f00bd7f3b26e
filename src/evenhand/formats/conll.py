"""CoNLL-style column files: one token per line, a blank line between sentences, tags in one or several columns.

The first line with a token determines the number of columns. A line that begins with `#` is a comment if it has
another number of columns or reads like one (`# newdoc`, `# key = value`). A line whose first cell is `-DOCSTART-`,
alone or with a name, begins a document. One column means tags without tokens. `parsing/token_table` detects the rest.

Unless the user names the column of tags, it is detected by its first values: the only column of tags with prefixes that
are not chunks; otherwise the only column of chunk tags; otherwise the only column of labels without prefixes that
include O; otherwise the last one. For plain tags (POS) it is the only column that does not hold lemmas, numbers,
identifiers or features, and is not empty. Several such columns are an error, but a system's file may have the gold
standard's tags before its own.

GermEval 2014 is a table of this kind with fixed columns: number, token, outer and inner tag; with six columns, the last
two are the predicted tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from evenhand.arrays import distinct
from evenhand.data.annotation import Annotation
from evenhand.data.encodings import OUTSIDE_TAGS, SETTLE, STACK, encode, oddity, parse
from evenhand.data.layers import Spans, Tags
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.errors import SettingError
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
    score_columns,
    unlike_tags,
)
from evenhand.formats.partition import SENTENCES
from evenhand.formats.source import BYTE_ORDER_MARK, Block, Source
from evenhand.settings import ColumnName, Columns, ReadSettings

if TYPE_CHECKING:
    from evenhand.formats.convert import Conversion

DEFAULT_ENCODING = "iob2"
_GIVE_SYSTEM = "add the system's file, or specify both columns with --column"
_DEFAULTS = {"spans": -1, "gold": -2, "system": -1}
_PREFIXED = ("tags", "chunks")
"""Kinds of columns with prefixes, the usual one first."""
_PART = re.compile(r"[^\W\d_]+")
SIDE_WORDS = {
    "gold": frozenset({"gold", "true", "truth", "reference", "references", "target", "expected", "correct"}),
    "system": frozenset({"pred", "preds", "predicted", "prediction", "predictions", "system", "output", "hypothesis"}),
}
"""Words in headers for the columns of the gold standard and of a system."""
_SPANS = (*_PREFIXED, "outside", "labels")
"""Kinds of columns that may hold tags of spans."""
_WIDTHS = (4, 6)
_GERMEVAL_DEFAULTS: dict[int, dict[str, tuple[ColumnName, ...]]] = {
    4: {"spans": (3, 4), "gold": (3, 4), "system": (3, 4)},
    6: {"spans": (5, 6), "gold": (3, 4), "system": (5, 6)},
}
"""Columns by number of columns and layer."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Yield batches of whole sentences, with a layer of spans for each entry of `columns`."""
    named = [column for names in columns.values() for column in names]
    weights = () if settings.weight is None else (settings.weight,)
    scores = score_columns(settings)
    layout = layout_of(source, [*named, *weights, *scores, *settings.extra])
    if settings.task == "tags" and len(named) > 1:
        raise SettingError("Tags of words are scored one column at a time; specify a single --column.")
    if len(columns) > 1 and not named:
        _check_two_columns_of_tags(source, layout)
    weight_columns = layout.indices(source, (*weights, *scores))
    tag_columns = {
        layer: layout.indices(source, names) if names else (_default(source, layout, layer, weight_columns, settings),)
        for layer, names in columns.items()
    }
    elsewhere = partial(_elsewhere, source, layout, tag_columns)
    return TableBatches(FORMAT.name, source, layout, tag_columns, settings, vocabulary, elsewhere)


def _elsewhere(source: Source, layout: Layout, tag_columns: Mapping[str, tuple[int, ...]]) -> str:
    """A remedy with another column that looks like tags, if the chosen columns have none."""
    chosen = {column for columns in tag_columns.values() for column in columns}
    kinds = column_kinds(source, layout)
    others = [column + 1 for column, kind in kinds.items() if kind.name in _PREFIXED and column not in chosen]
    return f"choose the column of tags, such as --column {others[-1]}" if others else ""


def _default(source: Source, layout: Layout, layer: str, taken: tuple[int, ...], settings: ReadSettings) -> int:
    """The column of a layer if the user names none."""
    free = [column for column in range(layout.filled) if column not in taken]
    if len(free) < -_DEFAULTS[layer]:
        finding = f"column {_DEFAULTS[layer]} does not exist, this line has {len(free)} for tokens and tags"
        raise source.error(layout.first_line, finding, "specify another column")
    kinds = {column: kind for column, kind in column_kinds(source, layout).items() if column in free}
    if layer != "spans":
        return _of_two(source, layout, free, kinds, layer)
    if not kinds:
        return free[-1]
    if not any(kind.name in _PREFIXED for kind in kinds.values()) and holds_tags(source, layout, layout.token):
        finding = f"expected tokens in column {layout.token + 1}, got tags"
        raise source.error(layout.first_line, finding, "put the token first and its tag last")
    column = choose_column(source, layout.first_line, kinds, layout.names, settings)
    kind = kinds[column]
    if settings.task != "tags" and settings.encoding is None and kind.name in ("identifiers", "features"):
        finding = f"expected tags in column {column + 1}, got {kind.name} ({kind.examples})"
        raise source.error(layout.first_line, finding, f"choose the column of tags with --column; {SETTLE}")
    is_plain = settings.task == "tags" or kind.name not in _PREFIXED
    unlike = unlike_tags(source, layout, column) if is_plain else None
    if unlike is not None:
        number, text, what = unlike
        remedy = "remove the line, or specify the column by its name in the header"
        raise source.error(number, f"{text!r} looks like {what}, not like a token and its tag", remedy)
    return column


def choose_column(
    source: Source, line: int, kinds: Mapping[int, ColumnKind], names: Sequence[str], settings: ReadSettings
) -> int:
    """Return the column of tags by the kinds of columns; several candidates are an error at the first line."""
    columns = columns_of_tags(kinds, settings, has_names=bool(names))
    if names and len(columns) > 1:
        columns = _with_side(columns, names, settings.side) or columns
    if len(columns) == 1:
        return columns[0]
    if names:
        finding = f"the header names several columns: {', '.join(names[column] for column in kinds)}"
        raise source.error(line, finding, "specify the column of tags with --column")
    listed = "; ".join(f"{column + 1} ({kinds[column].examples})" for column in columns)
    side = "" if settings.side is None else f"{settings.side}:"
    finding = f"several columns may hold the tags: {listed}"
    raise source.error(line, finding, f"choose one, such as --column {side}{columns[-1] + 1}")


def columns_of_tags(kinds: Mapping[int, ColumnKind], settings: ReadSettings, *, has_names: bool = True) -> list[int]:
    """Return the columns that may hold the tags, by their kinds; without names of columns, a system's are the last."""
    find = _of_words if settings.task == "tags" else _of_spans
    return find(kinds, is_system=settings.side == "system" and not has_names)


def _of_spans(kinds: Mapping[int, ColumnKind], *, is_system: bool) -> list[int]:
    """The columns that may hold tags of spans: one if the values leave no doubt, the last one if none looks like it."""
    last = max(kinds)
    labels = [column for column, kind in kinds.items() if kind.name == "labels"]
    with_o = [column for column in labels if kinds[column].has_o]
    for name in _PREFIXED:
        columns = [column for column, kind in kinds.items() if kind.name == name]
        if not columns:
            continue
        silent = [column for column, kind in kinds.items() if kind.name == "outside"]
        if last in silent and (is_system or name == "chunks"):
            return [last]  # a system that found nothing, or a text without entities
        if last in silent or (silent and name == "chunks"):
            return sorted([*columns, *silent])
        if last in with_o:
            return [*columns, last]
        return [last] if is_system and _repeats(kinds, columns, last) else columns
    return with_o if len(with_o) == 1 else labels or [last]


def _of_words(kinds: Mapping[int, ColumnKind], *, is_system: bool) -> list[int]:
    """The columns that may hold plain tags, such as POS."""
    not_tags = ("lemmas", "numbers", "identifiers", "features", "empty")
    columns = [column for column, kind in kinds.items() if kind.name not in not_tags] or [max(kinds)]
    last = columns[-1]
    return [last] if is_system and _repeats(kinds, columns, last) else columns


def _repeats(kinds: Mapping[int, ColumnKind], columns: list[int], last: int) -> bool:
    """Whether the last column shares values with another one, like a prediction with its gold standard."""
    return last == columns[-1] and any(kinds[last].labels & kinds[column].labels for column in columns[:-1])


def _with_side(columns: Sequence[int], names: Sequence[str], side: str | None) -> list[int]:
    """The columns whose names in the header contain a word for this side."""
    parts = {column: set(_PART.findall(names[column].lower())) for column in columns}
    return [column for column in columns if side is not None and parts[column] & SIDE_WORDS[side]]


def _of_two(source: Source, layout: Layout, free: list[int], kinds: Mapping[int, ColumnKind], layer: str) -> int:
    """The column of gold standard or prediction in a file with both: the only two with tags, or the last two.

    In a file with a header, the names decide.
    """
    tags = [column for column, kind in kinds.items() if kind.name == "tags"]
    if layout.names:
        sides = [_with_side(list(kinds), layout.names, side) for side in ("gold", "system")]
        if [len(columns) for columns in sides] != [1, 1] or sides[0] == sides[1]:
            finding = f"the header names several columns: {', '.join(layout.names[column] for column in kinds)}"
            remedy = "specify those of gold and prediction with --column gold:NAME --column system:NAME"
            raise source.error(layout.first_line, finding, remedy)
        return sides[layer == "system"][0]
    return (tags if len(tags) == 2 and kinds[free[-1]].name not in _SPANS else free)[_DEFAULTS[layer]]


def _check_two_columns_of_tags(source: Source, layout: Layout) -> None:
    """Raise an error if the columns for gold and prediction hold something else: tokens, or labels beside tags."""
    if layout.filled < 2:
        raise source.error(layout.first_line, "expected two columns for gold and prediction, got one", _GIVE_SYSTEM)
    kinds = column_kinds(source, layout)
    columns = [_of_two(source, layout, list(range(layout.filled)), kinds, layer) for layer in ("gold", "system")]
    is_bare = layout.token in columns and holds_tags(source, layout, layout.token)
    gold, system = (kinds[column].name if column in kinds else "tags" if is_bare else "tokens" for column in columns)
    content = None
    if gold == "chunks" and system == "tags":
        content = "tags of chunks"
    elif gold == "tokens" or (gold not in _SPANS and system in _PREFIXED):
        content = "tokens" if layout.filled == 2 else "labels without prefixes"
    if content is not None:
        finding = f"the last two columns are for gold and prediction, but the first of them has {content}"
        raise source.error(layout.first_line, finding, _GIVE_SYSTEM)


def recognise_germeval(sample: Block) -> float:
    """The share of lines with a number, a word and two or four tags.

    Number, word, chunk and entity are four columns, too, as are number, word, gold and predicted tag. Labels of chunks,
    and tags that are mostly the same in both columns, show that a table is not GermEval's.
    """
    numbered = [_without_empty_end(cells) for _, _, cells in numbered_rows(sample)]
    good = [
        cells for cells in numbered if len(cells) in _WIDTHS and cells[0].isdecimal() and all(map(_is_tag, cells[2:]))
    ]
    inner = [cells for cells in good if len(cells) == _WIDTHS[0] and cells[3] not in OUTSIDE_TAGS]
    are_repeated = 2 * sum(cells[2] == cells[3] for cells in inner) > len(inner)
    chunks = (part for cells in good for part in map(parse, cells[2:4]) if part is not None)
    has_chunks = any(label.upper() in CHUNKS for _, label in chunks)
    last = {cells[3] for cells in numbered if len(cells) == _WIDTHS[0]} - OUTSIDE_TAGS
    has_other_values = bool(last) and not any(map(parse, last))  # such as SpaceAfter=No
    if not good or has_chunks or are_repeated or has_other_values:
        return 0.0
    return len(good) / sum(not cells[0].startswith("#") for _, _, cells in rows_of_sample(sample))


def _is_tag(cell: str) -> bool:
    return cell in OUTSIDE_TAGS or parse(cell) is not None


def _without_empty_end(cells: list[str]) -> list[str]:
    while len(cells) > _WIDTHS[0] and not cells[-1]:
        cells = cells[:-1]
    return cells


def read_germeval(
    source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns
) -> Iterator[Annotation]:
    """Yield batches of whole sentences, with a layer of two levels for each entry of `columns`."""
    number, tabs, width = _first_row(source)
    layout = Layout(tabs, width, number, token=1, hash_comments=True)
    if width == 4 and len(columns) > 1:
        finding = "expected 6 columns for gold and prediction, got 4"
        raise source.error(number, finding, "pass the prediction as a second file")
    defaults = _GERMEVAL_DEFAULTS[width]
    if settings.side == "gold":
        defaults = defaults | {"spans": defaults["gold"]}
    tag_columns = {layer: layout.indices(source, names or defaults[layer]) for layer, names in columns.items()}
    return TableBatches(GERMEVAL.name, source, layout, tag_columns, settings, vocabulary)


def _first_row(source: Source) -> tuple[int, bool, int]:
    """The line of the first token, whether it has tabs, and its number of columns without empty ones at the end."""
    rows = (row for row in rows_of(source, skip_comments=True) if not row[2][0].startswith("#"))
    number, tabs, cells = next(rows, (None, False, []))
    if number is None:
        raise source.error(None, "the file has no tokens", "check how it was written")
    if source.delimiter is not None and not tabs:
        finding = f"expected {source.delimiter!r} between columns, got none"
        raise source.error(number, finding, "use another --delimiter, or remove it for tabs and blanks", "columns")
    width = _WIDTHS[1] if len(cells) >= _WIDTHS[1] else _WIDTHS[0]
    if len(cells) < width or any(cells[width:]):
        finding = f"expected 4 or 6 columns, got {len(cells)}"
        remedy = "use the columns index, token, outer and inner tag, or these and the two predicted tags"
        raise source.error(number, finding, remedy, "columns")
    return number, tabs, width


def level_tags(annotation: Annotation, encoding: str | None, levels: int) -> list[Tags]:
    """Return the tags of each level, one per token; spans of one level must not overlap."""
    corpus, spans = annotation.corpus, annotation.spans()
    assert corpus.bounds is not None
    first = corpus.bounds[spans.scope]
    start, end = first + spans.start, first + spans.end
    by_level = []
    for level in range(levels):
        rows = np.flatnonzero(spans.level == level)
        rows = rows[np.argsort(start[rows], kind="stable")]
        tags = encode(
            encoding or DEFAULT_ENCODING,
            start[rows],
            end[rows],
            spans.label[rows],
            spans.vocabulary.labels.values,
            int(corpus.bounds[-1]),
            corpus.bounds[:-1],
        )
        by_level.append(tags)
    return by_level


def stacked_tags(annotation: Annotation, encoding: str | None) -> list[str]:
    """Return one tag per token, the levels stacked; outside levels at the end are left out."""
    levels = level_tags(annotation, encoding, int(annotation.spans().level.max(initial=0)) + 1)
    stacks = []
    for tags in zip(*(column.to_list() for column in levels), strict=True):
        stack = list(tags)
        while len(stack) > 1 and stack[-1] == "O":
            stack.pop()
        stacks.append(STACK.join(stack))
    return stacks


def _sentence_rows(
    annotation: Annotation, columns: Sequence[Sequence[str]], *, first: bool, numbered: bool = False
) -> Iterator[str]:
    """The lines of a table: token and tags, with the token's number if `numbered`, and a blank line after a sentence.

    A document begins with a mark, except for the first one of the file (`first`: the batch is the first one). That has
    a mark, too, if its first token would make the file look like JSON, HTML, a tree or a comment.
    """
    corpus = annotation.corpus
    assert corpus.tokens is not None
    assert corpus.bounds is not None
    words, marks = _words(corpus.tokens), set(corpus.documents[int(corpus.continues) :].tolist())
    for sentence, (begin, end) in enumerate(pairwise(corpus.bounds.tolist())):
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
            raise SettingError(f"The token {word!r} cannot be written to a column file; convert to JSON lines instead.")
    return words


def check_labels(spans: Spans, forbidden: str) -> None:
    """Refuse labels that are not possible in a column of tags."""
    for code in distinct(spans.label).tolist():
        label = spans.vocabulary.labels[code]
        if not can_be_tag(label) or any(char in label for char in forbidden):
            raise SettingError(f"The label {label!r} cannot be written to a column of tags; rename it first.")


def can_be_tag(label: str) -> bool:
    """Return whether a tag with a prefix and this label is read back unchanged."""
    return bool(label.strip()) and oddity(f"B-{label}", is_plain=False) is None


def check_cells(texts: Iterable[str]) -> None:
    """Refuse texts that would end a cell or a line of a table with tabs."""
    for text in texts:
        if text.startswith(BYTE_ORDER_MARK) or any(char in text for char in "\t\n\r\0"):
            raise SettingError(f"{text!r} cannot be a cell of a table with tabs; rename it, or convert to JSON lines.")


def write(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write token and tag with a tab between; levels of nested spans are stacked in one tag."""
    for number, batch in enumerate(batches):
        yield from _sentence_rows(batch, [stacked_tags(batch, conversion.encoding)], first=not number)


def write_tags(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write word and tag with a tab between."""
    for number, batch in enumerate(batches):
        check_cells(batch.word_tags().names)
        yield from _sentence_rows(batch, [batch.word_tags().to_list()], first=not number)


def write_germeval(batches: Iterator[Annotation], conversion: Conversion) -> Iterator[str]:
    """Write number, token, outer and inner tag with tabs between."""
    for number, batch in enumerate(batches):
        columns = [tags.to_list() for tags in level_tags(batch, conversion.encoding, 2)]
        yield from _sentence_rows(batch, columns, first=not number, numbered=True)


FORMAT = Format(
    "conll",
    "one token per line, tags in one or several columns",
    readers=dict.fromkeys(("spans", "tags"), Reader(read, partitioning=SENTENCES)),
    writers={
        "spans": Writer(Capabilities(characters=False, gaps=False, tags=True, depth=1, stacks=True), write),
        "tags": Writer(Capabilities(columns=False, comments=False), write_tags),
    },
    suffixes=(".conll", ".bio", ".iob"),
    detection=Detection(fallback_for=(None, "spans", "tags")),
    contents=Contents(is_table=True, has_columns=True, has_scores=True),
)
_TWO_LEVELS = replace(SENTENCES, columns=lambda settings: len(settings.columns) or 2)
GERMEVAL = Format(
    "germeval",
    "number, token, outer and inner tag; six columns with the two predicted tags",
    readers=dict.fromkeys(("spans", "tags"), Reader(read_germeval, partitioning=_TWO_LEVELS)),
    writers={
        "spans": Writer(
            Capabilities(characters=False, gaps=False, tags=True, depth=2, documents="none"), write_germeval
        )
    },
    detection=Detection(confidence=recognise_germeval),
    contents=Contents(is_table=True, has_columns=True),
)
