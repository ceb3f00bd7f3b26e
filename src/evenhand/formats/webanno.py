"""WebAnno TSV 3, which WebAnno and INCEpTION export: one token per line, layers of annotations in columns.

`#T_SP=` lines name the layers of spans, each with its features, one column per feature. A cell is `_` without
annotation, `*` for an annotation without value, else the value. A number in brackets joins the tokens of a span
(`PER[1]`), and a bar separates spans on the same token (`ORG[1]|LOC[2]`). A line such as `1-2.1` is a part of the token
before it. Special characters are escaped with a backslash in values.

The layer is NamedEntity, or the only one that is not about single words; its feature is `value`, or the only one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.data.annotation import Annotation, ReadInfo
from evenhand.data.corpus import Corpus
from evenhand.data.encodings import UNNAMED
from evenhand.data.layers import Spans
from evenhand.data.tokens import Tokens
from evenhand.data.vocabulary import Vocabulary
from evenhand.dataclass import dataclass
from evenhand.errors import counted
from evenhand.formats.format import Contents, Detection, Format, Reader
from evenhand.formats.source import Source, whole_text
from evenhand.settings import ColumnName, Columns, ReadSettings

_VERSION = re.compile(rb"\s*#FORMAT=WebAnno TSV 3(?![0-9])")
_LAYER = re.compile(r"#T_(SP|RL|CH)=([^|]+)((?:\|[^|]*)*)")
_ROW = re.compile(r"([0-9]+)-([0-9]+)((?:\.[0-9]+)?)\t([0-9]{1,18})-([0-9]{1,18})\t([^\t]*)((?:\t.*)?)")
_NUMBERED = re.compile(r"(.*?)(?:\[([0-9]+)\])?", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_BARS = re.compile(r"(?<!\\)((?:\\\\)*)\|")
_FIRST = 3
"""The columns before the layers: numbers, offsets, token."""
_USUAL_LAYER, _USUAL_FEATURE = "NamedEntity", "value"
_OF_WORDS = frozenset({"POS", "Lemma", "MorphologicalFeatures", "Stem", "SurfaceForm", "SofaChangeAnnotation", "Token"})
"""Layers that annotate single words."""
_REMEDY = "export the document again as WebAnno TSV 3"


@dataclass(frozen=True)
class _Feature:
    layer: str
    """The last part of the layer's name."""
    name: str
    """Empty if the layer has no features."""
    column: int

    @property
    def full_name(self) -> str:
        return f"{self.layer}.{self.name}" if self.name else self.layer

    def has_name(self, name: ColumnName) -> bool:
        if isinstance(name, int):
            return name == self.column + 1
        return name.replace("|", ".") in (self.full_name, self.name or self.layer) or name == self.layer


@dataclass(frozen=True)
class _Token:
    line: int
    sentence: int
    text: str
    begin: int
    """Offset in the document, in UTF-16 units."""


def read(source: Source, settings: ReadSettings, vocabulary: Vocabulary, columns: Columns) -> Iterator[Annotation]:
    """Read the document as one batch, in characters if a span begins or ends within a token."""
    lines = whole_text(source).split("\n")
    features, width = _features(source, lines)
    if len(columns) > 1:
        raise source.error(None, "a document contains only one annotation", "add the system's file")
    document = _OpenDocument(source, _chosen(source, features, settings.columns), width)
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\r")
        if text.strip() and not text.startswith("#"):
            document.add(number, text)
    if not document.tokens:
        raise source.error(None, "the file has no tokens", "check how it was written")
    yield document.annotation(vocabulary)


def _features(source: Source, lines: Sequence[str]) -> tuple[list[_Feature], int]:
    """The features of layers of spans, and the number of columns."""
    features, column = list[_Feature](), _FIRST
    for number, line in enumerate(lines, 1):
        if not line.startswith("#T_"):
            if line.startswith("#Text=") or (line[:1].isdecimal() and "\t" in line):
                break
            continue
        layer = _LAYER.fullmatch(line.rstrip("\r"))
        if layer is None:
            raise source.error(number, f"{line[:80]!r} does not specify a layer and its features", _REMEDY)
        name, names = layer[2].rpartition(".")[2], list(filter(None, layer[3].split("|"))) or [""]
        if layer[1] == "SP":
            features += [_Feature(name, feature, column + index) for index, feature in enumerate(names)]
        column += len(names)
    return features, column


def _chosen(source: Source, features: list[_Feature], named: tuple[ColumnName, ...]) -> _Feature:
    listed = ", ".join(feature.full_name for feature in features)
    if not features:
        raise source.error(None, "the file has no layer of spans (#T_SP)", "export one with the document")
    if named:
        candidates = [feature for feature in features if len(named) == 1 and feature.has_name(named[0])]
        if len(candidates) > 1:
            candidates = _usual(candidates)
        if len(candidates) != 1:
            finding = f"{','.join(map(str, named))!r} does not specify a single column, the layers have {listed}"
            raise source.error(None, finding, "specify one of these with --column")
        return candidates[0]
    layers = {feature.layer for feature in features}
    layer = {_USUAL_LAYER} if _USUAL_LAYER in layers else layers - _OF_WORDS or layers
    candidates = _usual([feature for feature in features if feature.layer in layer]) if len(layer) == 1 else []
    if len(candidates) != 1:
        finding = f"the file has several layers or features of spans: {listed}"
        raise source.error(None, finding, f"choose one, such as --column {features[-1].full_name}")
    return candidates[0]


def _usual(features: list[_Feature]) -> list[_Feature]:
    """The feature `value` if it is the only one of this name, else all features."""
    usual = [feature for feature in features if feature.name == _USUAL_FEATURE]
    return usual if len(usual) == 1 else features


