"""Tags to spans: detection of the encoding, decoding and repair.

Formats code their tags as integers, in different ways: columns by their cells, lists by a dictionary. The rest is the
same for all formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, Values, ints
from evenhand.data import encodings
from evenhand.data.annotation import Annotation, Layer, ReadInfo, tags_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS, SETTLE, TagTable, doubt, looks_plain, means_nothing
from evenhand.data.layers import Spans, SparseTags, Tags
from evenhand.data.vocabulary import NewCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import ILL_FORMED, LimitError
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings


@dataclass(frozen=True)
class Encoding:
    """The encoding of tags, and how it was decided."""

    name: str
    is_named: bool = False
    looks_like: str | None = None
    """The encoding that the tags look like, if the gold standard's encoding is used instead."""


@dataclass(frozen=True)
class Coded:
    """The tags of some tokens as codes, and the tags that are new, in the order of their codes."""

    new: list[str]
    code: SparseCodes
    corpus: Corpus


class TagReader:
    """Reads coded tags, batch by batch."""

    def __init__(
        self, source: Source, settings: ReadSettings, vocabulary: Vocabulary, chosen: Encoding, location: str = ""
    ) -> None:
        """`location` names the column in messages, if there are several."""
        self._source, self._location, self._repair = source, location, settings.repair
        self._chosen, self._encoding = chosen, chosen.name
        self._how = "named" if settings.encoding else "recognised from the first ones"
        self._table = TagTable(vocabulary, plain=chosen.name == "plain")
        self._wrong: dict[int, tuple[str, str]] = {}
        self._reports = settings.repair == "error" or source.problems is not None
        self._has_repaired = False
        """Whether the first repair has been reported."""

    @property
    def levels(self) -> int:
        return self._table.levels

    def read(self, coded: Coded) -> TagsAndSpans:
        """Decode the tags of these tokens, and count repairs."""
        corpus = coded.corpus
        known, findings = len(self._table.names), _extend(self._table, coded)
        if coded.new:
            self._check_new(coded.new, findings, known)
        tags = SparseTags(coded.code, tuple(self._table.names))
        if self._wrong:
            tokens = np.flatnonzero(np.isin(tags.code, list(self._wrong)))
            for wrong, line in zip(tags.code[tokens].tolist(), corpus.line_numbers(tokens).tolist(), strict=True):
                self._source.report(line if line >= 0 else None, *self._wrong[wrong], "tag")
        assert corpus.bounds is not None
        segments = self._table.segments(coded.code, corpus.bounds[:-1])
        decoded = self._table.decode(segments, corpus, self._encoding, self._repair)
        first = None
        if len(decoded.ill_formed) and (self._reports or not self._has_repaired):
            first = self._report_ill_formed(corpus, tags.code, decoded.ill_formed)
            self._has_repaired = True
        reading = ReadInfo(
            encoding=self._encoding,
            is_named=self._chosen.is_named,
            looks_like=self._chosen.looks_like,
            repaired=len(decoded.ill_formed),
            first_repair=first,
        )
        return tags, decoded.spans, reading

    def _check_new(self, tags: list[str], findings: list[str | None], first: int) -> None:
        """Keep the problems of new tags, whose codes begin with `first`."""
        foreign = self._table.codes_not_in(self._encoding, first)
        expects_labels = self._chosen.name == "plain" and not self._chosen.is_named
        for code, (tag, finding) in enumerate(zip(tags, findings, strict=True), first):
            remedy = "fix it, or specify the encoding (--encoding plain for labels without prefixes)"
            if finding is None and expects_labels and means_nothing(tag):
                finding = f"expected labels or O, got {tag!r}"
                remedy = "write O for tokens outside of spans"
            if finding is None and code in foreign:
                finding = f"the tag {tag!r} does not occur in {self._encoding.upper()}, the encoding {self._how}"
                remedy = "specify the file's encoding with --encoding"
            if finding is not None:
                self._wrong[code] = finding, remedy

    def _report_ill_formed(self, corpus: Corpus, code: Ints, tokens: Ints) -> str:
        """Describe the first ill-formed span; report all, if they are problems."""
        names = self._table.names
        if self._reports:
            tokens = np.sort(tokens)
            for token, line in zip(tokens.tolist(), corpus.line_numbers(tokens).tolist(), strict=True):
                begin = f"the span that begins here with {names[int(code[token])]!r}{self._location}"
                finding = f"{begin} is ill-formed in {self._encoding.upper()}"
                remedy = "fix it, or choose --repair begin or discard"
                self._source.report(line if line >= 0 else None, finding, remedy, ILL_FORMED)
        first = int(tokens.min())
        return f"line {corpus.line(first)}, {names[int(code[first])]!r}"


