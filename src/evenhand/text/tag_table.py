"""The distinct tags of a file, taken apart once, and the spans that a text's tags spell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from evenhand.arrays import Ints, empty, ints
from evenhand.dataclass import dataclass
from evenhand.limits import LABEL, long_label
from evenhand.settings import Repair
from evenhand.text import encodings
from evenhand.text.codes import Mostly
from evenhand.text.corpus import Corpus
from evenhand.text.encodings import INSIDE, OUTSIDE, OUTSIDE_TAGS, Segments
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans
from evenhand.text.plain_labels import oddity

STACK = "|"
Part = tuple[int, str]
_OUTSIDE_PART: Part = (OUTSIDE, "")


@dataclass(frozen=True)
class Decoded:
    """Spans, and the first tokens of those that were ill-formed."""

    spans: Spans
    ill_formed: Ints


class TagTable:
    """Tags by code. A tag may be a stack (`B-ORG|B-LOC`), whose parts are the levels, the outermost first."""

    def __init__(self, vocabulary: Vocabulary, *, plain: bool) -> None:
        self.vocabulary = vocabulary
        self.plain = plain
        self.names: list[str] = []
        self.levels = 1
        self.prefixes: set[int] = set()
        """Those that were met."""
        self._parts: list[list[Part]] = []
        self._columns: dict[int, tuple[Ints, Ints]] = {}

    def add(self, tag: str) -> str | None:
        """Give `tag` the next code; what is wrong with it, or None. What is wrong counts as outside."""
        parts, finding = [], None
        if len(tag) > LABEL.value:
            raise long_label(tag)
        for text in tag.split(STACK):
            if text in OUTSIDE_TAGS:
                parts.append(_OUTSIDE_PART)
                continue
            part = (INSIDE, text) if self.plain else encodings.parse(text)
            odd = oddity(text, is_plain=self.plain)
            if odd is not None:
                part, finding = None, odd
            elif part is None:
                finding = f"the tag {text!r} is not a prefix such as B- or I- with a label behind it"
            parts.append(part or _OUTSIDE_PART)
        self.names.append(tag)
        self._parts.append(parts)
        self.levels = max(self.levels, len(parts))
        self.prefixes |= self.prefixes_of(len(self.names) - 1)
        return finding

    def prefixes_of(self, code: int) -> set[int]:
        """The prefixes of one tag, that of what is outside aside."""
        return {prefix for prefix, _ in self._parts[code]} - {OUTSIDE}

    def columns(self, level: int) -> tuple[Ints, Ints]:
        """Prefix and label code of every tag on one level."""
        known = self._columns.get(level, (empty(), empty()))
        if len(known[0]) < len(self._parts):
            new = self._parts[len(known[0]) :]
            parts = [each[level] if level < len(each) else _OUTSIDE_PART for each in new]
            labels = [self.vocabulary.labels.code(label) if prefix else -1 for prefix, label in parts]
            prefixes = [prefix for prefix, _ in parts]
            self._columns[level] = np.append(known[0], ints(prefixes)), np.append(known[1], ints(labels))
        return self._columns.get(level, known)

    def segments(self, code: Mostly, sentence_starts: Ints) -> list[Segments]:
        """The spans of a text whose tokens have these tags, level by level."""
        return [self._segments(code, sentence_starts, *self.columns(level)) for level in range(self.levels)]

    @staticmethod
    def _segments(code: Mostly, sentence_starts: Ints, prefix: Ints, label: Ints) -> Segments:
        inside, tags = _inside(code, prefix)
        return encodings.segment(inside, prefix.take(tags), label.take(tags), sentence_starts)

    def recognise(self, levels: Sequence[Segments], more: Iterable[int] = ()) -> str:
        """The encoding that fits tags best that spell these spans; `more` are prefixes that occur elsewhere."""
        return "plain" if self.plain else encodings.recognise(self.prefixes.union(more), levels)

    def decode(self, levels: Sequence[Segments], corpus: Corpus, encoding: str, repair: Repair) -> Decoded:
        """The spans that the tags of a text spell, by their first token, then by level."""
        bounds = corpus.bounds
        assert bounds is not None
        parts, wrong_starts = [], []
        for level, found in enumerate(levels):
            wrong = encodings.ill_formed(found, encoding)
            wrong_starts.append(found.start[wrong])
            start, end, label = found.start, found.end, found.label
            is_discarded = encodings.discarded(wrong, encoding, repair)
            if is_discarded.any():
                keep = np.flatnonzero(~is_discarded)
                start, end, label = start[keep], end[keep], label[keep]
            scope = ints(corpus.sentence_of.take(start))
            first = bounds.take(scope)
            number = np.full(len(start), level, dtype=np.int64) if level else None
            parts.append(Spans.of(self.vocabulary, scope, start - first, end - first, label, number))
        spans = Spans.concatenate(parts, [0] * len(parts))
        if len(parts) > 1:
            spans = spans.take(np.lexsort((spans.level, spans.start, spans.scope)))
        return Decoded(spans, np.concatenate(wrong_starts))


def _inside(code: Mostly, prefix: Ints) -> tuple[Ints, Ints]:
    """The tokens whose tags are not outside, and their tags."""
    tokens, tags = code.rows, code.codes
    if code.size > len(tokens) and prefix[code.common] != OUTSIDE:
        tokens, tags = np.arange(code.size), code.column()
    inside = prefix.take(tags) > OUTSIDE
    if inside.all():
        return tokens, tags
    some = np.flatnonzero(inside)
    return tokens[some], tags[some]


def looks_plain(tags: list[str]) -> bool:
    """Whether these tags are labels without prefixes: none that says anything has one."""
    said = [part for tag in tags for part in tag.split(STACK) if part not in OUTSIDE_TAGS]
    return bool(said) and not any(encodings.parse(part) for part in said)
