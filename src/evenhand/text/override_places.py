"""Where overrides act: the sentence that each is about, batch by batch."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import NamedTuple

import numpy as np

from evenhand.arrays import ints
from evenhand.problems import InputError
from evenhand.text.corpus import Corpus
from evenhand.text.layers import Spans
from evenhand.text.overrides import LabeledBounds, Override

Refuse = Callable[[InputError], None]
"""What becomes of an error: it is raised, or kept beside others."""


def raised(error: InputError) -> None:
    """The first error is the end."""
    raise error


class Placed(NamedTuple):
    """An override, and its sentence in the batch."""

    scope: int
    override: Override


class OverridePlaces:
    """Finds the sentences of overrides in successive batches of one gold standard."""

    def __init__(self, overrides: Sequence[Override], refuse: Refuse) -> None:
        self._refuse, self._order = refuse, {each.place: number for number, each in enumerate(overrides)}
        self._by_sentence: dict[int, list[Override]] = defaultdict(list)
        self._by_document: dict[str | int, list[Override]] = defaultdict(list)
        for each in overrides:
            if each.sentence is not None:
                self._by_sentence[each.sentence].append(each)
            elif each.document is not None:
                self._by_document[each.document].append(each)
        self._met: set[str | int] = set()
        """The documents that overrides name and that were met."""
        self.sentences = self._documents = 0
        """How much stands before the next batch."""

    def take(self, corpus: Corpus) -> list[Placed]:
        """The overrides of the sentences of a batch, in the order of their lines."""
        before = self._documents - int(corpus.continues and self._documents > 0)
        found = list(self._of_sentences(corpus, before))
        if self._by_document:
            found += self._of_documents(corpus, before)
        self.sentences += corpus.sentences
        self._documents = before + len(corpus.documents)
        return sorted(found, key=lambda placed: self._order[placed.override.place])

    def finish(self) -> None:
        """Refuse overrides of sentences and documents that were not met."""
        for number, overrides in self._by_sentence.items():
            for each in overrides if number > self.sentences else ():
                self._refuse(stale(each, f"there is no sentence {number}, as the gold standard has {self.sentences:,}"))
        for name, overrides in self._by_document.items():
            for each in overrides if name not in self._met else ():
                self._refuse(stale(each, f"the gold standard has no document {name!r}"))

    def _of_sentences(self, corpus: Corpus, before: int) -> Iterator[Placed]:
        """Those that name a sentence by its number over the file; if they name a document, too, it must fit."""
        numbers = range(self.sentences + 1, self.sentences + corpus.sentences + 1)
        for number in [number for number in self._by_sentence if number in numbers]:
            scope = number - numbers.start
            for each in self._by_sentence[number]:
                if self._is_in_document(each, corpus, scope, before):
                    yield Placed(scope, each)

    def _is_in_document(self, override: Override, corpus: Corpus, scope: int, before: int) -> bool:
        if override.document is None:
            return True
        document = int((corpus.documents <= scope).sum()) - 1
        names = [before + document + 1, *_names(corpus, document)]
        if override.document in names:
            return True
        finding = f"sentence {override.sentence} is in document {names[-1]!r}, not in {override.document!r}"
        self._refuse(stale(override, finding))
        return False

    def _of_documents(self, corpus: Corpus, before: int) -> Iterator[Placed]:
        """Those that name a document, which must be a single text or sentence."""
        bounds = [*corpus.documents.tolist(), corpus.sentences]
        for document, first in enumerate(bounds[:-1]):
            names: list[str | int] = [before + document + 1, *_names(corpus, document)]
            for name in [name for name in names if name in self._by_document]:
                is_whole = not (document == 0 and corpus.continues)
                is_one = is_whole and bounds[document + 1] - first == 1
                is_text = is_whole and _is_one_text(corpus, first, bounds[document + 1])
                is_repeated = name in self._met
                self._met.add(name)
                for each in self._by_document[name]:
                    finding = None
                    if not (is_text if each.positions == "characters" else is_one):
                        finding = f"the document {name!r} has several sentences"
                    elif is_repeated:
                        finding = f"two documents are called {name!r}"
                    if finding is None:
                        yield Placed(first, each)
                    else:
                        remedy = "name the sentence, too, by its number from 1 over the file"
                        self._refuse(InputError(each.source, each.line, finding, remedy))


def _is_one_text(corpus: Corpus, first: int, stop: int) -> bool:
    """Whether some sentences are those of a single text."""
    if corpus.raw is None or corpus.text_bounds is None:
        return stop - first == 1
    text, other = np.searchsorted(corpus.text_bounds, corpus.raw[[first, stop - 1]], side="right").tolist()
    return bool(text == other)


def _names(corpus: Corpus, document: int) -> list[str]:
    """What a document is called: by its id, its name or, where a file is one document, its path, in part or whole."""
    if corpus.ids is not None and len(corpus.documents) == corpus.sentences:
        return [corpus.ids[document]]
    if corpus.names and not corpus.unnamed:
        return [corpus.names[document]]
    if len(corpus.documents) > 1 or corpus.continues:
        return []
    parts = PurePath(os.path.splitext(corpus.source)[0]).parts
    return [os.path.basename(corpus.source), *("/".join(parts[at:]) for at in reversed(range(len(parts))))]


class Resolver:
    """Positions of overrides in the atoms of a batch, and back."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus

    def placed(self, placed: Placed) -> Placed:
        """The same override in atoms; its record says what its positions count."""
        override, corpus = placed.override, self._corpus
        if override.positions != "characters":
            if override.positions == "tokens" and corpus.atoms != "tokens":
                raise _uncounted(override, "tokens", "a text without tokens", "characters")
            return placed
        if not corpus.has_input_text:
            raise _uncounted(override, "characters", "no text", "tokens")
        scope, span = placed.scope, None
        if override.span is not None:
            scope, span = self._atoms(override, scope, override.span)
        to = dict(override.to)
        target = override.target
        if target is not None and {"start", "end"} & to.keys():
            where, bounds = self._atoms(override, placed.scope, target)
            if span is not None and where != scope:
                raise stale(override, "`to` is in another sentence than the span")
            scope, to = where, {**to, "start": bounds.start, "end": bounds.end}
        return Placed(scope, replace(override, span=span, to=to))

    def _atoms(self, override: Override, scope: int, span: LabeledBounds) -> tuple[int, LabeledBounds]:
        found = self._corpus.atoms_at(scope, span.start, span.end)
        if found is None:
            whole = " that are whole tokens" if self._corpus.atoms == "tokens" else ""
            raise stale(override, f"the text has no characters from {span.start} to {span.end}{whole}")
        where, start, end = found
        if override.sentence is not None and where != scope:
            raise stale(
                override, f"the characters from {span.start} to {span.end} are not in sentence {override.sentence}"
            )
        return where, LabeledBounds(start, end, span.label)

    def remedy(self, override: Override, scope: int, spans: Spans) -> str | None:
        """What to do about a span that is not there, if its positions fit as characters of the text; else None."""
        span, corpus = override.subject, self._corpus
        if override.positions is not None or not corpus.has_input_text:
            return None
        found = corpus.atoms_at(scope, span.start, span.end)
        label = spans.vocabulary.labels.find(span.label)
        if found is None or label is None:
            return None
        columns = zip((spans.scope, spans.start, spans.end), found, strict=True)
        is_there = np.logical_and.reduce([spans.label == label, *(column == value for column, value in columns)])
        return 'add "positions": "characters", with which it fits' if is_there.any() else None

    def shown(self, scope: int, span: LabeledBounds, override: Override) -> LabeledBounds:
        """A span in atoms, as an override counts."""
        return self.in_text(scope, span) if override.positions == "characters" else span

    def in_text(self, scope: int, span: LabeledBounds) -> LabeledBounds:
        found = self._corpus.positions(*(ints([each]) for each in (scope, span.start, span.end)))
        return LabeledBounds(int(found.start[0]), int(found.end[0]), span.label)

    def written(self, placed: Placed) -> Override:
        """An override in atoms, whose record says what its positions count: characters, where atoms are such."""
        scope, override = placed
        if override.positions is not None or self._corpus.bounds is None:
            counted = override.positions or self._corpus.atoms
            return replace(override, record={**override.record, "positions": counted})
        if self._corpus.atoms == "tokens":
            return replace(override, record={**override.record, "positions": "tokens"})
        record = dict(override.record)
        if override.span is not None:
            record |= self.in_text(scope, override.span)._asdict()
        if override.target is not None:
            target = self.in_text(scope, override.target)._asdict()
            record["to"] = {name: target[name] for name in override.to}
        return replace(override, record={**record, "positions": "characters"})


def _uncounted(override: Override, given: str, held: str, other: str) -> InputError:
    finding = f"positions are {given}, but the gold standard has {held}"
    return InputError(override.source, override.line, finding, f"count in {other}, with positions {other}")


def stale(override: Override, finding: str, remedy: str | None = None) -> InputError:
    """The error of an override that does not fit the gold standard."""
    return InputError(override.source, override.line, finding, remedy or "correct the line, or remove it")