TagsAndSpans = tuple[Tags, Spans, ReadInfo]
"""The tags of a column, their spans, and how they were read."""


def join_columns(columns: Sequence[TagsAndSpans], levels: Sequence[int]) -> TagsAndSpans:
    """Join several columns to one layer; each has its levels after the previous columns' levels."""
    tags, spans, reading = columns[0]
    if len(columns) == 1:
        return columns[0]
    parts, level = [], 0
    for (_, part, _), count in zip(columns, levels, strict=True):
        parts.append(replace(part, level=part.level + level))
        level += count
    for _, _, other in columns[1:]:
        reading = replace(reading.plus(other), column=f"{reading.column}+{other.column}")
    spans = Spans.concatenate(parts, [0] * len(parts))
    return tags, spans.take(np.lexsort((spans.level, spans.start, spans.scope))), reading


def tag_layers(layer: str, columns: Sequence[TagsAndSpans]) -> dict[str, Layer]:
    """Return the tags of the columns of a layer by name; several columns are numbered."""
    name = tags_layer(layer)
    tags = [tags for tags, _, _ in columns]
    return {name: tags[0]} if len(tags) == 1 else {f"{name}-{level}": column for level, column in enumerate(tags, 1)}


def with_token_scores(spans: Spans, scores: Values, corpus: Corpus, settings: ReadSettings) -> Spans:
    """The spans with the confidences of their tokens."""
    from evenhand.formats.parsing.confidences import of_spans  # rare

    assert corpus.bounds is not None
    first, how = corpus.bounds[spans.scope], str(settings.parameters.get("score_of_span", "min"))
    return replace(spans, score=of_spans(scores, first + spans.start, first + spans.end, how))


def listed_tags(
    format: str,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    corpus: Corpus,
    values: Mapping[str, Sequence[Sequence[str]]],
    columns: Mapping[str, Sequence[int]],
    scores: Sequence[float] | Values | None = None,
) -> Annotation:
    """Make an annotation from lists of tags: the values of each layer's columns; `columns` are their indices.

    `scores` are the confidences of tokens.
    """
    coded = {layer: [_coded(tags, corpus) for tags in lists] for layer, lists in values.items()}
    names = {layer: [str(column + 1) for column in numbers] for layer, numbers in columns.items()}
    return layers_of_tags(format, source, settings, vocabulary, corpus, coded, names, scores)