class _OpenDocument:
    """The tokens and spans of a document, added line by line."""

    def __init__(self, source: Source, feature: _Feature, width: int) -> None:
        self._source, self._feature, self._width = source, feature, width
        self.tokens: list[_Token] = []
        self._sentences = 0
        self._number = ""
        """Number of the current sentence in the file."""
        self._open: dict[str, int] = {}
        """Indices of spans by their number in brackets."""
        self._spans: list[tuple[str, int, int, int, int]] = []
        """Label, first token, start within it, last token, end within it; both within tokens in UTF-16 units."""
        self._is_cut = False
        """Whether a span begins or ends within a token."""

    def add(self, number: int, line: str) -> None:
        """Add a line with a token, or with a part of the last one."""
        row = _ROW.fullmatch(line)
        cells = [] if row is None else row[7].split("\t")[1:]
        if row is None or len(cells) < self._width - _FIRST or any(cells[self._width - _FIRST :]):
            columns = len(line.split("\t"))
            finding = f"expected {counted(self._width, 'column')} for the layers, got {columns}"
            if columns == self._width:
                finding = f"{line[:80]!r} does not begin with the number and the offsets of a token"
            self._source.report(number, finding, _REMEDY, "columns")
            return
        begin, end = int(row[4]), int(row[5])
        if not row[3]:
            if row[1] != self._number:
                self._number, self._sentences = row[1], self._sentences + 1
            self.tokens.append(_Token(number, self._sentences - 1, _plain(row[6]), begin))
        elif not self.tokens:
            self._source.report(number, "found a part of a token before any token", _REMEDY, "span")
            return
        first = begin - self.tokens[-1].begin
        for value in _BARS.sub(r"\1\t", cells[self._feature.column - _FIRST]).split("\t"):
            if value not in ("_", ""):
                self._mark(number, value, first, first + end - begin, is_part=bool(row[3]))

    def _mark(self, number: int, value: str, first: int, last: int, *, is_part: bool) -> None:
        """Begin or continue a span on the last token, or on its units from `first` to `last`."""
        match = _NUMBERED.fullmatch(value)
        assert match is not None
        label = UNNAMED if match[1] == "*" else _plain(match[1])
        label = self._feature.layer if not self._feature.name else label
        token, key = len(self.tokens) - 1, match[2]
        self._is_cut |= is_part
        if key is not None and key in self._open:
            index = self._open[key]
            name, start, units, previous, _ = self._spans[index]
            is_next = previous in (token, token - 1) and self.tokens[start].sentence == self.tokens[token].sentence
            if name != label or not is_next:
                finding = f"the span {value!r} has another label, sentence or a gap before this token"
                self._source.report(number, finding, _REMEDY, "span")
                return
            self._spans[index] = (name, start, units, token, last)
            return
        if key is not None:
            self._open[key] = len(self._spans)
        self._spans.append((label, token, first, token, last))

    def annotation(self, vocabulary: Vocabulary) -> Annotation:
        sentence = ints([token.sentence for token in self.tokens])
        bounds = np.searchsorted(sentence, np.arange(self._sentences + 1))
        lines = ints([token.line for token in self.tokens])
        reading = ReadInfo(FORMAT.name, column=self._feature.full_name)
        if self._is_cut:
            corpus, spans = self._in_characters(bounds.tolist(), lines, vocabulary)
        else:
            tokens = Tokens.of([token.text for token in self.tokens])
            corpus = Corpus(self._source.display_name, self._sentences, bounds, tokens, lines)
            first, last = (ints([span[index] for span in self._spans]) for index in (1, 3))
            scope = sentence[first]
            label = ints([vocabulary.labels.code(name) for name, *_ in self._spans])
            spans = Spans.of(vocabulary, scope, first - bounds[scope], last + 1 - bounds[scope], label)
            spans = spans.take(np.lexsort((-spans.end, spans.start, spans.scope)))
        return Annotation(corpus, {"spans": spans}, {"spans": reading}, self._source.name)

    def _in_characters(self, bounds: list[int], lines: Ints, vocabulary: Vocabulary) -> tuple[Corpus, Spans]:
        """Sentences as texts of tokens with blanks between; spans by UTF-16 units in them."""
        from evenhand.formats.parsing.json_spans import JsonSpan, on_texts, spans_of

        texts, begins = list[str](), list[int]()
        for first, last in pairwise(bounds):
            units = 0
            for token in self.tokens[first:last]:
                begins.append(units)
                units += len(token.text.encode("utf-16-le")) // 2 + 1
            texts.append(" ".join(token.text for token in self.tokens[first:last]))
        lists: list[list[JsonSpan]] = [[] for _ in texts]
        for name, first, before, last, up_to in self._spans:
            lists[self.tokens[first].sentence].append(JsonSpan(begins[first] + before, begins[last] + up_to, name))

        def report(sentence: int, finding: str, remedy: str) -> None:
            self._source.report(self.tokens[bounds[sentence]].line, finding, remedy, "span")

        atoms, ground = on_texts(texts, "utf16")
        spans = spans_of(lists, ground, vocabulary, report)
        return replace(atoms.corpus(self._source.display_name, lines[ints(bounds[:-1])]), documents=ints([0])), spans


def _plain(text: str) -> str:
    controls = {"t": "\t", "n": "\n", "r": "\r"}
    return _ESCAPED.sub(lambda match: controls.get(match[1], match[1]), text) if "\\" in text else text


FORMAT = Format(
    "webanno",
    "WebAnno TSV 3 of WebAnno and INCEpTION: one token per line, layers of annotations in columns",
    readers={"spans": Reader(read)},
    detection=Detection(b"#", confidence=lambda sample: float(_VERSION.match(sample.data[: sample.size]) is not None)),
    contents=Contents(has_columns=True, is_one_text=True),
)
