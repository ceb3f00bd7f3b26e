"""Conversion: an annotation in another format or encoding, and what would be lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from evenhand.formats import brackets, columns, germeval, json_lines, label_studio, span_table
from evenhand.formats.arrow_sink import BY_SUFFIX as TABLE_SUFFIXES
from evenhand.formats.arrow_sink import TABLES
from evenhand.formats.write_table import check_labels
from evenhand.problems import SettingError
from evenhand.settings import WRITABLE
from evenhand.text.annotation import Annotation
from evenhand.text.characters import to_tokens
from evenhand.text.encodings import JOINING
from evenhand.text.nesting import flat_levels, is_flat, neighbours, outermost

BY_SUFFIX = {
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".jsonl": "jsonl",
    ".json": "label-studio",
    ".mrg": "brackets",
    ".ptb": "brackets",
    ".ann": "brat",
    ".conllu": "conllu",
    ".conllx": "conllx",
    ".jsonlines": "coref-jsonl",
    **TABLE_SUFFIXES,
}
_WITH_CHAINS = {"conll": "conll2012", "conllu": "corefud", "jsonl": "coref-jsonl"}
"""What files of these names hold where they have chains."""
_TABLES = ("conll", "germeval")
_WITHOUT_TOKENS = ("label-studio", "brat")
_WITHOUT_LEVELS = ("spans", "brackets", "brat")
_A_DOCUMENT_EACH = ("jsonl", "label-studio", "brat")
"""Formats in which every sentence becomes a document."""


@dataclass
class Conversion:
    """What is written, and how. What the target cannot carry is an error, or is counted if it may be lost."""

    target: str
    encoding: str = "iob2"
    stacked: bool = False
    lossy: bool = False
    losses: Counter[str] = field(default_factory=Counter)
    not_carried: set[str] = field(default_factory=set)
    """What beside the spans the target has no place for."""

    @property
    def may_have_tags(self) -> bool:
        """Whether the target has tags, in some encoding; tables have where tags can spell all spans."""
        return self.target in (*_TABLES, *TABLES)

    def write(self, batches: Iterator[Annotation]) -> Iterator[str]:
        """The text of the new file, batch by batch; a file that is one JSON value is written at once."""
        if self.target == "label-studio":
            batches = iter([Annotation.concatenate(list(batches))])
        first = True
        for batch in batches:
            fitted = self.fit(batch)
            if self.target == "conll":
                yield from columns.write(fitted, self.encoding, first=first)
            elif self.target == "germeval":
                yield from germeval.write(fitted, self.encoding, first=first)
            else:
                yield from _WRITERS[self.target](fitted)
            first = False

    def fit(self, annotation: Annotation) -> Annotation:
        """The annotation as far as the target can carry it."""
        if self.target in ("conllu", "conllx"):
            remedy = "convert to another format, or give --task tags if it has a tag a word"
            raise SettingError(f"{self.target} has no place for spans; {remedy}.")
        if self.target in ("conll2012", "corefud", "coref-jsonl"):
            raise SettingError(f"{self.target} holds coreference chains, which the file does not have.")
        if self.target in TABLES:  # which have a place for everything
            return annotation
        self._note(annotation)
        if self.target in _WITHOUT_TOKENS and annotation.corpus.atoms == "tokens":
            _check_visible(annotation)
        if self.target in ("jsonl", "brat", "label-studio"):
            return self._without_gaps(annotation) if self.target == "label-studio" else annotation
        if self.target != "spans":
            _need_text(annotation)
        annotation, misfits = to_tokens(annotation)
        self._lose(len(misfits), "spans that begin or end inside a token and would grow")
        if self.target == "spans":
            return annotation
        annotation = self._without_gaps(annotation)
        if self.target in _TABLES:
            annotation = self._on_levels(annotation)
        return annotation

    def _note(self, annotation: Annotation) -> None:
        """Note what of a batch the target has no place for, beside its spans."""
        corpus = annotation.corpus
        if self.target == "spans" and corpus.tokens is not None:
            self.not_carried.add("the text")
        if self.target in _WITHOUT_TOKENS and corpus.atoms == "tokens":
            self.not_carried.add("tokens (there are single spaces between them)")
        if self.target in _WITHOUT_LEVELS and annotation.spans().level.any():
            self.not_carried.add("levels")
        if self.target in _A_DOCUMENT_EACH and len(corpus.documents) < corpus.sentences:
            self.not_carried.add("documents (every sentence becomes one)")
        elif self.target not in ("conll", *_A_DOCUMENT_EACH) and len(corpus.documents) > 1:
            self.not_carried.add("documents")

    def _on_levels(self, annotation: Annotation) -> Annotation:
        spans = annotation.spans()
        check_labels(spans, "\t\n\r\0|")
        if self.target == "conll" and not self.stacked:
            if not is_flat(spans):
                kept = outermost(spans)
                what = "spans inside or across others, which one flat column cannot say"
                self._lose(len(spans) - len(kept), what, ", or --stacked to stack the tags of nested spans")
                spans = spans.take(kept)
            spans = replace(spans, level=np.zeros(len(spans), dtype=np.int64))
        else:
            spans = flat_levels(spans)
            if self.target == "germeval":
                kept = np.flatnonzero(spans.level < 2)
                self._lose(len(spans) - len(kept), "spans on a third level")
                spans = spans.take(kept)
        if self.encoding in JOINING:
            self._lose(neighbours(spans), _JOINED)
        return replace(annotation, layers={"spans": spans})

    def _without_gaps(self, annotation: Annotation) -> Annotation:
        spans = annotation.spans()
        self._lose(int(np.count_nonzero(spans.shape)), "spans with gaps, which would be filled")
        filled = replace(spans, shape=np.zeros_like(spans.shape))
        return replace(annotation, layers={**annotation.layers, "spans": filled})

    def _lose(self, count: int, what: str, or_else: str = "") -> None:
        """Count a loss, or refuse it."""
        if not count:
            return
        if not self.lossy:
            remedy = f"give --lossy to convert all the same{or_else}"
            raise SettingError(f"{self.target} cannot carry {count:,} {what}; {remedy}.")
        self.losses[what] += count


_JOINED = "neighbours with one label, which would become one span"
_WRITERS: dict[str, Callable[[Annotation], Iterator[str]]] = {
    "spans": span_table.write,
    "jsonl": json_lines.write,
    "label-studio": label_studio.write,
    "brackets": brackets.write,
}


def target_of(path: Path, named: str | None, *, of_chains: bool = False) -> str:
    """The format to write: the one that is named, or that the file's name shows."""
    if named is not None:
        return named
    target = BY_SUFFIX.get(path.suffix)
    if of_chains and target is not None:
        target = _WITH_CHAINS.get(target, target)
    if target is None:
        raise SettingError(f"The name {path.name!r} does not show a format; name one with --to: {', '.join(WRITABLE)}.")
    return target


def _check_visible(annotation: Annotation) -> None:
    """Refuse spans that cover nothing but spaces, where the text between offsets must be something."""
    corpus, spans = annotation.corpus, annotation.spans()
    if corpus.tokens is None or corpus.bounds is None:
        return
    visible = [bool(corpus.tokens[token].strip()) for token in range(len(corpus.tokens))]
    before = np.append(0, np.cumsum(np.array(visible, dtype=np.int64)))
    first = corpus.bounds[spans.scope]
    bare = before[first + spans.start] == before[first + spans.end]
    if bare.any():
        sentence = int(spans.scope[bare.argmax()]) + 1
        where = f"sentence {sentence} of {corpus.source}"
        raise SettingError(f"A span in {where} covers nothing but spaces; convert to JSON lines instead.")


def _need_text(annotation: Annotation) -> None:
    if annotation.corpus.tokens is None:
        raise SettingError(
            f"{annotation.corpus.source} has no tokens, and the new file needs some; convert to spans instead."
        )