def layers_of_tags(
    format: str,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    corpus: Corpus,
    columns: Mapping[str, Sequence[Coded]],
    names: Mapping[str, Sequence[str]],
    scores: Sequence[float] | Values | None = None,
) -> Annotation:
    """Make an annotation from the columns of tags of each layer; `names` are their names or numbers, if any.

    `scores` are the confidences of tokens.
    """
    layers: dict[str, Layer] = {}
    readings: dict[str, ReadInfo] = {}
    encoding = None
    if len(columns) > 1 and names.get("gold") == names.get("system"):
        remedy = "add the system's file, or specify both columns with --column"
        raise source.error(None, "expected two columns of tags (gold and prediction), got one", remedy)
    for layer, coded in columns.items():
        own_names: Sequence[str | None] = names.get(layer) or [None]
        if settings.task == "tags":
            if len(coded) != 1:
                finding = f"expected one column of tags, got {len(coded)}"
                raise source.error(None, finding, "specify one")
            layers["tags"] = Tags(coded[0].code.column(), tuple(coded[0].new))
            readings["words"] = ReadInfo(format, column=own_names[0])
            if scores is not None:
                layers["tags"] = Tags(coded[0].code.column(), tuple(coded[0].new), np.array(scores))
            continue
        read_as, decoded, levels = settings.of_layer(layer, encoding), list[TagsAndSpans](), list[int]()
        for column, name in zip(coded, own_names, strict=True):
            location = "" if name is None else f" in column {name}"
            chosen = choose_encoding(source, read_as, [column], location=location)
            encoding = encoding or chosen.name
            reader = TagReader(source, read_as, vocabulary, chosen, location if len(coded) > 1 else "")
            tags, spans, reading = reader.read(column)
            decoded.append((tags, spans, replace(reading, format=format, column=name)))
            levels.append(reader.levels)
        layers |= tag_layers(layer, decoded)
        _, spans, readings[layer] = join_columns(decoded, levels)
        layers[layer] = spans
        if scores is not None and layer != "gold" and settings.side != "gold":
            layers[layer] = with_token_scores(spans, np.array(scores), corpus, settings)
    return Annotation(corpus, layers, readings, source.name)


def _coded(tags: Sequence[str], corpus: Corpus) -> Coded:
    codes = NewCodes()
    code = SparseCodes.of(ints([codes[tag] for tag in tags]))
    return Coded(list(codes), code, corpus)


def _extend(table: TagTable, coded: Coded) -> list[str | None]:
    """Add the new tags to a table. An error about a limit has the line of the first token with the tag too many."""
    try:
        return table.extend(coded.new)
    except LimitError as error:
        line = coded.corpus.line(int((coded.code.column() == len(table.names)).argmax()))
        raise LimitError(error.finding, error.remedy, line) from None


def choose_encoding(
    source: Source,
    settings: ReadSettings,
    sample: Iterable[Coded],
    names: Iterable[str] = (),
    location: str = "",
    remedy: Callable[[], str] = str,
) -> Encoding:
    """Return the encoding that the user names, else the one of the first tags with a span.

    If ill-formed spans are discarded or refused, the gold standard's encoding is used if the tags can be in it: a
    system must not gain because its tags fit another encoding better. Labels without prefixes that look like something
    else are an error. Each part of the sample has separate codes; `names` are further tags that the file lists;
    `location` and `remedy` name the column of the tags, and other columns with tags, in messages.
    """
    if settings.encoding is not None:
        return Encoding(settings.encoding, is_named=True)
    for coded in sample:
        if looks_plain([*coded.new, *names]):
            _check_labels(source, coded, location, remedy)
            return Encoding("plain")
        table = TagTable(Vocabulary(), plain=False)
        _extend(table, coded)
        if table.prefixes:
            return _recognised(coded, table, names, settings.reference)
    return Encoding(settings.reference or "iob2")


def _recognised(coded: Coded, table: TagTable, names: Iterable[str], reference: str | None) -> Encoding:
    """The encoding of tags with prefixes, or the gold standard's encoding if they can be in it."""
    assert coded.corpus.bounds is not None
    listed = TagTable(Vocabulary(), plain=False)
    listed.extend(names)
    detected = table.recognise(table.segments(coded.code, coded.corpus.bounds[:-1]), listed.prefixes)
    if reference in (None, "plain", detected):
        return Encoding(detected)
    fits = table.prefixes | listed.prefixes <= encodings.allowed_prefixes(reference)
    return Encoding(reference if fits else detected, looks_like=detected)


def _check_labels(source: Source, coded: Coded, location: str, remedy: Callable[[], str]) -> None:
    code = coded.code.column()
    is_outside = np.isin(code, [index for index, name in enumerate(coded.new) if name in OUTSIDE_TAGS])
    doubtful = doubt(coded.new, len(code), int(np.count_nonzero(is_outside)))
    if doubtful is not None:
        what, advice = doubtful
        line = coded.corpus.line(int(is_outside.argmin()))
        finding = f"expected tags such as B-PER and O{location}, got {what}"
        raise source.error(line, finding, "; ".join(filter(None, (remedy(), advice, SETTLE))), "tag")
