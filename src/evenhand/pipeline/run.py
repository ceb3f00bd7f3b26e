"""What a run over a gold standard adds up. Runs over parts of it add up, too (`engines.joining`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from evenhand.arrays import Ints, empty
from evenhand.dataclass import dataclass
from evenhand.problems import InputError, SettingError
from evenhand.settings import Atoms, Groups
from evenhand.tally import Tally
from evenhand.tasks.passage import Before, Judgement, Numbers, Outcome
from evenhand.tasks.side_count import SideCount
from evenhand.tasks.task import Task
from evenhand.text.annotation import Annotation, Reading
from evenhand.text.corpus import Corpus

if TYPE_CHECKING:
    from evenhand.result.result import Gold

Key = TypeVar("Key")
_MOST = 16
"""How many totals wait until they are added up."""


@dataclass
class Run:
    """What a run adds up: the text in figures, and for every system its tallies by judge."""

    gold: SideCount
    systems: dict[str, SideCount]
    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    supertags: dict[str, dict[str, dict[str, Tally]]] = field(default_factory=dict)
    """For every system and supertag, the tallies by judge."""
    documents: int = 0
    sentences: int = 0
    atoms: Atoms = "tokens"
    levels: dict[str, int] = field(default_factory=dict)
    """On how many levels each system's spans and the gold standard's are, where levels are separate."""
    document_of: list[Ints] = field(default_factory=list)
    """The document of each sentence, batch by batch, where these may become the groups."""
    size: int | None = 0
    """How many atoms there are, where the files know."""
    labels: tuple[str, ...] = ()
    """All labels that were met."""
    names: dict[str, str] = field(default_factory=dict)
    """The named documents of chains, and the file of each."""
    document_names: list[str] = field(default_factory=list)
    """What documents are called, where the gold standard says and these may be the groups."""
    begins_inside: bool = False
    """Whether the first sentence belongs to a document that began before it, which then has the number 0."""
    by_position: bool = False
    """Whether words are compared by their places, as one side does not spell them."""
    ends_apart: bool = False
    """Whether the last words of both sides are not the same, so that what follows could change how they align."""
    sentence_tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)
    """The tallies by sentence, if those of the finest groups are by document in the end."""
    before: Before | None = None
    """What was counted without overrides of the gold standard, where there are some."""

    def add_text(self, corpus: Corpus, reading: Reading) -> None:
        if not corpus.sentences and not corpus.names:
            raise InputError(corpus.source, None, "there is no sentence in it", "give a gold standard that has some")
        self.gold.reading = self.gold.reading.plus(reading) if self.gold.reading else reading
        self.documents += len(corpus.documents) - int(corpus.continues)
        self.sentences += corpus.sentences
        self.atoms = corpus.atoms
        self.size = None if self.size is None or corpus.token_count is None else self.size + corpus.token_count

    def figures(self, name: str, side: SideCount | None = None) -> Gold:
        """The gold standard in figures, under its name; with the units of another count, where one is given."""
        from evenhand.result.result import Gold  # with much else, which a process that only counts can do without

        tokens, characters = (self.size, None) if self.atoms == "tokens" else (None, self.size)
        side = self.gold if side is None else side
        labels = dict(sorted(side.labels.items()))
        reading = self.gold.reading or Reading()
        names = tuple(self.document_names or self.names)
        sizes = (self.documents, self.sentences, tokens, characters, side.units)
        return Gold(name, *sizes, labels, reading, side.chains, names if len(names) == self.documents else ())

    def groups_of(self, corpus: Corpus, groups: Groups) -> Ints:
        """The number of the group that each sentence of the next batch belongs to, over the whole run.

        The finest groups are documents, or sentences where there is one document, which is known at the end.
        """
        if corpus.continues and not self.documents:
            self.begins_inside, self.documents = True, 1
        sentences, of_document = np.arange(corpus.sentences), self.documents_of(corpus)
        if groups in ("document", "finest"):
            self.document_names += corpus.names[int(corpus.continues) :]
        if groups == "finest":
            self.document_of.append(of_document)
        if groups in ("sentence", "finest"):
            return sentences + self.sentences
        return of_document if groups == "document" else np.zeros_like(sentences)

    def kept_apart(self, groups: Groups) -> Groups:
        """What the groups of tallies are, at the end: the finest are documents, or sentences where there is one."""
        if groups != "finest" or self.names:
            return "document" if groups == "finest" else groups
        return "document" if self.documents > 1 else "sentence"

    def documents_of(self, corpus: Corpus) -> Ints:
        """The document of each sentence of the next batch, over the whole run."""
        found: Ints = corpus.document_of(np.arange(corpus.sentences)) + self.documents - int(corpus.continues)
        return found

    def settle_groups(self, groups: Groups) -> None:
        """At the end of all: where the finest groups are documents, those of sentences become these."""
        if groups == "finest" and self.documents > 1:
            if self.document_of:
                self.sentence_tallies = self.tallies
            self.tallies = self.by_document(self.tallies)

    def by_document(self, tallies: dict[str, dict[str, Tally]]) -> dict[str, dict[str, Tally]]:
        """Tallies of the finest groups, by document; those of chains are so from the start."""
        if not self.document_of:
            return tallies
        of_document = np.concatenate(self.document_of)
        return {
            name: {judge: tally.regroup(of_document) for judge, tally in found.items()}
            for name, found in tallies.items()
        }


class Sums(Generic[Key]):
    """Tallies of portions or parts that are added up by key; few totals wait at a time."""

    def __init__(self, groups: Groups, *, by_document: bool) -> None:
        self._is_total, self._by_document = groups == "total", by_document
        self._waiting: dict[Key, list[Tally]] = {}

    def add(self, key: Key, tally: Tally) -> None:
        waiting = self._waiting.setdefault(key, [])
        waiting.append(tally)
        if self._is_total and len(waiting) > _MOST:
            waiting[:] = [self._merged(waiting)]

    def finish(self) -> dict[Key, Tally]:
        """The sums; what they are made of is let go."""
        return {key: self._merged(self._waiting.pop(key)) for key in list(self._waiting)}

    def _merged(self, tallies: list[Tally]) -> Tally:
        """The sum; a total of fractions is added up document by document, whatever the portions were."""
        found = Tally.merge(tallies)
        return found.total() if self._is_total and self._by_document else found


class Counting:
    """A run in the making: numbers the batches of the gold standard, and adds up judgements."""

    def __init__(self, task: Task, systems: Sequence[str], groups: Groups, layer: str) -> None:
        if task.by_document and groups == "sentence":
            raise SettingError(
                f"Scores of {task.name} are no sums over sentences; choose total, document or finest groups."
            )
        self.run = Run(SideCount(), {name: SideCount() for name in systems})
        self._by_document, self._groups, self._layer = task.by_document, groups, layer
        self._sums: Sums[tuple[str, str]] = Sums(groups, by_document=task.by_document)

    def number(self, batch: Annotation) -> Numbers:
        """Where the next batch stands; its text is counted."""
        run, corpus = self.run, batch.corpus
        groups = empty() if self._by_document else run.groups_of(corpus, self._groups)
        documents = run.documents_of(corpus)
        numbers = Numbers(groups, documents, run.sentences, run.documents - int(corpus.continues))
        run.add_text(corpus, batch.readings.get(self._layer) or batch.reading)
        return numbers

    def add(self, judgement: Judgement) -> None:
        """Add the counts of a portion."""
        for name, tallies in judgement.tallies.items():
            for judge, tally in tallies.items():
                self._sums.add((name, judge), tally)

    def finish(self, outcome: Outcome, labels: Sequence[str]) -> Run:
        run = self.run
        run.tallies = {name: {} for name in run.systems}
        for (name, judge), tally in self._sums.finish().items():
            run.tallies[name][judge] = tally
        for tallies in run.tallies.values():
            tallies |= outcome.shared
        if outcome.before is not None:
            tallies_before = {name: {**found, **outcome.shared} for name, found in outcome.before.tallies.items()}
            run.before = replace(outcome.before, tallies=tallies_before)
        run.supertags = {
            name: {tag: dict(found) for tag, found in outcome.supertags.get(name, {}).items()} for name in run.systems
        }
        run.levels = {name: outcome.levels.get(name, 1) for name in run.systems}
        run.names = dict(outcome.document_names)
        run.by_position, run.ends_apart = outcome.by_position, outcome.ends_apart
        run.labels = tuple(sorted(labels))
        return run
