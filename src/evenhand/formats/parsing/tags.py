"""Tags of a file, wherever they come from: which encoding they are in, and the spans they spell.

A format codes its tags in its own way: a column by its cells, a list by a dictionary. All else is the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data import encodings
from evenhand.data.annotation import Annotation, Layer, ReadInfo, tags_layer
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import OUTSIDE_TAGS, SETTLE, TagTable, doubt, looks_plain, means_nothing
from evenhand.data.layers import Spans, SparseTags, Tags
from evenhand.data.vocabulary import NewCodes, SparseCodes, Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import ILL_FORMED, LimitError, counted
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings


@dataclass(frozen=True)
class Encoding:
    """The encoding that tags are read in, and how that was decided."""

    name: str
    is_named: bool = False
    """Whether the user named it."""
    looks_like: str | None = None
    """The one that the tags look like, where it is not that of the gold standard."""


@dataclass(frozen=True)
class Coded:
    """The tags of some tokens as codes, with the tags that were not met before, in the order of their codes."""

    new: list[str]
    code: SparseCodes
    corpus: Corpus


class TagReader:
    """Reads coded tags, batch by batch."""

    def __init__(
        self, source: Source, settings: ReadSettings, vocabulary: Vocabulary, chosen: Encoding, place: str = ""
    ) -> None:
        """`place` says where on a line the tags stand, where there are several of them."""
        self._source = source
        self._place = place
        self._repair = settings.repair
        self._chosen, self._encoding = chosen, chosen.name
        self._how = "named" if settings.encoding else "recognised from the first ones"
        self._table = TagTable(vocabulary, plain=chosen.name == "plain")
        self._wrong: dict[int, tuple[str, str]] = {}
        self._reports = settings.repair == "error" or source.problems is not None
        self._has_repaired = False
        """Whether it was said where the first repair is."""

    @property
    def levels(self) -> int:
        """How many levels the tags met so far have."""
        return self._table.levels

    def read(self, coded: Coded) -> tuple[Tags, Spans, ReadInfo]:
        """The tags of these tokens, the spans they spell, and what was repaired."""
        corpus = coded.corpus
        with _on_its_line(coded, self._table):
            for tag in coded.new:
                self._learn(tag)
        tags = SparseTags(coded.code, tuple(self._table.names))
        if self._wrong:
            self._report_wrong(corpus, tags.code)
        assert corpus.bounds is not None
        found = self._table.segments(coded.code, corpus.bounds[:-1])
        decoded = self._table.decode(found, corpus, self._encoding, self._repair)
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

    def _learn(self, tag: str) -> None:
        """Give a tag the next code, and note what is wrong with it."""
        remedy = "mend it, or name the encoding (--encoding plain for labels without prefixes)"
        finding, code = self._table.add(tag), len(self._table.names) - 1
        if finding is None and self._chosen.name == "plain" and not self._chosen.is_named and means_nothing(tag):
            finding, remedy = f"found {tag!r} where labels and O were expected", "write O for tokens outside of spans"
        if finding is None and self._table.prefixes_of(code) - encodings.allowed_prefixes(self._encoding):
            finding = f"the tag {tag!r} does not occur in {self._encoding.upper()}, the encoding {self._how}"
            remedy = "name the file's encoding with --encoding"
        if finding is not None:
            self._wrong[code] = finding, remedy

    def _report_wrong(self, corpus: Corpus, code: Ints) -> None:
        """Report the tokens whose tags are wrong, in the order of the text."""
        tokens = np.flatnonzero(np.isin(code, list(self._wrong)))
        lines = corpus.line_numbers(tokens).tolist()
        for wrong, line in zip(code[tokens].tolist(), lines, strict=True):
            self._source.report(line if line >= 0 else None, *self._wrong[wrong], "tag")

    def _report_ill_formed(self, corpus: Corpus, code: Ints, tokens: Ints) -> str:
        """Where the first of the spans that begin with these tokens is; all are reported if they are problems."""
        if self._reports:
            tokens = np.sort(tokens)
            for token, line in zip(tokens.tolist(), corpus.line_numbers(tokens).tolist(), strict=True):
                begin = f"the span that begins here with {self._tag(code, token)!r}{self._place}"
                finding = f"{begin} is ill-formed in {self._encoding.upper()}"
                remedy = "mend it, or choose --repair begin or discard"
                self._source.report(line if line >= 0 else None, finding, remedy, ILL_FORMED)
        first = int(tokens.min())
        return f"line {corpus.line(first)}, {self._tag(code, first)!r}"

    def _tag(self, code: Ints, token: int) -> str:
        return self._table.names[int(code[token])]


Found = tuple[Tags, Spans, ReadInfo]
"""The tags of a column, the spans they spell, and how they were read."""


def joined(found: Sequence[Found], levels: Sequence[int]) -> Found:
    """Several columns as one layer; the spans of each are on levels after those of the columns before it."""
    tags, spans, reading = found[0]
    if len(found) == 1:
        return found[0]
    parts, level = [], 0
    for (_, each, _), count in zip(found, levels, strict=True):
        parts.append(replace(each, level=each.level + level))
        level += count
    for _, _, other in found[1:]:
        reading = replace(reading.plus(other), column=f"{reading.column}+{other.column}")
    spans = Spans.concatenate(parts, [0] * len(parts))
    return tags, spans.take(np.lexsort((spans.level, spans.start, spans.scope))), reading


def listed_tags(
    format: str,
    source: Source,
    settings: ReadSettings,
    vocabulary: Vocabulary,
    corpus: Corpus,
    values: Mapping[str, Sequence[Sequence[str]]],
    places: Mapping[str, Sequence[int]],
) -> Annotation:
    """An annotation from lists of tags: for each layer the values of its columns; `places` are their numbers."""
    layers: dict[str, Layer] = {}
    readings: dict[str, ReadInfo] = {}
    encoding = None
    if len(values) > 1 and places.get("gold") == places.get("system"):
        remedy = "give the system's file beside it, or name both columns with --column"
        raise source.error(None, "found one column of tags where gold and prediction need two", remedy)
    for layer, columns in values.items():
        names: list[str | None] = [str(place + 1) for place in places.get(layer, ())]
        names = names or [None]
        coded = [_coded(tags, corpus) for tags in columns]
        if settings.task == "tags":
            if len(coded) != 1:
                raise source.error(
                    None, f"found {counted(len(coded), 'column')} of tags, where one is scored", "name one"
                )
            layers["tags"] = Tags(coded[0].code.column(), tuple(coded[0].new))
            readings["words"] = ReadInfo(format, column=names[0])
            continue
        read_as, found, levels = settings.of_layer(layer, encoding), [], []
        for each, name in zip(coded, names, strict=True):
            where = "" if name is None else f" in column {name}"
            chosen = choose_encoding(source, read_as, [each], where=where)
            encoding = encoding or chosen.name
            reader = TagReader(source, read_as, vocabulary, chosen, where if len(coded) > 1 else "")
            tags, spans, reading = reader.read(each)
            found.append((tags, spans, replace(reading, format=format, column=name)))
            levels.append(reader.levels)
        stem = tags_layer(layer)
        for level, (tags, _, _) in enumerate(found, 1):
            layers[stem if len(found) == 1 else f"{stem}-{level}"] = tags
        _, layers[layer], readings[layer] = joined(found, levels)
    return Annotation(corpus, layers, readings, source.name)


def _coded(tags: Sequence[str], corpus: Corpus) -> Coded:
    codes = NewCodes()
    code = SparseCodes.of(ints([codes[tag] for tag in tags]))
    return Coded(list(codes), code, corpus)


@contextmanager
def _on_its_line(coded: Coded, table: TagTable) -> Iterator[None]:
    """Tell a tag that is above a limit with its line: that of the first token with the code that it would have."""
    try:
        yield
    except LimitError as error:
        line = coded.corpus.line(int((coded.code.column() == len(table.names)).argmax()))
        raise LimitError(error.finding, error.remedy, line) from None


def choose_encoding(
    source: Source,
    settings: ReadSettings,
    sample: Iterable[Coded],
    names: Iterable[str] = (),
    where: str = "",
    remedy: Callable[[], str] = str,
) -> Encoding:
    """The encoding that the user names, else the one that the first tags with a span show.

    Where ill-formed spans are left out or refused, tags are judged by the encoding of the gold standard, if they can
    be in it: a system must not be forgiven because its tags fit another one better. Labels without prefixes that look
    like something else are an error. Each part of the sample is coded for itself; `names` are tags that the file may
    have, where it lists them; `where` and `remedy` say where the tags stand, and where others are.
    """
    if settings.encoding is not None:
        return Encoding(settings.encoding, is_named=True)
    for coded in sample:
        if looks_plain([*coded.new, *names]):
            _check_labels(source, coded, where, remedy)
            return Encoding("plain")
        table = TagTable(Vocabulary(), plain=False)
        with _on_its_line(coded, table):
            for tag in coded.new:
                table.add(tag)
        if table.prefixes:
            return _recognised(coded, table, names, settings.reference)
    return Encoding(settings.reference or "iob2")


def _recognised(coded: Coded, table: TagTable, names: Iterable[str], reference: str | None) -> Encoding:
    """The encoding that tags with prefixes are in, or that of the gold standard if they can be in it."""
    assert coded.corpus.bounds is not None
    listed = TagTable(Vocabulary(), plain=False)
    for tag in names:
        listed.add(tag)
    found = table.recognise(table.segments(coded.code, coded.corpus.bounds[:-1]), listed.prefixes)
    if reference in (None, "plain", found):
        return Encoding(found)
    fits = table.prefixes | listed.prefixes <= encodings.allowed_prefixes(reference)
    return Encoding(reference if fits else found, looks_like=found)


def _check_labels(source: Source, coded: Coded, where: str, remedy: Callable[[], str]) -> None:
    """Raise an error where labels without prefixes look like something else."""
    code = coded.code.column()
    outside = [place for place, name in enumerate(coded.new) if name in OUTSIDE_TAGS]
    found = np.isin(code, outside)
    doubtful = doubt(coded.new, len(code), int(np.count_nonzero(found)))
    if doubtful is not None:
        what, advice = doubtful
        line = coded.corpus.line(int(found.argmin()))
        finding = f"found {what}{where}, where tags such as B-PER and O were expected"
        raise source.error(line, finding, "; ".join(filter(None, (remedy(), advice, SETTLE))), "tag")
