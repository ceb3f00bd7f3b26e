"""Tags that come as lists, a list a sentence, coded by a dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from evenhand.arrays import ints
from evenhand.formats.parsing.tag_reader import Coded, TagReader, choose_encoding
from evenhand.formats.source import Source
from evenhand.settings import ReadSettings
from evenhand.text.annotation import Reading
from evenhand.text.corpus import Corpus
from evenhand.text.labels import Vocabulary
from evenhand.text.layers import Spans, Tags

Listed = Sequence[Sequence[str]]


class TagLists:
    """Reads the tags of a file, batch by batch."""

    def __init__(
        self,
        source: Source,
        settings: ReadSettings,
        vocabulary: Vocabulary,
        sample: Iterable[tuple[Listed, Corpus]],
        format: str,
    ) -> None:
        """`sample` is the file's first tags, some at a time: the encoding is taken from them unless it is set."""
        parts = (_coded({}, listed, corpus) for listed, corpus in sample)
        self._format = format
        self._codes: dict[str, int] = {}
        self._reader = TagReader(source, settings, vocabulary, choose_encoding(source, settings, parts))

    def read(self, listed: Listed, corpus: Corpus) -> tuple[Tags, Spans, Reading]:
        """The tags of a batch, the spans they spell, and what was repaired."""
        tags, spans, reading = self._reader.read(_coded(self._codes, listed, corpus))
        return tags, spans, replace(reading, format=self._format)


def _coded(codes: dict[str, int], listed: Listed, corpus: Corpus) -> Coded:
    known = len(codes)
    code = ints([codes.setdefault(tag, len(codes)) for tag in chain.from_iterable(listed)])
    return Coded(list(codes)[known:], code, corpus)
