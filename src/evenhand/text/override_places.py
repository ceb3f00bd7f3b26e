"""Where overrides act: the sentence that each is about, batch by batch."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

from evenhand.problems import InputError
from evenhand.text.corpus import Corpus
from evenhand.text.overrides import Override

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
                is_one = bounds[document + 1] - first == 1 and not (document == 0 and corpus.continues)
                finding = None if is_one else f"the document {name!r} has several sentences"
                finding = f"two documents are called {name!r}" if name in self._met and is_one else finding
                self._met.add(name)
                for each in self._by_document[name]:
                    if finding is None:
                        yield Placed(first, each)
                    else:
                        remedy = "name the sentence, too, by its number from 1 over the file"
                        self._refuse(InputError(each.source, each.line, finding, remedy))


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


def stale(override: Override, finding: str) -> InputError:
    """The error of an override that does not fit the gold standard."""
    return InputError(override.source, override.line, finding, "correct the line, or remove it")
