"""Tags that come as lists, a list a sentence: which encoding they are in, and the spans they spell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from evenhand.arrays import Ints, ints
from evenhand.formats.source import Source
from evenhand.problems import InputError
from evenhand.settings import ReadSettings
from evenhand.text import encodings, lists
from evenhand.text.annotation import Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags
from evenhand.text.tag_table import TagTable

Listed = Sequence[Sequence[str]]


class TagLists:
    """Reads the tags of a file, batch by batch."""

    def __init__(
        self, source: Source, settings: ReadSettings, vocabulary: Vocabulary, sample: Iterable[Listed], format: str
    ) -> None:
        """`sample` is the file's first tags, some at a time: the encoding is taken from them unless it is set."""
        self._source = source
        self._format = format
        self._repair = settings.repair
        self._named = settings.encoding is not None
        self._encoding = settings.encoding or _recognise(sample)
        self._table = TagTable(vocabulary, plain=self._encoding == "plain")
        self._codes: dict[str, int] = {}
        self._wrong: dict[str, tuple[str, str]] = {}

    def read(self, listed: Listed, corpus: Corpus) -> tuple[Tags, Spans, Reading]:
        """The tags of a batch, the spans they spell, and what was repaired."""
        assert corpus.bounds is not None
        code = self._code(list(chain.from_iterable(listed)), corpus)
        decoded = self._table.decode(code, corpus.bounds, self._encoding, self._repair)
        first = None
        if len(decoded.ill_formed):
            first = self._report_ill_formed(corpus, code, decoded.ill_formed)
        reading = Reading(self._format, self._encoding, repaired=len(decoded.ill_formed), first_repair=first)
        return Tags(code, tuple(self._table.names)), decoded.spans, reading

    def _report_ill_formed(self, corpus: Corpus, code: Ints, tokens: Ints) -> str:
        """Where the first of these ill-formed spans begins; all are reported if they are problems."""
        places = [(corpus.line(token), self._table.names[int(code[token])]) for token in np.sort(tokens).tolist()]
        if self._repair == "error" or self._source.problems is not None:
            for line, tag in places:
                finding = f"the span that begins with {tag!r} is ill-formed in {self._encoding.upper()}"
                self._source.report(line, finding, "mend it, or choose --repair begin or discard", "ill-formed span")
        return f"line {places[0][0]}, {places[0][1]!r}"

    def _code(self, tags: list[str], corpus: Corpus) -> Ints:
        """The codes of tags; new ones join the table, and wrong ones are reported wherever they are."""
        try:
            code = ints([self._codes[tag] for tag in tags])
        except KeyError:
            for tag in dict.fromkeys(tags):
                if tag not in self._codes:
                    self._learn(tag)
            return self._code(tags, corpus)
        for tag, (finding, remedy) in self._wrong.items():
            for row in np.flatnonzero(code == self._codes[tag]).tolist():
                self._source.report(corpus.line(row), finding, remedy, "tag")
        return code

    def _learn(self, tag: str) -> None:
        finding = self._table.add(tag)
        remedy = "mend it, or name the encoding (--encoding plain for labels without prefixes)"
        if finding is None and self._table.prefixes() - encodings.allowed(self._encoding):
            how = "named" if self._named else "recognised from the first lines"
            finding = f"the tag {tag!r} does not occur in {self._encoding.upper()}, the encoding {how}"
            remedy = "name the file's encoding with --encoding"
        if finding is not None:
            self._wrong[tag] = finding, remedy
        self._codes[tag] = len(self._codes)


def _recognise(sample: Iterable[Listed]) -> str:
    """The encoding of the first tags that spell a span; without any span, it does not matter."""
    for listed in sample:
        try:
            found = lists.tags(listed)
        except InputError:
            return "bioes"  # some tag has no prefix, and reading it will say where
        if len(found.spans()):
            return found.readings["spans"].encoding or "iob2"
    return "iob2"
