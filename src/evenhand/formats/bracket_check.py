"""Checking bracketed trees against those of another file: as many sentences, with the same words but for traces."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, zip_longest

from evenhand.formats.source import Source
from evenhand.problems import OTHER_WORDS, InputError, counted
from evenhand.text.annotation import Annotation
from evenhand.text.constituent_names import LAYER, TAGS
from evenhand.text.constituents import Constituents
from evenhand.text.layers import Tags

_TRACE = "-NONE-"
_SAME_SENTENCES = "give a line for each sentence in all files; an empty one where there is no tree"
_SAME_WORDS = "a score leaves the sentence out unless the parameters mend that"


def compare_sentences(batches: Iterator[Annotation], texts: Iterator[Annotation], source: Source) -> None:
    """Raise an error where one file has more sentences; sentences with other words are listed, but scored."""
    for mine, theirs in zip_longest(_sentences(batches), _sentences(texts)):
        if mine is None or theirs is None:
            which = "the file" if mine is None else "the other file"
            line = None if mine is None else mine[0]
            raise InputError(source.shown, line, f"{which} has fewer sentences", _SAME_SENTENCES, "text")
        (line, words), (_, others) = mine, theirs
        if words and words != others:
            place = next((at for at, pair in enumerate(zip(words, others, strict=False)) if pair[0] != pair[1]), None)
            told = f"{counted(len(words), 'word')}, and the other file {len(others):,}"
            told = told if place is None else f"the word {words[place]!r}, and the other file {others[place]!r}"
            source.report(line or None, f"the sentence has {told}", _SAME_WORDS, OTHER_WORDS)


def _sentences(batches: Iterator[Annotation]) -> Iterator[tuple[int, list[str]]]:
    """Line and words of every sentence."""
    for batch in batches:
        layer, tags, corpus = batch.layers[LAYER], batch.layers[TAGS], batch.corpus
        assert isinstance(layer, Constituents)
        assert isinstance(tags, Tags)
        assert corpus.tokens is not None
        assert corpus.bounds is not None
        codes, names = tags.code.tolist(), tags.names
        for line, (first, last) in zip(layer.lines.tolist(), pairwise(corpus.bounds.tolist()), strict=True):
            words = zip(codes[first:last], corpus.tokens.texts(first, last), strict=True)
            yield line, [word for code, word in words if names[code] != _TRACE]
